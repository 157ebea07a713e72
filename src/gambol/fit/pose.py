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
from gambol.fit.links import PlacedLinks, SkeletonLinks
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about, angles_near
from gambol.geometry.arrays import Array
from gambol.motion.skeleton import Dof, Skeleton

_DAMPING = 1e-4
_PRIOR = 5e-3
"""Weight of the distance from the guess, in m per rad: decides what the targets leave open (a straight arm's twist)."""
_SETTLED = 1e-6
"""Decrease of the cost of a frame that a step promises, as a share of it, from which steps end."""
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
    chunks = np.split(np.arange(len(start)), range(_CHUNK, len(start), _CHUNK))
    q = np.concatenate([problem.solve(start[chunk], chunk, rounds, _SETTLED) for chunk in chunks])
    turns = np.array([d.kind == "turn" for d in skeleton.dofs], dtype=float)
    return remove_jumps(q, problem.lower, problem.upper, turns, frame_time, problem.linearise)


class PoseProblem:
    """Squared distances of weighted points and a small cost on the distance from the guess; frames are independent.

    The Gauss-Newton matrix is the inertia matrix of points with squared weights as masses. As such it is found from the
    momenta of what moves with a degree of freedom, without derivatives of single points.
    """

    def __init__(
        self, skeleton: Skeleton, targets: Sequence[BodyTarget], start: Array, further: Iterable[int] = ()
    ) -> None:
        """Place the joints `further` too."""
        self.lower = np.array([d.lower for d in skeleton.dofs])
        self.upper = np.array([d.upper for d in skeleton.dofs])
        # Points of bases follow those of targets, which are measured from them.
        self._seen = [n for n, t in enumerate(targets) if t.base is not None]
        self._joints = [*(t.joint for t in targets), *(t.base for t in targets if t.base is not None)]
        self._points = np.array([*(t.point for t in targets), *(targets[n].base_point for n in self._seen)])
        self._links = SkeletonLinks(skeleton, {*self._joints, *further})
        self._goals = np.stack([t.position for t in targets], axis=1).T
        self._weights = np.stack([np.broadcast_to(t.weight, len(start)) for t in targets])
        self._moved = find_moved_points(skeleton, self._joints)
        count = len(targets)
        self._shared = self._moved[self._seen] * self._moved[count:]
        self._alone = self._moved.copy()
        self._alone[self._seen] -= self._shared
        self._alone[count:] -= self._shared
        pairs = [(count + n, target) for n, target in enumerate(self._seen)]
        spans = [(target, base, self._shared[base - count]) for base, target in pairs]
        spans += [(base, target, self._moved[target]) for base, target in pairs]
        self._spans = [
            (one, other, alone, _list_runs(rows))
            for one, other, rows in spans
            for alone in _list_runs(self._alone[one])
        ]
        """Points, their opposites, what moves the first alone, and what moves the second: both only once."""
        self._above = _find_above(skeleton)
        self._guess = np.clip(start, self.lower, self.upper)
        self._prior = np.array([_PRIOR if d.kind == "turn" else 0.0 for d in skeleton.dofs]) ** 2

    def linearise(self, q: Array, frames: slice | NDArray[np.intp]) -> tuple[Array, Array, Array]:
        """Return cost (frames,), Gauss-Newton matrix (frames, dofs, dofs) and half the gradient (frames, dofs)."""
        return self._linearise_at(q, frames, self._links.place(q))

    def _linearise_at(
        self, q: Array, frames: slice | NDArray[np.intp], placed: PlacedLinks
    ) -> tuple[Array, Array, Array]:
        masses, away = self._weights[:, frames] ** 2, q - self._guess[frames]
        points, count = placed.locate(self._joints, self._points), len(masses)
        apart = points[:, :count] + placed.root[:, None]
        apart[:, self._seen] = points[:, self._seen] - points[:, count:]
        residuals = apart - self._goals[:, :, frames]
        forces = masses * residuals
        pulls = np.concatenate((forces, -forces[:, self._seen]), axis=1)
        wrenches = self._moved.T @ np.concatenate((_cross(points, pulls), pulls))
        gradient = self._prior * away + np.sum(placed.screws * wrenches, axis=0).T
        every = np.concatenate((masses, masses[self._seen]))
        matrix = self._find_matrix(placed.screws, every, points, apart[:, self._seen])
        diagonal = np.arange(q.shape[1])
        matrix[:, diagonal, diagonal] += self._prior
        return np.sum(forces * residuals, axis=(0, 1)) + np.sum(self._prior * away**2, axis=1), matrix, gradient

    def _find_matrix(self, screws: Array, masses: Array, points: Array, apart: Array) -> Array:
        """Return the inertia matrix (frames, dofs, dofs) of masses (points, frames)."""
        mass, moment = self._alone.T @ masses, self._alone.T @ (masses * points)
        inertia = self._alone.T @ _find_inertia(masses, points)
        # What moves a target and its base only turns their difference.
        inertia += self._shared.T @ _find_inertia(masses[self._seen], apart)
        xx, yy, zz, xy, xz, yz = inertia
        angular, linear = screws[:3], screws[3:]
        x, y, z = angular
        turning = np.stack((xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z))
        momenta = np.concatenate((turning + _cross(moment, linear), mass * linear + _cross(angular, moment)))
        motions = screws.transpose(2, 1, 0).copy()
        matrix = motions @ momenta.transpose(2, 0, 1).copy() * self._above
        # The force on a point acts, reversed, on the one that it is measured from.
        for one, other, alone, moving in self._spans:
            force = masses[one] * (linear[:, alone] + _cross(angular[:, alone], points[:, one, None]))
            wrench = np.concatenate((_cross(points[:, other, None], force), force)).transpose(2, 0, 1).copy()
            for rows in moving:
                matrix[:, rows, alone] -= motions[:, rows] @ wrench
        matrix = matrix + matrix.swapaxes(1, 2)
        diagonal = np.arange(matrix.shape[1])
        matrix[:, diagonal, diagonal] *= 0.5
        return matrix

    def solve(
        self, start: Array, frames: NDArray[np.intp], rounds: int, settled: float, largest: float = np.inf
    ) -> Array:
        """Return coordinates of frames (n,), solved on their own by Levenberg-Marquardt steps from a start (n, dofs).

        A frame is done when a step promises to lower its cost by less than a share, `settled`. No coordinate changes by
        more than `largest` in a step.
        """
        q, damping = np.clip(start, self.lower, self.upper), np.full(len(frames), _DAMPING)
        cost, matrix, gradient = self.linearise(q, frames)
        active, diagonal = np.arange(len(frames)), np.arange(q.shape[1])
        for _ in range(rounds):
            now, slope = q[active], gradient[active]
            at_limit = ((now <= self.lower) & (slope > 0.0)) | ((now >= self.upper) & (slope < 0.0))
            damped = matrix[active]
            damped[:, diagonal, diagonal] += damping[active, None] + np.where(at_limit, 1e6, 0.0)
            step = np.linalg.solve(damped, slope[..., None])[..., 0]
            going = (np.sum(slope * step, axis=1) > 1e-9 + settled * cost[active]) & (damping[active] < 1e6)
            active, step = active[going], step[going]
            if not len(active):
                break
            step *= np.minimum(1.0, largest / np.maximum(np.abs(step).max(axis=1), 1e-12))[:, None]
            tried = np.clip(q[active] - step, self.lower, self.upper)
            new_cost, new_matrix, new_gradient = self.linearise(tried, frames[active])
            better = new_cost < cost[active]
            good = active[better]
            q[good], cost[good] = tried[better], new_cost[better]
            matrix[good], gradient[good] = new_matrix[better], new_gradient[better]
            damping[active] *= np.where(better, 0.3, 10.0)
        return q


