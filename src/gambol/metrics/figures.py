"""A figure is a number about a motion, the band it should lie in, and who says so."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Band:
    """Where a number should lie, ends included."""

    low: float = -math.inf
    high: float = math.inf

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        if math.isinf(self.low):
            return f"at most {self.high:g}"
        return f"at least {self.low:g}" if math.isinf(self.high) else f"{self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Figure:
    """One line of a check. A value that is NaN fails, unless `absent` says why the motion has none."""

    name: str
    value: float
    unit: str
    source: str
    """Where the band comes from."""
    band: Band
    absent: str = ""
    """Why there is nothing to measure, such as "no flight"; empty where there should be a value."""

    @property
    def measured(self) -> bool:
        """There is a value."""
        return not math.isnan(self.value)

    @property
    def passes(self) -> bool:
        """Within the band, or absent for a reason."""
        return self.value in self.band if self.measured else bool(self.absent)

    @property
    def written(self) -> str:
        """The value in three digits, or in whole numbers where it is large; "nothing" where there is none."""
        if not self.measured:
            return "nothing"
        return f"{self.value:.0f}" if abs(self.value) >= 1000.0 else f"{round(self.value, 3):.3g}"
