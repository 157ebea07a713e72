"""A figure: a number about a motion, its acceptable band, and the source of the band."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from gambol.geometry.arrays import summarise_fields


@dataclass(frozen=True)
class Band:
    """A range of acceptable values, ends included."""

    low: float = -math.inf
    high: float = math.inf

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        if math.isinf(self.low) and math.isinf(self.high):
            return "any value"
        if math.isinf(self.low):
            return f"at most {self.high:g}"
        return f"at least {self.low:g}" if math.isinf(self.high) else f"{self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Figure:
    """One figure of a check. NaN fails, unless `absent` gives the reason."""

    __repr__ = summarise_fields

    name: str
    value: float
    unit: str
    source: str
    """Source of the band."""
    band: Band
    absent: str = ""
    """Why there is nothing to measure, such as "no flight"; empty if there must be a value."""

    @property
    def measured(self) -> bool:
        """Whether there is a value."""
        return not math.isnan(self.value)

    @property
    def passes(self) -> bool:
        """Whether the value is in the band, or absent for a stated reason."""
        return self.value in self.band if self.measured else bool(self.absent)

    @property
    def reason(self) -> str:
        """Why there is no value, in words."""
        return self.absent or "could not be measured"

    def facts(self) -> dict[str, Any]:
        """Return what is known about it as plain JSON types."""
        return {
            "name": self.name,
            "value": self.value if math.isfinite(self.value) else None,
            "absent": self.absent,
            "unit": self.unit,
            "band": str(self.band),
            "passes": self.passes,
            "source": self.source,
        }

    @property
    def formatted(self) -> str:
        """The value with three digits, or as a whole number from 1000 on; "none" without a value."""
        if not self.measured:
            return "none"
        return f"{self.value:.0f}" if abs(self.value) >= 1000.0 else f"{round(self.value, 3):.3g}"
