"""Nearest points, distances and crossings of pairs of segments on the floor."""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array
from gambol.primitives.navigation.walker import Plane

_TINY = 1e-12


def dot(one: Plane, other: Plane) -> Array:
    """Return inner products of vectors as complex numbers."""
    return one.real * other.real + one.imag * other.imag


def nearest_points(start: Plane, vector: Plane, others_start: Plane, others_vector: Plane) -> tuple[Plane, Plane]:
    """Return the point of each segment start + [0, 1] vector, and of its partner, where they are nearest.

    Segments may be points. Segments that cross give two of their points, not always the crossing: discs on them overlap
    in any case.
    """
    between = start - others_start
    a, e, b = dot(vector, vector), dot(others_vector, others_vector), dot(vector, others_vector)
    c, f = dot(vector, between), dot(others_vector, between)
    along = _share((b * f - c * e) / np.maximum(a * e - b * b, _TINY))
    others_along = _share((b * along + f) / np.maximum(e, _TINY))
    along = _share((b * others_along - c) / np.maximum(a, _TINY))
    return start + along * vector, others_start + others_along * others_vector


def _share(number: Array) -> Array:
    """Clip to 0 ... 1; `np.clip` takes three times as long for small arrays."""
    return np.minimum(np.maximum(number, 0.0), 1.0)


def segment_distances(start: Plane, vector: Plane, others_start: Plane, others_vector: Plane) -> Array:
    """Return distances of pairs of segments; 0 where they cross."""
    mine, theirs = nearest_points(start, vector, others_start, others_vector)
    return np.where(crossing_signs(start, vector, others_start, others_vector) != 0, 0.0, np.abs(mine - theirs))


def crossing_signs(start: Plane, vector: Plane, others_start: Plane, others_vector: Plane) -> Array:
    """Return 1 where a segment crosses its partner from right to left, -1 from left to right, else 0.

    A point on the partner counts as left of it, so that a path with a corner on it crosses it once.
    """

    def left(of: Plane, direction: Plane) -> Array:
        return np.where(direction.real * of.imag - direction.imag * of.real >= 0.0, 1.0, -1.0)

    before, after = left(start - others_start, others_vector), left(start + vector - others_start, others_vector)
    one, other = left(others_start - start, vector), left(others_start + others_vector - start, vector)
    return np.where((before != after) & (one != other), after, 0.0)
