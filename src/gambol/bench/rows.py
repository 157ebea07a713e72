"""Rows of a benchmark: our figure, a peer's, and their ratio, with the machine they were measured on."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from gambol.provenance import describe_run


@dataclass(frozen=True)
class Row:
    """One figure. `ratio` is how many times better ours is than the peer's; None where there is no peer."""

    id: str
    value: float
    unit: str
    peer: str = ""
    peer_value: float | None = None
    ratio: float | None = None


def benchmark_facts(name: str, rows: list[Row]) -> dict[str, Any]:
    """Return the rows of a benchmark as JSON has them."""
    return {"name": name, **describe_run(), "rows": [asdict(row) for row in rows]}


def measure_seconds(action: Callable[[], object], repeats: int) -> float:
    """Return the shortest duration of several runs, the one that other processes disturbed least."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best
