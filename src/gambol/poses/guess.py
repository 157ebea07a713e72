"""Guess poses of a skeleton whose joints have given orientations: coordinates that turn each as near as it can."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about, angles_near
from gambol.geometry.arrays import Array
from gambol.motion.skeleton import Dof, Skeleton


def guess_poses(skeleton: Skeleton, root: Array, orientations: Mapping[int, Array]) -> Array:
    """Return coordinates (frames, dofs) that rotate every joint as close to its orientation as its axes allow.

    `root` (frames, 3) has the positions of the root, `orientations` world quaternions (frames, 4) by joint. Other
    joints stay at rest.
    """
    frames = len(root)
    q = np.zeros((frames, len(skeleton.dofs)))
    world: list[Array] = []
    for joint, parent in enumerate(skeleton.parents):
        base = world[parent] if parent >= 0 else np.broadcast_to(quat.IDENTITY, (frames, 4))
        if parent < 0:
            for column in skeleton.columns(joint, "slide"):
                q[:, column] = (root - skeleton.offsets[joint]) @ skeleton.dofs[column].axis
        base = quat.multiply(base, np.broadcast_to(skeleton.rests[joint], (frames, 4)))
        columns = skeleton.columns(joint, "turn")
        if joint in orientations and columns:
            local = quat.make_continuous(quat.multiply(quat.conjugate(base), orientations[joint]))
            q[:, columns] = _angles([skeleton.dofs[c] for c in columns], local)
        for column in columns:
            base = quat.multiply(base, quat.from_axis_angle(skeleton.dofs[column].axis, q[:, column]))
        world.append(base)
    return q


def _angles(dofs: list[Dof], rotations: Array) -> Array:
    """Return angles about one, two or three orthogonal axes, near the middle of their limits if they have limits.

    Rotation about axes that the joint does not have is dropped.
    """
    axes = [np.array(dof.axis) for dof in dofs]
    while len(axes) < 3:
        axes.append(np.cross(axes[0], axes[1]) if len(axes) == 2 else _orthogonal(axes[0]))
    limits = np.array([(dof.lower, dof.upper) for dof in dofs])
    if not np.isfinite(limits).all() or np.ptp(limits, axis=1).max() > 4.0 * np.pi:
        return angles_about(np.array(axes), rotations)[:, : len(dofs)]
    middle = np.concatenate((limits.mean(axis=1), np.zeros(3 - len(dofs))))
    return angles_near(np.array(axes), rotations, np.broadcast_to(middle, (len(rotations), 3)))[:, : len(dofs)]


def _orthogonal(axis: Array) -> Array:
    other = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    return other / np.linalg.norm(other)
