"""The shapes of a robot's description as one mesh, each vertex fixed to its joint, with as many triangles as are drawn.

Meshes that are too fine are simplified: vertices in the same cell of a grid become one.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gambol.body.link_shapes import LinkShape
from gambol.body.robot_description import RobotDescription
from gambol.geometry.arrays import Array
from gambol.motion.shapes import Mesh, join_meshes

_MOST = 40_000
"""Largest number of triangles that are drawn."""
_DARKEST = 0.15
"""Least share of red, green and blue: shading does not show on black."""
_CELL, _COARSER = 0.002, 1.25
"""Edge of the finest cells (m), and by how much those tried next are larger."""


@lru_cache(maxsize=16)
def load_skin(description: RobotDescription) -> Mesh | None:
    """Return the shapes of a description; None where it has none, or their files are missing."""
    shapes = description.visuals or description.collisions
    parts = [part for shape in shapes if (part := _load_part(shape)) is not None]
    if not parts:
        return None
    cell = _CELL
    while sum(len(part.faces) for part in parts) > _MOST:
        parts, cell = [_merge_vertices(part, cell) for part in parts], _COARSER * cell
    return join_meshes(parts)


def _load_part(shape: LinkShape) -> Mesh | None:
    triangles = shape.load()
    if triangles is None:
        return None
    count = len(triangles.vertices)
    return Mesh.fixed(
        vertices=np.asarray(triangles.vertices),
        normals=np.asarray(triangles.vertex_normals),
        faces=np.asarray(triangles.faces, dtype=np.uint32),
        joints=np.full(count, shape.joint),
        colors=np.tile(np.clip(shape.color, _DARKEST, 1.0), (count, 1)),
    )


def _merge_vertices(part: Mesh, cell: float) -> Mesh:
    """Return a mesh of one joint and color with one vertex per cell of a grid (m), and no triangles without area."""
    cells, owners = np.unique(np.floor(part.vertices / cell), axis=0, return_inverse=True)
    owners = owners.ravel()
    faces = owners[part.faces]
    corners = np.sort(faces, axis=1)

    def average(values: Array) -> Array:
        sums = [np.bincount(owners, column, len(cells)) for column in values.T]
        return np.stack(sums, axis=1) / np.bincount(owners)[:, None]

    normals = average(part.normals)
    sizes = np.linalg.norm(normals, axis=1, keepdims=True)
    return Mesh.fixed(
        vertices=average(part.vertices),
        normals=np.where(sizes > 0.0, normals, [0.0, 0.0, 1.0]) / np.where(sizes > 0.0, sizes, 1.0),
        faces=faces[(np.diff(corners, axis=1) > 0).all(axis=1)].astype(np.uint32),
        joints=part.joints[: len(cells), 0],
        colors=part.colors[: len(cells)],
    )
