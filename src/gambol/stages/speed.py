"""Speeds of tracks with gaps, smoothed without delay."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gambol.assumptions import LIMB_CUTOFF
from gambol.geometry.arrays import Array, find_runs

_LONGEST_GAP = 0.1
"""Longest gap (s) of a track that is interpolated linearly."""


def compute_speed(track: Array, frame_time: float, cutoff: float = LIMB_CUTOFF) -> Array:
    """Return the speed (frames,) in m/s along a track (frames, 3); NaN where it is not visible."""
    return np.linalg.norm(compute_velocity(track, frame_time, cutoff), axis=1)


def compute_velocity(track: Array, frame_time: float, cutoff: float = LIMB_CUTOFF) -> Array:
    """Return the velocity (frames, columns) in m/s of a track, low-passed (Butterworth, forward and backward).

    It is NaN where the track is not visible.
    """
    out = np.full(track.shape, np.nan)
    seen = _with_short_gaps(np.asarray(np.isfinite(track).all(axis=1)), round(_LONGEST_GAP / frame_time))
    for first, last in find_runs(seen):
        if last > first:
            piece = _filled(track[first : last + 1])
            out[first : last + 1] = np.gradient(_low_passed(piece, frame_time, cutoff), frame_time, axis=0)
    return out


def _with_short_gaps(seen: NDArray[np.bool_], longest: int) -> NDArray[np.bool_]:
    out = seen.copy()
    for first, last in find_runs(~seen):
        if first > 0 and last < len(seen) - 1 and last - first + 1 <= longest:
            out[first : last + 1] = True
    return out


def _filled(track: Array) -> Array:
    frames, seen = np.arange(len(track)), np.isfinite(track).all(axis=1)
    return np.stack([np.interp(frames, frames[seen], column[seen]) for column in track.T], axis=1)


def _low_passed(track: Array, frame_time: float, cutoff: float) -> Array:
    from scipy.signal import sosfiltfilt

    # Near the Nyquist frequency there is nothing to filter.
    if 2.0 * cutoff * frame_time >= 0.9 or len(track) < 10:
        return track
    sections = _design_low_pass(cutoff, frame_time)
    return sosfiltfilt(sections, track, axis=0, padlen=min(len(track) - 1, round(0.2 / frame_time)))


@lru_cache(maxsize=16)
def _design_low_pass(cutoff: float, frame_time: float) -> Array:
    from scipy.signal import butter

    return np.asarray(butter(2, cutoff, fs=1.0 / frame_time, output="sos"))
