"""Check input signals: shape, finite numbers, range, and which of them vary."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.learn.anechoic.window import SignalWindow

_MIN_SAMPLES = 8
"""Fewest samples of a trial (three harmonics): with fewer a source is a sine, whose delay and weight are ambiguous."""
_SMALLEST = 1e-100
"""Signals that vary by less, or by more than its inverse, have squares outside the range of floats."""
_CONSTANT = 1e-12
"""Signals that vary by less than this share of the largest are constant (rounding errors)."""


def check_signals(values: ArrayLike) -> Array:
    """Return signals (trials, channels, samples) as floats, checked; a single trial may lack the first axis."""
    try:
        if np.iscomplexobj(values):
            raise TypeError
        signals = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError("signals are not an array of numbers", fix="give (trials, channels, samples)") from None
    if signals.ndim == 2:
        signals = signals[None]
    if signals.ndim != 3 or 0 in signals.shape:
        raise InputError(f"signals have the shape {signals.shape}", fix="give (trials, channels, samples)")
    if signals.shape[-1] < _MIN_SAMPLES:
        raise InputError(f"{signals.shape[-1]} samples per trial", fix=f"at least {_MIN_SAMPLES} are needed")
    wrong = np.argwhere(~np.isfinite(signals))
    if len(wrong):
        trial, channel, sample = wrong[0]
        raise InputError(
            f"{len(wrong)} values are not finite, the first in trial {trial}, channel {channel}, sample {sample}",
            fix="fill the gaps or leave the trial out",
        )
    size = float(np.ptp(signals, axis=-1).max())
    if size and not _SMALLEST < size < 1.0 / _SMALLEST:
        raise InputError(f"signals vary by {size:.3g}", fix="scale them: their squares are out of range")
    return signals


def project_signals(window: SignalWindow, signals: Array) -> Array:
    """Return window coordinates (trials, channels, dims) of signals; exactly 0 for constant signals."""
    spread = np.ptp(signals, axis=-1)
    moved = signals - signals.mean(axis=-1, keepdims=True)
    return np.where((spread > _CONSTANT * spread.max())[..., None], window.coordinates(moved), 0.0)


def check_count(name: str, value: object, least: int) -> None:
    """Raise an InputError unless `value` is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{name} is {value!r}", fix=f"choose a whole number of at least {least}")