def _find_above(skeleton: Skeleton) -> Array:
    """Return (dofs, dofs): 1 where the first is nearer to the root than the second, or the same, on one path."""
    joints = np.array([dof.joint for dof in skeleton.dofs])
    order = np.arange(len(joints))
    below = (joints[:, None] == joints) & (order[:, None] > order)
    return find_moved_points(skeleton, joints).T * ~below


def _list_runs(chosen: Array) -> list[slice]:
    """Return the runs of numbers (n,) that are not zero: parts of a matrix are found faster as slices."""
    edges = np.flatnonzero(np.diff(chosen != 0.0, prepend=False, append=False))
    return [slice(first, end) for first, end in edges.reshape(-1, 2).tolist()]


def _find_inertia(masses: Array, arms: Array) -> Array:
    """Return moments of inertia (6, points, frames) about x, y, z, and products of xy, xz, yz."""
    x, y, z = arms
    xx, yy, zz = masses * x * x, masses * y * y, masses * z * z
    return np.stack((yy + zz, xx + zz, xx + yy, -masses * x * y, -masses * x * z, -masses * y * z))


def _cross(left: Array, right: Array) -> Array:
    """Return the cross product of vectors (3, ...)."""
    (x, y, z), (u, v, w) = left, right
    return np.stack((y * w - z * v, z * u - x * w, x * v - y * u))


def find_moved_points(skeleton: Skeleton, joints: Iterable[int]) -> Array:
    """Return (points, dofs): 1 where a degree of freedom moves a point."""
    paths = [set(skeleton.path_to_root(joint)) for joint in joints]
    moved = [[float(dof.joint in path) for dof in skeleton.dofs] for path in paths]
    return np.array(moved).reshape(-1, len(skeleton.dofs))
