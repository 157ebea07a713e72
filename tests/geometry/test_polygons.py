"""Convex polygons beside scipy's hulls and nearest points found by quadratic programming."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.spatial import ConvexHull

from gambol.geometry.polygons import find_hull, find_nearest

RNG = np.random.default_rng(2)


@pytest.mark.parametrize("count", [3, 4, 8, 30])
def test_corners_are_those_of_scipy_in_anticlockwise_order(count: int) -> None:
    points = RNG.normal(size=(count, 2))
    corners, expected = find_hull(points), points[ConvexHull(points).vertices]
    start = int(np.argmin(np.linalg.norm(expected - corners[0], axis=1)))
    np.testing.assert_array_equal(corners, np.roll(expected, -start, axis=0))


def test_points_on_a_line_have_two_corners_and_equal_points_one() -> None:
    line = np.outer([0.3, 0.0, 1.0, 0.5], [1.0, 2.0])
    np.testing.assert_array_equal(find_hull(line), [[0.0, 0.0], [1.0, 2.0]])
    np.testing.assert_array_equal(find_hull(np.ones((3, 2))), [[1.0, 1.0]])


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_the_nearest_point_is_the_nearest_convex_combination(count: int) -> None:
    """Also where the last corner is repeated, and for many polygons at once."""
    for _ in range(20):
        corners = find_hull(RNG.normal(size=(count, 2)))
        points = RNG.normal(0.0, 2.0, (10, 2))
        padded = corners[np.minimum(np.arange(count + 2), len(corners) - 1)]
        nearest = find_nearest(np.broadcast_to(padded, (10, *padded.shape)), points)
        for point, found in zip(points, nearest, strict=True):
            weights, _ = nnls(np.vstack((corners.T, np.full(len(corners), 1e4))), [*point, 1e4])
            np.testing.assert_allclose(found, weights @ corners / weights.sum(), atol=1e-5)
