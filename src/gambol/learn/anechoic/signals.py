"""Arrays at the door of the demixer: their shape, that they are numbers, and which of them vary at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.learn.anechoic.window import SignalWindow

_FEWEST = 8
"""Samples of a trial: three harmonics, below which a source is a sine and its delay and weight cannot be told."""
_SMALLEST = 1e-100
"""Signals that vary by less, or by more than its inverse, have no squares that a computer could tell."""
_CONSTANT = 1e-12
"""Signals that vary by less than this share of the largest are constant: rounding, not movement."""


def check_signals(values: ArrayLike) -> Array:
    """(trials, channels, samples) as floats, checked; one trial may come without its axis."""
    try:
        if np.iscomplexobj(values):
            raise TypeError
        signals = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError("signals are not one array of numbers", fix="bring (trials, channels, samples)") from None
    if signals.ndim == 2:
        signals = signals[None]
    if signals.ndim != 3 or 0 in signals.shape:
        raise InputError(f"signals have the shape {signals.shape}", fix="bring (trials, channels, samples)")
    if signals.shape[-1] < _FEWEST:
        raise InputError(f"{signals.shape[-1]} samples", fix=f"{_FEWEST} are the least that sources can be told from")
    wrong = np.argwhere(~np.isfinite(signals))
    if len(wrong):
        trial, channel, sample = wrong[0]
        raise InputError(
            f"{len(wrong)} values are no numbers, the first in trial {trial}, channel {channel}, sample {sample}",
            fix="fill gaps or leave the trial out",
        )
    size = float(np.ptp(signals, axis=-1).max())
    if size and not _SMALLEST < size < 1.0 / _SMALLEST:
        raise InputError(f"signals vary by {size:.3g}", fix="scale them: squares of such numbers are none")
    return signals


def project_signals(window: SignalWindow, signals: Array) -> Array:
    """Coordinates (trials, channels, dims) of signals; exactly 0 for those that are constant."""
    spread = np.ptp(signals, axis=-1)
    moved = signals - signals.mean(axis=-1, keepdims=True)
    return np.where((spread > _CONSTANT * spread.max())[..., None], window.coordinates(moved), 0.0)


def check_count(name: str, value: object, least: int) -> None:
    """Refuse what is no whole number of at least so many."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{name} is {value!r}", fix=f"a whole number from {least} on")
