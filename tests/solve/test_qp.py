from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest
from scipy import optimize, sparse

from gambol.errors import InputError
from gambol.solve import qp
from gambol.solve.qp import solve_bounded, solve_dense


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_an_independent_solver(seed: int) -> None:
    """Non-negative least squares, solved by scipy's active-set method."""
    rng = np.random.default_rng(seed)
    matrix, goal = rng.normal(size=(40, 25)), rng.normal(size=40)
    expected, _ = optimize.nnls(matrix, goal)
    found = solve_bounded(sparse.csr_array(matrix.T @ matrix), -matrix.T @ goal, np.zeros(25), np.full(25, np.inf))
    assert found.converged
    assert found.residual < 1e-2
    np.testing.assert_allclose(found.x, expected, atol=2e-3)


def test_a_bound_that_the_gradient_pushes_against_is_optimal() -> None:
    found = solve_bounded(sparse.diags_array([2.0, 4.0]), np.array([-6.0, 50.0]), np.array([0.0, 1.0]), np.full(2, 9.0))
    np.testing.assert_allclose(found.x, [3.0, 1.0], atol=1e-3)
    assert found.residual < 1e-3
    assert found.seconds > 0.0


def test_bounds_on_both_sides_hold() -> None:
    found = solve_bounded(sparse.eye_array(3, format="csc"), np.array([-5.0, 0.0, 5.0]), -np.ones(3), np.ones(3))
    np.testing.assert_allclose(found.x, [1.0, 0.0, -1.0], atol=1e-4)


def test_ctrl_c_in_the_solver_stops_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qp, "_TOLERANCE", 1e-30)
    monkeypatch.setattr(qp, "_ITERATIONS", 10_000_000)
    matrix = np.random.default_rng(1).normal(size=(50, 50))
    stop = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))

    def solve() -> None:
        stop.start()
        solve_bounded(sparse.csr_array(matrix.T @ matrix), matrix[0], -np.ones(50), np.ones(50))

    with pytest.raises(KeyboardInterrupt):
        solve()
    stop.join()


def test_shapes_are_checked() -> None:
    with pytest.raises(InputError, match="must be 2 x 2"):
        solve_bounded(sparse.eye_array(3, format="csc"), np.zeros(2), np.zeros(2), np.ones(2))


@pytest.mark.parametrize("seed", range(5))
def test_dense_programs_agree_with_an_independent_solver(seed: int) -> None:
    rng = np.random.default_rng(seed)
    root, gradient, rows = rng.normal(size=(6, 6)), rng.normal(size=6), rng.normal(size=(9, 6))
    hessian = root.T @ root + 0.1 * np.eye(6)
    lower, upper = -rng.uniform(0.1, 1.0, 9), rng.uniform(0.1, 1.0, 9)
    found = solve_dense(hessian, gradient, rows, lower, upper)
    expected = optimize.minimize(
        lambda x: 0.5 * x @ hessian @ x + gradient @ x,
        np.zeros(6),
        jac=lambda x: hessian @ x + gradient,
        constraints=optimize.LinearConstraint(rows, lower, upper),
        method="trust-constr",
        options={"gtol": 1e-10, "xtol": 1e-12},
    )
    assert found is not None
    np.testing.assert_allclose(found, expected.x, atol=1e-4)
    assert (np.abs(np.clip(rows @ found, lower, upper) - rows @ found) < 1e-8).all()


def test_a_dense_program_without_a_solution_has_none() -> None:
    assert (
        solve_dense(np.eye(1), np.zeros(1), np.ones((2, 1)), np.array([1.0, -np.inf]), np.array([np.inf, -1.0])) is None
    )
