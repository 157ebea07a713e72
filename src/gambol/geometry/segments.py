"""Line segments that move: their nearest points, and the moments at which one passes through another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.arrays import Array
from gambol.geometry.vectors import cross, lengths

_BISECTIONS = 12
"""Halvings of the time between two frames in the search for the moment at which two segments are in one plane."""
_MEET = 1e-3
"""Distance (m) of two segments at that moment up to which they pass through each other."""


def find_nearest_points(one: Array, other: Array) -> tuple[Array, Array]:
    """Return the nearest points (..., 3) of segments, given by their ends (..., 2, 3)."""
    along, across = one[..., 1, :] - one[..., 0, :], other[..., 1, :] - other[..., 0, :]
    between = one[..., 0, :] - other[..., 0, :]
    a, e, b = (_dot(u, v) for u, v in ((along, along), (across, across), (along, across)))
    c, f = _dot(along, between), _dot(across, between)
    a, e = np.maximum(a, 1e-12), np.maximum(e, 1e-12)
    # Ericson, Real-Time Collision Detection, section 5.1.9.
    first = np.clip((b * f - c * e) / np.maximum(a * e - b * b, 1e-12), 0.0, 1.0)
    second = np.clip((b * first + f) / e, 0.0, 1.0)
    first = np.clip((b * second - c) / a, 0.0, 1.0)
    return one[..., 0, :] + first[..., None] * along, other[..., 0, :] + second[..., None] * across


def measure_gaps(one: Array, other: Array) -> Array:
    """Return the distances (...,) of segments, given by their ends (..., 2, 3)."""
    return lengths(np.subtract(*find_nearest_points(one, other)))


def find_passes(one: Array, other: Array, gaps: Array) -> NDArray[np.bool_]:
    """Return after which frames (frames - 1, pairs) segments pass through each other, before the next.

    `one` and `other` (frames, pairs, 2, 3) are their ends, `gaps` (frames, pairs) their distances.
    """
    moved = sum(np.maximum(*np.moveaxis(lengths(np.diff(ends, axis=0)), 2, 0)) for ends in (one, other))
    passes = np.minimum(gaps[:-1], gaps[1:]) < moved
    frames, pairs = np.nonzero(passes)
    passes[frames, pairs] = _meet(*(ends[at, pairs] for at in (frames, frames + 1) for ends in (one, other)))
    return passes


def _meet(one: Array, other: Array, one_after: Array, other_after: Array) -> NDArray[np.bool_]:
    """Return which segments (n, 2, 3) meet on the way to where they are after: where they are in one plane."""
    start = np.sign(_measure_volume(one, other))
    found = start != np.sign(_measure_volume(one_after, other_after))
    one, other, one_after, other_after = (ends[found] for ends in (one, other, one_after, other_after))
    low, high, start = np.zeros(len(one)), np.ones(len(one)), start[found]
    for _ in range(_BISECTIONS):
        part = 0.5 * (low + high)
        at = part[:, None, None]
        volume = _measure_volume(one + at * (one_after - one), other + at * (other_after - other))
        before = np.sign(volume) == start
        low, high = np.where(before, part, low), np.where(before, high, part)
    at = (0.5 * (low + high))[:, None, None]
    found[found] = measure_gaps(one + at * (one_after - one), other + at * (other_after - other)) < _MEET
    return found


def _measure_volume(one: Array, other: Array) -> Array:
    """Return the signed volume (...,) of the parallelepiped of two segments and the way between them."""
    along, across = one[..., 1, :] - one[..., 0, :], other[..., 1, :] - other[..., 0, :]
    return _dot(cross(along, across), other[..., 0, :] - one[..., 0, :])


def _dot(left: Array, right: Array) -> Array:
    return np.asarray(np.einsum("...i,...i->...", left, right))
