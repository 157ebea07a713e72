"""Frames that are solved on their own: steps, limits, and coordinates that stay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.geometry.arrays import Array
from gambol.motion.skeleton import Skeleton
from gambol.poses.problem import PoseProblem
from gambol.poses.solve import StepRules, solve_apart
from gambol.poses.targets import PosePrior, stay_near
from tests.poses.test_problem import FRAMES, make_skeleton, make_targets


@pytest.fixture(scope="module")
def skeleton() -> Skeleton:
    return make_skeleton()


def test_a_step_is_no_larger_than_allowed(skeleton: Skeleton) -> None:
    start = np.zeros((FRAMES, len(skeleton.dofs)))
    problem = PoseProblem(skeleton, make_targets(), stay_near(skeleton, start))
    once = solve_apart(problem, start, rules=StepRules(1, 1e-4, 0.05))
    assert np.abs(once).max() == pytest.approx(0.05)
    far = solve_apart(problem, start, rules=StepRules(200, 1e-6, np.inf))
    gradient = problem.linearise(far, slice(0, FRAMES))[2]
    assert np.abs(gradient).max() < 0.02 * np.abs(problem.linearise(start, slice(0, FRAMES))[2]).max()


def test_joints_at_their_limits_stay_there_and_the_others_make_up_for_it(skeleton: Skeleton) -> None:
    """Of the solution, only joints at a limit have a gradient, which points beyond it."""
    limited = replace(skeleton, dofs=tuple(
        replace(dof, lower=-0.1, upper=0.1) if dof.kind == "turn" and dof.joint else dof for dof in skeleton.dofs
    ))  # fmt: skip
    start = np.zeros((FRAMES, len(skeleton.dofs)))
    problem = PoseProblem(limited, make_targets(), stay_near(limited, start))
    q = solve_apart(problem, start, rules=StepRules(200, 1e-9, np.inf))
    gradient = problem.linearise(q, slice(0, FRAMES))[2]
    low, high = q <= problem.lower, q >= problem.upper
    assert (low | high).sum() > 5
    free = np.where(low, np.minimum(gradient, 0.0), np.where(high, np.maximum(gradient, 0.0), gradient))
    assert np.abs(free).max() < 1e-3 * np.abs(gradient).max()


def test_coordinates_of_infinite_weight_stay_as_in_the_reference(skeleton: Skeleton) -> None:
    """The others make up for it: their gradient is zero."""
    q = np.random.default_rng(7).normal(size=(FRAMES, len(skeleton.dofs)))
    weights = np.full(q.shape[1], 0.01)
    weights[[4, 8]] = np.inf
    problem = PoseProblem(skeleton, make_targets(), PosePrior(q, weights))
    found = solve_apart(problem, np.zeros_like(q), rules=StepRules(200, 1e-9, np.inf))
    np.testing.assert_array_equal(found[:, [4, 8]], q[:, [4, 8]])
    gradient = np.abs(problem.linearise(found, slice(0, FRAMES))[2])
    assert np.delete(gradient, [4, 8], axis=1).max() < 1e-3 * gradient.max()


def test_frames_are_solved_as_if_alone(skeleton: Skeleton) -> None:
    """One begins at its solution and is done at once; also of some frames, in another order."""
    start = np.random.default_rng(8).normal(size=(FRAMES, len(skeleton.dofs)))
    problem = PoseProblem(skeleton, make_targets(), stay_near(skeleton, start))
    begin = start.copy()
    begin[0] = solve_apart(problem, start[:1], np.array([0]), StepRules(500, 1e-12, np.inf))[0]
    rules = StepRules(5)  # more of them magnify rounding errors
    every = solve_apart(problem, begin, rules=rules)
    np.testing.assert_array_equal(every[0], begin[0])
    for frames in (*np.arange(FRAMES)[:, None], np.array([4, 1])):
        np.testing.assert_allclose(solve_apart(problem, begin[frames], frames, rules), every[frames], atol=1e-8)


def test_a_small_gain_ends_a_frame_after_its_step(skeleton: Skeleton) -> None:
    start, frames = np.zeros((1, len(skeleton.dofs))), np.array([2])
    problem = PoseProblem(skeleton, make_targets(), stay_near(skeleton, np.zeros((FRAMES, start.shape[1]))))

    def solve(rounds: int, gained: float) -> tuple[float, Array]:
        q = solve_apart(problem, start, frames, StepRules(rounds, 0.0, gained=gained))
        return float(problem.linearise(q, frames)[0][0]), q

    before = float(problem.linearise(start, frames)[0][0])
    once, q = solve(1, 0.0)
    gain = (before - once) / before
    assert 0.0 < gain < 1.0
    np.testing.assert_array_equal(solve(200, 1.01 * gain)[1], q)
    assert solve(200, 0.99 * gain)[0] < 0.999 * once
