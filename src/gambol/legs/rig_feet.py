"""Feet and toes of a rig after a repair or an edit of its character: feet rest on one place, toes stay above ground.

A rig's ankle may turn in ways that the character's does not have: what it did so, it still does. The character's foot
ends at its ball; toes of a rig that have a joint of their own there follow the foot, and their tips may sink.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import fade_out
from gambol.legs.foot_contacts import Floor, FootContact, find_ground_heights
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.stages.feet import find_foot_points, track_point
from gambol.terms.contacts import UP

_BLEND = 0.1
"""Seconds over which a foot of the rig is turned to where it is planted."""
_EASE = 0.05
"""Seconds before and after over which toes are bent and let go."""


def plant_feet(motion: Motion, rests: Sequence[FootContact]) -> Motion:
    """The rig with its feet turned so that their heels and balls stay where they rest on the average."""
    points = {point.name: point for point in find_foot_points(motion)}
    reach, turns = max(1, round(_BLEND / motion.frame_time)), {}
    for foot in dict.fromkeys(point.body for point in points.values()):
        joint = motion.skeleton.index(foot)
        mine = [r for r in rests if r.fixed and r.point.name in points and points[r.point.name].body == foot]
        if not mine:
            continue
        turn: Array = np.zeros((len(motion), 3))
        for _ in range(2):
            turn += _turn_to(motion, joint, [(points[r.point.name].point, r) for r in mine], turn)
        resting = np.zeros(len(motion), dtype=bool)
        for rest in mine:
            resting[rest.frames] = True
        turns[joint] = quat.exp(fade_out(turn, resting, reach))
    return _turned(motion, turns)


def lift_toes(motion: Motion, before: Motion, rests: Sequence[FootContact], floor: Floor) -> Motion:
    """The motion with toe tips no deeper below the floor than they were before, or than the floor where above it.

    Toes are bent up no further than that takes.
    """
    points, turns = find_foot_points(motion), {}
    feet = {point.body for point in points if point.name.endswith("ball")}
    for point in points:
        side, _, end = point.name.partition("_")
        if end != "toe" or point.body in feet:
            continue
        below = [rest for rest in rests if rest.point.body == f"{side}_foot"]
        tip, tip_before = track_point(motion, point), track_point(before, point)
        sunk, allowed = (find_ground_heights(way, below, floor) - way[:, 2] for way in (tip, tip_before))
        joint = motion.skeleton.index(point.body)
        arm = tip - motion.placement.positions[:, joint]
        angle = _eased(_angle(arm, sunk - np.maximum(allowed, 0.0)), max(1, round(_EASE / motion.frame_time)))
        axis = np.cross(arm, UP)
        turns[joint] = quat.from_axis_angle(axis / np.maximum(np.linalg.norm(axis, axis=1), 1e-9)[:, None], angle)
    return _turned(motion, turns)


def _turned(motion: Motion, turns: Mapping[int, Array]) -> Motion:
    """The motion with joints turned further, by rotations (frames, 4) about the world's axes; none carries another."""
    local, world = local_frames(motion.skeleton, motion.q).rotations, motion.placement.rotations
    for joint, turn in turns.items():
        parent = world[:, motion.skeleton.parents[joint]]
        local[:, joint] = quat.multiply(quat.conjugate(parent), quat.multiply(turn, world[:, joint]))
    return replace_rotations(motion, local)


def _turn_to(motion: Motion, joint: int, rests: Sequence[tuple[Array, FootContact]], turn: Array) -> Array:
    """(frames, 3) further turn of a joint about itself that brings points to their mean places, in frames they rest."""
    placed = motion.placement
    turned = quat.multiply(quat.exp(turn), placed.rotations[:, joint])
    matrix = np.tile(1e-4 * np.eye(3), (len(motion), 1, 1))
    wanted: Array = np.zeros((len(motion), 3))
    for point, rest in rests:
        arm = quat.rotate(turned[rest.frames], point)
        original = placed.positions[rest.frames, joint] + quat.rotate(placed.rotations[rest.frames, joint], point)
        off = np.median(original, axis=0) - placed.positions[rest.frames, joint] - arm
        cross = np.cross(np.eye(3), arm[:, None, :])  # rows: axis x arm
        matrix[rest.frames] += cross @ cross.transpose(0, 2, 1)
        wanted[rest.frames] += np.einsum("fac,fc->fa", cross, off)
    return np.linalg.solve(matrix, wanted[..., None])[..., 0]


def _angle(arm: Array, lift: Array) -> Array:
    """(frames,) radians upward that raise the end of an arm (frames, 3) by `lift` metres, as far as it reaches."""
    length = np.linalg.norm(arm, axis=1)
    low, high = (np.arcsin(np.clip((arm[:, 2] + up) / length, -1.0, 1.0)) for up in (0.0, np.maximum(lift, 0.0)))
    return high - low


def _eased(values: Array, reach: int) -> Array:
    """A smooth curve (frames,) that is nowhere below the values: their largest of some frames around, averaged."""
    from scipy.ndimage import maximum_filter1d, uniform_filter1d

    size = 2 * reach + 1
    return uniform_filter1d(maximum_filter1d(values, size, mode="nearest"), size, mode="nearest")
