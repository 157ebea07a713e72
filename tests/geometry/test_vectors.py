"""Middles and sizes of sets of places do not depend on the axes of the ground."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from gambol.geometry import quaternions as quat
from gambol.geometry.vectors import UP, find_median_place, lengths, measure_extent, unit_vectors

PLACES = np.random.default_rng(3).normal(size=(21, 3)) * (0.2, 0.05, 0.01)


@settings(max_examples=30, deadline=None)
@given(degrees=st.floats(-180.0, 180.0), x=st.floats(-100.0, 100.0), y=st.floats(-100.0, 100.0))
def test_the_median_place_goes_along_with_the_places(degrees: float, x: float, y: float) -> None:
    turn = quat.from_axis_angle(UP, np.radians(degrees))
    moved = quat.rotate(turn, PLACES) + (x, y, 0.0)
    np.testing.assert_allclose(find_median_place(moved), quat.rotate(turn, find_median_place(PLACES)) + (x, y, 0.0))
    assert measure_extent(moved) == pytest.approx(measure_extent(PLACES))


def test_the_median_place_has_the_least_sum_of_distances_and_the_median_height() -> None:
    found = find_median_place(PLACES)
    best = minimize(lambda p: np.hypot(*(PLACES[:, :2] - p).T).sum(), np.zeros(2), method="Nelder-Mead", tol=1e-10).x
    np.testing.assert_allclose(found[:2], best, atol=1e-4)
    assert found[2] == np.median(PLACES[:, 2])


def test_a_few_strays_do_not_move_the_median_place() -> None:
    strays = np.vstack((np.zeros((17, 3)), np.full((4, 3), 5.0)))
    np.testing.assert_allclose(find_median_place(strays), 0.0, atol=1e-3)
    np.testing.assert_allclose(find_median_place(np.ones((1, 3))), 1.0)


def test_the_extent_of_a_straight_path_is_its_length() -> None:
    assert measure_extent(np.linspace((1.0, 2.0, 0.0), (4.0, 6.0, 0.0), 9)) == pytest.approx(5.0)


def test_unit_vectors_keep_their_directions_and_zero_stays() -> None:
    found = unit_vectors(np.concatenate((PLACES, np.zeros((1, 3)))))
    np.testing.assert_allclose(lengths(found[:-1]), 1.0, atol=1e-12)
    np.testing.assert_allclose(lengths(PLACES)[:, None] * found[:-1], PLACES, atol=1e-12)
    assert not found[-1].any()
