"""Triangle meshes that follow joints; rounded ellipsoids and boxes fixed to joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths, unit_vectors

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_CELL = 0.08
"""Largest side (m) of a rectangle of a box: painters sort triangles by their middles."""
_FULLNESS = 0.8
"""Exponent of the ellipsoid: 1 is an ellipsoid, 0 a box."""


class Segments(NamedTuple):
    """Rounded ellipsoids fixed to joints."""

    joints: NDArray[np.intp]
    """(segments,) the joint each is fixed to."""
    centers: Array
    """(segments, 3) metres, in the joint's frame."""
    rotations: Array
    """(segments, 4) orientation in the joint's frame."""
    radii: Array
    """(segments, 3) half axes in metres: width, depth, and half the length along the bone."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles that follow joints: every vertex one joint, or several by weights (linear blend skinning)."""

    vertices: Array
    """(vertices, 3) metres, in the pose in which the mesh is bound; without `inverse_binds` in their joints' frames."""
    normals: Array
    """(vertices, 3)."""
    faces: NDArray[np.uint32]
    """(triangles, 3), counter-clockwise seen from outside."""
    joints: NDArray[np.intp]
    """(vertices, influences)."""
    weights: Array
    """(vertices, influences) shares of the joints, which add up to 1."""
    colors: Array
    """(vertices, 3) red, green and blue, 0 to 1."""
    inverse_binds: Array | None = None
    """(joints, 3, 4) from the pose in which the mesh is bound to every joint's frame; None: each in its own."""

    @classmethod
    def fixed(
        cls, vertices: Array, normals: Array, faces: NDArray[np.uint32], joints: NDArray[np.intp], colors: Array
    ) -> Mesh:
        """Return a mesh in which every vertex follows one joint (vertices,), in whose frame it is."""
        return cls(vertices, normals, faces, joints[:, None], np.ones((len(vertices), 1)), colors)

    def pose(self, positions: Array, rotations: Array) -> tuple[Array, Array]:
        """Return vertices and normals (vertices, 3) for joints at `positions` (joints, 3) with `rotations`."""
        moves = np.concatenate((quat.to_matrix(rotations), positions[:, :, None]), axis=2)
        if self.inverse_binds is not None:
            turns = moves[:, :, :3] @ self.inverse_binds
            moves = np.concatenate((turns[:, :, :3], turns[:, :, 3:] + moves[:, :, 3:]), axis=2)
        rows = moves.reshape(-1, 12)[: self._shares.shape[1]]
        each = (self._shares @ rows).reshape(-1, 3, 4)
        vertices = np.einsum("vij,vj->vi", each[:, :, :3], self.vertices) + each[:, :, 3]
        normals = np.einsum("vij,vj->vi", each[:, :, :3], self.normals)
        return vertices, normals / np.maximum(lengths(normals)[:, None], 1e-12)

    @cached_property
    def _shares(self) -> csr_array:
        """The weights as a matrix (vertices, joints)."""
        from scipy.sparse import csr_array

        rows = np.arange(0, self.joints.size + 1, self.joints.shape[1])
        shares = csr_array((self.weights.ravel(), self.joints.ravel(), rows), copy=True)
        shares.eliminate_zeros()
        return shares

    def bind(self, positions: Array, rotations: Array) -> Mesh:
        """Return the mesh with `inverse_binds`: a mesh without them is bound with its joints at these places."""
        if self.inverse_binds is not None:
            return self
        vertices, normals = self.pose(positions, rotations)
        return replace(self, vertices=vertices, normals=normals, inverse_binds=invert_frames(positions, rotations))


def invert_frames(positions: Array, rotations: Array) -> Array:
    """Return the matrices (joints, 3, 4) from the world to frames at `positions` (joints, 3) with `rotations`."""
    turns = np.swapaxes(quat.to_matrix(rotations), 1, 2)
    return np.concatenate((turns, -turns @ positions[:, :, None]), axis=2)


