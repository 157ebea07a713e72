"""Arithmetic of unit quaternions (w, x, y, z), stored as arrays of shape (..., 4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gambol.errors import InputError
from gambol.geometry.arrays import Array

IDENTITY: Array = np.array([1.0, 0.0, 0.0, 0.0])
IDENTITY.flags.writeable = False
_UNIT = 1e-3
"""Largest error of the length of a unit quaternion in a file."""


def check_unit(quaternions: Array, what: str) -> None:
    """Raise an InputError unless all quaternions (..., 4) have the length 1."""
    lengths = np.linalg.norm(quaternions, axis=-1)
    if not (np.abs(lengths - 1.0) < _UNIT).all():
        raise InputError(f"{what}: quaternions must have the length 1, not {lengths.min():.3g} to {lengths.max():.3g}")


def multiply(left: Array, right: Array) -> Array:
    """Return the Hamilton product: rotate by `right`, then by `left`. Shapes (..., 4) broadcast."""
    w1, x1, y1, z1 = (left[..., k] for k in range(4))
    w2, x2, y2, z2 = (right[..., k] for k in range(4))
    out: Array = np.empty(np.broadcast_shapes(left.shape, right.shape))
    # Component by component: stacking them takes twice the memory.
    out[..., 0] = w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2
    out[..., 1] = w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2
    out[..., 2] = w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2
    out[..., 3] = w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2
    return out


def conjugate(quaternion: Array) -> Array:
    """Return the inverse rotation."""
    return quaternion * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(quaternion: Array, vector: ArrayLike) -> Array:
    """Rotate vectors (..., 3) by quaternions (..., 4)."""
    v = np.asarray(vector, dtype=float)
    w, x, y, z = (quaternion[..., k] for k in range(4))
    a, b, c = (v[..., k] for k in range(3))
    # v + w t + u x t with t = 2 u x v, by components: np.cross takes three times as long.
    tx, ty, tz = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    out: Array = np.empty((*np.broadcast_shapes(quaternion.shape[:-1], v.shape[:-1]), 3))
    out[..., 0] = a + w * tx + (y * tz - z * ty)
    out[..., 1] = b + w * ty + (z * tx - x * tz)
    out[..., 2] = c + w * tz + (x * ty - y * tx)
    return out


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Return the rotation by `angle` (...,) in radians about the unit vector `axis` (..., 3)."""
    half = 0.5 * np.asarray(angle, dtype=float)[..., None]
    return np.concatenate((np.cos(half), np.sin(half) * np.asarray(axis, dtype=float)), axis=-1)


def to_matrix(quaternion: Array) -> Array:
    """Return rotation matrices (..., 3, 3); their columns are the rotated axes."""
    w, x, y, z = (quaternion[..., k] for k in range(4))
    out: Array = np.empty((*quaternion.shape[:-1], 3, 3))
    out[..., 0, 0], out[..., 1, 1], out[..., 2, 2] = (1.0 - 2.0 * (a * a + b * b) for a, b in ((y, z), (x, z), (x, y)))
    for (i, j), product, turn in (((0, 1), x * y, w * z), ((0, 2), x * z, -w * y), ((1, 2), y * z, w * x)):
        out[..., i, j], out[..., j, i] = 2.0 * (product - turn), 2.0 * (product + turn)
    return out


def from_matrix(matrix: Array) -> Array:
    """Return the quaternions (..., 4) of rotation matrices (..., 3, 3)."""
    from scipy.spatial.transform import Rotation

    flat = Rotation.from_matrix(matrix.reshape(-1, 3, 3)).as_quat(scalar_first=True)
    return flat.reshape(*matrix.shape[:-2], 4)


def make_continuous(quaternions: Array) -> Array:
    """Flip signs so that neighbours along the first axis lie in the same hemisphere."""
    dots = np.sum(quaternions[1:] * quaternions[:-1], axis=-1)
    signs = np.cumprod(np.where(dots < 0.0, -1.0, 1.0), axis=0)
    out = quaternions.copy()
    out[1:] *= signs[..., None]
    return out


def angle(quaternion: Array) -> Array:
    """Return the rotation angle (...,) in radians, from 0 to pi."""
    return 2.0 * np.arctan2(np.linalg.norm(quaternion[..., 1:], axis=-1), np.abs(quaternion[..., 0]))


def exp(vector: Array) -> Array:
    """Return the quaternions (..., 4) of rotation vectors (..., 3): axis times angle in radians."""
    half = 0.5 * np.linalg.norm(vector, axis=-1, keepdims=True)
    return np.concatenate((np.cos(half), 0.5 * np.sinc(half / np.pi) * vector), axis=-1)


def log(quaternion: Array) -> Array:
    """Return the rotation vectors (..., 3), of length pi at most, of quaternions (..., 4)."""
    upper = np.where(quaternion[..., :1] < 0.0, -quaternion, quaternion)
    sine = np.linalg.norm(upper[..., 1:], axis=-1, keepdims=True)
    half = np.arctan2(sine, upper[..., :1])
    return 2.0 * upper[..., 1:] / np.maximum(np.sinc(half / np.pi), 1e-12)


def shortest_arc(start: Array, end: Array) -> Array:
    """Return the shortest rotations (..., 4) from directions `start` (..., 3) to `end`.

    Opposite directions give a zero quaternion, which `rotate` applies as no rotation.
    """
    size = np.linalg.norm(start, axis=-1) * np.linalg.norm(end, axis=-1)
    return normalise(np.concatenate(((size + np.sum(start * end, axis=-1))[..., None], np.cross(start, end)), axis=-1))


def mean(quaternions: Array, weights: Array | None = None) -> Array:
    """Return the mean rotation (4,) of quaternions (count, 4), with optional weights (count,)."""
    weighted = quaternions if weights is None else quaternions * weights[:, None]
    return np.linalg.eigh(weighted.T @ quaternions)[1][:, -1]


def normalise(quaternions: Array) -> Array:
    """Scale quaternions to length 1."""
    return quaternions / np.maximum(np.linalg.norm(quaternions, axis=-1, keepdims=True), 1e-12)


def slerp(left: Array, right: Array, part: Array) -> Array:
    """Interpolate along the shorter arc: `left` at `part` 0, `right` at 1; `part` is (..., 1).

    Falls back to linear interpolation where the two rotations are nearly equal.
    """
    left, right = normalise(left), normalise(right)
    cosine = np.sum(left * right, axis=-1, keepdims=True)
    right, cosine = np.where(cosine < 0.0, -right, right), np.minimum(np.abs(cosine), 1.0)
    angle = np.arccos(cosine)
    sine = np.sin(angle)
    near = sine < 1e-6
    safe = np.where(near, 1.0, sine)
    first = np.where(near, 1.0 - part, np.sin((1.0 - part) * angle) / safe)
    second = np.where(near, part, np.sin(part * angle) / safe)
    return first * left + second * right


def bridge(quaternions: Array, first: int, last: int) -> None:
    """Interpolate rotations (frames, ..., 4) between two frames, in place."""
    shares = np.linspace(0.0, 1.0, last - first + 1)[1:-1].reshape(-1, *(1,) * (quaternions.ndim - 1))
    quaternions[first + 1 : last] = slerp(quaternions[first], quaternions[last], shares)
