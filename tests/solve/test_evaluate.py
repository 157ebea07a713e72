"""Values of a problem without a solver: those of the assembled functions, and derivatives of the least cost."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.body.kernels import Kernels, make_kernels
from gambol.solve.assemble import assemble
from gambol.solve.evaluate import evaluate_lagrangian, evaluate_problem
from gambol.solve.ipopt import solve
from gambol.solve.problem import Problem
from gambol.terms.contacts import FixedContacts
from gambol.terms.deviation import MassDisplacement, PoseDeviation
from gambol.terms.momentum import NewtonEuler
from gambol.terms.space import Space, make_space
from tests.terms.bodies import STEP, hopping, monopod, sole_of
from tests.terms.conftest import interpreted as interpreted

MONOPOD, FRAMES = monopod(), 8
START = hopping(FRAMES)
HOLD = sole_of(START)


@pytest.fixture(scope="module")
def made(interpreted: None) -> Kernels:
    return make_kernels(MONOPOD, ("foot",))


def _problem(made: Kernels, steps: float | np.ndarray) -> Space:
    space = make_space(Problem(), MONOPOD, made, START, steps)
    laws = NewtonEuler((HOLD,), residual_weight=10.0)
    for term in (laws, FixedContacts((HOLD,)), MassDisplacement(START, 5.0), PoseDeviation(START, np.ones(10))):
        term.add(space)
    return space


@pytest.mark.parametrize("steps", [STEP, STEP * np.linspace(0.8, 1.2, FRAMES - 1)], ids=["even", "uneven"])
def test_values_are_those_of_the_assembled_functions(made: Kernels, steps: float | np.ndarray) -> None:
    problem = _problem(made, steps).problem
    x = problem.start + 0.05 * np.random.default_rng(3).normal(size=problem.size)
    functions = assemble(problem)
    cost, values = evaluate_problem(problem, x)
    assert cost == pytest.approx(float(functions.gradient(x, [])[0]), rel=1e-10)
    np.testing.assert_allclose(values, np.array(functions.constraints(x)).ravel(), atol=1e-10)


def test_the_slope_of_the_least_cost_is_that_of_the_lagrangian(made: Kernels) -> None:
    """The envelope theorem, against two solves: the cost of a motion whose steps all last longer."""
    small, costs, values = 1e-3, [], []
    found = solve(_problem(made, STEP).problem)
    for sign in (1.0, -1.0):
        problem = _problem(made, STEP * (1.0 + sign * small)).problem
        costs.append(solve(problem).cost)
        values.append(evaluate_lagrangian(problem, found.x, found.state.constraints))
    slope = (costs[0] - costs[1]) / (2.0 * small)
    assert abs(slope) > 0.01
    assert (values[0] - values[1]) / (2.0 * small) == pytest.approx(slope, rel=0.01)
