"""Assembly against finite differences, known optima, and how the solver reports failures."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from gambol.solve.assemble import assemble
from gambol.solve.ipopt import solve
from gambol.solve.kernel import make_kernel
from gambol.solve.problem import Problem


def _bent() -> object:
    """Two outputs and a cost, all nonlinear in three inputs and a parameter."""
    x, p = ca.SX.sym("x", 3), ca.SX.sym("p", 1)
    rows = ca.vertcat(ca.sin(x[0]) * x[1] + p * x[2] ** 2, x[0] * x[1] * x[2])
    return make_kernel("bent", x, p, rows, p * ca.exp(x[0] - x[2]) + x[1] ** 4)


def _mixed(seed: int = 0) -> Problem:
    """Kernels with shared variables, combined inputs, and outputs that are used twice or not at all."""
    rng = np.random.default_rng(seed)
    problem = Problem()
    x = problem.add_variables(rng.normal(size=(5, 3)), -4.0, 4.0)
    y = problem.add_variables(rng.normal(size=4))
    bent = _bent()
    plain = problem.add_kernel(bent, x, rng.random((5, 1)))
    factors = rng.normal(size=(3, 4))
    mixed = problem.add_kernel(bent, np.hstack([x[:4, :2], x[1:, :1], y[:, None]]), rng.random((4, 1)), factors)
    first = problem.add_constraints("first", np.zeros((5, 2)))
    plain.add(first, np.arange(5)[:, None], np.arange(2))
    problem.add_linear(first[:, 0], x[:, 2], 0.5)
    second = problem.add_constraints("second", np.full(3, -1.0), 1.0)
    mixed.add(second[:, None], np.array([[0, 3], [1, 1], [2, 0]]), [0, 1], [[1.0, -2.0], [3.0, 0.5], [0.1, 1.0]])
    plain.add(second[:1], 4, 1, 2.0)
    problem.add_linear(second, y[:3], 1.0)
    problem.add_squares("near", np.stack([x[1:, 0], x[:-1, 1]], -1), [1.0, -1.0], 0.3, [1.0, 2.0, 3.0, 4.0])
    problem.add_squares("small", y[:, None], weight=0.1)
    return problem


def _numbers(value: ca.DM) -> np.ndarray:
    return np.array(ca.densify(value))


def test_derivatives_are_those_of_finite_differences():
    problem = _mixed()
    functions = assemble(problem)
    rng = np.random.default_rng(1)
    x, weights, small = rng.normal(size=problem.size), rng.normal(size=problem.constraint_count), 1e-6

    def lagrangian_gradient(at):
        slope = _numbers(functions.gradient(at, [])[1]).ravel()
        return 0.7 * slope + _numbers(functions.jacobian(at, [])[1]).T @ weights

    gradient = _numbers(functions.gradient(x, [])[1]).ravel()
    jacobian = _numbers(functions.jacobian(x, [])[1])
    upper = _numbers(functions.hessian(x, [], 0.7, weights))
    assert np.abs(np.tril(upper, -1)).max() == 0.0
    hessian = upper + np.triu(upper, 1).T
    for n in range(problem.size):
        step = small * (np.arange(problem.size) == n)
        cost = [float(functions.gradient(x + s * step, [])[0]) for s in (1, -1)]
        rows = [_numbers(functions.constraints(x + s * step)).ravel() for s in (1, -1)]
        slopes = [lagrangian_gradient(x + s * step) for s in (1, -1)]
        assert gradient[n] == pytest.approx((cost[0] - cost[1]) / (2 * small), rel=1e-6, abs=1e-6)
        np.testing.assert_allclose(jacobian[:, n], (rows[0] - rows[1]) / (2 * small), rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(hessian[:, n], (slopes[0] - slopes[1]) / (2 * small), rtol=1e-5, atol=1e-5)


def test_value_is_the_sum_of_its_parts():
    problem = _mixed()
    x = np.random.default_rng(2).normal(size=problem.size)
    a, b = x[:15].reshape(5, 3), x[15:]
    use = problem.uses[0]
    rows = np.array([[np.sin(u) * v + p * w**2, u * v * w] for (u, v, w), (p,) in zip(a, use.parameters, strict=True)])
    found = np.array(assemble(problem).constraints(x)).ravel()
    np.testing.assert_allclose(found[:10].reshape(5, 2), rows + np.outer(0.5 * a[:, 2], [1, 0]), atol=1e-12)
    assert b.shape == (4,)


def test_nearest_point_of_a_circle():
    x, p = ca.SX.sym("x", 2), ca.SX.sym("p", 0)
    circle = make_kernel("circle", x, p, ca.sumsqr(x))
    problem = Problem()
    at = problem.add_variables([0.5, 0.1])
    problem.add_kernel(circle, at[None], np.zeros((1, 0))).add(problem.add_constraints("on the circle", [4.0]), 0, 0)
    problem.add_squares("near", at[:, None], target=[3.0, 4.0])
    found = solve(problem)
    assert found.converged
    np.testing.assert_allclose(found.x, [1.2, 1.6], atol=1e-6)
    assert found.costs["near"] == pytest.approx(9.0, abs=1e-5)
    assert found.residuals == {"on the circle": pytest.approx(0.0, abs=1e-6)}
    again = solve(problem, warm_start=found.state)
    assert again.converged
    assert again.iterations < found.iterations


def test_contradicting_constraints_are_named_and_measured():
    problem = Problem()
    at = problem.add_variables([0.0])
    for name, value in (("left wall", 0.0), ("right wall", 3.0)):
        problem.add_linear(problem.add_constraints(name, [value]), at)
    problem.add_linear(problem.add_constraints("roof", [-5.0], 5.0), at)
    problem.add_squares("near", at[:, None])
    found = solve(problem)
    assert not found.converged
    assert found.status != "converged"
    assert found.residuals["roof"] == 0.0
    assert found.residuals["left wall"] + found.residuals["right wall"] == pytest.approx(3.0, abs=1e-4)


def test_status_says_that_iterations_ran_out():
    found = solve(_mixed(), iterations=1)
    assert not found.converged
    assert "ran out" in found.status


def test_progress_is_reported_and_can_stop_the_solver():
    heard = []
    solve(_mixed(), progress=lambda *told: heard.append(told))
    assert [n for n, _, _ in heard] == list(range(len(heard)))
    assert len(heard) > 2
    assert heard[-1][2] < heard[0][2]

    def stop(iteration: int, cost: float, violation: float) -> None:
        if iteration == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve(_mixed(), progress=stop)
