"""A claim is a number that should lie within bounds; whether it holds is computed, never written."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Claim:
    """One row. `low` and `high` bound what is expected."""

    id: str
    paper: str
    """Who says so: a paper by its short name, an engine, a recording."""
    claim: str
    measured: float
    unit: str
    data: str
    low: float = -math.inf
    high: float = math.inf

    @property
    def holds(self) -> bool:
        """Whether the measured value lies within what is expected."""
        return self.low <= self.measured <= self.high

    @property
    def expected(self) -> str:
        """The bounds as a person writes them."""
        if math.isinf(self.low):
            return f"at most {self.high:g}"
        if math.isinf(self.high):
            return f"at least {self.low:g}"
        return f"{self.low:g} to {self.high:g}"


def report(name: str, claims: list[Claim]) -> dict[str, Any]:
    """The rows as JSON has them."""
    keys = ("id", "paper", "claim", "expected", "measured", "unit", "holds", "data")
    return {"name": name, "claims": [{key: getattr(claim, key) for key in keys} for claim in claims]}
