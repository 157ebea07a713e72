"""Solve poses of frames together, with smooth changes; remove jumps between frames that were solved on their own.

The twist of a straight limb, or a foot that is rotated beyond the limits of an ankle, has several solutions with nearly
the same error, and neighbouring frames may get different ones. Around such a jump the frames are solved as one problem:
the same targets, and a cost on the difference of coordinates from the mean of their neighbours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage, sparse
from scipy.linalg import solveh_banded

from gambol.geometry.arrays import Array
from gambol.poses.problem import PoseProblem
from gambol.solve.windows import split_windows

_JUMP = np.radians(8.0)
"""Difference (rad) of a step between two frames from the steps around it that makes it a jump."""
_REACH = 0.15
"""Duration (s) on both sides of a jump that is solved together."""
_STIFF = 0.3
"""Cost of a difference from the mean of the neighbours, in m per rad, at 120 frames per second."""
_TOGETHER = 1000
"""Frames that are solved together, or half as many more: 0.3 GB. At low frame rates jumps may follow on each other."""
_LARGEST = 0.5
"""Largest change (rad, m) of a coordinate in a step."""
_AROUND = 9
"""Frames around one that got worse whose steps are damped too."""
_SETTLED = 1e-5
"""Decrease of the cost that a step promises, as a share of it, from which steps end."""
_TOO_FAST = 10.0
"""Cost of a squared change (rad) beyond the largest."""


def _jumps(q: Array) -> NDArray[np.bool_]:
    """Return which frames (frames,) are next to a jump of any coordinate."""
    steps = np.diff(q, axis=0)
    around = ndimage.median_filter(steps, size=(7, 1), mode="nearest")
    leaps = np.any(np.abs(steps - around) > _JUMP, axis=1)
    return np.concatenate(([False], leaps)) | np.concatenate((leaps, [False]))


def remove_jumps(problem: PoseProblem, q: Array, frame_time: float) -> Array:
    """Return coordinates (frames, dofs) with the frames around jumps of angles solved together."""
    reach = max(2, round(_REACH / frame_time))
    stiff = problem.turning * (_STIFF / (120.0 * frame_time) ** 2) ** 2
    smooth = q.copy()
    near, count = ndimage.label(ndimage.binary_dilation(_jumps(q * problem.turning), iterations=reach))
    for (run,) in ndimage.find_objects(near, count):
        for first, last in split_windows(run.stop - run.start, _TOGETHER, 4 * reach):
            window = slice(run.start + first, run.start + last + 1)
            smooth[window] = solve_together(problem, smooth[window], window, stiff, edges=(2, 2))
    return smooth


def solve_together(
    problem: PoseProblem,
    start: Array,
    window: slice,
    stiff: Array,
    *,
    edges: tuple[int, int] = (0, 0),
    steps: Array | float = np.inf,
    rounds: int = 40,
    damping: float = 1e-4,
    relief: float = 0.3,
) -> Array:
    """Solve a window of frames together by Levenberg-Marquardt steps; so many first and last frames are fixed.

    `stiff` (dofs,) is the cost of a squared difference from the mean of the neighbours. Changes between frames beyond
    `steps` (dofs,) cost more than any target. Damping is multiplied by `relief` after every step that lowers the cost.
    """
    frames, dofs = start.shape
    if frames == 1:  # without neighbours
        return start
    bend = sparse.diags_array([0.5, -1.0, 0.5], offsets=[0, 1, 2], shape=(frames - 2, frames))
    # The system is positive definite with entries up to two frames from the diagonal: its lower band is (band, n), in
    # Fortran's order.
    band = np.zeros((frames, dofs, 2 * dofs + 1))
    for lag in range(3):
        band[: frames - lag, :, lag * dofs] = (bend.T @ bend).diagonal(-lag)[:, None] * stiff
    held = np.zeros((frames, dofs), dtype=bool)
    held[: edges[0]] = held[frames - edges[1] :] = True
    held[:, problem.fixed] = True
    lower, upper = problem.lower, problem.upper

    def evaluate(q: Array) -> tuple[Array, Array, Array, Array]:
        costs, matrices, gradient = problem.linearise(q, window)
        bent = bend @ q
        pull = bend.T @ (stiff * bent)
        change = np.diff(q, axis=0)
        beyond = change - np.clip(change, -steps, steps)
        # Costs of frames tell which of them are damped: they must not depend on the heading.
        cost = costs + np.pad(np.sum(stiff * bent**2, axis=1), 1)
        cost[1:] += _TOO_FAST * np.sum(beyond**2, axis=1)
        back = -_TOO_FAST * np.diff(beyond, axis=0, prepend=0.0, append=0.0)
        return cost, matrices, gradient + pull + back, _TOO_FAST * (beyond != 0.0)

    q = start
    if all(edges):
        ramp = np.linspace(0.0, 1.0, frames)[:, None]
        q = min(start, (1.0 - ramp) * start[0] + ramp * start[-1], key=lambda tried: float(evaluate(tried)[0].sum()))
    cost, matrices, gradient, links = evaluate(q)
    # Damping is local: a pose that is hard to reach does not slow down the rest of the clip.
    damped = np.full(frames, damping)
    for _ in range(rounds):
        fixed = held | ((q <= lower) & (gradient > 0.0)) | ((q >= upper) & (gradient < 0.0))
        system = band.copy()
        for column in range(dofs):
            system[:, column, : dofs - column] += matrices[:, column, column:]
        system[..., 0] += damped[:, None] + 1e6 * fixed
        system[1:, :, 0] += links
        system[:-1, :, 0] += links
        system[:-1, :, dofs] -= links
        ordered = system.reshape(-1, 2 * dofs + 1).T
        step = solveh_banded(ordered, gradient.ravel(), overwrite_ab=True, lower=True, check_finite=False).reshape(
            q.shape
        )
        if float(np.sum(gradient * step)) < _SETTLED * float(cost.sum()):
            break
        step *= np.minimum(1.0, _LARGEST / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-9))
        tried = np.where(held, q, np.clip(q - step, lower, upper))
        new_cost, new_matrices, new_gradient, new_links = evaluate(tried)
        if new_cost.sum() >= cost.sum():
            worse = ndimage.maximum_filter1d(new_cost - cost, _AROUND) > 0.0
            damped = np.where(worse, 10.0 * damped, damped)
            continue
        q, cost, matrices, gradient, links = tried, new_cost, new_matrices, new_gradient, new_links
        damped = np.maximum(relief * damped, 1e-6)
    return q
