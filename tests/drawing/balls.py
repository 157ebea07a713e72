"""Balls to draw."""

from __future__ import annotations

import numpy as np

from gambol.drawing.painter import Surface
from gambol.geometry.arrays import Array
from gambol.motion.shapes import build_unit_shape


def ball(place: Array, radius: float, color: tuple[float, float, float]) -> Surface:
    vertices, faces = build_unit_shape(20, 24)
    normals = vertices / np.linalg.norm(vertices, axis=1, keepdims=True)
    return Surface(np.asarray(place) + radius * normals, normals, np.tile(color, (len(normals), 1)), faces.astype(int))
