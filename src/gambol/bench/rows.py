"""A benchmark is rows: a value of ours, the peer's, their ratio, and the machine they were taken on."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

_PACKAGES = ("gambol", "numpy", "scipy", "pin", "casadi", "bvhio", "upc-pymotion", "pyrvo")


@dataclass(frozen=True)
class Row:
    """One figure. `ratio` says how many times better we are than the peer; empty where there is none."""

    id: str
    value: float
    unit: str
    peer: str = ""
    peer_value: float | None = None
    ratio: float | None = None


def machine() -> dict[str, Any]:
    """What the figures were taken on."""
    packages = {}
    for name in _PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            continue
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": packages,
    }


def report(name: str, rows: list[Row]) -> dict[str, Any]:
    """The figures as JSON has them."""
    return {"name": name, "rows": [asdict(row) for row in rows], "machine": machine()}


def seconds(action: Callable[[], object], repeats: int) -> float:
    """The shortest of several runs: the one the rest of the machine disturbed least."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best
