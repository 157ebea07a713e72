"""Derivatives of optima by parameters of the cost, against optima of changed costs; narrow systems and dense ones."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy import sparse

from gambol.solve import sensitivity
from gambol.solve.ipopt import SolverState, solve
from gambol.solve.kernel import make_kernel
from gambol.solve.problem import Index, Problem
from gambol.solve.sensitivity import differentiate_optimum

COUNT, BARRIER = 12, 1e-4
PARAMETERS = np.random.default_rng(0).uniform(0.5, 2.0, COUNT)
X, P = ca.SX.sym("x", 2), ca.SX.sym("p", 1)
COST = P[0] * (X[0] - 0.6) ** 2 + (X[0] - X[1]) ** 2 + 0.3 * P[0] ** 2 * X[0] ** 4
KERNEL = make_kernel("chain", X, P, X[0] * X[1], COST)
SLOPES = ca.Function("slopes", [X, P], [ca.densify(ca.jacobian(ca.gradient(COST, X), P))])


def make(parameters: np.ndarray) -> tuple[Problem, Index]:
    """A chain of unknowns with nonlinear costs of neighbours, bounds, and one of each kind of constraint."""
    problem = Problem()
    x = problem.add_variables(np.full(COUNT + 1, 0.5), 0.0, 0.9)
    pairs = np.stack([x[:-1], x[1:]], axis=1)
    use = problem.add_kernel(KERNEL, pairs, parameters[:, None])
    equal = problem.add_constraints("sum", np.array([5.0]))
    problem.add_linear(equal, x, np.linspace(0.5, 1.5, COUNT + 1))
    problem.add_linear(problem.add_constraints("twice", np.array([10.0])), x, np.linspace(1.0, 3.0, COUNT + 1))
    bounded = problem.add_constraints("product", np.full(3, -np.inf), 0.2)
    use.add(bounded, np.arange(3), 0)
    return problem, pairs


def optimise(parameters: np.ndarray, start: SolverState | None = None) -> SolverState:
    """From a start the barrier is solved precisely."""
    solution = solve(make(parameters)[0], barrier=BARRIER, warm_start=start)
    assert solution.converged
    return solution.state


def test_slopes_are_those_of_solved_optima() -> None:
    """A redundant constraint, bounds and inequalities that act do not disturb it."""
    problem, pairs = make(PARAMETERS)
    state = optimise(PARAMETERS, optimise(PARAMETERS))
    values = np.array(SLOPES.map(COUNT)(state.x[pairs].T, PARAMETERS[None]))
    rows, columns = pairs.T, np.broadcast_to(np.arange(COUNT), (2, COUNT))
    cross = sparse.coo_array((values.ravel(), (rows.ravel(), columns.ravel())), (problem.size, COUNT))
    found = differentiate_optimum(problem, state, cross, BARRIER)
    assert np.abs(found).max() > 0.01
    for number in range(COUNT):
        small = 1e-3 * np.eye(COUNT)[number]
        ahead, back = (optimise(PARAMETERS + sign * small, state).x for sign in (1.0, -1.0))
        np.testing.assert_allclose(found[:, number], (ahead - back) / 2e-3, atol=2e-3 * np.abs(found).max())


@pytest.mark.parametrize("first", [5, 120])
def test_narrow_systems_in_any_order_are_solved(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sensitivity, "_FIRST", first)
    rng = np.random.default_rng(1)
    band = sum(np.diag(rng.normal(size=90 - n), n) for n in range(5))
    dense = band + band.T
    order = rng.permutation(90)
    dense, right = dense[order][:, order], rng.normal(size=(90, 3))
    found = sensitivity._solve_narrow(sparse.csr_array(dense), right)
    np.testing.assert_allclose(dense @ found, right, atol=1e-8)


def test_a_singular_block_is_cut_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of one row have zeros on their diagonal; pairs do not."""
    monkeypatch.setattr(sensitivity, "_FIRST", 1)
    dense = np.kron(np.eye(4), [[0.0, 1.0], [1.0, 0.0]])
    right = np.arange(8.0)[:, None]
    np.testing.assert_allclose(sensitivity._solve_narrow(sparse.csr_array(dense), right), dense @ right)
