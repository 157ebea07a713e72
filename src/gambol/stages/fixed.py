"""Find points, lines and planes of a body that stay fixed over an interval of frames.

L05 section 3.4.1, equations 3.1 to 3.5: with W_t the body's frame in the world, T_t = W_{t+1} W_t^-1 brings a point's
position at t to the next, and fixed points are the null space of T_t - I, intersected over frames.

Between two frames a standing foot rotates by less than the noise, so that the axis of T_t is arbitrary, and on
recordings the printed form finds little (`find_fixed_sets_as_printed` of the second package). A rotation minus I also
has rank 0 or 2, never 1: two frames fix a line or everything. `find_fixed_points` therefore pools the frames of an
interval: the same null space, written as W_t x = r for one r, is the minimum of

    sum_t |(R_t - mean R) x + (p_t - mean p)|^2,

a quadratic form whose small eigenvalues belong to directions that stay fixed too. `rigid_contacts` finds the intervals.
For feet on a floor, heights and speeds of their points are more reliable: see `contacts`. All work at the recorded
frame rate.
"""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array
from gambol.stages.solids import Solid, minimise_in_box

_CHORD = 0.3
"""Least length of a line within the body, as a share of the body's size."""


def find_fixed_points(solid: Solid, kind: str, first: int, last: int, tolerance: float) -> Array | None:
    """Return points of the body that stay within the tolerance of their mean place over an interval, or None."""
    if kind == "plane":
        return solid.points if _strays(solid, solid.points, first, last) <= tolerance else None
    form = solid.scatter(first, last)
    # A small weight on the distance from the body's middle makes the problem definite; it moves points by at most a
    # tenth of the tolerance.
    weight = (0.1 * tolerance / solid.reach) ** 2
    matrix, slope = form[:3, :3] + weight * np.eye(3), form[:3, 3] - weight * solid.middle
    best = np.linalg.solve(matrix, -slope)
    if float(np.append(best, 1.0) @ form @ np.append(best, 1.0)) > tolerance**2:
        return None
    point = minimise_in_box(matrix, slope, best, solid.low, solid.high)
    axes = np.linalg.eigh(form[:3, :3])[1]
    points = point[None] if kind == "point" else find_chord(solid, point, axes[:, 0])
    return None if points is None or _strays(solid, points, first, last) > tolerance else points


def find_chord(solid: Solid, point: Array, direction: Array) -> Array | None:
    """Return the ends (2, 3) of a line through a point within the body's box; None if it is too short for a line."""
    steep = np.abs(direction) > 1e-9
    shares = np.sort((np.stack((solid.low, solid.high)) - point)[:, steep] / direction[steep], axis=0)
    start, end = float(shares[0].max()), float(shares[1].min())
    if end - start < _CHORD * 2.0 * solid.reach:
        return None
    return np.stack((point + start * direction, point + end * direction))


def _strays(solid: Solid, points: Array, first: int, last: int) -> float:
    """Return the largest distance of any of the points (n, 3) from its mean place in an interval."""
    tracks = solid.tracks(points, first, last)
    return float(np.linalg.norm(tracks - tracks.mean(axis=0), axis=2).max())
