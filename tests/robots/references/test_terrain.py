"""Heights of footholds: stairs, stones, and ways that cross themselves."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.robots.references.terrain import StancePlace, check_crossings, lay_stairs, lay_stones


def put(along: float, aside: float = 0.0) -> StancePlace:
    return StancePlace(np.array([along, aside]), along - 0.1, along + 0.1)


def test_every_step_is_one_stair_and_feet_side_by_side_share_one() -> None:
    places = [put(0.0, 0.1), put(0.05, -0.1), put(0.5, 0.1), put(1.0, -0.1)]
    stairs, heights = lay_stairs(places, 0.15)
    np.testing.assert_allclose(heights, [0.0, 0.0, 0.15, 0.3])
    np.testing.assert_allclose(stairs.edges, [0.275, 0.75])
    np.testing.assert_allclose(stairs.find_heights(np.array([0.15, 0.4, 0.6, 0.9, 1.1])), [0.0, 0.15, 0.15, 0.3, 0.3])


def test_a_foot_beside_one_that_reaches_farther_is_on_its_stair() -> None:
    long = StancePlace(np.array([0.2, 0.1]), -0.1, 0.5)
    stairs, heights = lay_stairs([long, put(0.05, -0.1), put(0.35, -0.1), put(0.9, 0.1)], 0.1)
    np.testing.assert_allclose(heights, [0.0, 0.0, 0.0, 0.1])
    np.testing.assert_allclose(stairs.edges, [0.65])


def test_steps_shorter_than_the_sole_leave_no_room_for_stairs() -> None:
    with pytest.raises(InputError, match="no room for stairs"):
        lay_stairs([put(0.0), put(0.1), put(0.2)], 0.15)


def test_stones_are_within_their_range_and_a_place_keeps_its_height() -> None:
    places = [put(0.3 * n) for n in range(40)] + [put(0.32)]
    heights = lay_stones(places, 0.08, np.random.default_rng(2))
    assert np.abs(heights).max() <= 0.08
    assert np.ptp(heights) > 0.1
    assert heights[40] == heights[1]


def test_a_way_that_crosses_itself_at_two_heights_is_refused() -> None:
    places = [put(0.0), put(0.5), put(0.02)]
    check_crossings(places, np.array([0.0, 0.3, 0.01]))
    with pytest.raises(InputError, match="crosses itself"):
        check_crossings(places, np.array([0.0, 0.3, 0.2]))
