"""Strict priorities: each level is as good as without those below it, within limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from gambol.poses.stack import Task, solve_tasks

DOFS = 20


def make_levels(seed: int, size: float) -> tuple[Task, Task, Task]:
    random = np.random.default_rng(seed)
    one, two = (
        Task(jacobian, size * random.normal(size=len(jacobian)))
        for jacobian in (random.normal(size=(8, DOFS)), random.normal(size=(5, DOFS)))
    )
    return one, two, Task(np.eye(DOFS), random.normal(size=DOFS))


def miss(task: Task, rates: np.ndarray) -> float:
    return float(np.linalg.norm(task.jacobian @ rates - task.velocity))


@pytest.mark.parametrize("seed", range(5))
def test_tasks_that_agree_are_all_fulfilled(seed: int) -> None:
    one, two, posture = make_levels(seed, 1.0)
    wide = np.full(DOFS, 100.0)
    rates = solve_tasks([one, two, posture], -wide, wide)
    assert miss(one, rates) < 1e-4
    assert miss(two, rates) < 1e-4
    # The posture is as near as both leave it: its error has no part in their common null space.
    both = np.vstack([one.jacobian, two.jacobian])
    _, _, axes = np.linalg.svd(both)
    np.testing.assert_allclose(axes[len(both) :] @ (rates - posture.velocity), 0.0, atol=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_the_first_level_is_as_good_as_alone(seed: int) -> None:
    one, two, posture = make_levels(seed, 10.0)
    narrow = np.ones(DOFS)
    rates = solve_tasks([one, two, posture], -narrow, narrow)
    best = np.sqrt(2.0 * lsq_linear(one.jacobian, one.velocity, bounds=(-1.0, 1.0), tol=1e-12).cost)
    assert best > 1.0
    assert miss(one, rates) == pytest.approx(best, rel=1e-4)
    assert np.abs(rates).max() <= 1.0 + 1e-9


def test_a_conflict_is_settled_by_order() -> None:
    right, left = (Task(np.eye(DOFS)[:1], np.array([sign])) for sign in (1.0, -1.0))
    wide = np.full(DOFS, 5.0)
    assert solve_tasks([right, left], -wide, wide)[0] == pytest.approx(1.0, abs=1e-4)
    assert solve_tasks([left, right], -wide, wide)[0] == pytest.approx(-1.0, abs=1e-4)
