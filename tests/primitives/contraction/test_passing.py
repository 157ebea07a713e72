"""A walker past an obstacle: beside it headings contract, straight at it they part."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.primitives.contraction.certificate import Verdict
from gambol.primitives.contraction.passing import passing, walker
from gambol.primitives.navigation.heading import AVOID, DELTA, GOAL, SIGMA


def _rate(x, goal, weight):
    return GOAL * np.sin(goal - x) + AVOID * weight * np.tanh(x / DELTA) * np.exp(-(x**2) / (2.0 * SIGMA**2))


@pytest.mark.parametrize("side", [(0.3, 1.2), (-1.2, -0.3)])
def test_beside_an_obstacle_headings_come_together_at_least_so_fast(side):
    found = passing(side, (-0.2, 0.2))
    assert found.contracting
    random = np.random.default_rng(0)
    points = random.uniform((side[0], -0.2, 0.0), (side[1], 0.2, 1.0), (5_000, 3))
    slopes = (_rate(points[:, 0] + 1e-6, *points[:, 1:].T) - _rate(points[:, 0] - 1e-6, *points[:, 1:].T)) / 2e-6
    assert slopes.max() <= -found.rate + 1e-6
    np.testing.assert_allclose(walker().rates_at(points)[:, 0], _rate(*points.T), atol=1e-12)


def test_straight_at_it_the_state_that_is_shown_parts():
    found = passing((-0.3, 0.3), (-0.2, 0.2))
    assert found.verdict is Verdict.BROKEN
    x, goal, weight = found.witness.state
    assert (_rate(x + 1e-6, goal, weight) - _rate(x - 1e-6, goal, weight)) / 2e-6 == pytest.approx(found.witness.growth)
    assert found.witness.growth > 10.0


def test_an_obstacle_that_is_far_in_time_does_not_part_headings():
    assert passing((-0.3, 0.3), (-0.2, 0.2), weight=(0.0, 0.05)).contracting
