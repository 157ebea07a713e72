"""Predicted collisions against closed forms and simulated discs."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.primitives.navigation.prediction import predict_encounters
from gambol.primitives.navigation.segments import crossing_signs, nearest_points, segment_distances


def test_two_who_walk_at_right_angles_touch_where_geometry_says() -> None:
    # One at (0, -3) walks north with 1 m/s, the other at (-3, 0) east with 1 m/s; they touch at 0.6 m.
    # Relative place (-3, 3), relative velocity (1, -1): head on along the diagonal, contact after 3 - 0.6 / sqrt 2.
    found = predict_encounters(np.array([-3 + 3j]), np.array([1 - 1j]), np.array([0.6]))
    assert found.time[0] == pytest.approx(3.0 - 0.6 / np.sqrt(2.0))
    assert found.min_distance[0] == pytest.approx(0.0, abs=1e-12)
    assert found.offset[0] == pytest.approx(0.6 * np.exp(0.75j * np.pi))


def test_who_misses_has_its_nearest_time_and_who_parts_has_none() -> None:
    found = predict_encounters(
        np.array([5 + 2j, -5 + 2j, 0.1]), np.array([-1.0 + 0j, -1.0 + 0j, 1.0]), np.array([0.6, 0.6, 0.6])
    )
    assert found.time == pytest.approx([5.0, 0.0, 0.0])
    assert found.min_distance == pytest.approx([2.0, abs(-5 + 2j), 0.1])


def test_contact_is_the_first_moment_in_which_moved_discs_touch() -> None:
    rng = np.random.default_rng(0)
    offset = rng.normal(0, 4, 200) + 1j * rng.normal(0, 4, 200)
    velocity = rng.normal(0, 1, 200) + 1j * rng.normal(0, 1, 200)
    keep = np.abs(offset) > 1.0
    found = predict_encounters(offset[keep], velocity[keep], np.full(keep.sum(), 0.6))
    times = np.linspace(0.0, 30.0, 6001)[:, None]
    distance = np.abs(offset[keep] + times * velocity[keep])
    touch = (distance < 0.6).any(axis=0)
    assert touch.sum() > 5
    assert found.time[touch] == pytest.approx(times[np.argmax(distance < 0.6, axis=0), 0][touch], abs=6e-3)
    inside = found.time < 25.0
    assert found.min_distance[inside] == pytest.approx(distance.min(axis=0)[inside], abs=6e-3)


def test_nearest_points_of_segments_against_a_dense_search() -> None:
    rng = np.random.default_rng(1)
    start, way, other, others_way = rng.normal(0, 2, (4, 100)) + 1j * rng.normal(0, 2, (4, 100))
    way[:10], others_way[5:20], others_way[20:30] = 0.0, 0.0, 2.0 * way[20:30]
    share = np.linspace(0.0, 1.0, 401)
    one, two = start + share[:, None] * way, other + share[:, None] * others_way
    dense = np.abs(one[:, None] - two[None]).min(axis=(0, 1))
    assert segment_distances(start, way, other, others_way) == pytest.approx(dense, abs=0.03)
    mine, theirs = nearest_points(start, way, other, others_way)
    free = dense > 0.05
    assert np.abs(mine - theirs)[free] == pytest.approx(dense[free], abs=0.03)


def test_a_way_with_a_corner_on_a_door_passes_it_once() -> None:
    door = np.array([-1j]), np.array([2j])
    for one, other in ((1.0, -1.0), (-1.0, 1.0)):
        legs = [
            crossing_signs(np.array([a + 0j]), np.array([b - a + 0j]), *door)[0] for a, b in ((one, 0.0), (0.0, other))
        ]
        assert sum(legs) == -other
        assert sorted(np.abs(legs)) == [0.0, 1.0]
