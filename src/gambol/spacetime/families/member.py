"""One member of a family: solved here or by a worker, kept in a folder as soon as it is.

A file is named by all that decides what is in it, so that no changed clip or plan can be mixed up with another.
"""

from __future__ import annotations

import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.geometry.quaternions import Array
from gambol.io.output import replacing
from gambol.spacetime.edits.draft import draft_of
from gambol.spacetime.edits.edited import solved
from gambol.spacetime.edits.parts import Clip
from gambol.spacetime.families.family import on_frames
from gambol.spacetime.families.packed import digest
from gambol.spacetime.families.plan import Plan
from gambol.version import __version__


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


@dataclass(frozen=True, eq=False)
class Setting:
    """What all members share."""

    clip: Clip
    plan: Plan
    character: Character
    shown: Array
    """(frames,) seconds of the recording that a frame shows"""

    @cached_property
    def key(self) -> str:
        """Stands for it, whatever the plan varies."""
        return digest(__version__, self.clip.fitted, self.plan.rate, self.character, self.shown)


def solve_member(setting: Setting, index: Sequence[int]) -> Member:
    """The same to the last bit in whatever process: on one thread, as sums over several round differently."""
    from threadpoolctl import threadpool_limits

    begun = time.perf_counter()
    plan = setting.plan
    with threadpool_limits(1):
        found = solved(draft_of(setting.clip, plan.edit(index), plan.rate, setting.character))
        times, q = on_frames(found, setting.shown)
    solution = found.outcome.solution
    seconds = time.perf_counter() - begun
    return Member(times, q, solution.converged, solution.status, solution.iterations, seconds)


class Kept:
    """Members that were solved before and are kept in a folder."""

    def __init__(self, folder: Path, setting: Setting) -> None:
        self._folder, self._setting = folder, setting
        if folder.exists() and not folder.is_dir():
            raise InputError("members that are solved go into a folder of this name", file=folder, fix="remove it")
        folder.mkdir(exist_ok=True)

    def get(self, index: Sequence[int]) -> Member | None:
        """A member, if it is there whole."""
        try:
            with np.load(self._file(index), allow_pickle=False) as file:
                status, (converged, iterations) = str(file["status"]), file["counts"].tolist()
                return Member(file["times"], file["q"], bool(converged), status, iterations, float(file["seconds"]))
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None

    def put(self, index: Sequence[int], member: Member) -> None:
        """Keep a member; a killed program leaves it whole or not at all."""
        with replacing(self._file(index)) as temporary, temporary.open("wb") as file:
            np.savez(
                file,
                times=member.times,
                q=member.q,
                counts=np.array([member.converged, member.iterations]),
                status=np.array(member.status),
                seconds=np.array(member.seconds),
            )

    def _file(self, index: Sequence[int]) -> Path:
        edit = replace(self._setting.plan.edit(index), name="")
        return self._folder / f"{digest(self._setting.key, edit)[:32]}.npz"


def forget(folder: Path) -> None:
    """Remove the members that are kept in a folder, and the folder if there is nothing else in it."""
    for file in [*folder.glob("*.npz"), *folder.glob(".*.npz")]:
        file.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()
