"""Costs of poses in frames: squared residuals of targets, and distances from a prior, with exact slopes.

For points, the Gauss-Newton matrix is the inertia matrix of points with squared weights as masses. As such it is found
from the momenta of what moves with a degree of freedom, without derivatives of single points.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from gambol.geometry.arrays import Array, find_runs
from gambol.motion.kinematics import find_moved_points
from gambol.motion.skeleton import Skeleton
from gambol.poses.links import PlacedLinks, SkeletonLinks
from gambol.poses.targets import BodyTarget, FrameIndex, PosePrior, measure_targets


class PoseProblem:
    """Targets and prior of all frames, and limits of joints; frames are independent."""

    def __init__(
        self, skeleton: Skeleton, targets: Sequence[BodyTarget], prior: PosePrior, further: Iterable[int] = ()
    ) -> None:
        """Take a prior of all frames (frames, dofs). Place the joints `further` too."""
        self.lower, self.upper, self.turning = skeleton.lower, skeleton.upper, skeleton.turning
        self._skeleton, frames = skeleton, len(prior.q)
        points = [target for target in targets if _is_point(target)]
        self._others = [target for target in targets if not _is_point(target)]
        # Points of bases follow those of targets, which are measured from them.
        self._seen = [n for n, target in enumerate(points) if len(target.joints) == 2]
        self._joints = [*(t.joints[0] for t in points), *(points[n].joints[1] for n in self._seen)]
        placed = [*(t.points[0] for t in points), *(points[n].points[1] for n in self._seen)]
        self._points = np.reshape(placed, (-1, 3))
        self._links = SkeletonLinks(skeleton, {0, *self._joints, *further})
        goals = [np.broadcast_to(t.position, (frames, 3)) for t in points]
        self._goals = np.reshape(goals, (-1, frames, 3)).transpose(2, 0, 1)
        self._weights = np.reshape([np.broadcast_to(t.weight, frames) for t in points], (-1, frames))
        self._moved = find_moved_points(skeleton, self._joints)
        count = len(points)
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
        self.prior, weights = prior.q, np.broadcast_to(prior.weights, len(self.lower))
        self.fixed = np.isinf(weights)
        """(dofs,) which coordinates stay as in the prior."""
        self._stiffness = np.where(self.fixed, 0.0, weights) ** 2

    def linearise(self, q: Array, frames: FrameIndex) -> tuple[Array, Array, Array]:
        """Return cost (frames,), Gauss-Newton matrix (frames, dofs, dofs) and half the gradient (frames, dofs)."""
        cost, matrix, gradient = self._linearise_at(q, frames, self._links.place(q))
        if self._others:
            residual, jacobian = measure_targets(self._skeleton, self._others, q, frames)
            cost += np.sum(residual**2, axis=1)
            matrix += jacobian.swapaxes(1, 2) @ jacobian
            gradient += (residual[:, None] @ jacobian)[:, 0]
        return cost, matrix, gradient

    def _linearise_at(self, q: Array, frames: FrameIndex, placed: PlacedLinks) -> tuple[Array, Array, Array]:
        """Return the same for points and prior, with the joints placed."""
        masses, away = self._weights[:, frames] ** 2, q - self.prior[frames]
        points, count = placed.locate(self._joints, self._points), len(masses)
        apart = points[:, :count] + placed.root[:, None]
        apart[:, self._seen] = points[:, self._seen] - points[:, count:]
        residuals = apart - self._goals[:, :, frames]
        forces = masses * residuals
        pulls = np.concatenate((forces, -forces[:, self._seen]), axis=1)
        wrenches = self._moved.T @ np.concatenate((_cross(points, pulls), pulls))
        gradient = self._stiffness * away + np.sum(placed.screws * wrenches, axis=0).T
        every = np.concatenate((masses, masses[self._seen]))
        matrix = self._find_matrix(placed.screws, every, points, apart[:, self._seen])
        diagonal = np.arange(q.shape[1])
        matrix[:, diagonal, diagonal] += self._stiffness
        return np.sum(forces * residuals, axis=(0, 1)) + np.sum(self._stiffness * away**2, axis=1), matrix, gradient

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


def _is_point(target: BodyTarget) -> bool:
    """Whether a target is the place of one point, or of one that is seen from another."""
    return target.axes is None and not target.unit and target.shares.tolist() in ([1.0], [1.0, -1.0])


def _find_above(skeleton: Skeleton) -> Array:
    """Return (dofs, dofs): 1 where the first is nearer to the root than the second, or the same, on one path."""
    joints = np.array([dof.joint for dof in skeleton.dofs])
    order = np.arange(len(joints))
    below = (joints[:, None] == joints) & (order[:, None] > order)
    return find_moved_points(skeleton, joints).T * ~below


def _list_runs(chosen: Array) -> list[slice]:
    """Return the runs of numbers (n,) that are not zero: parts of a matrix are found faster as slices."""
    return [slice(first, last + 1) for first, last in find_runs(chosen != 0.0)]


def _find_inertia(masses: Array, arms: Array) -> Array:
    """Return moments of inertia (6, points, frames) about x, y, z, and products of xy, xz, yz."""
    x, y, z = arms
    xx, yy, zz = masses * x * x, masses * y * y, masses * z * z
    return np.stack((yy + zz, xx + zz, xx + yy, -masses * x * y, -masses * x * z, -masses * y * z))


def _cross(left: Array, right: Array) -> Array:
    """Return the cross product of vectors (3, ...)."""
    (x, y, z), (u, v, w) = left, right
    return np.stack((y * w - z * v, z * u - x * w, x * v - y * u))
