"""A figure is a number about a motion, the band it should lie in, and who says so."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One line of a check. NaN means that the motion has nothing to measure; that is never a failure."""

    name: str
    value: float
    unit: str
    source: str
    """Where the band comes from."""
    low: float = -math.inf
    high: float = math.inf

    @property
    def passes(self) -> bool:
        """Within the band, or not measurable."""
        return math.isnan(self.value) or self.low <= self.value <= self.high

    @property
    def band(self) -> str:
        """The band as a person writes it."""
        if math.isinf(self.low):
            return f"at most {self.high:g}"
        return f"at least {self.low:g}" if math.isinf(self.high) else f"{self.low:g} to {self.high:g}"
