"""Shapes of a robot's links as triangles: boxes, cylinders, capsules, ellipsoids and meshes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import Character
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array

if TYPE_CHECKING:
    from trimesh import Trimesh

GREY = (0.7, 0.7, 0.7)
"""Colour of shapes without one."""
_Y_UP = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
"""From axes with y up to axes with z up."""
_CLEARLY = 0.8
"""Share to which distances must decrease for axes to be turned: those of symmetric meshes do not."""
_HEAD = 8192
"""Bytes at the beginning of a COLLADA file that state which axis is up."""


@dataclass(frozen=True, eq=False)
class SimpleShape:
    """A shape about the origin; cylinders and capsules are round about z."""

    kind: Literal["box", "ellipsoid", "cylinder", "capsule"]
    half: Array
    """(3,) half of its size along x, y and z (m)."""

    def load(self) -> Trimesh:
        """Return its triangles."""
        from trimesh import creation

        radius, _, height = self.half
        if self.kind == "box":
            return creation.box(2.0 * self.half)
        if self.kind == "ellipsoid":
            return creation.icosphere(subdivisions=2).apply_scale(self.half)
        if self.kind == "cylinder":
            return creation.cylinder(radius, 2.0 * height)
        capsule = creation.capsule(2.0 * max(height - radius, 0.0), radius)
        return capsule.apply_translation(-capsule.bounds.mean(axis=0))  # versions differ in where its origin is


@dataclass(frozen=True, eq=False)
class MeshFile:
    """A mesh in a file of its own."""

    path: Path
    scale: Array
    """(3,) factors; a negative one mirrors."""
    y_up: bool = False
    """Whether the axes of the file are turned so that its y axis becomes z."""

    def load(self) -> Trimesh:
        """Return its triangles."""
        import trimesh

        mesh = trimesh.load_mesh(self.path)
        if self.y_up:
            mesh.apply_transform(_Y_UP)
        return mesh.apply_scale(self.scale)  # turns the triangles of a mesh that is mirrored

    def states_y_up(self) -> bool:
        """Return whether it is a COLLADA file that says so."""
        if self.path.suffix.lower() != ".dae" or not self.path.is_file():
            return False
        with self.path.open("rb") as stream:
            return b"<up_axis>Y_UP" in stream.read(_HEAD)


@dataclass(frozen=True, eq=False)
class MeshArrays:
    """A mesh that is in memory."""

    vertices: Array
    """(vertices, 3) metres."""
    faces: NDArray[np.int32]
    """(triangles, 3)."""

    def load(self) -> Trimesh:
        """Return its triangles."""
        import trimesh

        return trimesh.Trimesh(self.vertices, self.faces, process=False)


@dataclass(frozen=True, eq=False)
class LinkShape:
    """A shape of a link, which moves with a joint."""

    joint: int
    geometry: SimpleShape | MeshFile | MeshArrays
    position: Array
    """(3,) in the frame of the joint (m)."""
    rotation: Array
    """(4,) quaternion."""
    color: tuple[float, float, float] = GREY

    def load(self) -> Trimesh | None:
        """Return its triangles in the frame of the joint; None of a mesh that is missing or cannot be read."""
        try:
            mesh = self.geometry.load()
        except Exception:  # readers of meshes raise more kinds of exceptions than they document
            return None
        to_joint = np.eye(4)
        to_joint[:3, :3], to_joint[:3, 3] = quat.to_matrix(self.rotation), self.position
        return mesh.apply_transform(to_joint) if len(mesh.vertices) and np.isfinite(mesh.vertices).all() else None

    def sample(self) -> Array:
        """Return points (n, 3) on its surface in the frame of the joint; none of a mesh that cannot be read."""
        mesh = self.load()
        return np.zeros((0, 3)) if mesh is None else np.asarray(mesh.vertices)


def note_missing_meshes(shapes: Iterable[LinkShape]) -> tuple[str, ...]:
    """Return a note that names files that are missing, if any are."""
    files = {shape.geometry.path for shape in shapes if isinstance(shape.geometry, MeshFile)}
    missing = sorted(file.name for file in files if not file.is_file())
    return (f"{len(missing)} of {len(files)} meshes are missing, such as {missing[0]}",) if missing else ()


def settle_up_axis(shapes: Sequence[LinkShape], character: Character) -> tuple[LinkShape, ...]:
    """Return shapes with the axes of meshes that state that y is up turned, if that is meant.

    Most programs that read robots ignore the statement, and most files are made for these. It is meant if centres of
    mass are nearer to the middles of the meshes with their axes turned.
    """
    turned = {
        shape: replace(shape, geometry=replace(geometry, y_up=True))
        for shape in shapes
        if isinstance(geometry := shape.geometry, MeshFile) and geometry.states_y_up()
    }
    before, after = (sum(_find_error(shape, character) for shape in each) for each in (turned, turned.values()))
    return tuple(turned.get(shape, shape) for shape in shapes) if after < _CLEARLY * before else tuple(shapes)


def _find_error(shape: LinkShape, character: Character) -> float:
    """Return the distance of the centre of mass of a link from the middle of its mesh, in lengths of the mesh."""
    mesh = shape.load() if character.masses[shape.joint] > 0.0 else None
    if mesh is None:
        return 0.0
    return float(np.linalg.norm(mesh.bounds.mean(axis=0) - character.centers[shape.joint]) / max(mesh.scale, 1e-9))
