"""Poles, walls and ramps of a scene as surfaces."""

from __future__ import annotations

import numpy as np

from gambol.drawing.painter import Surface
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import unit_vectors
from gambol.motion.ensemble import Ensemble

_STONE = (0.62, 0.61, 0.60)
_HEIGHT, _THICK = 1.2, 0.1
"""Height of poles and walls and thickness of walls, in metres."""
_CELL = 0.3
"""Largest side (m) of a cell: triangles are sorted by their middles."""


def build_obstacles(motions: Ensemble, floor: float) -> list[Surface]:
    """Return the poles, walls and ramps of a scene."""
    around = np.linspace(0.0, 2.0 * np.pi, 25)[:-1]
    outlines = [np.stack((x + r * np.cos(around), y + r * np.sin(around)), axis=1) for x, y, r in motions.poles]
    for x, y, u, v in motions.walls:
        aside = 0.5 * _THICK * np.array([y - v, u - x]) / max(float(np.hypot(u - x, v - y)), 1e-9)
        outlines.append(np.array([(x, y) - aside, (u, v) - aside, (u, v) + aside, (x, y) + aside]))
    prisms = [_build_prism(outline, floor) for outline in outlines]
    return prisms + [_make_surface(_build_ramp(corners, floor)) for corners in find_ramp_corners(motions)]


def find_ramp_corners(motions: Ensemble) -> list[Array]:
    """Return the corners (4, 3) of the ramps of a scene, counter-clockwise seen from above."""
    corners = []
    for ramp in motions.ramps:
        one, two = ramp[:3], ramp[3:6]
        ahead = (two - one)[:2]
        across = 0.5 * ramp[6] * np.array([-ahead[1], ahead[0], 0.0]) / max(float(np.hypot(*ahead)), 1e-9)
        corners.append(np.array([one - across, two - across, two + across, one + across]))
    return corners


def _build_ramp(corners: Array, floor: float) -> Array:
    """Return the quadrilaterals (count, 4, 3) of a plane and of what is between it and the floor."""
    low = min(floor, float(corners[:, 2].min())) - _THICK
    ends = zip(corners, np.roll(corners, -1, axis=0), strict=True)
    down = np.array([1.0, 1.0, 0.0]), np.array([0.0, 0.0, low])
    sides = [_build_side(np.array([a * down[0] + down[1], b * down[0] + down[1], b, a])) for a, b in ends]
    return np.concatenate([_build_side(corners), *sides])


def _build_prism(outline: Array, floor: float) -> Surface:
    """Return a prism on a convex outline (corners, 2), counter-clockwise."""
    low, high = np.array([0.0, 0.0, floor]), np.array([0.0, 0.0, floor + _HEIGHT])
    base = np.column_stack((outline, np.zeros(len(outline))))
    edges = zip(base, np.roll(base, -1, axis=0), strict=True)
    sides = [_build_side(np.array([a + low, b + low, b + high, a + high])) for a, b in edges]
    half = len(base) // 2  # the roof in quadrilaterals between opposite sides
    roof = [_build_side(np.array([base[n], base[n + 1], base[-n - 2], base[-n - 1]]) + high) for n in range(half - 1)]
    return _make_surface(np.concatenate(sides + roof))


def _make_surface(quads: Array) -> Surface:
    """Return quadrilaterals (count, 4, 3) as a surface of stone."""
    normals = unit_vectors(np.cross(quads[:, 1] - quads[:, 0], quads[:, 3] - quads[:, 0]))
    faces = 4 * np.arange(len(quads))[:, None, None] + np.array([[0, 1, 2], [0, 2, 3]])
    vertices = quads.reshape(-1, 3)
    return Surface(
        vertices, np.repeat(normals, 4, axis=0), np.tile(_STONE, (len(vertices), 1)),
        faces.reshape(-1, 3),
    )  # fmt: skip


def _build_side(corners: Array) -> Array:
    """Return a quadrilateral (4, 3) cut into small ones (count, 4, 3)."""
    lengths = [np.linalg.norm(corners[n + 1] - corners[n]) for n in range(2)]
    u, v = (np.linspace(0.0, 1.0, int(np.ceil(length / _CELL)) + 1)[:, None, None] for length in lengths)
    v = v.swapaxes(0, 1)
    a, b, c, d = corners
    grid = (1 - u) * (1 - v) * a + u * (1 - v) * b + u * v * c + (1 - u) * v * d
    return np.stack((grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]), axis=2).reshape(-1, 4, 3)
