"""Move the stages of a clip as an edit says, before physics: the initial guess and the reference of an edit.

L05 section 4.4.2: the body moves with its contacts; over flights, and from step to step, it is interpolated linearly
from one move to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gambol.body.character import Character
from gambol.contacts.move import Move
from gambol.contacts.timeline import Contacts
from gambol.contacts.views import add_ground
from gambol.errors import InputError
from gambol.fit.rig import choose_safe_axes
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_from_start
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.motion.motion import Motion
from gambol.spacetime.edits.edit import Edit
from gambol.spacetime.edits.moves import body_moves, plan_moves
from gambol.spacetime.edits.parts import EditableClip
from gambol.spacetime.edits.time_map import TimeMap, map_times
from gambol.spacetime.resampling import sample_curves

_LONGEST = 60.0
"""Longest clip that can be edited at once, in seconds."""
_LEAST = 4
"""Fewest frames that can be edited."""


@dataclass(frozen=True, eq=False)
class Draft:
    """A clip with its stages moved, at the frame rate at which it is solved."""

    clip: EditableClip
    edit: Edit
    time_map: TimeMap
    character: Character
    """The clip's character; its root may turn about other axes."""
    reference: Motion
    contacts: Contacts
    gravity: Array
    """(frames,) m/s²"""


def draft_edit(clip: EditableClip, edit: Edit, fps: float, character: Character | None = None) -> Draft:
    """Draft an edit at a frame rate (frames per second).

    `character` defaults to the clip's character, with root axes chosen to stay away from gimbal lock.
    """
    time_map = map_times(clip, edit)
    if time_map.times[-1] > _LONGEST:
        raise InputError(
            f"lasts {time_map.times[-1]:.0f} seconds, more than {_LONGEST:.0f}",
            file=clip.fitted.source.name,
            fix="cut the clip with --start and --end",
        )
    if time_map.times[-1] * fps < _LEAST:
        raise InputError(
            f"lasts {time_map.times[-1]:.2f} seconds, less than {_LEAST} frames at {fps:g} frames per second",
            file=clip.fitted.source.name,
            fix="give a longer clip or a higher frame rate",
        )
    times = np.arange(int(np.ceil(time_map.times[-1] * fps - 1e-6)) + 1) / fps
    frames = np.clip(np.round(time_map.to_source(times) / clip.frame_time).astype(int), 0, len(clip.fitted.motion) - 1)
    moved = _move_root(clip, time_map, times, *body_moves(clip, plan_moves(clip, edit.changes)))
    character = character or choose_safe_axes(clip.fitted.character, {"pelvis": moved.turns})
    reference = Motion(character.skeleton, _set_root(character, moved), 1.0 / fps, clip.fitted.motion.name)
    contacts = add_ground(move_contacts(clip, edit).show(frames, 1.0 / fps), reference)
    gravity = time_map.gravity[time_map.stage_at(times)]
    return Draft(clip, edit, time_map, character, reference, contacts, gravity)


def move_contacts(clip: EditableClip, edit: Edit) -> Contacts:
    """Return the contacts of a clip, moved as an edit says."""
    moved = zip(clip.contacts.items, plan_moves(clip, edit.changes), strict=True)
    return replace(clip.contacts, items=tuple(move.contact(one) for one, move in moved))


def _move_root(clip: EditableClip, time_map: TimeMap, times: Array, at: Array, moves: Sequence[Move]) -> _MovedRoot:
    """Sample the recording at times of the edited clip and move its root with the contacts."""
    recorded, back = clip.fitted.motion, time_map.to_source(times)
    q = sample_curves(recorded, recorded.q, back)
    placed = replace(recorded, q=q).placement
    knot = np.interp(back / clip.frame_time, at, np.arange(len(at)))
    before = knot.astype(int)
    after, part, frames = np.minimum(before + 1, len(at) - 1), (knot - before)[:, None], np.arange(len(times))
    moved = np.stack([move(placed.positions[:, 0]) for move in moves])
    positions = (1.0 - part) * moved[before, frames] + part * moved[after, frames]
    positions[:, 2] += time_map.extra_height(times)
    angles = np.array([[move.turn] for move in moves])
    turned = ((1.0 - part) * angles[before] + part * angles[after])[:, 0]
    return _MovedRoot(q, positions, quat.multiply(quat.from_axis_angle(UP, turned), placed.rotations[:, 0]))


class _MovedRoot(NamedTuple):
    """Recorded coordinates, and the new positions and rotations of the root."""

    q: Array
    positions: Array
    turns: Array
    """(frames, 4) quaternions"""


def _set_root(character: Character, moved: _MovedRoot) -> Array:
    """Return the coordinates (frames, dofs) with the root at its new positions and rotations."""
    skeleton, q = character.skeleton, moved.q.copy()
    slides, turns = skeleton.columns(0, "slide"), skeleton.columns(0, "turn")
    q[:, slides] = (moved.positions - skeleton.offsets[0]) @ np.array([skeleton.dofs[c].axis for c in slides]).T
    # All members of a family must choose the same of the equivalent angle triples.
    q[:, turns] = angles_from_start(
        np.array([skeleton.dofs[c].axis for c in turns]),
        quat.multiply(quat.conjugate(skeleton.rests[0]), moved.turns),
        moved.q[0, turns],
    )
    return q
