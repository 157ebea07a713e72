"""Feet of a rig turned so that they rest where the feet of the character do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import faded
from gambol.motion.channels import with_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.spacetime.stances import Rest
from gambol.stages.feet import foot_points

_BLEND = 0.1
"""Seconds over which a foot of the rig is turned to where it is planted."""


def planted(motion: Motion, rests: Sequence[Rest]) -> Motion:
    """The rig with its feet turned so that their heels and balls stay where they rest on the average.

    A rig's ankle may turn in ways that the character's does not have: what it did so, it still does.
    """
    points = {point.name: point for point in foot_points(motion)}
    local = local_frames(motion.skeleton, motion.q).rotations
    placed, reach = motion.placement, max(1, round(_BLEND / motion.frame_time))
    for foot in dict.fromkeys(point.body for point in points.values()):
        joint = motion.skeleton.index(foot)
        mine = [r for r in rests if r.held and r.point.name in points and points[r.point.name].body == foot]
        if not mine:
            continue
        turn: Array = np.zeros((len(motion), 3))
        for _ in range(2):
            turn += _turn_to(motion, joint, [(points[r.point.name].point, r) for r in mine], turn)
        resting = np.zeros(len(motion), dtype=bool)
        for rest in mine:
            resting[rest.frames] = True
        wanted = quat.multiply(quat.exp(faded(turn, resting, reach)), placed.rotations[:, joint])
        parent = motion.skeleton.parents[joint]
        local[:, joint] = quat.multiply(quat.conjugate(placed.rotations[:, parent]), wanted)
    return with_rotations(motion, local)


def _turn_to(motion: Motion, joint: int, rests: Sequence[tuple[Array, Rest]], turn: Array) -> Array:
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
