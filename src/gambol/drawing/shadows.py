"""Soft shadows on the ground: the area that triangles cover, counted in a coarse image and blurred.

A shadow is the sharper the lower its triangle; what is next to the ground darkens it from all sides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import find_objects, gaussian_filter, label

from gambol.drawing.camera import Camera
from gambol.geometry.arrays import Array

_DARKEST, _CONTACT = 0.43, 4.0
"""Opacity of the darkest shadow, and how much more than the light contact with the ground adds to it."""
_LOW, _NEAR = 0.3, 0.05
"""Heights (m) up to which a shadow is sharp, and up to which there is contact."""
_SHARP, _SOFT = 0.025, 0.07
"""Blur (m) of the shadow of what is low, and of what is high."""
_CELL, _COARSE = 0.015, 5.0
"""Width of a cell of the coarse image in metres, and the least in pixels."""
_LARGE, _STEPS = 12.0, 50
"""Cells that a triangle may cover before it is counted at several points, and the most of these along a side."""
_FAINT = 0.004
"""Opacity below which there is no shadow."""


class Shade(NamedTuple):
    """Triangles projected on the ground."""

    corners: Array
    """(2, vertices, 2) places in the picture: along the light, and straight down."""
    heights: Array
    """(vertices,) metres above the ground."""
    faces: NDArray[np.intp]
    """(triangles, 3)."""
    flatness: float
    """Height of a small disc on the ground in the picture, by its width."""

    @classmethod
    def of(cls, vertices: Array, faces: NDArray[np.intp], camera: Camera, light: Array, floor: float) -> Shade:
        """Project triangles; `light` is the direction to the light."""
        heights = np.maximum(vertices[:, 2] - floor, 0.0)
        slant = vertices - (vertices[:, 2:] - floor) * (light / light[2])
        below = vertices - (vertices[:, 2:] - floor) * [0.0, 0.0, 1.0]
        corners = np.stack((camera.project(slant), camera.project(below)))
        seen = camera.sees(slant) & camera.sees(below)
        return cls(corners, heights, keep_faces(faces, seen), float(camera.toward[2]))


class ShadowImage(NamedTuple):
    """A shadow to be drawn over a picture."""

    corner: tuple[float, float]
    """Pixels from the left and from the bottom of the picture to its lower left corner."""
    image: NDArray[np.uint8]
    """(height, width, 4), the lowest row first."""


def cast_shadows(shade: Shade, scale: float, box: tuple[float, float, float, float]) -> list[ShadowImage]:
    """Return the shadows in a box of the picture (left, bottom, right, top), which do not overlap.

    The corners of `shade` are in pixels; `scale` is the number of pixels per metre.
    """
    width = max(_COARSE, _CELL * scale)
    cell = np.array([width, max(0.6 * _COARSE, width * max(shade.flatness, 0.35))])
    border = 2.5 * _SOFT * scale * np.array([1.0, shade.flatness])
    low = np.maximum(np.floor(shade.corners.min(axis=(0, 1)) - border), box[:2])
    high = np.minimum(np.ceil(shade.corners.max(axis=(0, 1)) + border), box[2:])
    counts = np.ceil((high - low) / cell).astype(int)
    if not len(shade.faces) or (counts < 1).any():
        return []
    a, b, c = shade.faces.T
    levels = (shade.heights[a] + shade.heights[b] + shade.heights[c]) / 3.0
    near = levels < 5.0 * _NEAR
    slant = _Cover((shade.corners[0] - low) / cell, shade.faces, levels, counts)
    straight = _Cover((shade.corners[1] - low) / cell, shade.faces[near], levels[near], counts)
    sharp = np.exp(-slant.heights / _LOW)
    blur = scale / cell[::-1] * [max(shade.flatness, 0.05), 1.0]
    covered = _blur(slant.count(1.0 - sharp), _SOFT * blur)
    contact = _CONTACT * straight.count(np.exp(-straight.heights / _NEAR))
    covered += _blur(slant.count(sharp) + contact, _SHARP * blur)
    return _enlarge(_DARKEST * -np.expm1(-0.7 * covered), low, cell)


def _enlarge(opacity: Array, low: Array, cell: Array) -> list[ShadowImage]:
    """Return the separate shadows of a coarse image, whose cells have a size in pixels, from its lower left corner."""
    from PIL import Image

    found = []
    parts, _ = label(opacity > _FAINT)
    for number, (rows, columns) in enumerate(find_objects(parts), start=1):
        part = np.where(parts[rows, columns] == number, 255.0 * opacity[rows, columns], 0.0)
        padded = Image.fromarray(np.pad(part.astype(np.uint8), 1))
        width, height = np.ceil(np.array(padded.size) * cell).astype(int).tolist()
        alpha = np.asarray(padded.resize((width, height), Image.Resampling.BILINEAR))
        image = np.zeros((height, width, 4), dtype=np.uint8)
        image[..., 3] = alpha
        left, bottom = (low + cell * [columns.start - 1, rows.start - 1]).round().tolist()
        found.append(ShadowImage((left, bottom), image))
    return found


def _blur(image: Array, width: Array) -> Array:
    return gaussian_filter(image.astype(np.float32), width, mode="constant", truncate=2.5)


class _Cover:
    """Points of the triangles that face up, in cells of a coarse image, with the area that each stands for."""

    def __init__(self, corners: Array, faces: NDArray[np.intp], levels: Array, counts: NDArray[np.intp]) -> None:
        areas = measure_areas(corners, faces)
        small, large = (areas > 0.0) & (areas <= _LARGE), areas > _LARGE
        a, b, c = faces[small].T
        steps = min(int(np.sqrt(0.5 * areas.max(initial=0.0))) + 1, _STEPS)
        shares = _spread(steps)
        spread = np.einsum("sk,fkx->fsx", shares, corners[faces[large]]).reshape(-1, 2)
        points = (corners[a] + corners[b] + corners[c]) / 3.0, spread
        weights = areas[small], np.repeat(areas[large] / len(shares), len(shares))
        heights = levels[small], np.repeat(levels[large], len(shares))
        cells = np.floor(np.concatenate(points)).astype(int)
        inside = ((cells >= 0) & (cells < counts)).all(axis=1)
        self._counts = counts
        self._cells = cells[inside, 1] * counts[0] + cells[inside, 0]
        self._weights = np.concatenate(weights)[inside]
        self.heights = np.concatenate(heights)[inside]

    def count(self, shares: Array) -> Array:
        """Return how often each cell (rows, columns) is covered by these shares of the points."""
        columns, rows = self._counts.tolist()
        return np.bincount(self._cells, self._weights * shares, rows * columns).astype(float).reshape(rows, columns)


def keep_faces(faces: NDArray[np.intp], kept: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the triangles of which all vertices are kept."""
    if kept.all():
        return faces
    a, b, c = faces.T
    return faces[kept[a] & kept[b] & kept[c]]


def measure_areas(points: Array, faces: NDArray[np.intp]) -> Array:
    """Return the areas of triangles (count, 3) of points (count, 2), negative for those that run clockwise."""
    x, y = np.ascontiguousarray(points.T)
    a, b, c = faces.T
    return 0.5 * ((x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a]))


def _spread(steps: int) -> Array:
    """Return barycentric coordinates (points, 3) evenly over a triangle."""
    i, j = (n.ravel() for n in np.meshgrid(np.arange(steps), np.arange(steps), indexing="ij"))
    inside = i + j < steps
    u, v = (i[inside] + 1.0 / 3.0) / steps, (j[inside] + 1.0 / 3.0) / steps
    return np.stack((u, v, 1.0 - u - v), axis=1)
