"""Low-pass filtering, differentiation and fading of curves sampled over time."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.geometry.arrays import Array, find_runs

_TWO_PASSES = 0.802
"""Cutoff correction for a second-order Butterworth filter run forward and backward (Winter 2009, section 2.2.4.4)."""


def low_pass(values: Array, frame_time: float, cutoff: float) -> Array:
    """Return curves (frames, ...) without frequencies above `cutoff` (Hz), with zero phase lag.

    Fewer than 8 frames, or a cutoff close to half the frame rate, return the curves unchanged.
    """
    from scipy.signal import butter, filtfilt

    share = 2.0 * cutoff * frame_time / _TWO_PASSES
    if cutoff <= 0.0:
        raise InputError(f"the cutoff must be a positive frequency, not {cutoff} Hz")
    if share >= 0.98 or len(values) < 8:
        return values
    b, a = butter(2, share)
    return filtfilt(b, a, values, axis=0, padlen=min(len(values) - 1, int(3 / share)))


def differentiate(values: Array, frame_time: float) -> tuple[Array, Array]:
    """Return first and second time derivatives (frames, ...) by central differences, as the papers do."""
    if len(values) < 3:
        raise InputError(f"{len(values)} frames are too few to compute an acceleration", fix="give at least 3 frames")
    first = np.gradient(values, frame_time, axis=0, edge_order=2)
    second = np.empty_like(values)
    second[1:-1] = (values[2:] - 2.0 * values[1:-1] + values[:-2]) / frame_time**2
    second[0], second[-1] = second[1], second[-2]
    return first, second


def smoothstep(share: Array) -> Array:
    """Map 0 to 1 onto 0 to 1 by the cubic with zero slope at both ends."""
    return np.asarray(share**2 * (3.0 - 2.0 * share))


def follow_minimum_jerk(time: float | Array, between: tuple[float, float] = (0.0, 1.0)) -> Array:
    """Return the share of the way that a minimum-jerk movement between two times has covered: 0 before, 1 after."""
    share = np.clip((time - between[0]) / (between[1] - between[0]), 0.0, 1.0)
    return np.asarray(share**3 * (10.0 - 15.0 * share + 6.0 * share**2))


def cover(values: Array, size: int, mode: Literal["nearest", "wrap"] = "nearest") -> Array:
    """Return a smooth curve over each column (frames, ...) that is nowhere below it: the mean of running maxima.

    `size` frames are in each maximum and in each mean; `mode` says what is beyond the ends.
    """
    from scipy.ndimage import maximum_filter1d, uniform_filter1d

    return np.asarray(uniform_filter1d(maximum_filter1d(values, size, axis=0, mode=mode), size, axis=0, mode=mode))


def fade_out(values: Array, kept: NDArray[np.bool_], reach: int) -> Array:
    """Return the values (frames, n) of the frames in `kept`, faded to zero over `reach` frames beside each interval."""
    out = np.where(kept[:, None], values, 0.0)
    fade = 0.5 + 0.5 * np.cos(np.pi * np.arange(1, reach + 1) / (reach + 1))
    for first, last in find_runs(kept):
        before, after = np.arange(first - 1, first - 1 - reach, -1), np.arange(last + 1, last + 1 + reach)
        for frames, edge in ((before, values[first]), (after, values[last])):
            free = (frames >= 0) & (frames < len(values))
            free[free] &= ~kept[frames[free]]
            out[frames[free]] += fade[free, None] * edge
    return out
