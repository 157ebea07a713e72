"""The vertical, and operations on arrays of vectors (..., 3) that are faster than NumPy's own."""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array

UP: Array = np.array([0.0, 0.0, 1.0])
"""The vertical of the world."""
UP.flags.writeable = False


def cross(left: Array, right: Array) -> Array:
    """Return the cross product; several times faster than `np.cross` for few vectors."""
    x, y, z = left[..., 0], left[..., 1], left[..., 2]
    u, v, w = right[..., 0], right[..., 1], right[..., 2]
    return np.stack((y * w - z * v, z * u - x * w, x * v - y * u), axis=-1)


def lengths(vectors: Array) -> Array:
    """Return the length (...,) of every vector."""
    return np.sqrt(np.einsum("...i,...i->...", vectors, vectors))
