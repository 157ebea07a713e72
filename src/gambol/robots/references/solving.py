"""Find poses of a robot for targets of its points: every frame from a bent posture.

Levenberg-Marquardt steps are limited, so that a limb that has far to go does not leave for another solution on the way.
Frames may be on different solutions, such as an arm that is turned the other way round: they are solved together
afterwards.
"""

from __future__ import annotations

import numpy as np

from gambol.fit.pose import PoseProblem
from gambol.geometry.arrays import Array

_STEP = 0.3
"""Largest change (rad, m) of a coordinate in a step."""
_ROUNDS = 60
_SETTLED = 1e-3
"""Relative decrease of the cost below which a frame is settled."""
_DAMPING = 1e-4


def solve_frames(problem: PoseProblem, start: Array, chosen: slice = slice(None)) -> Array:
    """Return coordinates (chosen frames, dofs), every frame solved on its own from a start (frames, dofs)."""
    frames = np.arange(len(start))[chosen]
    q, damping = np.clip(start[chosen], problem.lower, problem.upper), np.full(len(frames), _DAMPING)
    cost, matrix, gradient = problem.linearise(q, frames)
    active, diagonal = np.arange(len(frames)), np.arange(q.shape[1])
    for _ in range(_ROUNDS):
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
    return q
