"""Which of equal models is meant: scale, sign, shift and order of sources are free in M17 equation 1, and fixed here.

Sources have variance 1 over a window and come in the order of the variance that they bring. The largest weight of a
source is positive. Of periodic signals, the delay that goes with the largest weight is 0; of others, the smallest and
the largest delay of a source are as far from 0. A weight of 0 has the delay 0; a tied delay is 0 only where the weights
of all trials are, so that it stays the same in all of them.
"""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array
from gambol.learn.anechoic.bounds import DelayBounds
from gambol.learn.anechoic.window import Complex, SignalWindow


def apply_convention(
    window: SignalWindow, bounds: DelayBounds, sources: Complex, weights: Array, delays: Array
) -> tuple[Complex, Array, Array, Array | None]:
    """Sources, weights, delays (trials, channels, sources) and the centres of bands, if any, by the convention."""
    order = np.argsort(-(weights**2).sum(axis=(0, 1)), kind="stable")
    sources, weights = sources[order], weights[..., order]
    delays = np.broadcast_to(delays[..., order], weights.shape)
    centre = None if bounds.centre is None else bounds.centre[..., order]
    flat = np.abs(weights).reshape(-1, len(sources)).argmax(axis=0), np.arange(len(sources))
    heard = weights != 0.0
    if bounds.tied:
        heard = np.broadcast_to(heard.any(axis=0), weights.shape)
    if bounds.periodic:
        shift = delays.reshape(-1, len(sources))[flat]
    else:
        felt = np.where(heard, delays, np.nan)
        shift = 0.5 * (np.nanmin(felt, axis=(0, 1)) + np.nanmax(felt, axis=(0, 1)))
        shift = np.nan_to_num(shift)
    sign = np.where(weights.reshape(-1, len(sources))[flat] < 0.0, -1.0, 1.0)
    sources = sign[:, None] * window.delay_sources(sources, shift)
    size = window.evaluate(sources, window.times).std(axis=1)
    size = np.where(size > 0.0, size, 1.0)
    moved = delays - shift
    moved = moved - np.round(moved) if bounds.periodic else moved
    weights = weights * sign * size
    moved = np.where(heard, moved, 0.0 if centre is None else centre - shift)
    return sources / size[:, None], weights, moved, None if centre is None else (centre - shift)[0]
