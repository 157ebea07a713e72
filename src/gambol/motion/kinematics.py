"""Forward kinematics: positions, orientations and Jacobians of a skeleton for given coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import cross
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


def find_moved_points(skeleton: Skeleton, joints: Iterable[int]) -> Array:
    """Return (joints, dofs): 1 where a degree of freedom moves points of a joint."""
    paths = [set(skeleton.path_to_root(joint)) for joint in joints]
    moved = [[float(dof.joint in path) for dof in skeleton.dofs] for path in paths]
    return np.array(moved).reshape(-1, len(skeleton.dofs))


def locate_points(skeleton: Skeleton, q: Array, joints: Sequence[int], points: Array) -> tuple[Array, Array]:
    """Return world places (frames, points, 3) of points (metres, in their joints' frames), and their Jacobian.

    The Jacobian (frames, points, 3, dofs) is by the coordinates `q` (frames, dofs).
    """
    placed = place(skeleton, q)
    where = placed.positions[:, joints] + quat.rotate(placed.rotations[:, joints], points)
    moved, columns = np.nonzero(find_moved_points(skeleton, joints))
    axes = world_axes(skeleton, q, placed)[:, columns]
    arms = where[:, moved] - placed.positions[:, np.array([dof.joint for dof in skeleton.dofs])[columns]]
    moves = np.zeros((*where.shape[:2], len(skeleton.dofs), 3))
    moves[:, moved, columns] = np.where(skeleton.turning[columns, None], cross(axes, arms), axes)
    return where, moves.swapaxes(-1, -2)


def point_jacobian(skeleton: Skeleton, q: Array, joint: int, point: Array) -> Array:
    """Return the Jacobian (frames, 3, dofs) of the world position of a point (metres, joint's frame)."""
    return locate_points(skeleton, q, [joint], point)[1][:, 0]
