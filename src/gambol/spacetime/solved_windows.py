"""Windows of a clip that were solved, and a file that keeps them, so that a stopped repair goes on after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.io.archive import read_archive, write_archive

_WHAT, _VERSION = "repair that was stopped", 1


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
    write_archive(path, _WHAT, _VERSION, {"problem": problem, "windows": tuple(windows)})


def read_windows(path: Path, problem: str) -> list[SolvedWindow]:
    """Read the windows of a problem from a file; none if the file does not exist or is of another problem."""
    if not path.exists():
        return []
    stored = read_archive(path, _WHAT, _VERSION, (SolvedWindow,), fix="delete it to begin anew")
    windows = stored.get("windows")
    if not isinstance(windows, tuple) or not all(isinstance(window, SolvedWindow) for window in windows):
        raise InputError("its windows are missing", file=path, fix="delete it to begin anew")
    return list(windows) if stored.get("problem") == problem else []
