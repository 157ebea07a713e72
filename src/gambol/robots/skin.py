"""The meshes of a robot's description as one mesh, each vertex fixed to its joint."""

from __future__ import annotations

import numpy as np

from gambol.body.urdf import RobotDescription, Visual
from gambol.geometry import quaternions as quat
from gambol.motion.shapes import Mesh, join_meshes

_MOST = 40_000
"""Largest number of triangles that are drawn."""


def load_skin(description: RobotDescription) -> Mesh | None:
    """Return the meshes of a description; None where files are missing or there are too many triangles."""
    parts = [_load_part(visual) for visual in description.visuals if visual.file.is_file()]
    if not parts or sum(len(part.faces) for part in parts) > _MOST:
        return None
    return join_meshes(parts)


def _load_part(visual: Visual) -> Mesh:
    import trimesh

    shape = trimesh.load_mesh(visual.file)
    vertices = visual.position + quat.rotate(visual.rotation, np.asarray(shape.vertices) * visual.scale)
    count = len(vertices)
    return Mesh(
        vertices=vertices,
        normals=quat.rotate(visual.rotation, np.asarray(shape.vertex_normals)),
        faces=np.asarray(shape.faces, dtype=np.uint32),
        joints=np.full(count, visual.joint),
        colors=np.tile(visual.color, (count, 1)),
    )
