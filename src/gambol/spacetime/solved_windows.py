"""Windows of a clip that were solved, and a file that keeps them, so that a stopped repair goes on after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gambol.geometry.arrays import Array
from gambol.io.archive import invalid_content_error, read_archive, write_archive
from gambol.io.packed import build

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


@dataclass(frozen=True, eq=False)
class _StoredWindows:
    """What a file holds."""

    problem: str
    windows: tuple[SolvedWindow, ...]


def write_windows(path: Path, problem: str, windows: Sequence[SolvedWindow]) -> None:
    """Write windows to a file; `problem` identifies what they are windows of."""
    write_archive(path, _WHAT, _VERSION, {"problem": problem, "windows": tuple(windows)})


def read_windows(path: Path, problem: str) -> list[SolvedWindow]:
    """Read the windows of a problem from a file; none if the file does not exist or is of another problem."""
    if not path.exists():
        return []
    stored = read_archive(path, _WHAT, _VERSION, (SolvedWindow,), fix="delete it to begin anew")
    try:
        found = build(_StoredWindows, stored)
    except TypeError as error:
        raise invalid_content_error(path, _WHAT, error) from None
    return list(found.windows) if found.problem == problem else []
