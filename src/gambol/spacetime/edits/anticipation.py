"""Prepare jumps for their new heights as people do: a deeper crouch, a farther lean and a wider swing of the arms.

Nearness to a recording alone keeps its crouch, whatever the height. The slopes below are lines through the five jumps
of CMU subject 13 (13_11, 13_13, 13_32, 13_39, 13_42; they rise by 0.29 to 0.52 m), by least squares on the rise of the
centre of mass in flight; `gambol reproduce edit` fits them again. They change the reference of an edit, before
physics: what is added is smooth in time, and feet stay in place. Only take-offs from both feet are prepared, since the
recordings show no others. A lower jump is prepared less, by the same slopes, but keeps its share of the crouch or more.

Landings on both feet sink deeper after higher falls, by the line of eleven landings of five people; after lower falls
they stay as recorded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.contacts.views import list_constraints
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_near
from gambol.geometry.arrays import Array
from gambol.geometry.filters import smoothstep
from gambol.geometry.vectors import UP, unit_vectors
from gambol.motion.kinematics import place
from gambol.poses.feet import restore_feet
from gambol.spacetime.edits.draft import Draft
from gambol.spacetime.edits.moves import body_moves, plan_moves
from gambol.spacetime.edits.parts import EditableClip, Part
from gambol.stages.feet import SIDES

DIP_SLOPE = 0.62
"""Metres by which the centre of mass is lowered more, per metre that it rises more (standard error 0.10)."""
LEAN_SLOPE, BACK_SLOPE, FORTH_SLOPE = 45.0, -49.0, 24.0
"""Degrees per leg length of rise: lean of the trunk; angle of the arms to the trunk when farthest back, and when
farthest forward (standard errors 43, and 68 for the whole swing of the arms)."""
_BEGIN, _BACK = 1.1, 0.45
"""Seconds before the take-off at which the preparation begins, at the earliest, and at which the arms are farthest
back: 0.41 to 0.52 s in the jumps that swing them back."""
LANDING_SLOPE = 0.23
"""Metres by which the centre of mass sinks deeper after a landing, per metre that it falls more: the slope of
landings from 0.11 to 0.53 m (standard error 0.07; subject 13 and 02_04, 118_01, 118_03, 75_02, 75_09, 124_05)."""
_SOONEST, _LATEST, _ERECT = 0.1, 0.3, 0.7
"""Seconds after a landing within which the centre of mass is lowest (0.10 to 0.22 s in the recorded landings), and
after which the body stands again."""
_TOGETHER, _SHORTEST = 0.1, 0.3
"""Seconds within which both feet leave the ground or land, and that the ground stage lasts at least."""
_LEAST = 1e-3
"""Change of the rise (m) that is not prepared."""
_HIGHEST = 0.7
"""Rise (m) up to which the lines are followed: the highest recorded is 0.52, and legs end."""
_MOST_LEAN = np.radians(55.0)
"""Lean of the trunk (rad) beyond which nothing is added: the largest in the recorded jumps is 53 degrees (02_04)."""
_IN_PLACE = 0.02
"""Metres by which the body is lowered or raised from which feet are exactly at their contacts; they come from where the
recording has them."""
_ROUNDS = 3
"""Corrections of the root: legs that bend move the centre of mass."""


class _TakeOff(NamedTuple):
    """A take-off whose height is changed, in frames of the draft."""

    begin: int
    """When the preparation begins."""
    low: int
    """When the centre of mass is lowest."""
    leave: int
    """The first frame of the flight."""
    land: int
    """The first frame after it."""
    higher: float
    """Metres of rise in addition to those of the recording."""
    crouch: float
    """Those that the crouch prepares for."""


class _Landing(NamedTuple):
    """A landing from a greater height, in frames of the draft."""

    land: int
    """The first frame on the ground."""
    low: int
    """When the centre of mass is lowest."""
    erect: int
    """When the body stands again."""
    deeper: float
    """Metres."""


def anticipate(draft: Draft) -> Array:
    """Return the reference (frames, dofs) of a draft, with take-offs and landings for the new heights of its jumps."""
    jumps, landings = _find_take_offs(draft), _find_landings(draft)
    frames = np.arange(float(len(draft.reference)))
    if not jumps and not landings:
        return draft.reference.q
    lower, lean, swing = np.zeros((3, len(frames)))
    leg = draft.character.leg_length
    for jump in jumps:
        crouch = _crouch(jump, frames)
        lower += DIP_SLOPE * jump.crouch * crouch
        lean += LEAN_SLOPE * jump.crouch / leg * crouch
        back = max(jump.leave - _BACK / draft.reference.frame_time, 0.5 * (jump.begin + jump.leave))
        values = (0.0, BACK_SLOPE, FORTH_SLOPE, 0.0)
        swing += jump.higher / leg * _ease_between(frames, (jump.begin, back, jump.leave, jump.land), values)
    for landing in landings:
        lower = np.maximum(lower, landing.deeper * _absorb(landing, frames))  # a rebound has one dip
    return _bend(draft, lower, np.radians(lean), np.radians(swing))


def _find_take_offs(draft: Draft) -> list[_TakeOff]:
    """Find the take-offs from both feet whose height the edit changes."""
    clip, clock, fps = draft.clip, draft.time_map, 1.0 / draft.reference.frame_time
    stages, out = clip.stages, []
    heights = Dynamics(draft.character).center_of_mass(draft.reference.q)[:, 2]
    for n, flight in enumerate(stages[1:], start=1):
        if flight.kind != "flight" or not _leaves_with_both_feet(clip, stages[n - 1], flight):
            continue
        was, now = _heights(draft, n, 1.0)
        stand, leave, land = (int(np.ceil(fps * time - 1e-6)) for time in clock.times[n - 1 : n + 2])
        begin = max(stand, leave - round(fps * _BEGIN))
        low = begin + int(np.argmin(heights[begin:leave]))
        dip = float(heights[stand : low + 1].max() - heights[low])
        # A jump of half the height keeps half of its crouch or more.
        share = 1.0 if now > was else min(1.0, dip / (DIP_SLOPE * was))
        if abs(now - was) > _LEAST and low < leave - 1:
            out.append(_TakeOff(begin, low, leave, min(land, len(heights) - 1), now - was, share * (now - was)))
    return out


def _find_landings(draft: Draft) -> list[_Landing]:
    """Find the landings on both feet after falls that the edit makes higher."""
    clip, clock, fps = draft.clip, draft.time_map, 1.0 / draft.reference.frame_time
    stages, out = clip.stages, []
    heights = Dynamics(draft.character).center_of_mass(draft.reference.q)[:, 2]
    for n, flight in enumerate(stages[:-1]):
        if flight.kind != "flight" or not _lands_on_both_feet(flight, stages[n + 1], clip.frame_time):
            continue
        was, now = _heights(draft, n, -1.0)
        land, end = (int(np.ceil(fps * time - 1e-6)) for time in clock.times[n + 1 : n + 3])
        soonest, latest, erect = (land + round(fps * after) for after in (_SOONEST, _LATEST, _ERECT))
        if n + 2 < len(stages):
            erect = min(erect, end)
        if now - was > _LEAST and end - land >= _SHORTEST * fps:
            low = soonest + int(np.argmin(heights[soonest : min(latest + 1, erect)]))
            out.append(_Landing(land, low, erect, LANDING_SLOPE * (now - was)))
    return out


def _leaves_with_both_feet(clip: EditableClip, ground: Part, flight: Part) -> bool:
    """Whether both feet leave the ground together, after a stage that is long enough to crouch."""
    late = flight.first - _TOGETHER / clip.frame_time
    feet = {c.body for c in ground.contacts if c.last >= late and c.body.endswith("foot")}
    return len(feet) == len(SIDES) and len(ground) * clip.frame_time >= _SHORTEST


def _lands_on_both_feet(flight: Part, ground: Part, frame_time: float) -> bool:
    """Whether both feet land together."""
    soon = flight.last + _TOGETHER / frame_time
    return len({c.body for c in ground.contacts if c.first <= soon and c.body.endswith("foot")}) == len(SIDES)


def _heights(draft: Draft, stage: int, way: float) -> tuple[float, float]:
    """Return how far (m) a flight rises (`way` 1) or falls (-1) on earth, in the recording and in the edit.

    It rises as far as its speed at take-off takes it, and falls as far as gives its speed at landing: that of a flight
    that lands as high as it takes off, and what a raised landing adds.
    """
    clip, clock, flight = draft.clip, draft.time_map, draft.clip.stages[stage]
    at, moves = body_moves(clip, plan_moves(clip, draft.edit.changes))
    up = np.diff(np.interp([flight.first - 1, flight.last + 1], at, [move.shift[2] for move in moves]))[0]
    was, now = (float(np.diff(times[stage : stage + 2])[0]) for times in (clock.source_times, clock.times))
    speeds = 0.5 * clip.gravity * was, 0.5 * float(clock.gravity[stage]) * now + way * float(up) / now
    before, after = (max(speed, 0.0) ** 2 / (2.0 * GRAVITY) for speed in speeds)
    return before, min(after, max(before, _HIGHEST))


def _crouch(jump: _TakeOff, frames: Array) -> Array:
    """Return the depth of the crouch (frames,): 1 in the lowest frame, 0 at the take-off, which it meets with speed."""
    down = _ease_between(frames, (jump.begin, max(jump.low, jump.begin + 1e-3)), (0.0, 1.0))
    up = np.clip((frames - jump.low) / (jump.leave - jump.low), 0.0, 1.0)
    return down * (1.0 - up**2)


def _absorb(landing: _Landing, frames: Array) -> Array:
    """Return the depth after a landing (frames,), which it meets with speed: 1 in the lowest frame, 0 when erect."""
    down = np.clip((frames - landing.land) / (landing.low - landing.land), 0.0, 1.0)
    return (1.0 - (1.0 - down) ** 2) * _ease_between(frames, (landing.low, landing.erect), (1.0, 0.0))


def _ease_between(frames: Array, at: tuple[float, ...], values: tuple[float, ...]) -> Array:
    """Return values (frames,) at frames, joined by cubics with zero slope at both ends."""
    phase = np.interp(frames, at, np.arange(len(at)))
    before = np.minimum(phase.astype(int), len(at) - 2)
    known = np.array(values)
    return known[before] + smoothstep(phase - before) * np.diff(known)[before]


def _bend(draft: Draft, lower: Array, lean: Array, swing: Array) -> Array:
    """Lower the centre of mass (m), lean the trunk forward and swing the arms forward (rad), with feet in place."""
    character, q = draft.character, draft.reference.q.copy()
    skeleton, dynamics = character.skeleton, Dynamics(character)
    placed = place(skeleton, q)
    changed = np.flatnonzero((lower != 0.0) | (lean != 0.0))
    centres = dynamics.center_of_mass(q) - lower[:, None] * UP
    ahead = quat.rotate(placed.rotations[:, 0], (1.0, 0.0, 0.0)) * (1.0, 1.0, 0.0)
    ahead = unit_vectors(ahead)
    left, trunk = np.cross(UP, ahead), placed.positions[:, skeleton.index("head")] - placed.positions[:, 0]
    lean = np.minimum(lean, np.maximum(_MOST_LEAN - np.arctan2(np.sum(trunk * ahead, axis=1), trunk[:, 2]), 0.0))
    _set_rotation(character, q, 0, quat.multiply(quat.from_axis_angle(left, lean), placed.rotations[:, 0]))
    chest = placed.rotations[:, skeleton.index("chest")]
    forward = quat.from_axis_angle(quat.rotate(chest, (0.0, -1.0, 0.0)), swing)
    for side in SIDES:
        joint = skeleton.index(f"{side}_upper_arm")
        parent = placed.rotations[:, skeleton.parents[joint]]
        turned = quat.multiply(forward, placed.rotations[:, joint])
        _set_rotation(character, q, joint, quat.multiply(quat.conjugate(parent), turned))
    slides = skeleton.columns(0, "slide")
    axes = np.array([skeleton.dofs[column].axis for column in slides])
    feet = [contact for contact in list_constraints(draft.contacts) if contact.body.endswith("foot")]
    away = np.maximum(1.0 - np.abs(lower) / _IN_PLACE, 0.0)[:, None] * (restore_feet(character, q, feet) - q)
    for _ in range(_ROUNDS if len(changed) else 0):
        missing = (centres - dynamics.center_of_mass(q))[changed]
        q[changed[:, None], slides] += missing @ axes.T
        q[changed] = restore_feet(character, q, feet)[changed]
    q[changed] -= away[changed]
    return q


def _set_rotation(character: Character, q: Array, joint: int, local: Array) -> None:
    """Set the rotation (frames, 4) of a joint relative to its parent, by the angles nearest to those in `q`."""
    skeleton = character.skeleton
    columns = skeleton.columns(joint, "turn")
    axes = np.array([skeleton.dofs[column].axis for column in columns])
    turned = quat.multiply(quat.conjugate(skeleton.rests[joint]), local)
    q[:, columns] = angles_near(axes, turned, q[:, columns])
