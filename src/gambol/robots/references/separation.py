"""Inverse kinematics of a robot whose links stay apart: capsules that come too near cost their depth squared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gambol.fit.links import PlacedLinks
from gambol.fit.pose import BodyTarget, PoseProblem, find_moved_points
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import cross, lengths
from gambol.motion.skeleton import Skeleton
from gambol.robots.capsules import Nearest, SelfContacts

_WEIGHT = 4.0
"""Of depth, beside 1 of arms and 10 of soles that rest."""
_MARGIN = 0.015
"""Distance (m) from which links are apart."""
_NEAR, _WARY = 0.02, 0.25
"""Distance (m) beyond it in which steps of links towards or away from each other are damped, as if they had this share
of the weight where it begins, and none where it ends: a step that would bring them into each other is too large."""
_FAR = 0.1
"""Distance (m) of pairs that will not meet."""


class SeparatedPoses(PoseProblem):
    """Targets of points, and capsules that must not touch."""

    def __init__(
        self, skeleton: Skeleton, targets: Sequence[BodyTarget], start: Array, near: Array, contacts: SelfContacts
    ) -> None:
        """Pairs that are far apart in poses `near` (frames, dofs) are left out."""
        super().__init__(skeleton, targets, start, contacts.joints)
        self._contacts = contacts
        depth = self._find_nearest(self._links.place(near)).depth
        self._contacts = replace(contacts, pairs=contacts.pairs[depth.max(axis=0, initial=-np.inf) > -_FAR])
        # Fingers, which have no targets, do not make way.
        moves = find_moved_points(skeleton, contacts.joints) * self._moved.any(axis=0)
        self._pair_moves = [moves[column] for column in self._contacts.pairs.T]

    def _find_nearest(self, placed: PlacedLinks) -> Nearest:
        """Return how near the pairs are to each other, seen from the root."""
        joints, ends = self._contacts.joints, self._contacts.ends.swapaxes(0, 1)
        located = np.stack([placed.locate(joints, each) for each in ends])
        one, other = (located[:, :, column].transpose(3, 2, 0, 1) for column in self._contacts.pairs.T)
        return self._contacts.compare(one, other)

    def _linearise_at(
        self, q: Array, frames: slice | NDArray[np.intp], placed: PlacedLinks
    ) -> tuple[Array, Array, Array]:
        cost, matrix, gradient = super()._linearise_at(q, frames, placed)
        depth, points = self._find_nearest(placed)
        frame, pair = np.nonzero(depth > -_MARGIN - _NEAR)
        if not len(frame):
            return cost, matrix, gradient
        one, other = (each[frame, pair] for each in points)
        away = (one - other) / np.maximum(lengths(one - other), 1e-9)[:, None]
        screws = placed.screws.transpose(2, 1, 0)[frame]
        slopes = np.zeros((len(frame), q.shape[1]))
        for point, moved, sign in ((one, self._pair_moves[0], -1.0), (other, self._pair_moves[1], 1.0)):
            wrench = np.concatenate((cross(point, away), away), axis=1)
            slopes += sign * moved[pair] * (screws @ wrench[..., None])[..., 0]
        within = depth[frame, pair] + _MARGIN
        near = _WEIGHT * np.maximum(within, 0.0)
        slopes *= _WEIGHT * np.where(within > 0.0, 1.0, _WARY * (1.0 + within / _NEAR))[:, None]
        found, first, at, count = np.unique(frame, return_index=True, return_inverse=True, return_counts=True)
        rows = np.zeros((len(found), count.max(), q.shape[1] + 1))  # of every frame, filled up with zeros
        rows[at, np.arange(len(frame)) - first[at]] = np.column_stack((slopes, near))
        products = rows.swapaxes(1, 2) @ rows
        cost[found] += products[:, -1, -1]
        gradient[found] += products[:, :-1, -1]
        matrix[found] += products[:, :-1, :-1]
        return cost, matrix, gradient
