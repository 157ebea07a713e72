"""Windows of a clip that were solved, and a file that keeps them, so that a stopped repair goes on after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from gambol.geometry.arrays import Array
from gambol.io.output import atomic_write


@dataclass(frozen=True, eq=False)
class SolvedWindow:
    """The result of solving one window of frames."""

    first: int
    last: int
    converged: bool
    status: str
    """Why the solver stopped, in words."""
    iterations: int
    residual: Array
    """(frames,) residual force and moment, which no contact explains, in body weights (and metres)."""
    q: Array
    """(frames, dofs) coordinates of the character."""


def write_windows(path: Path, problem: str, windows: Sequence[SolvedWindow]) -> None:
    """Write windows to a file; `problem` identifies what they are windows of."""
    packed: dict[str, Any] = {"problem": problem, "count": len(windows)}
    for number, window in enumerate(windows):
        names = (f"{field.name}{number}" for field in fields(window))
        packed |= dict(zip(names, astuple(window), strict=True))
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        np.savez(file, **packed)


def read_windows(path: Path, problem: str) -> list[SolvedWindow]:
    """Read the windows of a problem from a file; none if there is no such file, or it is of another problem."""
    if not path.exists():
        return []
    with np.load(path, allow_pickle=False) as stored:
        if str(stored["problem"]) != problem:
            return []
        return [_unpack(stored, number) for number in range(int(stored["count"]))]


def _unpack(stored: Any, number: int) -> SolvedWindow:
    values = {field.name: stored[f"{field.name}{number}"] for field in fields(SolvedWindow)}
    return SolvedWindow(**{name: value.item() if value.ndim == 0 else value for name, value in values.items()})
