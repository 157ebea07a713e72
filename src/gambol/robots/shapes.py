"""Points on the shapes of a robot's links."""

from __future__ import annotations

import numpy as np

from gambol.body.urdf import CollisionPoints, Visual
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array


def sample_shape(shape: CollisionPoints | Visual) -> Array:
    """Return points (n, 3) on the surface of a shape in the frame of its joint; none of a mesh that is missing."""
    if isinstance(shape, CollisionPoints):
        return shape.points
    if not shape.file.is_file():
        return np.zeros((0, 3))
    import trimesh

    return np.asarray(
        shape.position + quat.rotate(shape.rotation, np.asarray(trimesh.load_mesh(shape.file).vertices) * shape.scale)
    )
