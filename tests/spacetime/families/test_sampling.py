"""Active sampling: what is solved, and what is filled in."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.spacetime.families.plan import parse_plan
from gambol.spacetime.families.sampling import axis_nodes, sample_adaptively


def _plan(*counts):
    ways = ("forward", "left", "up", "turn")
    return parse_plan(
        {"axes": [{"stage": "ground 2", way: [-1.0, 1.0], "count": n} for way, n in zip(ways, counts, strict=False)]},
        "grid",
    )


class _Solver:
    """Members of a known function; counts what is asked of it."""

    def __init__(self, plan, function, lost=()):
        self.plan, self.function, self.asked, self.lost = plan, function, [], lost

    def value(self, member):
        x = [axis.values[n] for axis, n in zip(self.plan.axes, member, strict=True)]
        return np.array([0.0, 1.0]), np.array([[self.function(*x)], [1.0]])

    def __call__(self, members):
        assert not set(members) & set(self.asked)
        self.asked += members
        return [None if member in self.lost else self.value(member) for member in members]

    def all(self):
        members = itertools.product(*map(range, self.plan.shape))
        return np.array([self.value(member)[1] for member in members]).reshape(*self.plan.shape, 2, 1)


def _mixed(members, shape):
    """Combinations of axes of which members off the middle were asked for."""
    return {tuple(n for n, (i, c) in enumerate(zip(m, shape, strict=True)) if i != (c - 1) // 2) for m in members}


def test_sums_along_axes_and_products_of_pairs_are_recovered():
    plan = _plan(3, 3, 3, 3)
    solver = _Solver(plan, lambda a, b, c, d: 2 + a + abs(b) - c**2 + 3 * d + a * b + c * d + 0.5 * abs(a) * d)
    times, q, solved = sample_adaptively(plan, solver, 1e-9)
    np.testing.assert_allclose(q, solver.all(), atol=1e-12)
    np.testing.assert_allclose(times, np.broadcast_to([0.0, 1.0], times.shape))
    assert solved.sum() == len(solver.asked) <= 33
    assert all(len(axes) <= 2 for axes in _mixed(solver.asked, plan.shape))


def test_one_strong_pair_is_the_only_one_refined():
    plan = _plan(3, 3, 3, 3)
    solver = _Solver(plan, lambda a, b, c, d: a + b + c + d + 2.0 * max(a, 0) * max(c, 0))
    _, q, solved = sample_adaptively(plan, solver, 1e-6)
    np.testing.assert_allclose(q, solver.all(), atol=1e-12)
    whole = {(0, 2)}
    for pair in itertools.combinations(range(4), 2):
        asked = [m for m in solver.asked if _mixed([m], plan.shape) == {pair}]
        assert len(asked) == (4 if pair in whole else 2)
    assert solved.sum() == 1 + 8 + 4 + 5 * 2


def test_finer_levels_are_local():
    plan = _plan(17)
    solver = _Solver(plan, lambda a: max(a - 0.5, 0.0) ** 2)
    _, q, solved = sample_adaptively(plan, solver, 0.01)
    assert np.abs(q - solver.all()).max() < 0.02
    assert not solved[1:4].any()
    assert solved[13:].sum() >= 3


def test_members_come_in_batches_and_no_member_twice():
    plan = _plan(3, 3)
    solver = _Solver(plan, lambda a, b: a * b + a + b)
    sample_adaptively(plan, solver, 1e-9)
    assert solver.asked[0] == (1, 1)
    assert len(set(solver.asked)) == len(solver.asked) == 9


def test_what_has_no_solution_is_filled_in():
    plan = _plan(3, 3)
    solver = _Solver(plan, lambda a, b: a + b, lost=[(2, 1)])
    _, q, solved = sample_adaptively(plan, solver, 1e-9)
    assert not solved[2, 1]
    assert np.isfinite(q).all()
    np.testing.assert_allclose(q[0], solver.all()[0], atol=1e-12)
    with pytest.raises(InputError, match="in the middle"):
        sample_adaptively(plan, _Solver(plan, lambda a, b: a, lost=[(1, 1)]), 1e-9)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 9, 12])
def test_the_members_of_an_axis_interpolate_any_curve(count):
    nodes = axis_nodes(count)
    values = np.random.default_rng(count).normal(size=count)
    made = np.zeros(count)
    for n in sorted(range(count), key=lambda n: nodes[n].level):
        made = made + (values[n] - made[n]) * nodes[n].hat
    np.testing.assert_allclose(made, values, atol=1e-12)
