"""Levels on which feet rest, and the ground below those that do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.robots.references.levels import find_floor, find_levels, lay_ground
from tests.robots.references.test_soles import make_path


def test_swings_that_are_cut_off_lead_to_lower_ground() -> None:
    """To a level that the other foot shows, else to where the sole is lowest; a floor that is measured is not lower."""
    path = replace(make_path(0.5, 20), flat=((6, 9),), touching=np.isin(np.arange(20), np.r_[5:12]))
    path.places[[2, 15], 2] = 0.12, 0.2

    def find(*levels: float) -> list[float]:
        return lay_ground(path, [0.3], np.array(levels), path.places[:, 2])[[0, 4, 5, 8, 11, 12, 19]].tolist()

    assert find(0.1, 0.3) == [0.1, 0.1, 0.3, 0.3, 0.3, 0.2, 0.2]
    assert find(0.3) == [0.12, 0.12, 0.3, 0.3, 0.3, 0.2, 0.2]
    path.places[[2, 15], 2] = 0.25, 0.6
    assert find(0.1, 0.3) == 7 * [0.3]


def test_a_foot_that_rests_without_being_flat_is_on_the_level_where_it_is() -> None:
    """As one on the edge of a stair; the median of the lowest corner tells. It is no level itself."""
    path = replace(
        make_path(0.5, 30), flat=((2, 5), (25, 28)), touching=np.isin(np.arange(30), np.r_[1:7, 12:20, 24:30])
    )
    lowest = np.where(np.arange(30) < 15, 0.17, 0.19)
    lowest[[1, 14, 24]] = 0.6
    for levels, expected in (((0.0, 0.2, 0.6), 0.2), ((0.0, 0.3), 0.3), ((0.0,), 0.0)):
        found = lay_ground(path, [0.0, 0.0], np.array(levels), lowest)
        np.testing.assert_allclose(found, np.where(np.isin(np.arange(30), np.r_[12:20]), expected, 0.0))
    found = lay_ground(replace(path, flat=()), [], np.array([0.0, 0.2]), lowest)
    np.testing.assert_allclose(found, np.where(path.touching, 0.2, 0.0))


def test_the_floor_is_where_a_sole_rests() -> None:
    path = make_path(0.5, 4)
    path.ground[:, :] = np.array([0.1, 0.2, 0.3, 0.4])[:, None]
    rests = replace(path, touching=np.array([False, False, True, True]))
    assert find_floor({"left": rests, "right": path}) == 0.3
    assert find_floor({"left": path, "right": path}) == 0.1


def test_ground_between_stances_is_the_lower_one_and_levels_are_of_the_persons_size() -> None:
    """Below a foot that touches, it is that of its stance, also while the foot rolls."""
    path = replace(make_path(0.0, 20), flat=((2, 5), (14, 17)), touching=np.isin(np.arange(20), np.r_[1:8, 12:19]))
    path.places[:, 2], levels = 0.4, np.array([0.1, 0.3])
    up, down = (lay_ground(path, heights, levels, path.places[:, 2]) for heights in ([0.1, 0.3], [0.3, 0.1]))
    np.testing.assert_allclose(up, np.where(np.arange(20) < 12, 0.1, 0.3))
    np.testing.assert_allclose(down, np.where(np.arange(20) < 8, 0.3, 0.1))
    np.testing.assert_allclose(find_levels({}, [0.0, 0.03], 0.5), [0.0, 0.03])
    np.testing.assert_allclose(find_levels({}, [0.0, 0.03], 1.0), [0.015])
