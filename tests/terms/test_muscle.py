"""Muscle torques: passive springs, and derivatives by the parameters, against finite differences and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.body.kernels import make_kernels
from gambol.solve.assemble import assemble
from gambol.solve.problem import Problem
from gambol.terms.momentum import NewtonEuler
from gambol.terms.muscle import MuscleCost, find_joint_columns
from gambol.terms.space import Space, make_space
from gambol.terms.torque import JointTorque
from tests.terms.bodies import STEP, hopping, monopod, sole_of

pytestmark = pytest.mark.usefixtures("interpreted")
FRAMES, KNEE = 6, 2
RNG = np.random.default_rng(3)
START = hopping(FRAMES) + 0.05 * RNG.normal(size=(FRAMES, 10))
SCALES = [1.0, 1.0, 1.0, 1.0, 1e-3, 1.0]
PARAMETERS = np.column_stack([RNG.uniform(0.2, 2.0, (4, 6)) * SCALES, RNG.uniform(-0.3, 0.3, 4)])


def make(parameters: np.ndarray) -> tuple[Space, MuscleCost]:
    body = monopod()
    space = make_space(Problem(), body, make_kernels(body, ("foot",)), START, STEP)
    laws = NewtonEuler((sole_of(START),))
    torque = JointTorque(laws, 0.0, 1e-2)
    muscle = MuscleCost(torque, parameters)
    for term in (laws, torque, muscle):
        term.add(space)
    return space, muscle


def pick(space: Space) -> np.ndarray:
    return space.problem.start + 0.1 * np.random.default_rng(5).normal(size=space.problem.size)


@pytest.mark.parametrize("kind", range(PARAMETERS.shape[1]))
def test_slopes_by_parameters_are_those_of_finite_differences(kind: int) -> None:
    """One kind of parameter at a time, of all joints by different amounts."""
    space, muscle = make(PARAMETERS)
    x, change = pick(space), np.zeros_like(PARAMETERS)
    change[:, kind] = [1.0, -0.7, 0.4, 1.3]
    found = [assemble(make(PARAMETERS + h * change)[0].problem).gradient(x, []) for h in (1e-6, -1e-6)]
    cost, gradient = (np.array(above - below).ravel() / 2e-6 for above, below in zip(*found, strict=True))
    slopes = muscle.differentiate_gradient(space, x).toarray() @ change.ravel()
    np.testing.assert_allclose(slopes, gradient, atol=1e-6 * max(np.abs(gradient).max(), 1.0))
    assert (muscle.differentiate_cost(space, x) * change).sum() == pytest.approx(cost[0], rel=1e-5, abs=1e-5)


def test_muscles_without_springs_do_all_the_work() -> None:
    space, muscle = make(PARAMETERS * [1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    x = pick(space)
    torques = muscle.torque.torques(space, x)[:, find_joint_columns(space)]
    np.testing.assert_allclose(muscle.torques(space, x), torques / monopod().mass, atol=1e-12)


@pytest.mark.parametrize(("away", "stiffness"), [(0.4, 3.0), (-0.4, 5.0)])
def test_a_spring_pulls_toward_rest_with_the_stiffness_of_its_side(away: float, stiffness: float) -> None:
    """The muscle has to hold against it: bent above its rest angle, the spring's own torque is negative."""
    parameters = np.zeros((4, 7))
    parameters[KNEE] = [1.0, 3.0, 5.0, 0.0, 0.0, 0.0, 0.1]
    space, muscle = make(parameters)
    x = np.zeros(space.problem.size)
    x[space.q[:, 6 + KNEE]] = 0.1 + away
    rounded = 0.5 * (5.0 - 3.0) * 0.05  # where one stiffness passes into the other
    np.testing.assert_allclose(muscle.torques(space, x)[:, KNEE], stiffness * away + rounded, rtol=5e-3)


def test_damping_resists_the_velocity() -> None:
    parameters = np.zeros((4, 7))
    parameters[KNEE] = [1.0, 0.0, 0.0, 0.7, 0.0, 0.0, 0.0]
    space, muscle = make(parameters)
    x = np.zeros(space.problem.size)
    x[space.q[:, 6 + KNEE]] = 2.0 * STEP * np.arange(FRAMES)
    np.testing.assert_allclose(muscle.torques(space, x)[:, KNEE], 1.4)


def test_the_cost_is_the_integral_of_squared_torques_accelerations_and_deviations_from_rest() -> None:
    space, muscle = make(PARAMETERS)
    bare, x = make(PARAMETERS * [0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0])[0], pick(space)
    costs = [float(assemble(one.problem).gradient(x, [])[0]) for one in (space, bare)]
    bends = np.diff(x[space.q[:, 6:]], 2, axis=0) / STEP**2
    away = x[space.q[1:-1, 6:]] - PARAMETERS[:, 6]
    squares = (muscle.torques(space, x) ** 2, bends**2, away**2)
    expected = STEP * sum((PARAMETERS[:, n] * one).sum() for n, one in zip((0, 4, 5), squares, strict=True))
    assert costs[0] - costs[1] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("above", "below"), [(5.0, 0.01), (0.01, 5.0)])
def test_no_spring_pushes_away_from_its_rest(above: float, below: float) -> None:
    """With the printed sigmoid, one of two very different stiffnesses would, near the rest angle."""
    parameters = np.zeros((4, 7))
    parameters[KNEE] = [1.0, above, below, 0.0, 0.0, 0.0, 0.0]
    space, muscle = make(parameters)
    held = []
    for angle in np.linspace(-0.3, 0.3, 41):
        x = np.zeros(space.problem.size)
        x[space.q[:, 6 + KNEE]] = angle
        held.append(muscle.torques(space, x)[0, KNEE])
    assert (np.diff(held) > 0.0).all()
    assert held[20] == pytest.approx(0.0, abs=1e-12)
