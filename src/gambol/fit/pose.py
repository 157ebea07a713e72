"""Inverse kinematics: find the coordinates of a character that follow a rig, over the whole clip.

A first guess aligns every body with its orientation on the rig, from the root outward, with continuous angles. Then
Levenberg-Marquardt steps on all frames at once move the joint centres to those of the rig, within the joint limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.fit.jumps import remove_jumps
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about, angles_near
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import Placement, place, world_axes
from gambol.motion.skeleton import Dof, Skeleton

_DAMPING = 1e-4
_PRIOR = 5e-3
"""Weight of the distance from the guess, in m per rad: decides what the targets leave open (a straight arm's twist)."""
_CHUNK = 512
"""Frames that are solved at once."""


class BodyTarget(NamedTuple):
    """A point in a joint's frame and its target positions (frames, 3), in the world or from a point of a base."""

    joint: int
    point: Array
    position: Array
    weight: float | Array = 1.0
    """One value, or one per frame (frames,)."""
    base: int | None = None
    """Joint from which the position is seen, in the axes of the world."""
    base_point: Array = np.zeros(3)


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


def solve_poses(
    skeleton: Skeleton, targets: Sequence[BodyTarget], start: Array, frame_time: float, rounds: int = 8
) -> Array:
    """Return coordinates (frames, dofs) that move the points to their targets, within limits and without jumps."""
    problem = PoseProblem(skeleton, targets, start)
    chunks = [slice(first, first + _CHUNK) for first in range(0, len(start), _CHUNK)]
    q = np.concatenate([problem.solve(chunk, rounds) for chunk in chunks])
    turns = np.array([d.kind == "turn" for d in skeleton.dofs], dtype=float)
    return remove_jumps(q, problem.lower, problem.upper, turns, frame_time, problem.linearise)


class PoseProblem:
    """Squared distances of weighted points and a small cost on the distance from the guess; frames are independent."""

    def __init__(self, skeleton: Skeleton, targets: Sequence[BodyTarget], start: Array) -> None:
        self.lower = np.array([d.lower for d in skeleton.dofs])
        self.upper = np.array([d.upper for d in skeleton.dofs])
        self._skeleton = skeleton
        # Points of bases follow those of targets, which are measured from them.
        self._seen = [(n, t.base) for n, t in enumerate(targets) if t.base is not None]
        self._joints = [t.joint for t in targets] + [base for _, base in self._seen]
        self._points = np.array([*(t.point for t in targets), *(targets[n].base_point for n, _ in self._seen)])
        self._goals = np.stack([t.position for t in targets], axis=1)
        self._weights = np.stack([np.broadcast_to(t.weight, len(start)) for t in targets], axis=1)
        self._moved = find_moved_points(skeleton, self._joints)
        self._groups = _group_targets(self._moved, self._seen)
        self._guess = np.clip(start, self.lower, self.upper)
        self._prior = np.array([_PRIOR if d.kind == "turn" else 0.0 for d in skeleton.dofs]) ** 2

    def linearise(self, q: Array, frames: slice | NDArray[np.intp]) -> tuple[Array, Array, Array]:
        """Return cost (frames,), Gauss-Newton matrix (frames, dofs, dofs) and half the gradient (frames, dofs)."""
        placed = place(self._skeleton, q)
        return self._linearise_at(q, frames, placed, world_axes(self._skeleton, q, placed))

    def _linearise_at(
        self, q: Array, frames: slice | NDArray[np.intp], placed: Placement, axes: Array
    ) -> tuple[Array, Array, Array]:
        origins = placed.positions[:, [d.joint for d in self._skeleton.dofs]]
        points = placed.positions[:, self._joints] + quat.rotate(placed.rotations[:, self._joints], self._points)
        weights, away = self._weights[frames], q - self._guess[frames]
        count = weights.shape[1]
        apart = points[:, :count].copy()
        apart[:, [n for n, _ in self._seen]] -= points[:, count:]
        residuals = (apart - self._goals[frames]) * weights[..., None]
        matrix = np.zeros((*q.shape, q.shape[1]))
        diagonal = np.arange(q.shape[1])
        matrix[:, diagonal, diagonal] = self._prior
        gradient = self._prior * away
        for group in self._groups:
            slopes = self._find_slopes(group, axes, origins, points) * weights[:, group.targets, None, None]
            slopes = slopes.reshape(len(q), 3 * len(group.targets), -1)
            transposed = slopes.transpose(0, 2, 1)
            matrix[:, group.columns[:, None], group.columns] += transposed @ slopes
            gradient[:, group.columns] += (transposed @ residuals[:, group.targets].reshape(len(q), -1, 1))[..., 0]
        return np.sum(residuals**2, axis=(1, 2)) + np.sum(self._prior * away**2, axis=1), matrix, gradient

    def _find_slopes(self, group: _Group, axes: Array, origins: Array, points: Array) -> Array:
        """Return the derivatives (frames, targets, 3, columns) of the targets of a group."""
        named = np.concatenate((group.targets, group.bases))
        turns = np.array([self._skeleton.dofs[column].kind == "turn" for column in group.columns], dtype=float)
        arms = axes[:, group.columns], origins[:, group.columns], points[:, named]
        slopes = _jacobian(turns, *arms, self._moved[named[:, None], group.columns])
        count = len(group.targets)
        slopes[:, group.seen] -= slopes[:, count:]
        return slopes[:, :count]

    def solve(self, frames: slice, rounds: int) -> Array:
        """Solve every frame on its own by Levenberg-Marquardt steps."""
        q = self._guess[frames].copy()
        damping = np.full(len(q), _DAMPING)
        cost, matrix, gradient = self.linearise(q, frames)
        diagonal = np.arange(q.shape[1])
        for _ in range(rounds):
            at_limit = ((q <= self.lower) & (gradient > 0.0)) | ((q >= self.upper) & (gradient < 0.0))
            damped = matrix.copy()
            damped[:, diagonal, diagonal] += damping[:, None] + np.where(at_limit, 1e6, 0.0)
            step = np.linalg.solve(damped, gradient[..., None])[..., 0]
            tried = np.clip(q - step, self.lower, self.upper)
            new_cost, new_matrix, new_gradient = self.linearise(tried, frames)
            better = new_cost < cost
            q = np.where(better[:, None], tried, q)
            matrix = np.where(better[:, None, None], new_matrix, matrix)
            gradient = np.where(better[:, None], new_gradient, gradient)
            settled = bool(np.all(np.abs(cost - new_cost) < 1e-9 + 1e-4 * cost))
            cost = np.where(better, new_cost, cost)
            damping = np.where(better, 0.3 * damping, 10.0 * damping)
            if settled:
                break
        return q


class _Group(NamedTuple):
    """Targets that the same degrees of freedom move, such as those of a leg."""

    columns: NDArray[np.intp]
    """Of coordinates."""
    targets: NDArray[np.intp]
    bases: NDArray[np.intp]
    """Points from which some of the targets are seen."""
    seen: NDArray[np.intp]
    """Which of the targets these are."""


def _group_targets(moved: Array, seen: Sequence[tuple[int, int]]) -> list[_Group]:
    """Group targets; `moved` (points, dofs) is 1 where one moves a target or, in further rows, a base of `seen`."""
    count = len(moved) - len(seen)
    moves = moved[:count] > 0.0
    base_of = {target: count + number for number, (target, _) in enumerate(seen)}
    for target, base in base_of.items():
        moves[target] |= moved[base] > 0.0
    # A target is in the group of the first target that all of its degrees of freedom move too, the one with most first.
    members: dict[int, list[int]] = {}
    for target in np.argsort(-moves.sum(axis=1), kind="stable").tolist():
        leader = next((other for other in members if not (moves[target] & ~moves[other]).any()), target)
        members.setdefault(leader, []).append(target)
    groups = []
    for leader, targets in members.items():
        based = [n for n, target in enumerate(targets) if target in base_of]
        bases = [base_of[targets[n]] for n in based]
        columns = np.flatnonzero(moves[leader])
        groups.append(_Group(columns, *(np.array(each, dtype=int) for each in (targets, bases, based))))
    return groups


def _jacobian(turning: Array, axes: Array, origins: Array, points: Array, scale: Array) -> Array:
    """Return the Jacobian (frames, points, 3, dofs) of the points, times `scale` (points, dofs).

    `turning` (dofs,) is 1 for rotations.
    """
    ax, ay, az = (axes[:, None, :, k] for k in range(3))
    # A rotation moves a point by axis x arm, a translation by its axis.
    x, y, z = ((points[:, :, None, k] - origins[:, None, :, k]) * turning for k in range(3))
    slide = 1.0 - turning
    rows = np.stack((ay * z - az * y + slide * ax, az * x - ax * z + slide * ay, ax * y - ay * x + slide * az), axis=2)
    rows *= scale[:, None, :]
    return rows


def find_moved_points(skeleton: Skeleton, joints: Iterable[int]) -> Array:
    """Return (points, dofs): 1 where a degree of freedom moves a point."""
    paths = [set(skeleton.path_to_root(joint)) for joint in joints]
    moved = [[float(dof.joint in path) for dof in skeleton.dofs] for path in paths]
    return np.array(moved).reshape(-1, len(skeleton.dofs))
