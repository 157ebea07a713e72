"""Forward kinematics: positions, orientations and Jacobians of a skeleton for given coordinates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.skeleton import Skeleton


class Placement(NamedTuple):
    """World positions (frames, joints, 3) in metres and orientations (frames, joints, 4)."""

    positions: Array
    rotations: Array


def local_frames(skeleton: Skeleton, q: Array) -> Placement:
    """Return each joint's frame relative to its parent, for coordinates `q` (frames, dofs)."""
    shape = (len(q), len(skeleton.names))
    positions = np.broadcast_to(skeleton.offsets, (*shape, 3)).copy()
    rotations = np.broadcast_to(skeleton.rests, (*shape, 4)).copy()
    for kind, columns, joints, axes in skeleton.dof_layers:
        if kind == "slide":
            positions[:, joints] += q[:, columns, None] * axes
        else:
            turns = quat.from_axis_angle(axes, q[:, columns])
            rotations[:, joints] = quat.multiply(rotations[:, joints], turns)
    return Placement(positions, rotations)


def place(skeleton: Skeleton, q: Array) -> Placement:
    """Return the world frame of every joint for coordinates `q` (frames, dofs)."""
    return place_local(skeleton, local_frames(skeleton, q))


def place_local(skeleton: Skeleton, local: Placement) -> Placement:
    """Return the world frame of every joint for given local frames."""
    positions, rotations = local.positions.copy(), local.rotations.copy()
    for joints, parents in skeleton.levels:
        turned = quat.rotate(rotations[:, parents], positions[:, joints])
        positions[:, joints] = positions[:, parents] + turned
        rotations[:, joints] = quat.multiply(rotations[:, parents], rotations[:, joints])
    return Placement(positions, rotations)


def world_axes(skeleton: Skeleton, q: Array, placed: Placement) -> Array:
    """Return the world axis (frames, dofs, 3) of every degree of freedom; `placed` is `place(skeleton, q)`."""
    parents = np.array([p if p >= 0 else len(skeleton.parents) for p in skeleton.parents])
    ground = np.broadcast_to(quat.IDENTITY, (len(q), 1, 4))
    before = np.concatenate((placed.rotations, ground), axis=1)[:, parents]
    turned = quat.multiply(before, skeleton.rests)
    axes = np.empty((*q.shape, 3))
    for kind, columns, joints, local in skeleton.dof_layers:
        axes[:, columns] = quat.rotate((before if kind == "slide" else turned)[:, joints], local)
        if kind == "turn":
            turned[:, joints] = quat.multiply(turned[:, joints], quat.from_axis_angle(local, q[:, columns]))
    return axes


def point_jacobian(skeleton: Skeleton, q: Array, joint: int, point: Array) -> Array:
    """Return the Jacobian (frames, 3, dofs) of the world position of a point (metres, joint's frame)."""
    placed = place(skeleton, q)
    axes = world_axes(skeleton, q, placed)
    where = placed.positions[:, joint] + quat.rotate(placed.rotations[:, joint], point)
    path = skeleton.path_to_root(joint)
    out = np.zeros((len(q), 3, len(skeleton.dofs)))
    for column, dof in enumerate(skeleton.dofs):
        if dof.joint in path:
            arm = where - placed.positions[:, dof.joint]
            out[:, :, column] = axes[:, column] if dof.kind == "slide" else np.cross(axes[:, column], arm)
    return out
