"""Toes of a rig that a repair would press into the floor: bent up, no further than they have to be.

The character's foot ends at its ball; toes of a rig that have a joint of their own there follow the foot. Where it is
set down on the floor or turned, their tips go along.
"""

from __future__ import annotations

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.channels import with_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.spacetime.stances import Footing, ground_under
from gambol.stages.feet import foot_points, track
from gambol.terms.holds import UP

_EASE = 0.05
"""Seconds before and after over which toes are bent and let go."""


def lifted(motion: Motion, before: Motion, stands: Footing) -> Motion:
    """The motion with toe tips no deeper below the floor than they were before, or than the floor where above it."""
    local, placed = local_frames(motion.skeleton, motion.q).rotations, motion.placement
    points = foot_points(motion)
    feet = {point.body for point in points if point.name.endswith("ball")}
    for point in points:
        side, _, end = point.name.partition("_")
        if end != "toe" or point.body in feet:
            continue
        rests = [rest for rest in stands.rests if rest.point.body == f"{side}_foot"]
        tip, tip_before = track(motion, point), track(before, point)
        sunk, allowed = (ground_under(way, rests, stands.floor) - way[:, 2] for way in (tip, tip_before))
        joint = motion.skeleton.index(point.body)
        arm = tip - placed.positions[:, joint]
        angle = _eased(_angle(arm, sunk - np.maximum(allowed, 0.0)), max(1, round(_EASE / motion.frame_time)))
        axis = np.cross(arm, UP)
        turn = quat.about_axis(axis / np.maximum(np.linalg.norm(axis, axis=1), 1e-9)[:, None], angle)
        parent = placed.rotations[:, motion.skeleton.parents[joint]]
        local[:, joint] = quat.multiply(quat.conjugate(parent), quat.multiply(turn, placed.rotations[:, joint]))
    return with_rotations(motion, local)


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
