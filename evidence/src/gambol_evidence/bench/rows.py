"""Rows of a benchmark: a figure of gambol, that of a peer, and their ratio, with the machine they were measured on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from gambol_evidence.provenance import describe_run

NOT_INSTALLED = "not installed"
"""Note of a row whose peer could not be imported."""


@dataclass(frozen=True)
class Row:
    """One figure."""

    id: str
    value: float
    """NaN where it could not be measured; `note` says why."""
    unit: str
    peer: str = ""
    """Name of the peer; empty where there is nothing to compare with."""
    peer_value: float | None = None
    ratio: float | None = None
    """How many times better the figure is than that of the peer."""
    note: str = ""
    """Why the figure, or that of the peer, is missing."""

    @property
    def comparison(self) -> str:
        """The peer's figure and the ratio in words, or why they are missing."""
        if self.peer_value is None or self.ratio is None:
            return ": ".join(word for word in (self.peer, self.note) if word)
        return f"{self.peer} {format_figure(self.peer_value)}, {self.ratio:.1f} times"


def benchmark_facts(name: str, rows: list[Row]) -> dict[str, Any]:
    """Return the rows of a benchmark as JSON has them; a figure that could not be measured is null."""
    facts = [asdict(row) | {"value": row.value if math.isfinite(row.value) else None} for row in rows]
    return {"name": name, **describe_run(), "rows": facts}


def format_figure(value: float) -> str:
    """Return a figure with three digits, or as a whole number from 100 on; "-" where it is not a number."""
    if math.isnan(value):
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def measure_seconds(action: Callable[[], object], repeats: int) -> float:
    """Return the shortest duration of several runs, the one that other processes disturbed least."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best
