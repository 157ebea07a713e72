"""Load the recorded jumps that are edited, cut around their flights, and solve edits of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from gambol.body.character import Character
from gambol.contacts.move import Move
from gambol.errors import InputError
from gambol.fit.rig import fit
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.spacetime.edits.edit import Change, Edit
from gambol.spacetime.edits.parts import EditableClip, Part, divide_clip
from gambol.spacetime.edits.solve_edit import SolvedEdit, solve_edit
from gambol.spacetime.join import join_motions
from gambol_evidence.reproduce.recordings import load_cmu_clip

JUMPS = ("13_11", "13_13", "13_32", "02_04", "118_01", "118_03", "127_25", "132_23", "75_09", "124_05")
"""Jumps and leaps by seven people."""
AROUND, _NARROW = 0.8, 0.4
"""Seconds kept before and after a flight, and before and after two jumps."""
LEAD = 2.0
"""Length (m) of the backward jump that a forward jump is edited into (L05 section 4.5.4)."""


@dataclass(frozen=True, eq=False)
class Jump:
    """A clip with a flight, and the ground stage after it."""

    clip: EditableClip
    flight: str
    landing: str

    def edit(self, name: str, **numbers: float) -> Edit:
        """Return an edit that changes the landing, and the flight by `higher` (m)."""
        places: dict[str, Any] = {key: value for key, value in numbers.items() if key != "higher"}
        changes = [Change(self.landing, **places)] if places else []
        if "higher" in numbers:
            changes.append(Change(self.flight, higher=numbers["higher"]))
        return Edit(name, tuple(changes))

    @property
    def backward(self) -> Edit:
        """The edit that moves the landing two metres behind the take-off."""
        stages = list(self.clip.stages)
        landing = self.clip.part(self.landing)
        before = stages[stages.index(landing) - 2]
        travel = self.clip.position(landing) - self.clip.position(before)
        far = float(Move(-self.clip.heading(landing)).rotate(travel)[0])
        return self.edit("backward", forward=-far - LEAD)


@cache
def load_jump(data: Path, name: str, around: float = AROUND) -> Jump:
    """Load a recording, cut to its longest flight and so many seconds before and after it."""
    motion = load_cmu_clip(data, name)
    return find_jump(cut_around(motion, _flights(make_editable(motion))[:1], around))


@cache
def load_two_jumps(data: Path) -> EditableClip:
    """Load two jumps, joined to one clip."""
    both = join_motions(load_cmu_clip(data, "13_11"), load_cmu_clip(data, "13_13")).motion
    return make_editable(cut_around(both, _flights(make_editable(both))[:2], _NARROW))


def find_jump(motion: Motion) -> Jump:
    """Return a motion as a jump: its longest flight, and the ground stage after it."""
    clip = make_editable(motion)
    flight = _flights(clip)[0]
    after = next((part for part in clip.stages if part.first > flight.last), None)
    if after is None:
        raise InputError("no ground stage follows the flight", file=motion.name, fix="choose a clip that lands")
    return Jump(clip, flight.name, after.name)


def make_editable(motion: Motion) -> EditableClip:
    """Fit a character to a motion and divide it into stages."""
    return divide_clip(fit(Character.from_motion(motion), motion))


def cut_around(motion: Motion, flights: Sequence[Part], seconds: float) -> Motion:
    """Return the part of a motion from `seconds` before the first of some flights to `seconds` after the last."""
    more = round(seconds / motion.frame_time)
    first, last = min(part.first for part in flights), max(part.last for part in flights)
    return motion[max(first - more, 0) : last + more + 1]


@cache
def solve_jump_edit(data: Path, name: str, edit: Edit, rate: float) -> SolvedEdit:
    """Solve an edit of a jump at a rate (frames per second)."""
    return solve_edit(load_jump(data, name).clip, edit, fps=rate)


def measure_joint_difference(character: Character, one: Array, other: Array) -> float:
    """Return the root mean square difference (degrees) of joint angles of two motions (frames, dofs)."""
    turns = [n for n, dof in enumerate(character.skeleton.dofs) if dof.kind == "turn" and dof.joint]
    return float(np.degrees(np.sqrt(np.mean((one - other)[:, turns] ** 2))))


def _flights(clip: EditableClip) -> list[Part]:
    """Return the flights of a clip, the longest first."""
    found = sorted((part for part in clip.parts if part.kind == "flight"), key=len, reverse=True)
    if not found:
        raise InputError("no flight found", file=clip.fitted.source.name, fix="choose a clip with a jump")
    return found
