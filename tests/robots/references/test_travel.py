"""Ways along the ground that become longer and bend."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.robots.references.travel import bend_way, smooth_way

STRAIGHT = np.stack((np.linspace(1.0, 4.0, 61), np.full(61, 2.0)), axis=1)


def measure(way: np.ndarray) -> float:
    return float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum())


def test_a_way_that_is_not_changed_stays() -> None:
    travel = bend_way(STRAIGHT, 1.0, 0.0, [])
    np.testing.assert_allclose(travel.after, STRAIGHT, atol=1e-12)
    points = np.random.default_rng(1).normal(size=(61, 3))
    np.testing.assert_allclose(travel.move(points), points, atol=1e-12)


def test_strides_scale_and_gaps_add() -> None:
    assert measure(bend_way(STRAIGHT, 1.3, 0.0, []).after) == pytest.approx(3.9)
    travel = bend_way(STRAIGHT, 1.3, 0.5, [(10, 20, 0.2), (40, 55, 0.3)])
    assert measure(travel.after) == pytest.approx(4.4)
    assert travel.distance[-1] == pytest.approx(4.4)
    np.testing.assert_allclose(np.diff(travel.distance)[[5, 30, 58]], 1.3 * 0.05)
    assert travel.distance[20] - travel.distance[10] == pytest.approx(1.3 * 0.5 + 0.2)


def test_a_bend_is_an_arc_of_a_circle() -> None:
    """By 90 degrees to the left: as far ahead as to the left; what was beside the way stays beside it."""
    travel = bend_way(STRAIGHT, 1.0, 0.5 * np.pi, [])
    radius = 3.0 / (0.5 * np.pi)
    np.testing.assert_allclose(travel.after[-1] - travel.after[0], [radius, radius], atol=2e-3)
    left = np.column_stack((STRAIGHT + [0.0, 0.5], np.zeros(61)))
    moved = travel.move(left)[:, :2]
    np.testing.assert_allclose(np.linalg.norm(moved - [1.0, 2.0 + radius], axis=1), radius - 0.5, atol=3e-3)
    np.testing.assert_allclose(travel.ahead[-1], [0.0, 1.0], atol=0.03)
    # At the end the way leads to y: a point farther along y is farther along it.
    points = np.append(travel.after[-1], 0.0) + [[0.0, 0.2, 0.0], [0.2, 0.0, 0.0], [0.0, -0.1, 1.0]]
    np.testing.assert_allclose(travel.measure(np.tile(points, (61, 1, 1)))[-1], [3.2, 3.0, 2.9], atol=0.01)


def test_a_way_between_frames() -> None:
    travel = bend_way(STRAIGHT, 1.0, 1.0, [])
    between = travel.sample(np.array([7.5]))
    np.testing.assert_allclose(between.after[0], 0.5 * (travel.after[7] + travel.after[8]), atol=1e-12)
    assert np.linalg.norm(between.ahead[0]) == pytest.approx(1.0)


def test_sway_is_not_part_of_the_way() -> None:
    times = np.arange(200) / 50.0
    hips = np.stack((1.2 * times, 0.05 * np.sin(2.0 * np.pi * times), np.ones(200)), axis=1)
    way = smooth_way(hips, 0.02)
    assert np.ptp(way[:, 1]) < 0.03
    np.testing.assert_allclose(way[:, 0], hips[:, 0], atol=1e-3)


def test_while_nothing_moves_directions_are_those_beside() -> None:
    way = np.concatenate((np.zeros((20, 2)), np.stack((np.zeros(20), np.linspace(0.0, 1.0, 20)), axis=1)))
    np.testing.assert_allclose(bend_way(way, 1.0, 0.0, []).ahead, np.tile([0.0, 1.0], (40, 1)), atol=1e-12)
    assert np.isfinite(bend_way(np.zeros((10, 2)), 1.2, 1.0, []).after).all()
