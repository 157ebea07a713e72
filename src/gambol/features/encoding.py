"""Encode joint rotations as numbers that can be summed: logarithms or quaternions (M17 section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array

ROTATION_ENCODINGS = ("log", "quaternion")
_ROOT = 4
"""Number of channels at the end that are not rotations."""


def compute_rotation_vectors(rotations: Array, reference: Array, joints: Sequence[int]) -> Array:
    """Return the rotation vectors (..., 3 n) of n joints relative to a reference pose.

    Rotations are (..., joints of the skeleton, 4), the reference (joints of the skeleton, 4).
    """
    chosen = list(joints)
    turned = quat.multiply(quat.conjugate(reference[chosen]), rotations[..., chosen, :])
    return quat.log(turned).reshape(*rotations.shape[:-2], -1)


def apply_rotation_vectors(vectors: Array, reference: Array, joints: Sequence[int]) -> Array:
    """Return the rotations (..., joints of the skeleton, 4) of `compute_rotation_vectors`; other joints do not move."""
    chosen = list(joints)
    out = np.broadcast_to(reference, (*vectors.shape[:-1], *reference.shape)).copy()
    turns = quat.exp(vectors.reshape(*vectors.shape[:-1], len(chosen), 3))
    out[..., chosen, :] = quat.multiply(reference[chosen], turns)
    return out


def encode_rotations(channels: Array, coding: str) -> Array:
    """Encode the channels (..., C) of a layout: unchanged for "log", four numbers per joint for "quaternion"."""
    if coding == "log":
        return channels
    vectors = channels[..., :-_ROOT].reshape(*channels.shape[:-1], -1, 3)
    turns = quat.exp(vectors).reshape(*channels.shape[:-1], -1)
    return np.concatenate((turns, channels[..., -_ROOT:]), axis=-1)


def decode_rotations(numbers: Array, coding: str) -> Array:
    """Return the channels (..., C) of a layout; sums of quaternions are normalised."""
    if coding == "log":
        return numbers
    turns = numbers[..., :-_ROOT].reshape(*numbers.shape[:-1], -1, 4)
    vectors = quat.log(quat.normalise(turns)).reshape(*numbers.shape[:-1], -1)
    return np.concatenate((vectors, numbers[..., -_ROOT:]), axis=-1)


def count_encoded(count: int, coding: str) -> int:
    """Return how many numbers encode `count` channels of a layout."""
    return count if coding == "log" else (count - _ROOT) // 3 * 4 + _ROOT
