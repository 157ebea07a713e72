"""Paint figures on a ground with matplotlib: shaded triangles from back to front, with soft shadows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.geometry.arrays import Array
from gambol.motion.figure import build_body_mesh
from gambol.motion.motion import Motion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GROUND = (0.945, 0.94, 0.93)
_LINES = (0.86, 0.855, 0.845)
_SHADOW = (0.80, 0.795, 0.785)


@dataclass(frozen=True)
class Camera:
    """An orthographic camera that looks along `-toward`; `right` and `up` span the picture. World unit vectors."""

    right: Array
    up: Array
    toward: Array

    @classmethod
    def beside(cls, direction: Array, turn: float = 0.35, raise_by: float = 0.18) -> Camera:
        """Look at a character that moves along `direction` (horizontal) from its right side, slightly from above."""
        toward = np.array([direction[1], -direction[0], 0.0])
        side = np.cos(turn) * toward + np.sin(turn) * direction
        looking = np.cos(raise_by) * side + np.sin(raise_by) * np.array([0.0, 0.0, 1.0])
        right = np.cross([0.0, 0.0, 1.0], looking)
        right /= np.linalg.norm(right)
        return cls(right, np.cross(looking, right), looking)

    @property
    def light(self) -> Array:
        """Direction to the light: above, in front of the figures and slightly to the left."""
        light = 0.75 * np.array([0.0, 0.0, 1.0]) + 0.45 * self.toward - 0.4 * self.right
        return light / np.linalg.norm(light)

    def project(self, points: Array) -> Array:
        """Return picture coordinates (..., 2) in metres of world points (..., 3)."""
        return np.stack((points @ self.right, points @ self.up), axis=-1)


class FigureMesh:
    """The mesh of one motion, to be posed."""

    def __init__(self, motion: Motion, coarse: bool = False) -> None:
        self.motion, self.mesh = motion, build_body_mesh(motion, coarse)
        self.colors = self.mesh.colors[self.mesh.faces[:, 0]]

    def corners(self, frame: int) -> Array:
        """Return the corners (triangles, 3, 3) in a frame, in world coordinates."""
        placed = self.motion.placement
        vertices, _ = self.mesh.pose(placed.positions[frame], placed.rotations[frame])
        return vertices[self.mesh.faces]


def paint(axes: Axes, camera: Camera, posed: list[tuple[Array, Array]], floor: float) -> None:
    """Paint posed figures, given as corners (triangles, 3, 3) and colours (triangles, 3)."""
    from matplotlib.collections import PolyCollection

    corners = np.concatenate([c for c, _ in posed])
    colors = np.concatenate([c for _, c in posed])
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    lit = corners[normals @ camera.light > 0.0]
    shadows = lit - (lit[..., 2:] - floor) * (camera.light / camera.light[2])
    # Arrays are drawn twice as fast as lists, which the type stubs ask for; callers choose the window.
    shape: Any = camera.project(shadows)
    axes.add_collection(PolyCollection(shape, facecolors=[_SHADOW], zorder=2), autolim=False)

    seen = normals @ camera.toward > 0.0
    corners, colors, normals = corners[seen], colors[seen], normals[seen]
    order = np.argsort(corners.mean(axis=1) @ camera.toward)
    shade = (0.62 + 0.46 * np.clip(normals @ camera.light, 0.0, 1.0))[:, None]
    shaded = np.clip(colors * shade, 0.0, 1.0)[order]
    shape = camera.project(corners[order])
    body = PolyCollection(shape, facecolors=shaded, edgecolors=shaded, linewidths=0.25, zorder=3)
    axes.add_collection(body, autolim=False)


def paint_ground(axes: Axes, camera: Camera, center: Array, reach: float, floor: float) -> None:
    """Paint a floor with a grid of one metre, aligned with the picture, up to `reach` (m) from `center`."""
    from matplotlib.collections import LineCollection, PolyCollection

    across = camera.right
    depth = np.cross([0.0, 0.0, 1.0], across)
    middle = np.array([center[0], center[1], floor])
    ticks = np.arange(-np.ceil(reach), np.ceil(reach) + 1)
    far = np.ceil(reach)
    square = [middle + a * far * across + b * far * depth for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    rows = [[middle - far * across + t * depth, middle + far * across + t * depth] for t in ticks]
    rows += [[middle + t * across - far * depth, middle + t * across + far * depth] for t in ticks]
    ground = PolyCollection([camera.project(np.array(square))], facecolors=[_GROUND], zorder=0)
    grid = LineCollection(list(camera.project(np.array(rows))), colors=[_LINES], linewidths=0.8, zorder=1)
    axes.add_collection(ground, autolim=False)
    axes.add_collection(grid, autolim=False)
    axes.set_aspect("equal")
    axes.set_axis_off()
