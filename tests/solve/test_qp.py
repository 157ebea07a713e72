from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, sparse

from gambol.errors import InputError
from gambol.solve.qp import solve_bounded


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
    assert 0.0 < found.seconds < 60.0


def test_bounds_on_both_sides_hold() -> None:
    found = solve_bounded(sparse.eye_array(3, format="csc"), np.array([-5.0, 0.0, 5.0]), -np.ones(3), np.ones(3))
    np.testing.assert_allclose(found.x, [1.0, 0.0, -1.0], atol=1e-4)


def test_shapes_are_checked() -> None:
    with pytest.raises(InputError, match="must be 2 x 2"):
        solve_bounded(sparse.eye_array(3, format="csc"), np.zeros(2), np.zeros(2), np.ones(2))
