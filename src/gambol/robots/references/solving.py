"""Find poses of a robot for targets of its points: every frame from a bent posture.

Levenberg-Marquardt steps are limited, so that a limb that has far to go does not leave for another solution on the way.
Frames on different solutions, such as an arm that is turned the other way round, are solved again from the frames
beside them, and the better is kept.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gambol.body.urdf import JOINTS
from gambol.fit.pose import PoseProblem
from gambol.geometry.arrays import Array

_STEP = 0.3
"""Largest change (rad, m) of a coordinate in a step."""
_ROUNDS = 60
_SETTLED = 1e-3
"""Relative decrease of the cost below which a frame is settled."""
_DAMPING = 1e-4
_FAR = 0.25
"""Change (rad) between frames from which they may be on different solutions."""
_APART = 0.03
"""Cost of a change between frames (m per rad)."""


def solve_frames(
    problem: PoseProblem, start: Array, frames: NDArray[np.intp], rounds: int = _ROUNDS
) -> tuple[Array, Array]:
    """Return coordinates (n, dofs) of frames (n,) from a start, and their costs (n,)."""
    q, damping = np.clip(start, problem.lower, problem.upper), np.full(len(frames), _DAMPING)
    cost, matrix, gradient = problem.linearise(q, frames)
    active, diagonal = np.arange(len(frames)), np.arange(q.shape[1])
    for _ in range(rounds):
        if not len(active):
            break
        now, slope = q[active], gradient[active]
        at_limit = ((now <= problem.lower) & (slope > 0.0)) | ((now >= problem.upper) & (slope < 0.0))
        damped = matrix[active]
        damped[:, diagonal, diagonal] += damping[active, None] + np.where(at_limit, 1e6, 0.0)
        step = np.linalg.solve(damped, slope[..., None])[..., 0]
        step *= np.minimum(1.0, _STEP / np.maximum(np.abs(step).max(axis=1), 1e-12))[:, None]
        tried = np.clip(now - step, problem.lower, problem.upper)
        new_cost, new_matrix, new_gradient = problem.linearise(tried, frames[active])
        better = new_cost < cost[active]
        gain = cost[active] - new_cost
        good = active[better]
        q[good], matrix[good], gradient[good] = tried[better], new_matrix[better], new_gradient[better]
        settled = better & (gain < 1e-9 + _SETTLED * cost[active])
        cost[good] = new_cost[better]
        damping[active] = np.where(better, 0.3 * damping[active], 10.0 * damping[active])
        active = active[~settled & (damping[active] < 1e6)]
    return q, cost


def solve_all_frames(problem: PoseProblem, start: Array) -> Array:
    """Return coordinates (frames, dofs) of all frames."""
    q, cost = solve_frames(problem, start, np.arange(len(start)))
    for order in (range(1, len(q)), range(len(q) - 2, -1, -1)):
        for frame in order:
            _follow(problem, q, cost, frame, frame - order.step)
    return q


def _follow(problem: PoseProblem, q: Array, cost: Array, frame: int, beside: int) -> None:
    """Solve a frame again from the one beside it if it is far from that, and keep the better."""
    if np.abs(q[frame, JOINTS] - q[beside, JOINTS]).max() < _FAR:
        return
    found, price = solve_frames(problem, q[beside, None], np.array([frame]))
    before, after = (np.sum((one - q[beside, JOINTS]) ** 2) for one in (q[frame, JOINTS], found[0, JOINTS]))
    if price[0] + _APART**2 * after < cost[frame] + _APART**2 * before:
        q[frame], cost[frame] = found[0], price[0]
