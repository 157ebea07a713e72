"""The channels of a rig's joints for given rotations: the way from orientations back to a file's own numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about, angles_from_start, angles_near
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton

_SAME = 1e-9
"""Radians below which a rotation counts as unchanged."""


def replace_rotations(motion: Motion, local: Array | None, root: Array | None = None) -> Motion:
    """The motion with other rotations (frames, joints, 4) in the parents' frames and another root (frames, 3).

    Only the channels of frames that changed change; they stay near those of the last frame that kept its own.
    """
    skeleton, q = motion.skeleton, motion.q.copy()
    if local is not None:
        before = local_frames(skeleton, motion.q).rotations
        changed = quat.angle(quat.multiply(quat.conjugate(before), local)) > _SAME
        for joint in map(int, np.flatnonzero(changed.any(axis=0))):
            columns, frames = skeleton.columns(joint, "turn"), changed[:, joint]
            if columns:
                kept = np.maximum.accumulate(np.where(frames, 0, np.arange(len(frames))))
                angles = compute_joint_angles(skeleton, joint, local[:, joint], motion.q[kept][:, columns])
                q[np.flatnonzero(frames)[:, None], columns] = angles[frames]
    if root is not None:
        moved = root - motion.placement.positions[:, 0]
        for column in skeleton.columns(0, "slide"):
            q[:, column] += moved @ np.array(skeleton.dofs[column].axis)
    return replace(motion, q=q)


def compute_joint_angles(skeleton: Skeleton, joint: int, rotations: Array, near: Array) -> Array:
    """A joint's own angles (frames, turns) for rotations (frames, 4) in its parent's frame.

    `near` is what to stay near to: angles in every frame (frames, turns), or those to begin with (turns,), from which
    they then run on. A joint that turns about fewer than three axes comes as near as it can.
    """
    columns = skeleton.columns(joint, "turn")
    turned = quat.multiply(quat.conjugate(skeleton.rests[joint]), rotations)
    axes = np.array([skeleton.dofs[c].axis for c in columns])
    if len(columns) < 3:
        missing = np.linalg.svd(axes)[2][len(columns) :]
        return angles_about(np.vstack((axes, missing)), turned)[:, : len(columns)]
    return angles_near(axes, turned, near) if near.ndim == 2 else angles_from_start(axes, turned, near)
