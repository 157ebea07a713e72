"""A claim is a number that should lie within a band; whether it holds is computed, never written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gambol.metrics.figures import Band


@dataclass(frozen=True)
class Claim:
    """One row."""

    id: str
    paper: str
    """Who says so: a paper by its short name, an engine, a recording."""
    claim: str
    measured: float
    unit: str
    data: str
    expected: Band

    @property
    def holds(self) -> bool:
        """Whether the measured value lies within what is expected."""
        return self.measured in self.expected


def report(name: str, claims: list[Claim]) -> dict[str, Any]:
    """The rows as JSON has them."""
    keys = ("id", "paper", "claim", "expected", "measured", "unit", "holds", "data")
    return {"name": name, "claims": [{**{k: getattr(c, k) for k in keys}, "expected": str(c.expected)} for c in claims]}
