"""Correct feet and toes of a rig after a repair or an edit: planted feet stay in place, toes stay above the ground.

A rig's ankle may have degrees of freedom that the character's lacks, and keeps their motion. The character's foot ends
at the ball; toes with a joint of their own follow the foot, and their tips may sink into the ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.contacts.contact import Contact
from gambol.contacts.timeline import Floor, mark_frames
from gambol.contacts.views import find_ground_heights
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.filters import cover, fade_out, smoothstep
from gambol.geometry.vectors import UP, find_median_place
from gambol.motion.channels import turn_joints
from gambol.motion.motion import Motion
from gambol.stages.feet import find_foot_points, track_point

_BLEND = 0.1
"""Duration (s) over which the rotation of a planted foot fades in and out."""
_EASE = 0.05
"""Duration (s) over which the bending of toes fades in and out."""


class _Held(NamedTuple):
    """Where a point of a foot shall be."""

    frames: NDArray[np.int_]
    goals: Array
    """Places (frames, 3)."""


def plant_feet(motion: Motion, contacts: Sequence[Contact]) -> Motion:
    """Rotate the feet of a rig so that heels and balls stay at their median places during contacts."""
    points = {point.name: point for point in find_foot_points(motion)}
    reach, turns = max(1, round(_BLEND / motion.frame_time)), {}
    for foot in dict.fromkeys(point.body for point in points.values()):
        joint = motion.skeleton.index(foot)
        mine = [r for r in contacts if r.kind == "fixed" and r.part in points and points[r.part].body == foot]
        if not mine:
            continue
        held = [(points[r.part].point, _hold(track_point(motion, points[r.part]), r, mine, reach)) for r in mine]
        turn: Array = np.zeros((len(motion), 3))
        for _ in range(2):
            turn += _turn_to(motion, joint, held, turn)
        turns[joint] = quat.exp(fade_out(turn, mark_frames(mine, len(motion)), reach))
    return turn_joints(motion, turns)


def lift_toes(motion: Motion, before: Motion, contacts: Sequence[Contact], floor: Floor) -> Motion:
    """Bend the toes up, as little as needed, so that their tips are not below the floor.

    Tips that were below the floor in `before` may stay as deep.
    """
    points, turns = find_foot_points(motion), {}
    feet = {point.body for point in points if point.name.endswith("ball")}
    for point in points:
        side, _, end = point.name.partition("_")
        if end != "toe" or point.body in feet:
            continue
        below = [contact for contact in contacts if contact.body == f"{side}_foot"]
        tip, tip_before = track_point(motion, point), track_point(before, point)
        sunk, allowed = (find_ground_heights(path, below, floor) - path[:, 2] for path in (tip, tip_before))
        joint = motion.skeleton.index(point.body)
        arm = tip - motion.placement.positions[:, joint]
        size = 2 * max(1, round(_EASE / motion.frame_time)) + 1
        angle = cover(_angle(arm, sunk - np.maximum(allowed, 0.0)), size)
        axis = np.cross(arm, UP)
        turns[joint] = quat.from_axis_angle(axis / np.maximum(np.linalg.norm(axis, axis=1), 1e-9)[:, None], angle)
    return turn_joints(motion, turns)


def _hold(path: Array, contact: Contact, others: Sequence[Contact], reach: int) -> _Held:
    """Hold a point at its median place; beside, where the foot rests on another point, let go of it gradually."""
    mine = [one for one in others if one.part == contact.part and one is not contact]
    rest = [one for one in others if one.part != contact.part]
    near = mark_frames(rest, len(path)) & ~mark_frames(mine, len(path)) | mark_frames([contact], len(path))
    first, last = next(run for run in find_runs(near) if run[0] <= contact.first <= run[1])
    frames = np.arange(max(first, contact.first - reach), min(last, contact.last + reach) + 1)
    ends = np.clip(frames, contact.first, contact.last)
    share = smoothstep(1.0 - np.abs(frames - ends) / (reach + 1.0))
    goals = path[frames] + share[:, None] * (find_median_place(path[contact.frames]) - path[ends])
    return _Held(frames, goals)


def _turn_to(motion: Motion, joint: int, held: Sequence[tuple[Array, _Held]], turn: Array) -> Array:
    """Return the additional rotation (frames, 3) of a joint that moves points to where they are held."""
    placed = motion.placement
    turned = quat.multiply(quat.exp(turn), placed.rotations[:, joint])
    matrix = np.tile(1e-4 * np.eye(3), (len(motion), 1, 1))
    gradient: Array = np.zeros((len(motion), 3))
    for point, one in held:
        arm = quat.rotate(turned[one.frames], point)
        error = one.goals - placed.positions[one.frames, joint] - arm
        cross = np.cross(np.eye(3), arm[:, None, :])  # rows: axis x arm
        matrix[one.frames] += cross @ cross.transpose(0, 2, 1)
        gradient[one.frames] += np.einsum("fac,fc->fa", cross, error)
    return np.linalg.solve(matrix, gradient[..., None])[..., 0]


def _angle(arm: Array, lift: Array) -> Array:
    """Return the angles (frames,) in radians that raise the end of an arm (frames, 3) by `lift` metres, if possible."""
    length = np.linalg.norm(arm, axis=1)
    low, high = (np.arcsin(np.clip((arm[:, 2] + up) / length, -1.0, 1.0)) for up in (0.0, np.maximum(lift, 0.0)))
    return high - low
