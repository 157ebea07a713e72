"""Assembly against finite differences, known optima, and how the solver reports failures."""

from __future__ import annotations

import re

import casadi as ca
import numpy as np
import pytest

from gambol.solve.assemble import assemble
from gambol.solve.ipopt import SolverState, solve
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
    other = problem.uses[1]
    inputs = np.hstack([a[:4, :2], a[1:, :1], b[:, None]]) @ other.factors.T
    (u, v, w), p = inputs.T, other.parameters[:, 0]
    first, second = np.sin(u) * v + p * w**2, u * v * w
    mixed = [first[0] - 2.0 * second[3], 3.0 * first[1] + 0.5 * second[1], 0.1 * first[2] + second[0]]
    np.testing.assert_allclose(found[10:], mixed + np.array([2.0 * rows[4, 1], 0.0, 0.0]) + b[:3], atol=1e-12)
    bent = sum(
        float(np.sum(q[:, 0] * np.exp(x[:, 0] - x[:, 2]) + x[:, 1] ** 4))
        for x, q in ((a, use.parameters), (inputs, other.parameters))
    )
    near = np.array([1.0, 2.0, 3.0, 4.0]) @ (a[1:, 0] - a[:-1, 1] - 0.3) ** 2
    assert float(assemble(problem).gradient(x, [])[0]) == pytest.approx(bent + near + 0.1 * b @ b)


def test_constraints_are_the_same_with_and_without_their_derivatives():
    problem = _mixed()
    functions, x = assemble(problem), np.random.default_rng(3).normal(size=problem.size)
    np.testing.assert_allclose(_numbers(functions.jacobian(x, [])[0]), _numbers(functions.constraints(x)))
    cost = ca.Function("cost", [functions.problem["x"]], [functions.problem["f"]])
    assert float(functions.gradient(x, [])[0]) == pytest.approx(float(cost(x)))


