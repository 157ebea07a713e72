"""The printed curve of momentum: its values, its slopes towards flight, and its shape as momentum grows or falls."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.body.kernels import Kernels, make_kernels
from gambol.solve.problem import Problem, join_triplets
from gambol.terms.curve import MomentumCurve
from gambol.terms.space import Space, make_space
from tests.terms.bodies import hopping, monopod

FRAMES, STEP = 240, 0.002
FIRST, LAST = 30, 209


@pytest.fixture(scope="module")
def made(interpreted: None) -> Kernels:
    return make_kernels(monopod(), ("foot",))


def _curve(made: Kernels, rate: float, first: int = FIRST, last: int = LAST) -> tuple[Space, np.ndarray, np.ndarray]:
    """A space with a curve, its values (6, 4), and the matrix of all linear constraints.

    The vertical velocity at the start grows at `rate`.
    """
    q = hopping(FRAMES)
    q[:, 2] += 0.5 * rate * (STEP * np.arange(FRAMES)) ** 2
    space = make_space(Problem(), monopod(), made, q, STEP)
    before, added = space.problem.size, len(space.problem.entries)
    MomentumCurve(first, last).add(space)
    entries = join_triplets(space.problem.entries[added:])
    matrix = np.zeros((space.problem.constraint_count, space.problem.size))
    np.add.at(matrix, (entries.rows, entries.columns), entries.values)
    return space, np.arange(before, space.problem.size).reshape(6, 4), matrix


def _trace(space: Space, matrix: np.ndarray, values: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The momentum (6, steps) that the equality constraints give for values (6, 4) of the four points."""
    x = np.zeros(space.problem.size)
    x[values] = points
    low, high = space.problem.constraint_bounds
    names = space.problem.constraint_names
    rows = np.isin(names, ("momentum curve", "spin curve"))
    np.testing.assert_array_equal(low[rows], high[rows])
    return (low - matrix @ x)[rows].reshape(6, -1)


def test_it_passes_its_four_values_and_meets_flight_with_the_slope_of_a_fall(made):
    space, values, matrix = _curve(made, 3.0)
    points = 0.3 * np.random.default_rng(0).normal(size=(6, 4))
    found = _trace(space, matrix, values, points)
    assert found.shape[1] == LAST - FIRST + 2  # from the step into its first frame to the step out of its last
    phases = np.linspace(0.0, 1.0, found.shape[1])
    reached = np.array([np.interp([0.0, 0.4, 0.85, 1.0], phases, one) for one in found])
    np.testing.assert_allclose(reached, points, atol=2e-3)
    slopes = np.diff(found[:, [0, 1, 2, -3, -2, -1]], axis=1)[:, [0, 1, 3, 4]] / STEP
    ends = 1.5 * slopes[:, [0, 3]] - 0.5 * slopes[:, [1, 2]]
    fall = np.where(np.arange(6) == 2, -GRAVITY, 0.0)
    np.testing.assert_allclose(ends, np.stack([fall, fall], axis=1), atol=0.05)


def test_the_search_begins_at_the_momentum_of_the_start(made):
    space, values, _ = _curve(made, 3.0)
    begin = STEP * (FIRST - 0.5) + np.array([0.0, 0.4, 0.85, 1.0]) * STEP * (LAST - FIRST + 1)
    np.testing.assert_allclose(space.problem.start[values[2]], 3.0 * begin, atol=1e-6)
    np.testing.assert_array_equal(space.problem.start[values[3:]], 0.0)


def test_at_an_end_of_the_motion_the_slope_is_that_of_rest(made):
    points = 0.3 * np.random.default_rng(1).normal(size=(6, 4))
    for first, last, fall in ((0, LAST, (0.0, -GRAVITY)), (FIRST, FRAMES - 1, (-GRAVITY, 0.0))):
        space, values, matrix = _curve(made, 3.0, first, last)
        up = np.diff(_trace(space, matrix, values, points)[2]) / STEP
        ends = (1.5 * up[0] - 0.5 * up[1], 1.5 * up[-1] - 0.5 * up[-2])
        np.testing.assert_allclose(ends, fall, atol=0.05)


@pytest.mark.parametrize("growing", [True, False])
def test_the_dip_and_the_overshoot_are_mirrored_for_falling_momentum(made, growing):
    """Figure 3.6: the constraints accept exactly the values that its three inequalities accept."""
    sign = 1.0 if growing else -1.0
    space, values, matrix = _curve(made, 3.0 * sign)
    low, high = space.problem.constraint_bounds
    rows = np.flatnonzero(np.abs(matrix[:, values[2]]).any(axis=1) & (low < high))
    verdicts = []
    for p1, p2, p3, p4 in np.random.default_rng(2).normal(size=(400, 4)):
        x = np.zeros(space.problem.size)
        x[values[2]] = p1, p2, p3, p4
        accepted = bool((matrix[rows] @ x >= low[rows]).all())
        d1, d2 = sign * (p4 - p2), sign * (p3 - p4)
        assert accepted == (sign * p2 <= sign * p1 and d2 >= 0.0 and d1 >= d2)
        verdicts.append(accepted)
    assert 0 < sum(verdicts) < 400


def test_a_stage_of_three_steps_has_a_curve_and_one_of_two_has_none(made):
    for last, points in ((31, 24), (30, 0)):
        space = make_space(Problem(), monopod(), made, hopping(FRAMES), STEP)
        before = space.problem.size
        MomentumCurve(30, last).add(space)
        assert space.problem.size - before == points
