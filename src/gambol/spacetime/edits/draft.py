"""A clip with its stages where an edit wants them, before physics: the start of an edit and what it is to be like.

L05 section 4.4.2: places that are moved take the body along; over flights (and from step to step) it goes from one
move to the next in a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.fit.rig import with_safe_axes
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_from_start
from gambol.geometry.arrays import Array
from gambol.legs.rests import Rest
from gambol.motion.motion import Motion
from gambol.solve.problem import Index
from gambol.spacetime.edits.time_map import TimeMap, map_times
from gambol.spacetime.edits.edit import Edit
from gambol.spacetime.edits.moves import Move, body_moves, plan_moves
from gambol.spacetime.edits.parts import EditableClip
from gambol.spacetime.stances import Footing, grounded, points_of
from gambol.stages.feet import track
from gambol.terms.holds import UP

_LONGEST = 60.0
"""Seconds that are edited at once."""
_LEAST = 4
"""Frames."""


@dataclass(frozen=True, eq=False)
class Draft:
    """What an edited clip should be like, frame by frame at the rate at which it is solved."""

    clip: EditableClip
    edit: Edit
    clock: TimeMap
    character: Character
    """That of the clip; its root may turn about other axes."""
    like: Motion
    stands: Footing
    gravity: Array
    """(frames,) metres a second squared"""


def draft_edit(clip: EditableClip, edit: Edit, rate: float, character: Character | None = None) -> Draft:
    """An edit as it begins; for the clip's character, its root about axes that suit the edit, unless one is given."""
    clock = map_times(clip, edit)
    if clock.times[-1] > _LONGEST:
        raise InputError(
            f"lasts {clock.times[-1]:.0f} seconds",
            file=clip.fitted.source.name,
            fix=f"cut out up to {LONGEST:.0f} with --from and --to",
        )
    if clock.times[-1] * rate < _LEAST:
        raise InputError(
            f"{clock.times[-1]:.2f} seconds are too few to edit", file=clip.fitted.source.name, fix=f"{_LEAST} frames do"
        )
    times = np.arange(int(np.ceil(clock.times[-1] * rate - 1e-6)) + 1) / rate
    frames = np.clip(np.round(clock.to_source(times) / clip.frame_time).astype(int), 0, len(clip.fitted.motion) - 1)
    carried = _carried_along(clip, clock, times, *body_moves(clip, plan_moves(clip, edit.changes)))
    character = character or with_safe_axes(clip.fitted.character, {"pelvis": carried.turns})
    like = Motion(character.skeleton, _rooted(character, carried), 1.0 / rate, clip.fitted.motion.name)
    rests = move_contacts(clip, edit, frames)
    points = points_of(clip.fitted)
    tracks = {point.name: track(like, point) for point in points}
    stands = grounded(
        character,
        points,
        rests,
        tracks,
        clip.contact_plan.floor,
        clip.contact_plan.flight[frames],
        clip.contact_plan.carried[frames],
    )
    return Draft(clip, edit, clock, character, like, stands, clock.gravity[clock.stage_at(times)])


def move_contacts(clip: EditableClip, edit: Edit, frames: Index) -> list[Rest]:
    """What rests where an edit moves it, counted in frames that show these frames of the clip."""
    out = []
    for rest, move in zip(clip.contact_plan.rests, plan_moves(clip, edit.changes), strict=True):
        inside = np.flatnonzero((frames >= rest.first) & (frames <= rest.last))
        if len(inside):
            first, last = int(inside[0]), int(inside[-1])
            out.append(replace(rest, first=first, last=last, place=move(rest.place), ahead=move.rotate(rest.ahead)))
    return out


def sample_curves(motion: Motion, q: Array, times: Array) -> Array:
    """What curves (frames, dofs) over the frames of a motion are at times."""
    from scipy.interpolate import CubicSpline

    return np.asarray(CubicSpline(motion.times, q)(np.minimum(times, motion.times[-1])))


def _carried_along(clip: EditableClip, clock: TimeMap, times: Array, at: Array, moves: Sequence[Move]) -> _Carried:
    """The recorded motion at times of the edited clip, and its root moved with the places."""
    recorded, back = clip.fitted.motion, clock.to_source(times)
    q = sample_curves(recorded, recorded.q, back)
    placed = replace(recorded, q=q).placement
    way = np.interp(back / clip.frame_time, at, np.arange(len(at)))
    before = way.astype(int)
    after, part, frames = np.minimum(before + 1, len(at) - 1), (way - before)[:, None], np.arange(len(times))
    goes = np.stack([move(placed.positions[:, 0]) for move in moves])
    places = (1.0 - part) * goes[before, frames] + part * goes[after, frames]
    places[:, 2] += clock.extra_height(times)
    angles = np.array([[move.turn] for move in moves])
    turned = ((1.0 - part) * angles[before] + part * angles[after])[:, 0]
    return _Carried(q, places, quat.multiply(quat.from_axis_angle(UP, turned), placed.rotations[:, 0]))


class _Carried(NamedTuple):
    """Coordinates as they were recorded, and where the root goes."""

    q: Array
    places: Array
    turns: Array
    """(frames, 4)"""


def _rooted(character: Character, carried: _Carried) -> Array:
    """Coordinates (frames, dofs) with the root where it goes."""
    skeleton, q = character.skeleton, carried.q.copy()
    slides, turns = skeleton.columns(0, "slide"), skeleton.columns(0, "turn")
    q[:, slides] = (carried.places - skeleton.offsets[0]) @ np.array([skeleton.dofs[c].axis for c in slides]).T
    # Members of a family must agree on which of the many triples of angles they take.
    q[:, turns] = angles_from_start(
        np.array([skeleton.dofs[c].axis for c in turns]),
        quat.multiply(quat.conjugate(skeleton.rests[0]), carried.turns),
        carried.q[0, turns],
    )
    return q