@lru_cache
def build_unit_shape(rings: int = 10, sides: int = 16) -> tuple[Array, NDArray[np.uint32]]:
    """Return vertices and triangles of the rounded ellipsoid with half axes of 1."""
    polar = np.linspace(0.0, np.pi, rings + 1)[1:-1]
    around = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    ring, side = np.meshgrid(polar, around, indexing="ij")
    blunt = np.sign(np.cos(ring)) * np.abs(np.cos(ring)) ** _FULLNESS
    waist = np.sin(ring) ** _FULLNESS
    body = np.stack((waist * np.cos(side), waist * np.sin(side), blunt), axis=-1).reshape(-1, 3)
    vertices = np.vstack((body, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]))
    top, bottom = len(body), len(body) + 1
    faces: list[tuple[int, int, int]] = []
    for s in range(sides):
        after = (s + 1) % sides
        faces.append((top, s, after))
        for r in range(rings - 2):
            a, b, c, d = r * sides + s, r * sides + after, (r + 1) * sides + s, (r + 1) * sides + after
            faces += [(a, c, b), (b, c, d)]
        last = (rings - 2) * sides
        faces.append((bottom, last + after, last + s))
    return vertices, np.array(faces, dtype=np.uint32)


def build_mesh(segments: Segments, colors: Array, rings: int = 10, sides: int = 16) -> Mesh:
    """Return the segments with their colours (segments, 3) as one mesh with every vertex fixed to its joint."""
    vertices, faces = build_unit_shape(rings, sides)
    shaped = segments.centers[:, None] + quat.rotate(segments.rotations[:, None], vertices * segments.radii[:, None])
    slopes = np.sign(vertices) * np.abs(vertices) ** (2.0 / _FULLNESS - 1.0)
    normals = quat.rotate(segments.rotations[:, None], slopes / segments.radii[:, None])
    normals = unit_vectors(normals)
    count = len(segments.joints)
    offsets = (np.arange(count) * len(vertices))[:, None, None]
    return Mesh.fixed(
        vertices=shaped.reshape(-1, 3),
        normals=normals.reshape(-1, 3),
        faces=(faces[None] + offsets).reshape(-1, 3).astype(np.uint32),
        joints=np.repeat(segments.joints, len(vertices)),
        colors=np.repeat(colors, len(vertices), axis=0),
    )


def join_meshes(meshes: Sequence[Mesh]) -> Mesh:
    """Return several meshes, in which every vertex follows one joint, as one."""
    firsts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    return Mesh.fixed(
        vertices=np.concatenate([mesh.vertices for mesh in meshes]),
        normals=np.concatenate([mesh.normals for mesh in meshes]),
        faces=np.concatenate([mesh.faces + n for mesh, n in zip(meshes, firsts, strict=True)]).astype(np.uint32),
        joints=np.concatenate([mesh.joints[:, 0] for mesh in meshes]),
        colors=np.concatenate([mesh.colors for mesh in meshes]),
    )


def build_box(low: ArrayLike, high: ArrayLike, joint: int, color: tuple[float, float, float]) -> Mesh:
    """Return a box between two corners (3,) in the frame of a joint, its sides cut into small rectangles."""
    ends = np.array([low, high], dtype=float)
    return join_meshes([_build_side(ends, axis, end, joint, color) for axis in range(3) for end in range(2)])


def _build_side(ends: Array, axis: int, end: int, joint: int, color: tuple[float, float, float]) -> Mesh:
    """Return one side of a box (2, 3): the low (0) or high (1) end of an axis."""
    others = [(axis + 1) % 3, (axis + 2) % 3]
    counts = [int(np.ceil(np.ptp(ends[:, other]) / _CELL)) + 1 for other in others]
    lines = [np.linspace(ends[0, other], ends[1, other], count) for other, count in zip(others, counts, strict=True)]
    points = np.empty((*counts, 3))
    points[..., axis] = ends[end, axis]
    points[..., others] = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1)
    numbers = np.arange(counts[0] * counts[1]).reshape(counts)
    a, b, c, d = numbers[:-1, :-1], numbers[1:, :-1], numbers[1:, 1:], numbers[:-1, 1:]
    corners = np.stack((a, b, c, a, c, d) if end else (a, c, b, a, d, c), axis=-1)
    count = numbers.size
    return Mesh.fixed(
        vertices=points.reshape(-1, 3),
        normals=np.tile((2.0 * end - 1.0) * np.eye(3)[axis], (count, 1)),
        faces=corners.reshape(-1, 3).astype(np.uint32),
        joints=np.full(count, joint),
        colors=np.tile(color, (count, 1)),
    )
