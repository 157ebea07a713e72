"""Averages of curves, and findings where a curve is beyond a limit that changes over time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.ndimage import uniform_filter1d

from gambol.geometry.arrays import Array, join_runs
from gambol.judge.finding import SLACK, Finding, FindingKind, count_joined


def find_beyond(kind: FindingKind, part: str, values: Array, limits: Array | float, step: float) -> Iterator[Finding]:
    """Yield a finding for every run of frames in which values (frames,) are beyond limits, with its worst frame."""
    severity = np.asarray(values / limits)
    for first, last in join_runs(severity > 1.0 / SLACK, count_joined(step)):
        worst = first + int(severity[first : last + 1].argmax())
        own = replace(kind, limit=float(values[worst] / severity[worst]))
        yield Finding(own, part, first * step, last * step, float(values[worst]))


def average(values: Array, step: float, seconds: float) -> Array:
    """Return curves (frames, ...) averaged over a time around every frame."""
    return np.asarray(uniform_filter1d(values, count_odd_frames(seconds, step), axis=0, mode="nearest"))


def count_odd_frames(seconds: float, step: float) -> int:
    """Return an odd number of frames that last about as long."""
    return 2 * round(0.5 * seconds / step) + 1
