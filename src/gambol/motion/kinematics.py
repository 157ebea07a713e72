"""Where every joint is: positions and orientations of a skeleton for given coordinates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.quaternions import Array
from gambol.motion.skeleton import Skeleton


class Placement(NamedTuple):
    """World positions (frames, joints, 3) in metres and orientations (frames, joints, 4)."""

    positions: Array
    rotations: Array


def local_frames(skeleton: Skeleton, q: Array) -> Placement:
    """Each joint's frame seen from its parent's, for coordinates `q` (frames, dofs)."""
    shape = (len(q), len(skeleton.names))
    positions = np.broadcast_to(skeleton.offsets, (*shape, 3)).copy()
    rotations = np.broadcast_to(skeleton.rests, (*shape, 4)).copy()
    for kind, columns, joints, axes in skeleton.stacked:
        if kind == "slide":
            positions[:, joints] += q[:, columns, None] * axes
        else:
            turns = quat.about_axis(axes, q[:, columns])
            rotations[:, joints] = quat.multiply(rotations[:, joints], turns)
    return Placement(positions, rotations)


def place(skeleton: Skeleton, q: Array) -> Placement:
    """World frame of every joint for coordinates `q` (frames, dofs)."""
    return place_local(skeleton, local_frames(skeleton, q))


def place_local(skeleton: Skeleton, local: Placement) -> Placement:
    """World frame of every joint for given local frames."""
    positions, rotations = local.positions.copy(), local.rotations.copy()
    for joints, parents in skeleton.levels:
        turned = quat.rotate(rotations[:, parents], positions[:, joints])
        positions[:, joints] = positions[:, parents] + turned
        rotations[:, joints] = quat.multiply(rotations[:, parents], rotations[:, joints])
    return Placement(positions, rotations)


def moving_axes(skeleton: Skeleton, q: Array) -> tuple[Array, Array]:
    """World axis and origin (frames, dofs, 3) of every degree of freedom: what Jacobians are made of."""
    placed = place(skeleton, q)
    axes, origins = np.empty((*q.shape, 3)), np.empty((*q.shape, 3))
    for joint, parent in enumerate(skeleton.parents):
        turned = placed.rotations[:, parent] if parent >= 0 else np.broadcast_to(quat.IDENTITY, (len(q), 4))
        columns = skeleton.columns(joint)
        origins[:, columns] = placed.positions[:, joint, None]
        for column in skeleton.columns(joint, "slide"):
            axes[:, column] = quat.rotate(turned, skeleton.dofs[column].axis)
        turned = quat.multiply(turned, skeleton.rests[joint])
        for column in skeleton.columns(joint, "turn"):
            axis = skeleton.dofs[column].axis
            axes[:, column] = quat.rotate(turned, axis)
            turned = quat.multiply(turned, quat.about_axis(axis, q[:, column]))
    return axes, origins
