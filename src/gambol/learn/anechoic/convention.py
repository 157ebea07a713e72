"""Fix the scale, sign, shift and order of sources, which M17 equation 1 leaves open.

Sources have variance 1 over a window and are sorted by the variance that they explain. The largest weight of a source
is positive. For periodic signals its delay is 0; for others the smallest and the largest delay of a source have equal
magnitude. A weight of 0 has the delay 0; a tied delay is 0 only if the weights of all trials are, so that it stays the
same in all of them.
"""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array
from gambol.learn.anechoic.bounds import DelayBounds
from gambol.learn.anechoic.window import Complex, SignalWindow


def apply_convention(
    window: SignalWindow, bounds: DelayBounds, sources: Complex, weights: Array, delays: Array
) -> tuple[Complex, Array, Array, Array | None]:
    """Return sources, weights, delays (trials, channels, sources) and the centres of bands, if any, by the
    convention."""
    order = np.argsort(-(weights**2).sum(axis=(0, 1)), kind="stable")
    sources, weights = sources[order], weights[..., order]
    delays = np.broadcast_to(delays[..., order], weights.shape)
    centre = None if bounds.centre is None else bounds.centre[..., order]
    flat = np.abs(weights).reshape(-1, len(sources)).argmax(axis=0), np.arange(len(sources))
    active = weights != 0.0
    if bounds.tied:
        active = np.broadcast_to(active.any(axis=0), weights.shape)
    if bounds.periodic:
        shift = delays.reshape(-1, len(sources))[flat]
    else:
        known = np.where(active, delays, np.nan)
        shift = 0.5 * (np.nanmin(known, axis=(0, 1)) + np.nanmax(known, axis=(0, 1)))
        shift = np.nan_to_num(shift)
    sign = np.where(weights.reshape(-1, len(sources))[flat] < 0.0, -1.0, 1.0)
    sources = sign[:, None] * window.delay_sources(sources, shift)
    size = window.evaluate(sources, window.times).std(axis=1)
    size = np.where(size > 0.0, size, 1.0)
    moved = delays - shift
    moved = moved - np.round(moved) if bounds.periodic else moved
    weights = weights * sign * size
    moved = np.where(active, moved, 0.0 if centre is None else centre - shift)
    return sources / size[:, None], weights, moved, None if centre is None else (centre - shift)[0]
