"""Convex polygons in the plane: their corners in order, and the point of one that is nearest to another point."""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array

_THIN = 1e-9
"""Area (m²) below which points count as lying on a line."""


def find_hull(points: Array) -> Array:
    """Return the corners (corners, 2) of the convex hull of points (n, 2), anticlockwise; two if they lie on a line."""
    along = np.unique(points, axis=0)
    lower, upper = _find_chain(along), _find_chain(along[::-1])
    return np.array([*lower[:-1], *upper[:-1]] or along[:1])


def find_nearest(corners: Array, points: Array) -> Array:
    """Return the points (..., 2) of convex polygons (..., corners, 2) nearest to points (..., 2).

    Corners are in anticlockwise order and may be repeated. A polygon without area is a line or a point.
    """
    sides = np.roll(corners, -1, axis=-2) - corners
    away = points[..., None, :] - corners
    share = np.sum(away * sides, axis=-1) / np.maximum(np.sum(sides**2, axis=-1), _THIN)
    off = away - np.clip(share, 0.0, 1.0)[..., None] * sides
    best = np.argmin(np.sum(off**2, axis=-1), axis=-1)
    nearest = points - np.take_along_axis(off, best[..., None, None], axis=-2)[..., 0, :]
    left = sides[..., 0] * away[..., 1] - sides[..., 1] * away[..., 0]
    # The cross products add up to twice the area.
    inside = (left >= 0.0).all(axis=-1) & (left.sum(axis=-1) > _THIN)
    return np.asarray(np.where(inside[..., None], points, nearest))


def _find_chain(points: Array) -> list[Array]:
    """Return the points that turn left, of points in order along a line (Andrew's monotone chain)."""
    chain: list[Array] = []
    for point in points:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0.0:
            chain.pop()
        chain.append(point)
    return chain


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]))
