"""Links of a robot that stay apart: capsules that come too near to each other cost their depth squared.

Inverse kinematics finds such poses. When these are made physical, they change by little: distances are linear then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.arrays import Array
from gambol.geometry.vectors import cross, lengths
from gambol.motion.kinematics import find_moved_points
from gambol.motion.skeleton import Skeleton
from gambol.poses.links import PlacedLinks, SkeletonLinks
from gambol.poses.problem import PoseProblem
from gambol.poses.targets import BodyTarget, FrameIndex, stay_near
from gambol.robots.biped import Biped
from gambol.robots.capsules import Nearest, SelfContacts, find_self_contacts
from gambol.terms.separation import LinkSeparation

_WEIGHT = 4.0
"""Of depth, beside 1 of arms and 10 of soles that rest."""
_MARGIN = 0.015
"""Distance (m) from which links are apart."""
_NEAR, _WARY = 0.02, 0.25
"""Distance (m) beyond it in which steps of links towards or away from each other are damped, as if they had this share
of the weight where it begins, and none where it ends: a step into a collision is too large."""
_FAR = 0.1
"""Distance (m) of pairs that will not meet."""
_WITHIN, _APART, _COST = 0.05, 0.005, 1e6
"""Distance (m) of links that a physical motion keeps apart, the distance that they keep, and the cost of what is nearer
per m² and second."""


class LinkPairs:
    """Pairs of capsules of a robot, and how their depths change with its coordinates."""

    def __init__(self, skeleton: Skeleton, contacts: SelfContacts, movable: Array) -> None:
        """`movable` (dofs,) is 1 where a coordinate may make way."""
        self._contacts = contacts
        moves = find_moved_points(skeleton, contacts.joints) * movable
        one, other = (moves[column] for column in contacts.pairs.T)
        # What moves both does not change their distance.
        self._moves = one * (1.0 - other), other * (1.0 - one)

    def find_nearest(self, placed: PlacedLinks) -> Nearest:
        """Return how near the pairs are to each other, seen from the root."""
        joints, ends = self._contacts.joints, self._contacts.ends.swapaxes(0, 1)
        located = np.stack([placed.locate(joints, each) for each in ends])
        one, other = (located[:, :, column].transpose(3, 2, 0, 1) for column in self._contacts.pairs.T)
        return self._contacts.compare(one, other)

    def find_slopes(
        self, placed: PlacedLinks, nearest: Nearest, frame: NDArray[np.intp], pair: NDArray[np.intp]
    ) -> Array:
        """Return the derivatives (n, dofs) of the depths of pairs (n,) in frames (n,) by the coordinates."""
        one, other = (each[frame, pair] for each in nearest.points)
        away = (one - other) / np.maximum(lengths(one - other), 1e-9)[:, None]
        wrenches = np.stack([np.concatenate((cross(point, away), away), axis=1) for point in (one, other)], axis=2)
        moved = placed.screws.transpose(2, 1, 0)[frame] @ wrenches
        return np.asarray(self._moves[1][pair] * moved[..., 1] - self._moves[0][pair] * moved[..., 0])


def separate_links(biped: Biped, seen: Sequence[Array]) -> LinkSeparation:
    """Return a term that keeps links apart that are near to each other in any of the motions (frames, dofs) seen.

    Distances are linear about the last of these.
    """
    contacts = find_self_contacts(biped)
    pairs = LinkPairs(biped.skeleton, contacts, np.ones(seen[-1].shape[1]))
    links = SkeletonLinks(biped.skeleton, contacts.joints)
    found = [(placed, pairs.find_nearest(placed)) for placed in map(links.place, seen)]
    frame, pair = np.nonzero(np.max([nearest.depth for _, nearest in found], axis=0) > -_WITHIN)
    placed, nearest = found[-1]
    slopes = pairs.find_slopes(placed, nearest, frame, pair)
    return LinkSeparation(frame, seen[-1][frame], -nearest.depth[frame, pair], -slopes, _APART, _COST)


class SeparatedPoses(PoseProblem):
    """Targets of points, and capsules that must not touch."""

    def __init__(self, biped: Biped, targets: Sequence[BodyTarget], start: Array, near: Array) -> None:
        """Stay near a start (frames, dofs). Pairs that are far apart in poses `near` (frames, dofs) are left out."""
        skeleton, contacts = biped.skeleton, find_self_contacts(biped)
        super().__init__(skeleton, targets, stay_near(skeleton, start), contacts.joints)
        # Fingers, which have no targets, do not make way.
        movable = self._moved.max(axis=0)
        depth = LinkPairs(skeleton, contacts, movable).find_nearest(self._links.place(near)).depth
        close = replace(contacts, pairs=contacts.pairs[depth.max(axis=0, initial=-np.inf) > -_FAR])
        self._pairs = LinkPairs(skeleton, close, movable)

    def _linearise_at(self, q: Array, frames: FrameIndex, placed: PlacedLinks) -> tuple[Array, Array, Array]:
        cost, matrix, gradient = super()._linearise_at(q, frames, placed)
        nearest = self._pairs.find_nearest(placed)
        frame, pair = np.nonzero(nearest.depth > -_MARGIN - _NEAR)
        if not len(frame):
            return cost, matrix, gradient
        slopes = self._pairs.find_slopes(placed, nearest, frame, pair)
        within = nearest.depth[frame, pair] + _MARGIN
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
