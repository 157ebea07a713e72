"""Windows of a clip that were solved, and a file that keeps them, so that a stopped repair goes on after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gambol.geometry.arrays import Array
from gambol.io.checkpoint import read_checkpoint, write_checkpoint

_WHAT, _VERSION = "repair that was stopped", 2


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


@dataclass(frozen=True, eq=False)
class _StoredWindows:
    """What a file holds."""

    problem: str
    windows: tuple[SolvedWindow, ...]


def write_windows(path: Path, problem: str, windows: Sequence[SolvedWindow]) -> None:
    """Write windows to a file; `problem` identifies what they are windows of."""
    write_checkpoint(path, _WHAT, _VERSION, _StoredWindows(problem, tuple(windows)))


def read_windows(path: Path, problem: str) -> list[SolvedWindow]:
    """Read the windows of a problem from a file; none if the file does not exist or is of another problem."""
    if not path.exists():
        return []
    found: _StoredWindows = read_checkpoint(path, _WHAT, _VERSION, (_StoredWindows, SolvedWindow))
    return list(found.windows) if found.problem == problem else []
