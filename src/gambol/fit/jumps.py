"""Frames that were solved apart and came out in different places are solved once more, together.

A straight limb's twist, or a foot that a recording turns farther than an ankle can, has more than one answer of nearly
the same error, and neighbouring frames may choose differently. Around such a jump the frames get one common problem:
the same targets, and coordinates that stay near the middle of their neighbours'.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage, sparse
from scipy.sparse.linalg import spsolve

from gambol.geometry.arrays import Array

_JUMP = np.radians(8.0)
"""A step between two frames that differs by this from those around it is a jump."""
_REACH = 0.15
"""Seconds on both sides of a jump that are solved together."""
_STIFF = 0.3
"""Metres a radian: what it costs to be off the middle of the neighbours, at 120 frames a second."""
_ROUNDS = 20

Linearisation = Callable[[Array, slice], tuple[Array, Array, Array]]
"""Of coordinates in some frames: cost (frames,), Gauss-Newton matrix (frames, n, n), half the gradient (frames, n)."""


def _jumps(q: Array) -> NDArray[np.bool_]:
    """Which frames (frames,) lie next to a jump of some coordinate."""
    steps = np.diff(q, axis=0)
    around = ndimage.median_filter(steps, size=(7, 1), mode="nearest")
    leaps = np.any(np.abs(steps - around) > _JUMP, axis=1)
    return np.concatenate(([False], leaps)) | np.concatenate((leaps, [False]))


def remove_jumps(q: Array, lower: Array, upper: Array, turns: Array, frame_time: float, linearise: Linearisation) -> Array:
    """The same coordinates, those near jumps of the `turns` (dofs,) solved together."""
    reach = max(2, round(_REACH / frame_time))
    stiff = turns * (_STIFF / (120.0 * frame_time) ** 2) ** 2
    smooth = q.copy()
    near, count = ndimage.label(ndimage.binary_dilation(_jumps(q * turns), iterations=reach))
    for (window,) in ndimage.find_objects(near, count):
        smooth[window] = _together(q[window], window, lower, upper, stiff, linearise)
    return smooth


def _together(start: Array, window: slice, lower: Array, upper: Array, stiff: Array, linearise: Linearisation) -> Array:
    """Coordinates of a window of frames whose first and last stay, by Levenberg-Marquardt steps on all of them."""
    frames, dofs = start.shape
    bend = sparse.diags_array([0.5, -1.0, 0.5], offsets=[0, 1, 2], shape=(frames - 2, frames))
    coupling = sparse.kron(bend.T @ bend, sparse.diags_array(stiff), format="csr")
    edge = np.zeros((frames, dofs), dtype=bool)
    edge[:2] = edge[-2:] = True

    def look(q: Array) -> tuple[float, Array, Array]:
        costs, matrices, gradient = linearise(q, window)
        pull = (coupling @ q.ravel()).reshape(q.shape)
        return float(costs.sum() + np.sum(q * pull)), matrices, gradient + pull

    ramp = np.linspace(0.0, 1.0, frames)[:, None]
    q = min(start, (1.0 - ramp) * start[0] + ramp * start[-1], key=lambda tried: look(tried)[0])
    cost, matrices, gradient = look(q)
    damping = 1e-4
    for _ in range(_ROUNDS):
        held = edge | ((q <= lower) & (gradient > 0.0)) | ((q >= upper) & (gradient < 0.0))
        blocks = sparse.bsr_array((matrices, np.arange(frames), np.arange(frames + 1)))
        extra = sparse.diags_array((damping + 1e6 * held).ravel())
        step = spsolve((blocks + coupling + extra).tocsc(), gradient.ravel()).reshape(q.shape)
        tried = np.where(edge, q, np.clip(q - step, lower, upper))
        new_cost, new_matrices, new_gradient = look(tried)
        if new_cost >= cost:
            damping *= 10.0
            continue
        settled = cost - new_cost < 1e-3 * cost
        q, cost, matrices, gradient = tried, new_cost, new_matrices, new_gradient
        damping *= 0.3
        if settled:
            break
    return q
