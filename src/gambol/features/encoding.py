"""How rotations are written as numbers that sources add up to: as logarithms, or as quaternions (M17 section 2.2)."""

from __future__ import annotations

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array

ROTATION_ENCODINGS = ("log", "quaternion")
_ROOT = 4
"""Channels at the end that are no rotations."""


def encode_rotations(channels: Array, coding: str) -> Array:
    """Channels (..., C) of a layout as a mixture has them: as they are, or four numbers for every joint."""
    if coding == "log":
        return channels
    vectors = channels[..., :-_ROOT].reshape(*channels.shape[:-1], -1, 3)
    turns = quat.exp(vectors).reshape(*channels.shape[:-1], -1)
    return np.concatenate((turns, channels[..., -_ROOT:]), axis=-1)


def decode_rotations(numbers: Array, coding: str) -> Array:
    """Back to the channels of a layout; sums of quaternions are brought to length 1."""
    if coding == "log":
        return numbers
    turns = numbers[..., :-_ROOT].reshape(*numbers.shape[:-1], -1, 4)
    vectors = quat.log(quat.normalise(turns)).reshape(*numbers.shape[:-1], -1)
    return np.concatenate((vectors, numbers[..., -_ROOT:]), axis=-1)


def count_encoded(count: int, coding: str) -> int:
    """How many numbers a layout of `count` channels has."""
    return count if coding == "log" else (count - _ROOT) // 3 * 4 + _ROOT
