"""Forces that point past the centre of mass: their cost by hand, from forces and places."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.body.kernels import make_kernels
from gambol.solve.assemble import assemble
from gambol.solve.problem import Problem
from gambol.terms.direction import ForceDirectionCost
from gambol.terms.momentum import NewtonEuler
from gambol.terms.space import Space, make_space
from tests.terms.bodies import STEP, hopping, monopod, sole_of

pytestmark = pytest.mark.usefixtures("interpreted")
FRAMES, WEIGHT = 6, 3.0
START = hopping(FRAMES)
SOLE = sole_of(START)


def make(centers: np.ndarray, weight: float = WEIGHT) -> Space:
    space = make_space(Problem(), monopod(), make_kernels(monopod(), ("foot",)), START, STEP)
    for term in (NewtonEuler((SOLE,)), ForceDirectionCost((SOLE,), centers, weight)):
        term.add(space)
    return space


def find_cost(space: Space, x: np.ndarray) -> float:
    return float(assemble(space.problem).gradient(x, [])[0])


def test_the_cost_is_the_square_of_the_horizontal_moment() -> None:
    centers = np.array([0.1, -0.2, 0.9]) + 0.1 * np.random.default_rng(1).normal(size=(FRAMES, 3))
    space, free = make(centers), make(centers, 0.0)
    x = np.random.default_rng(2).uniform(0.0, 0.3, space.problem.size)
    shares = x[space.problem.shared((space, SOLE))]
    edges = SOLE.edges_about(np.zeros(3))[:, :3]
    places = np.repeat(SOLE.places, len(edges) // len(SOLE.places), axis=0)
    expected = 0.0
    for frame in range(1, FRAMES - 1):
        forces = shares[frame][:, None] * edges
        moment = np.cross(places - centers[frame], forces).sum(axis=0)
        expected += WEIGHT * STEP * float(moment[0] ** 2 + moment[1] ** 2)
    assert find_cost(space, x) - find_cost(free, x) == pytest.approx(expected, rel=1e-9)


def test_a_force_to_the_centre_costs_nothing() -> None:
    """Equal forces straight up at all points of a sole point to what is above its middle."""
    above = SOLE.places.mean(axis=0) + [0.0, 0.0, 1.0]
    space = make(np.tile(above, (FRAMES, 1)))
    free = make(np.tile(above, (FRAMES, 1)), 0.0)
    x = np.ones(space.problem.size)
    assert find_cost(space, x) - find_cost(free, x) == pytest.approx(0.0, abs=1e-9)
