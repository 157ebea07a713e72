"""Fit weights and delays of signals to given sources (M17 equation 1): search over delays, weights eliminated.

For given delays weights are linear least squares. One delay at a time is searched on a grid with the other sources
projected out; all delays together are then refined by Gauss-Newton steps on the residual of the best weights (variable
projection). Arrays are (trials, channels, ...); where delays are tied the first axis of `delays` is 1 and costs are
summed over trials.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.learn.anechoic.bounds import DelayBounds
from gambol.learn.anechoic.window import Complex, SignalWindow

_RIDGE = 1e-6
"""Relative damping of the weights: two nearly equal delayed sources get equal weights instead of huge opposite ones. It
biases weights by the same share."""
_MAX_STEP = 0.25
"""Largest Gauss-Newton step of a delay, in wavelengths of the highest harmonic: farther is another minimum."""


class MixingFit(NamedTuple):
    """Weights (trials, channels, sources), delays, and costs (trials or 1, channels): residual sums of squares."""

    weights: Array
    delays: Array
    costs: Array


def fit_weights(window: SignalWindow, sources: Complex, signals: Array, delays: Array) -> MixingFit:
    """Fit weights for given delays; signals (trials, channels, dims) are in coordinates of the window."""
    shown = window.project(window.delay_sources(sources, delays))
    weights = _weights(shown, signals)
    return MixingFit(weights, delays, _costs(signals - _sum(weights, shown), len(delays)))


def search_delays(
    window: SignalWindow,
    sources: Complex,
    signals: Array,
    delays: Array,
    bounds: DelayBounds,
    random: np.random.Generator,
) -> Array:
    """Set one delay at a time to the best of a grid, sources in random order; return all delays."""
    grid, delays = bounds.grid(window.harmonics), delays.copy()
    shown = window.project(window.delay_sources(sources, delays))
    for source in random.permutation(len(sources)):
        tried = window.project(window.delay_sources(sources[source], grid))
        others = np.delete(shown, source, axis=2)
        gains = _gains(others, tried, signals, tied=len(delays) == 1)
        closed = bounds.forbidden(grid, int(source))
        if closed is not None:
            gains = np.where(closed, -1.0, gains)
        best = gains.argmax(axis=-1)
        delays[:, :, source] = grid[best]
        shown[:, :, source] = tried[best]
    return bounds.clip(delays)


def refine_delays(
    window: SignalWindow, sources: Complex, signals: Array, begun: MixingFit, bounds: DelayBounds, steps: int
) -> MixingFit:
    """Refine all delays of a channel by Gauss-Newton steps; a step that increases the cost is rejected."""
    for _ in range(steps):
        turned = window.delay_sources(sources, begun.delays)
        shown = window.project(turned)
        moves = begun.weights[..., None] * window.delay_derivatives(turned)
        # Project out what a change of the weights would explain by itself.
        moves = moves - _sum(_weights(shown, moves), shown)
        left = signals - _sum(begun.weights, shown)
        square = moves @ np.swapaxes(moves, -1, -2)
        slope = (moves @ left[..., None])[..., 0]
        if len(begun.delays) == 1:
            square, slope = square.sum(axis=0, keepdims=True), slope.sum(axis=0, keepdims=True)
        damp = _RIDGE * np.trace(square, axis1=-2, axis2=-1)[..., None, None] + np.finfo(float).tiny
        step = np.linalg.solve(square + damp * np.eye(len(sources)), slope[..., None])[..., 0]
        farthest = _MAX_STEP * window.length / window.harmonics
        step = np.clip(step, -farthest, farthest)
        begun = take_better(begun, fit_weights(window, sources, signals, bounds.clip(begun.delays + step)))
    return begun


def take_better(one: MixingFit, other: MixingFit) -> MixingFit:
    """Return the better of two fits, channel by channel (and trial by trial, where delays are free)."""
    wins = (other.costs < one.costs)[..., None]
    return MixingFit(
        np.where(wins, other.weights, one.weights),
        np.where(wins, other.delays, one.delays),
        np.where(wins[..., 0], other.costs, one.costs),
    )


def _gains(others: Array, tried: Array, signals: Array, tied: bool) -> Array:
    """Return (trials or 1, channels, points) the decrease of the cost by a source at each grid point, others projected
    out."""
    inverse = np.linalg.inv(_gram(others))
    left = signals - _sum((inverse @ (others @ signals[..., None]))[..., 0], others)
    across = others @ tried.T
    size = (tried**2).sum(axis=-1)
    own = (1.0 + _RIDGE) * size - (across * (inverse @ across)).sum(axis=-2)
    found = (left @ tried.T) ** 2
    if tied:
        found = found.sum(axis=0, keepdims=True)
    return found / np.maximum(own, _RIDGE * size)


def _gram(shown: Array) -> Array:
    """Return the damped Gram matrix (..., sources, sources) of delayed sources."""
    gram = shown @ np.swapaxes(shown, -1, -2)
    size = np.trace(gram, axis1=-2, axis2=-1) / max(shown.shape[-2], 1)
    return gram + (_RIDGE * size + np.finfo(float).tiny)[..., None, None] * np.eye(shown.shape[-2])


def _weights(shown: Array, signals: Array) -> Array:
    """Return least-squares weights (..., [several,] sources) of `shown` (..., sources, dims) for one or several
    signals."""
    inverse = np.linalg.inv(_gram(shown))
    if signals.ndim == shown.ndim:
        return signals @ np.swapaxes(shown, -1, -2) @ inverse
    return (inverse @ (shown @ signals[..., None]))[..., 0]


def _sum(weights: Array, shown: Array) -> Array:
    """Return one or several weighted sums of delayed sources."""
    if weights.ndim == shown.ndim:
        return weights @ shown
    return (weights[..., None, :] @ shown)[..., 0, :]


def _costs(left: Array, first: int) -> Array:
    costs = (left**2).sum(axis=-1)
    return costs.sum(axis=0, keepdims=True) if first == 1 else costs
