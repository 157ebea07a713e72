"""Solve one member of a family, here or in a worker, and store it in a folder.

A file is named by a digest of everything that determines its content, so that changed clips or plans are not mixed up.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.io.checkpoint import read_checkpoint, write_checkpoint
from gambol.io.packed import digest
from gambol.solve.ipopt import SolverState, on_one_thread
from gambol.spacetime.edits.draft import draft_edit
from gambol.spacetime.edits.parts import EditableClip
from gambol.spacetime.edits.solve_edit import WarmStart, solve_draft
from gambol.spacetime.families.family import resample_member
from gambol.spacetime.families.plan import FamilyPlan, GridIndex
from gambol.version import __version__

_WHAT, _VERSION = "member of a family", 1


class Member(NamedTuple):
    """A solved member."""

    times: Array
    """(frames,) seconds"""
    q: Array
    """(frames, dofs)"""
    converged: bool
    status: str
    iterations: int
    seconds: float
    """Solution time."""
    warm_start: WarmStart
    """A start for its neighbours."""


@dataclass(frozen=True, eq=False)
class FamilySetup:
    """What all members share."""

    clip: EditableClip
    plan: FamilyPlan
    character: Character
    source_times: Array
    """(frames,) seconds of the recording that a frame shows"""
    warm_starts: bool = True
    """Whether a member starts from the solution of its neighbour towards the middle of the grid."""

    def parent(self, index: GridIndex) -> GridIndex | None:
        """Return the neighbour that a member starts from: one step towards the middle on its most distant axis."""
        away = [n - (count - 1) // 2 for n, count in zip(index, self.plan.shape, strict=True)]
        if not self.warm_starts or not any(away):
            return None
        axis = max(range(len(away)), key=lambda k: abs(away[k]))
        return (*index[:axis], index[axis] - (1 if away[axis] > 0 else -1), *index[axis + 1 :])

    def ancestry(self, index: GridIndex) -> list[GridIndex]:
        """Return a member, its parent, and so on to the middle."""
        line = [index]
        while (parent := self.parent(line[-1])) is not None:
            line.append(parent)
        return line

    @cached_property
    def key(self) -> str:
        """A digest of the setup, independent of what the plan varies."""
        clip = self.clip
        return digest(__version__, clip.fitted, clip.contacts.items, self.plan.fps, self.character, self.source_times)


def solve_member(setup: FamilySetup, index: GridIndex, parent: Member | None = None) -> Member:
    """Solve a member; the result is identical to the last bit in any process."""
    start = time.perf_counter()
    plan = setup.plan
    with on_one_thread():
        draft = draft_edit(setup.clip, plan.edit(index), plan.fps, setup.character)
        found = solve_draft(draft, after=parent.warm_start if parent is not None and parent.converged else None)
        times, q = resample_member(found, setup.source_times)
    solution = found.outcome.solution
    seconds = time.perf_counter() - start
    return Member(times, q, solution.converged, solution.status, solution.iterations, seconds, found.warm_start)


class MemberStore:
    """Solved members in a folder."""

    def __init__(self, folder: Path, setup: FamilySetup) -> None:
        self._folder, self._setup = folder, setup
        if folder.exists() and not folder.is_dir():
            raise InputError("a file has the name of the folder for solved members", file=folder, fix="remove it")

    def get(self, index: GridIndex) -> Member | None:
        """Return a member if its file is there and undamaged."""
        try:
            return read_member(self._file(index))
        except InputError:
            return None

    def put(self, index: GridIndex, member: Member) -> None:
        """Store a member; an interrupted write leaves no partial file."""
        self._folder.mkdir(exist_ok=True)
        write_member(self._file(index), member)

    def _file(self, index: GridIndex) -> Path:
        plan = self._setup.plan
        edits = [replace(plan.edit(member), name="") for member in self._setup.ancestry(index)]
        return self._folder / f"{digest(self._setup.key, *edits)[:32]}.npz"


def write_member(path: Path, member: Member) -> None:
    """Write a member to a file."""
    write_checkpoint(path, _WHAT, _VERSION, member)


def read_member(path: Path) -> Member:
    """Read a member from a file."""
    member: Member = read_checkpoint(path, _WHAT, _VERSION, (Member, WarmStart, SolverState))
    return member


def remove_members(folder: Path) -> None:
    """Remove the members stored in a folder, and the folder if it is empty then."""
    for file in [*folder.glob("*.npz"), *folder.glob(".*.npz")]:
        file.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()
