"""Steps to a place: they get there, turn first where they must, and end side by side."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.geometry.vectors import rotate_plane
from gambol.robots.approach import PlacePlanner
from gambol.robots.cart import Cart
from gambol.robots.course import WalkingCourse
from gambol.robots.footprints import Footprint
from gambol.robots.pattern import PERIOD, PLANNED_SAMPLES
from gambol.robots.stabiliser import SensedState
from gambol.robots.walker import Walker, WalkingState
from tests.robots.test_whole_body import jvrc


def order(
    place: tuple[float, float], feet: tuple[Footprint, Footprint] | None = None, support: int | None = None
) -> list:
    walker = Walker(jvrc(), filtered=False)
    state: WalkingState = walker.start()
    if feet is not None:
        course = WalkingCourse(Cart.rest(np.zeros(2)), np.zeros((PLANNED_SAMPLES, 2)), PERIOD, feet, ())
        state = state._replace(course=course, support=support)
    sensed = SensedState(state.q, np.zeros_like(state.q), np.zeros((2, 6)))
    return list(PlacePlanner(walker, np.array(place)).order(state, sensed).gaits)


@pytest.mark.parametrize("place", [(1.0, 0.0), (0.6, 0.5), (-0.7, 0.1), (0.1, 0.08)])
def test_steps_end_at_the_place(place: tuple[float, float]) -> None:
    gaits = order(place)
    at, heading = np.zeros(2), 0.0
    for gait in gaits:
        at = at + rotate_plane(heading) @ gait.velocity * gait.seconds
        heading += gait.turning * gait.seconds
        assert np.abs(gait.velocity * gait.seconds).max() <= 0.25 + 1e-9
        assert abs(gait.turning * gait.seconds) <= 0.25 + 1e-9
    np.testing.assert_allclose(at, place, atol=0.02)
    np.testing.assert_array_equal(gaits[-1].velocity, 0.0)  # the feet come together


def test_nothing_is_ordered_of_one_who_is_there() -> None:
    assert order((0.005, 0.0)) == []


def test_feet_that_are_apart_come_together() -> None:
    feet = Footprint(0, 0.2, 0.1, 0.0), Footprint(1, 0.0, -0.1, 0.0)
    assert len(order((0.2, 0.0), feet, support=1)) == 1


def test_one_who_stopped_beside_the_place_steps_again() -> None:
    """The body is 4 cm from where it is commanded to be when it has stopped."""
    walker = Walker(jvrc(), filtered=False)
    state, planner = walker.start(), PlacePlanner(walker, np.zeros(2))
    sensed = SensedState(state.q, np.zeros_like(state.q), np.zeros((2, 6)))
    assert not planner.order(state, sensed).gaits
    moved = state.q.copy()
    moved[0] += 0.04
    gaits = planner.order(state, sensed._replace(q=moved)).gaits
    assert sum(gait.velocity[0] * gait.seconds for gait in gaits) == pytest.approx(-0.04)
