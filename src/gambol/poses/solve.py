"""Solve poses for targets: every frame on its own, by Levenberg-Marquardt steps within the limits of joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.motion.skeleton import Skeleton
from gambol.poses.problem import PoseProblem
from gambol.poses.targets import BodyTarget, FrameIndex, stay_near
from gambol.poses.together import remove_jumps

_CHUNK = 512
"""Frames that are solved at once."""
_SETTLED = 1e-6


class StepRules(NamedTuple):
    """How large steps are, and when a frame is done.

    Steps from a bent posture are limited, so that a limb that has far to go does not leave for another solution on the
    way.
    """

    rounds: int = 60
    """Largest number of steps."""
    settled: float = 1e-4
    """Decrease of the cost that a step promises, as a share of it, from which a frame is done without the step."""
    largest: float = 0.3
    """Largest change (rad, m) of a coordinate in a step."""
    gained: float = 0.0
    """Change of the cost by a step, as a share of it, below which a frame is done after the step."""
    negligible: float = 1e-9
    """Promised decrease of the cost (m²) from which a frame is done, whatever its cost."""
    damping: float = 1e-4
    """At first."""
    relief: float = 0.3
    """Factor of the damping after a step that lowers the cost."""


def solve_poses(
    skeleton: Skeleton, targets: Sequence[BodyTarget], start: Array, frame_time: float, rounds: int = 8
) -> Array:
    """Return coordinates (frames, dofs) that move points to their targets, within limits and without jumps."""
    problem, rules = PoseProblem(skeleton, targets, stay_near(skeleton, start)), StepRules(rounds, _SETTLED, np.inf)
    chunks = np.split(np.arange(len(start)), range(_CHUNK, len(start), _CHUNK))
    q = np.concatenate([solve_apart(problem, start[chunk], chunk, rules) for chunk in chunks])
    return remove_jumps(problem, q, frame_time)


def solve_apart(
    problem: PoseProblem, start: Array, frames: FrameIndex = slice(None), rules: StepRules = StepRules()
) -> Array:
    """Return coordinates (n, dofs) of some frames of a problem, each solved on its own from a start (n, dofs)."""
    frames = np.arange(len(problem.prior))[frames]
    q = np.where(problem.fixed, problem.prior[frames], np.clip(start, problem.lower, problem.upper))
    damping = np.full(len(q), rules.damping)
    cost, matrix, gradient = problem.linearise(q, frames)
    active, diagonal = np.arange(len(q)), np.arange(q.shape[1])
    for _ in range(rules.rounds):
        now, slope = q[active], gradient[active]
        at_limit = ((now <= problem.lower) & (slope > 0.0)) | ((now >= problem.upper) & (slope < 0.0)) | problem.fixed
        damped = matrix[active]
        damped[:, diagonal, diagonal] += damping[active, None] + np.where(at_limit, 1e6, 0.0)
        step = np.linalg.solve(damped, slope[..., None])[..., 0]
        promise = np.sum(slope * step, axis=1)
        going = (promise > rules.negligible + rules.settled * cost[active]) & (damping[active] < 1e6)
        active, step = active[going], step[going]
        if not len(active):
            break
        step *= np.minimum(1.0, rules.largest / np.maximum(np.abs(step).max(axis=1), 1e-12))[:, None]
        tried = np.where(problem.fixed, q[active], np.clip(q[active] - step, problem.lower, problem.upper))
        new_cost, new_matrix, new_gradient = problem.linearise(tried, frames[active])
        before = cost[active]
        better = new_cost < before
        good = active[better]
        q[good], cost[good] = tried[better], new_cost[better]
        matrix[good], gradient[good] = new_matrix[better], new_gradient[better]
        damping[active] *= np.where(better, rules.relief, 10.0)
        active = active[np.abs(before - new_cost) >= rules.gained * before]
    return q
