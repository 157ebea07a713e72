"""A cage: a coarse closed mesh of quadrilaterals around a body, which follows joints, and which `subdivide` smooths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.geometry.arrays import Array
from gambol.geometry.filters import smoothstep
from gambol.motion.subdivision import Quads

BODY, LEFT, RIGHT, FACE = 0, 1, -1, 2
"""Zones of the surface, which have different colours."""
SHRINKING = 0.925
"""Radius of a ring of eight vertices after one step of subdivision."""
Weights = Mapping[int, float]
"""Shares of joints, which add up to 1."""
Ring = Sequence[int]
"""Vertices around something, in order."""


class Cage:
    """Vertices with weights, and quadrilaterals with zones. Faces of the right side are given as on the left."""

    def __init__(self) -> None:
        self.points: list[Array] = []
        self.weights: list[Weights] = []
        self._quads: list[Sequence[int]] = []
        self._zones: list[int] = []

    def add(self, points: ArrayLike, weights: Weights | Sequence[Weights]) -> Ring:
        """Add vertices (count, 3) with the same weights, or each with its own; return their numbers."""
        added, first = list(np.asarray(points, dtype=float)), len(self.points)
        self.points += added
        self.weights += [weights] * len(added) if isinstance(weights, Mapping) else weights
        return range(first, len(self.points))

    def add_face(self, corners: Sequence[int], zone: int) -> None:
        """Add a quadrilateral, counter-clockwise seen from outside."""
        self._quads.append(corners[::-1] if zone == RIGHT else corners)
        self._zones.append(zone)

    def bridge(self, one: Ring, other: Ring, zone: int, without: Sequence[int] = ()) -> None:
        """Connect two rings, which go counter-clockwise about the direction from one to the other."""
        for k in range(len(one)):
            after = (k + 1) % len(one)
            if k not in without:
                self.add_face((one[k], one[after], other[after], other[k]), zone)

    def close(self, ring: Ring, center: Array, weights: Weights, zone: int) -> None:
        """Close a ring of eight, which goes counter-clockwise seen from outside."""
        [middle] = self.add([center], weights)
        for k in range(0, 8, 2):
            self.add_face((middle, ring[k], ring[k + 1], ring[(k + 2) % 8]), zone)

    def finish(self, joints: int) -> tuple[Array, Array, Quads, NDArray[np.intp]]:
        """Return the vertices of faces (count, 3), their weights (count, joints), the faces and their zones."""
        used, corners = np.unique(self._quads, return_inverse=True)
        weights = np.zeros((len(used), joints))
        for row, vertex in enumerate(used):
            for joint, share in self.weights[vertex].items():
                weights[row, joint] = share
        return np.array(self.points)[used], weights, corners.reshape(-1, 4), np.array(self._zones)


def share_along(owners: Sequence[int], starts: ArrayLike, reaches: ArrayLike, place: float) -> Weights:
    """Return the weights at a place along a chain of joints: each owner takes over from the one before at its start.

    The first owner has no start; the others take over smoothly within their reach before and after it.
    """
    smooth = smoothstep(np.clip(0.5 + 0.5 * (place - np.asarray(starts)) / np.asarray(reaches), 0.0, 1.0))
    shares = np.maximum(np.append(1.0, smooth) - np.append(smooth, 0.0), 0.0)
    return mix((share, {owner: 1.0}) for owner, share in zip(owners, (shares / shares.sum()).tolist(), strict=True))


def mix(parts: Iterable[tuple[float, Weights]]) -> Weights:
    """Return the sum of weights, each multiplied by its share."""
    total: dict[int, float] = {}
    for factor, weights in parts:
        for joint, share in weights.items():
            total[joint] = total.get(joint, 0.0) + factor * share
    return total


def go_around(start: Array, then: Array) -> Array:
    """Return eight points (8, 3) around the origin, from one half axis by way of another."""
    angles = 0.25 * np.pi * np.arange(8)[:, None]
    return (np.cos(angles) * start + np.sin(angles) * then) / SHRINKING
