"""Inverse kinematics of a robot whose links stay apart: capsules that come too near cost their depth squared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gambol.fit.pose import BodyTarget, PoseProblem, find_moved_points
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import cross
from gambol.motion.kinematics import Placement, place
from gambol.motion.skeleton import Skeleton
from gambol.robots.capsules import SelfContacts

_WEIGHT = 4.0
"""Of depth, beside 1 of arms and 10 of soles that rest."""
_MARGIN = 0.015
"""Distance (m) from which links are apart."""
_FAR = 0.1
"""Distance (m) of pairs that will not meet."""


class SeparatedPoses(PoseProblem):
    """Targets of points, and capsules that must not touch."""

    def __init__(
        self, skeleton: Skeleton, targets: Sequence[BodyTarget], start: Array, near: Array, contacts: SelfContacts
    ) -> None:
        """Pairs that are far apart in poses `near` (frames, dofs) are left out."""
        super().__init__(skeleton, targets, start)
        depth = contacts.find_nearest(place(skeleton, near)).depth
        self._contacts = replace(contacts, pairs=contacts.pairs[depth.max(axis=0, initial=-np.inf) > -_FAR])
        self._joint_of = [dof.joint for dof in skeleton.dofs]
        # Fingers, which have no targets, do not make way.
        moves = find_moved_points(skeleton, contacts.joints) * self._moved.any(axis=0)
        self._pair_moves = [moves[column] for column in self._contacts.pairs.T]

    def _linearise_at(
        self, q: Array, frames: slice | NDArray[np.intp], placed: Placement, axes: Array
    ) -> tuple[Array, Array, Array]:
        cost, matrix, gradient = super()._linearise_at(q, frames, placed, axes)
        depth, points = self._contacts.find_nearest(placed)
        frame, pair = np.nonzero(depth > -_MARGIN)
        if not len(frame):
            return cost, matrix, gradient
        one, other = (each[frame, pair] for each in points)
        away = (one - other) / np.maximum(np.linalg.norm(one - other, axis=1), 1e-9)[:, None]
        origins, turns = placed.positions[:, self._joint_of][frame], axes[frame]
        slopes = np.zeros((len(frame), q.shape[1]))
        for point, moved, sign in ((one, self._pair_moves[0], -1.0), (other, self._pair_moves[1], 1.0)):
            arms = cross(point[:, None] - origins, np.broadcast_to(away[:, None], origins.shape))
            slopes += sign * moved[pair] * np.sum(turns * arms, axis=2)
        near, slopes = _WEIGHT * (depth[frame, pair] + _MARGIN), _WEIGHT * slopes
        found, first = np.unique(frame, return_index=True)  # in order of frames
        cost[found] += np.add.reduceat(near**2, first)
        gradient[found] += np.add.reduceat(near[:, None] * slopes, first)
        matrix[found] += np.add.reduceat(slopes[:, :, None] * slopes[:, None], first)
        return cost, matrix, gradient
