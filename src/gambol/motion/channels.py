"""Convert joint rotations back into a rig's own channels (angles about its axes, slides of its root)."""

from __future__ import annotations

from collections.abc import Mapping
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
    """Return the motion with new rotations (frames, joints, 4, parent frames) and root positions (frames, 3).

    Only channels of changed frames change. Their angles take the branch nearest to the last unchanged frame's.
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


def turn_joints(motion: Motion, turns: Mapping[int, Array]) -> Motion:
    """Return the motion with joints turned further by rotations (frames, 4) of the world; none may be above another."""
    local, world = local_frames(motion.skeleton, motion.q).rotations, motion.placement.rotations
    for joint, turn in turns.items():
        parent = world[:, motion.skeleton.parents[joint]]
        local[:, joint] = quat.multiply(quat.conjugate(parent), quat.multiply(turn, world[:, joint]))
    return replace_rotations(motion, local)


def compute_coordinates(skeleton: Skeleton, local: Array, root: Array) -> Array:
    """Return coordinates (frames, dofs) of rotations (frames, joints, 4, parent frames) and root positions (frames, 3).

    Angles continue from the branch nearest to zero in the first frame. Joints without axes keep their rest.
    """
    q = np.zeros((len(local), len(skeleton.dofs)))
    for joint in range(len(skeleton.names)):
        columns = skeleton.columns(joint, "turn")
        if columns:
            q[:, columns] = compute_joint_angles(skeleton, joint, local[:, joint], np.zeros(len(columns)))
    for column in skeleton.columns(0, "slide"):
        q[:, column] = (root - skeleton.offsets[0]) @ np.array(skeleton.dofs[column].axis)
    return q


def compute_joint_angles(skeleton: Skeleton, joint: int, rotations: Array, near: Array) -> Array:
    """Return a joint's angles (frames, turns) for rotations (frames, 4) in its parent's frame.

    `near` selects the branch: reference angles for every frame (frames, turns), or for the first frame only (turns,),
    from which the result continues. A joint with fewer than three axes gets the angles about the axes it has.
    """
    columns = skeleton.columns(joint, "turn")
    turned = quat.multiply(quat.conjugate(skeleton.rests[joint]), rotations)
    axes = np.array([skeleton.dofs[c].axis for c in columns])
    if len(columns) < 3:
        missing = np.linalg.svd(axes)[2][len(columns) :]
        return angles_about(np.vstack((axes, missing)), turned)[:, : len(columns)]
    return angles_near(axes, turned, near) if near.ndim == 2 else angles_from_start(axes, turned, near)
