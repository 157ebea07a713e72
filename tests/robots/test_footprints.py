"""Footprints, support polygons and swinging soles."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.robots.footprints import Footprint, Swing, find_support_polygon

HALF = np.array([0.12, 0.05])


def test_support_polygon_of_two_soles() -> None:
    feet = Footprint(0, 0.0, 0.1, 0.0), Footprint(1, 0.3, -0.1, 0.4)
    normals, limits = find_support_polygon(feet, HALF)

    def inside(point: tuple[float, float]) -> bool:
        return bool((normals @ np.array(point) <= limits + 1e-12).all())

    for foot in feet:
        for corner in ([1, 1], [1, -1], [-1, 1], [-1, -1]):
            edge = foot.place[:2] + foot.rotation @ (HALF * corner)
            assert inside(foot.place[:2] + 0.999 * (edge - foot.place[:2]))
    assert inside((0.15, 0.0))
    assert not inside((0.0, 0.16))
    assert not inside((0.3, 0.1))
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0)


def test_a_swing_is_smooth_and_rests_at_its_goal() -> None:
    swing, goal = Swing(np.zeros(3), np.array([0.2, 0.0, 0.1]), np.array([0.0, 1.0, 0.0])), np.array([0.3, 0.1, 0.2])
    places = [swing.place]
    for tick in range(100):
        once = swing.approach(goal, 0.5 - 0.005 * tick, 0.005)
        # Rates are those of places, and going on from a state is going on along the same path.
        np.testing.assert_allclose((once.place - swing.place) / 0.005, 0.5 * (once.rate + swing.rate), atol=2e-3)
        np.testing.assert_allclose(
            (once.rate - swing.rate) / 0.005, 0.5 * (once.acceleration + swing.acceleration), atol=0.2
        )
        swing = once
        places.append(swing.place)
    np.testing.assert_allclose(swing.place, goal)
    np.testing.assert_allclose(swing.rate, 0.0, atol=1e-12)
    direct = Swing(places[0], np.array([0.2, 0.0, 0.1]), np.array([0.0, 1.0, 0.0])).approach(goal, 0.5, 0.25)
    np.testing.assert_allclose(places[50], direct.place, atol=1e-9)


@pytest.mark.parametrize("remaining", [0.0, 0.004])
def test_a_swing_without_time_is_at_its_goal(remaining: float) -> None:
    goal = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(Swing.lift(Footprint(0, 0.0, 0.0, 0.0)).approach(goal, remaining, 0.005).place, goal)
