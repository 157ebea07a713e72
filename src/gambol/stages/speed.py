"""How fast points move: speeds of tracks that have gaps, smoothed without delay."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.arrays import Array

SPEED_CUTOFF = 12.0
"""Hertz. Feet brake within some 40 ms at heel strike; what is faster in optical recordings is noise."""
_BRIDGED = 0.1
"""Seconds of a gap up to which a track is taken to run on straight."""


def compute_speed(track: Array, frame_time: float, cutoff: float = SPEED_CUTOFF) -> Array:
    """Metres a second (frames,) along a track (frames, 3); NaN where it is not seen."""
    return np.linalg.norm(compute_velocity(track, frame_time, cutoff), axis=1)


def compute_velocity(track: Array, frame_time: float, cutoff: float = SPEED_CUTOFF) -> Array:
    """Metres a second (frames, 3), low-passed (Butterworth, forward and backward); NaN where it is not seen."""
    out = np.full(track.shape, np.nan)
    seen = _bridged(np.asarray(np.isfinite(track).all(axis=1)), round(_BRIDGED / frame_time))
    for first, last in find_runs(seen):
        if last > first:
            piece = _filled(track[first : last + 1])
            out[first : last + 1] = np.gradient(_low_passed(piece, frame_time, cutoff), frame_time, axis=0)
    return out


def find_runs(mask: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """First and last frame of every stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(int)))
    yield from ((int(first), int(end) - 1) for first, end in zip(edges[::2], edges[1::2], strict=True))


def _bridged(seen: NDArray[np.bool_], longest: int) -> NDArray[np.bool_]:
    out = seen.copy()
    for first, last in find_runs(~seen):
        if first > 0 and last < len(seen) - 1 and last - first + 1 <= longest:
            out[first : last + 1] = True
    return out


def _filled(track: Array) -> Array:
    frames, seen = np.arange(len(track)), np.isfinite(track).all(axis=1)
    return np.stack([np.interp(frames, frames[seen], column[seen]) for column in track.T], axis=1)


def _low_passed(track: Array, frame_time: float, cutoff: float) -> Array:
    from scipy.signal import butter, sosfiltfilt

    # Close to the Nyquist frequency there is nothing left to take away.
    if 2.0 * cutoff * frame_time >= 0.9 or len(track) < 10:
        return track
    sections = butter(2, cutoff, fs=1.0 / frame_time, output="sos")
    return sosfiltfilt(sections, track, axis=0, padlen=min(len(track) - 1, round(0.2 / frame_time)))