@pytest.mark.parametrize("combined", [False, True])
def test_a_kernel_used_twice_is_one_used_at_all_frames(combined: bool):
    """Separate uses of a kernel are joined: functions and derivatives are those of one use."""
    bent, rng = _bent(), np.random.default_rng(3)
    factors, parameters, x = rng.normal(size=(3, 3)), rng.random((5, 1)), rng.normal(size=15)
    weights = rng.normal(size=10)

    def evaluate(parts: list[slice]) -> list[np.ndarray]:
        problem = Problem()
        columns = problem.add_variables(np.zeros((5, 3)))
        rows = problem.add_constraints("rows", np.zeros((5, 2)))
        for part in parts:
            use = problem.add_kernel(bent, columns[part], parameters[part], factors if combined else None)
            use.add(rows[part], np.arange(len(rows[part]))[:, None], np.arange(2), 2.0)
        made = assemble(problem)
        return [
            _numbers(value)
            for value in (
                *made.gradient(x, []), *made.jacobian(x, []), made.hessian(x, [], 0.7, weights), made.constraints(x)
            )
        ]  # fmt: skip

    for one, other in zip(evaluate([slice(0, 5)]), evaluate([slice(2, 5), slice(0, 2)]), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_squares_may_have_any_leading_shape():
    """(frames, axes) squares of two variables each: factors per variable, targets per frame, weights per axis."""
    problem = Problem()
    columns = problem.add_variables(np.zeros((4, 3, 2)))
    factors, targets, weights = np.array([2.0, -1.0]), np.arange(4.0)[:, None], np.array([1.0, 5.0, 0.5])
    problem.add_squares("shaped", columns, factors, targets, weights)
    x = np.random.default_rng(4).normal(size=24)
    each = weights * (x.reshape(4, 3, 2) @ factors - targets) ** 2
    assert float(assemble(problem).gradient(x, [])[0]) == pytest.approx(each.sum())
    assert len(problem.square_terms()[1]) == 12


def test_names_of_a_part_begin_with_its_prefix():
    whole = Problem()
    for name in ("anna", "ben"):
        part = whole.with_prefix(name)
        at = part.add_variables([1.0])
        part.add_linear(part.add_constraints("wall", [0.0], 2.0), at)
        part.add_squares("near", at[:, None])
        part.mark("force", np.array([3]), at)
    assert whole.constraint_names.tolist() == ["anna: wall", "ben: wall"]
    assert set(whole.square_terms()[3]) == {"anna: near", "ben: near"}
    assert list(whole.marks) == ["anna: force", "ben: force"]
    assert [(*frames, *columns) for [(frames, columns)] in whole.marks.values()] == [(3, 0), (3, 1)]


def test_costs_by_name_add_up_to_the_cost():
    found = solve(_mixed(), iterations=3)
    assert set(found.costs) == {"near", "small", "bent"}
    assert sum(found.costs.values()) == pytest.approx(found.cost)
    assert set(found.seconds) == {"assembly", "evaluation", "solver"}
    assert all(seconds >= 0.0 for seconds in found.seconds.values())


def test_a_problem_without_constraints_or_without_squares_is_solved():
    problem = Problem()
    at = problem.add_variables([3.0, -1.0])
    problem.add_squares("near", at[:, None], target=[1.0, 2.0], weight=[1.0, 5.0])
    np.testing.assert_allclose(solve(problem).x, [1.0, 2.0], atol=1e-6)
    assert problem.constraint_bounds[0].shape == (0,)
    bare = Problem()
    at = bare.add_variables([3.0, -1.0])
    bare.add_linear(bare.add_constraints("sum", [4.0])[:, None], at[None])
    found = solve(bare)
    assert found.cost == 0.0
    assert found.x.sum() == pytest.approx(4.0)


def test_constants_move_the_bounds_of_constraints():
    """x + 2 between -1 and 1, and x + 2 + 3 equal to 4: the same constraint may get several constants."""
    problem = Problem()
    at = problem.add_variables(np.zeros(3), -9.0, [9.0, 0.5, 9.0])
    within = problem.add_constraints("within", np.full(2, -1.0), 1.0)
    exact = problem.add_constraints("exact", [4.0])
    problem.add_linear(np.concatenate([within, exact]), at)
    problem.add_constant(np.concatenate([within, exact]), 2.0)
    problem.add_constant(exact, [3.0])
    problem.add_squares("near", at[:, None], target=5.0)
    low, high = problem.constraint_bounds
    np.testing.assert_array_equal(low, [-3.0, -3.0, -1.0])
    np.testing.assert_array_equal(high, [-1.0, -1.0, -1.0])
    np.testing.assert_array_equal(problem.constraint_names, ["within", "within", "exact"])
    np.testing.assert_array_equal(problem.bounds[1], [9.0, 0.5, 9.0])
    np.testing.assert_allclose(solve(problem).x, -1.0, atol=1e-6)


def test_a_warm_start_begins_at_the_given_solution_except_for_fresh_variables():
    problem = Problem()
    at = problem.add_variables([3.0, 3.0], -10.0, 10.0)
    problem.add_linear(problem.add_constraints("sum", [0.0], 50.0)[:, None], at[None])
    problem.add_squares("near", at[:, None], target=[5.0, 6.0])
    state = SolverState(np.array([1.0, 2.0]), np.zeros(2), np.zeros(1))
    for fresh, expected in ((0, [1.0, 2.0]), (1, [3.0, 2.0]), (2, [3.0, 3.0])):
        np.testing.assert_allclose(solve(problem, iterations=0, warm_start=state, fresh=fresh).x, expected, atol=1e-3)
    other = SolverState(np.zeros(5), np.zeros(5), np.zeros(1))
    np.testing.assert_allclose(solve(problem, iterations=0, warm_start=other).x, [3.0, 3.0], atol=1e-3)


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


def test_inequalities_that_contradict_each_other_are_given_up_soon():
    """On a curve with x y = 1, x + y at most -3 contradicts x at least 1."""
    x, p = ca.SX.sym("x", 2), ca.SX.sym("p", 0)
    problem = Problem()
    at = problem.add_variables([2.0, 0.5], [1.0, -np.inf])
    use = problem.add_kernel(make_kernel("product", x, p, x[0] * x[1]), at[None], np.zeros((1, 0)))
    use.add(problem.add_constraints("on the curve", [1.0]), 0, 0)
    problem.add_linear(problem.add_constraints("low", [-np.inf], -3.0)[:, None], at[None])
    problem.add_squares("near", at[:, None])
    found = solve(problem)
    assert not found.converged
    assert found.status == "the constraints contradict each other"
    assert found.iterations < 60


def test_a_violation_that_falls_slowly_is_not_given_up():
    """Newton's method takes one step per unit of x in exp(x) = 1: after twenty, the violation is still 20,000."""
    x, p = ca.SX.sym("x"), ca.SX.sym("p", 0)
    problem = Problem()
    at = problem.add_variables([30.0])
    use = problem.add_kernel(make_kernel("exponential", x, p, ca.exp(x)), at[None], np.zeros((1, 0)))
    use.add(problem.add_constraints("on the curve", [1.0]), 0, 0)
    heard = []
    found = solve(problem, progress=lambda *told: heard.append(_read_report(*told)))
    assert heard[19] == (20, pytest.approx(0.0), pytest.approx(np.exp(10.0) - 1.0, rel=0.5))
    assert found.converged
    assert found.x[0] == pytest.approx(0.0, abs=1e-6)


def test_status_says_that_iterations_ran_out():
    found = solve(_mixed(), iterations=1)
    assert not found.converged
    assert "ran out" in found.status


def _read_report(what: str, done: int, total: int | None) -> tuple[int, float, float]:
    """Return iteration, cost and residual of a report."""
    cost, residual = re.findall(r"[-+.\d]+e?[-+\d]*", what)
    assert total is None
    return done, float(cost), float(residual)


def test_progress_is_reported_and_can_stop_the_solver():
    heard = []
    solve(_mixed(), progress=lambda *told: heard.append(_read_report(*told)))
    assert [n for n, _, _ in heard] == list(range(1, len(heard) + 1))
    assert len(heard) > 2
    assert heard[-1][2] < heard[0][2]
    for count in (1, 2, 3):
        found = solve(_mixed(), iterations=count)
        worst = max(found.residuals.values())
        assert worst > 1e-3
        assert heard[count - 1] == (count, pytest.approx(found.cost, rel=0.01), pytest.approx(worst, rel=0.06))
    for start, violation in ((5.0, 2.0), (-4.0, 3.0), (0.0, 0.0)):  # from -1 to 3
        problem = Problem()
        at = problem.add_variables([start])
        problem.add_linear(problem.add_constraints("wall", [-1.0], 3.0), at)
        problem.add_squares("near", at[:, None], target=1.0)
        assert solve(problem, iterations=0).residuals["wall"] == pytest.approx(violation)

    def stop(what: str, done: int, total: int | None) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve(_mixed(), progress=stop)


def test_a_least_barrier_keeps_variables_off_their_bounds():
    problem = Problem()
    at = problem.add_variables([1.0], 0.0)
    problem.add_squares("below", at[:, None], target=-1.0)
    exact, found = solve(problem), solve(problem, least_barrier=1e-3)
    assert found.converged
    assert exact.x[0] < 1e-6 < found.x[0] < 1e-3
