"""One member of a family: solved here or by a worker, kept in a folder as soon as it is.

A file is named by all that decides what is in it, so that no changed clip or plan can be mixed up with another.
"""

from __future__ import annotations

import time
import zipfile
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.io.output import atomic_write
from gambol.io.packed import digest
from gambol.solve.ipopt import Warm, on_one_thread
from gambol.spacetime.edits.draft import draft_edit
from gambol.spacetime.edits.solving import WarmStart, solve_draft
from gambol.spacetime.edits.parts import EditableClip
from gambol.spacetime.families.family import resample_member
from gambol.spacetime.families.plan import FamilyPlan
from gambol.version import __version__

GridIndex = tuple[int, ...]


class Member(NamedTuple):
    """What came out."""

    times: Array
    """(frames,) seconds"""
    q: Array
    """(frames, dofs)"""
    converged: bool
    status: str
    iterations: int
    seconds: float
    """That it took."""
    begun: WarmStart
    """For its neighbours to begin with."""


@dataclass(frozen=True, eq=False)
class FamilySetup:
    """What all members share."""

    clip: EditableClip
    plan: FamilyPlan
    character: Character
    shown: Array
    """(frames,) seconds of the recording that a frame shows"""
    chained: bool = True
    """Whether a member begins with the solution of its neighbour towards the middle of the family."""

    def parent(self, index: GridIndex) -> GridIndex | None:
        """The neighbour that a member begins with: a step towards the middle along the axis that it is farthest on."""
        away = [n - (count - 1) // 2 for n, count in zip(index, self.plan.shape, strict=True)]
        if not self.chained or not any(away):
            return None
        axis = max(range(len(away)), key=lambda k: abs(away[k]))
        return (*index[:axis], index[axis] - (1 if away[axis] > 0 else -1), *index[axis + 1 :])

    def ancestry(self, index: GridIndex) -> list[GridIndex]:
        """A member, its parent, and so on to the middle."""
        line = [index]
        while (parent := self.parent(line[-1])) is not None:
            line.append(parent)
        return line

    @cached_property
    def key(self) -> str:
        """Stands for it, whatever the plan varies."""
        return digest(__version__, self.clip.fitted, self.plan.rate, self.character, self.shown)


def solve_member(setting: FamilySetup, index: GridIndex, parent: Member | None = None) -> Member:
    """The same to the last bit in whatever process."""
    begun = time.perf_counter()
    plan = setting.plan
    with on_one_thread():
        draft = draft_edit(setting.clip, plan.edit(index), plan.rate, setting.character)
        found = solve_draft(draft, after=parent.begun if parent is not None and parent.converged else None)
        times, q = resample_member(found, setting.source_times)
    solution = found.outcome.solution
    seconds = time.perf_counter() - begun
    return Member(times, q, solution.converged, solution.status, solution.iterations, seconds, found.begun)


class MemberStore:
    """Members that were solved before and are kept in a folder."""

    def __init__(self, folder: Path, setting: FamilySetup) -> None:
        self._folder, self._setting = folder, setting
        if folder.exists() and not folder.is_dir():
            raise InputError("members that are solved go into a folder of this name", file=folder, fix="remove it")
        folder.mkdir(exist_ok=True)

    def get(self, index: GridIndex) -> Member | None:
        """A member, if it is there whole."""
        try:
            with np.load(self._file(index), allow_pickle=False) as file:
                status, (converged, iterations) = str(file["status"]), file["counts"].tolist()
                begun = WarmStart(file["change"], Warm(file["x"], file["bounds"], file["rows"]))
                seconds = float(file["seconds"])
                return Member(file["times"], file["q"], bool(converged), status, iterations, seconds, begun)
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None

    def put(self, index: GridIndex, member: Member) -> None:
        """Keep a member; a killed program leaves it whole or not at all."""
        with atomic_write(self._file(index)) as temporary, temporary.open("wb") as file:
            np.savez(
                file,
                times=member.times,
                q=member.q,
                counts=np.array([member.converged, member.iterations]),
                status=np.array(member.status),
                seconds=np.array(member.seconds),
                change=member.begun.change,
                x=member.begun.warm.x,
                bounds=member.begun.warm.bounds,
                rows=member.begun.warm.rows,
            )

    def _file(self, index: GridIndex) -> Path:
        plan = self._setting.plan
        edits = [replace(plan.edit(member), name="") for member in self._setting.ancestry(index)]
        return self._folder / f"{digest(self._setting.key, *edits)[:32]}.npz"


def remove_members(folder: Path) -> None:
    """Remove the members that are kept in a folder, and the folder if there is nothing else in it."""
    for file in [*folder.glob("*.npz"), *folder.glob(".*.npz")]:
        file.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()
