"""Flights of robots: they fall at g, the ground before and after takes up the difference, feet stay above it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.geometry.vectors import UP
from gambol.robots.references.flights import find_aloft, find_flight_rise, raise_flights
from gambol.robots.references.sole_path import SolePath
from gambol.stages.flight import fit_acceleration
from tests.robots.test_whole_body import jvrc

STEP = 0.02
FLIGHTS = ((30, 49), (70, 84))


def make_jumps(acceleration: float) -> tuple[np.ndarray, np.ndarray]:
    """Heights (m) of a body that falls at an acceleration in two flights, and when it is aloft."""
    frames = np.arange(120)
    heights, aloft = np.full(120, 0.8), np.zeros(120, dtype=bool)
    for first, last in FLIGHTS:
        span = slice(first - 1, last + 2)
        heights[span] -= 0.5 * acceleration * STEP**2 * (frames[span] - first + 1) * (last + 1 - frames[span])
        aloft[first : last + 1] = True
    return heights, aloft


@pytest.mark.parametrize("acceleration", [-6.4, -GRAVITY, -13.7])
def test_a_raised_body_falls_at_g_and_moves_smoothly(acceleration: float) -> None:
    heights, aloft = make_jumps(acceleration)
    rise = find_flight_rise(heights, aloft, STEP)
    raised = heights + rise
    for first, last in FLIGHTS:
        assert fit_acceleration(raised[first : last + 1], STEP) == pytest.approx(-GRAVITY)
    np.testing.assert_allclose(rise[[0, *(frame for a, b in FLIGHTS for frame in (a - 1, b + 1)), -1]], 0.0, atol=1e-12)
    # The slope of the rise has no step where a foot leaves the ground or lands.
    steepest = 0.5 * abs(GRAVITY + acceleration) * STEP * (FLIGHTS[0][1] - FLIGHTS[0][0] + 2)
    assert np.abs(np.diff(rise, 2)).max() / STEP <= 0.5 * steepest + 1e-9


def test_flights_that_are_too_short_to_measure_stay() -> None:
    heights, aloft = np.linspace(0.8, 0.9, 20), np.isin(np.arange(20), (8, 9, 10))
    np.testing.assert_array_equal(find_flight_rise(heights, aloft, STEP), 0.0)


def test_feet_rise_with_the_body_only_in_flight_and_sink_only_to_the_ground() -> None:
    biped = jvrc()
    touching = np.array([True, False, False, True])
    places = np.column_stack((np.zeros((4, 2)), [0.0, 0.03, 0.03, 0.0]))
    level = np.tile([1.0, 0.0, 0.0, 0.0], (4, 1))
    left = SolePath(places, level, np.zeros((4, 4)), np.zeros((4, 2)), (), touching)
    soles = {"left": left, "right": replace(left, touching=np.array([True, False, False, False]))}
    np.testing.assert_array_equal(find_aloft(soles), [False, True, True, False])
    raised = raise_flights(biped, soles, np.array([-0.1, 0.2, -0.1, -0.1]))
    for side in soles:
        np.testing.assert_allclose(raised[side].places - left.places, np.outer([0.0, 0.2, -0.03, 0.0], UP), atol=1e-9)
