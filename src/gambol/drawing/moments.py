"""Draw several characters in their common world at a few moments, seen from above."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gambol.drawing.painter import Camera, FigureMesh, paint, paint_ground
from gambol.drawing.strip import travel_direction
from gambol.geometry.arrays import Array
from gambol.motion.ensemble import Ensemble
from gambol.motion.figure import estimate_floor_height

_FROM_ABOVE = 0.55
"""Elevation of the camera in radians, so that figures in the background are visible over those in front."""
_MARGIN = 0.4
_INCHES = 12.0
_FEW = 6
"""Up to this many characters are drawn in as much detail as in a strip."""
_STONE = (0.62, 0.61, 0.60)
_CLOSE = 0.1
"""Least distance (m) between two people for which the camera looks across the line between them."""
_HIGH = 1.2
"""Height of poles and walls in metres."""


def save_moments(motions: Ensemble, path: Path, moments: int = 4, camera: Camera | None = None) -> None:
    """Draw all motions and obstacles at evenly spaced moments.

    The default camera looks across the common direction of travel, from above; at two people it looks from beside them.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Picture

    drawn = motions.drawn
    figures = [FigureMesh(motion, coarse=len(motions) > _FEW) for motion in drawn]
    camera = camera or _choose_camera(motions)
    floor = min(estimate_floor_height(motion) for motion in motions)
    obstacles = _obstacles(motions, floor)
    times = np.linspace(0.0, motions.duration, moments)
    rows = [
        [(f.corners(frame), f.colors) for f, frame in zip(figures, drawn.frames_at(time), strict=True)] + obstacles
        for time in times
    ]
    seen = [camera.project(np.concatenate([corners.reshape(-1, 3) for corners, _ in row])) for row in rows]
    low, high = (np.array([edge(flat, axis=0) for flat in seen]) for edge in (np.min, np.max))
    size = (high - low).max(axis=0) + 2.0 * _MARGIN
    columns = min(moments, 4 if len(motions) == 2 else 2)
    lines = -(-moments // columns)
    picture = Picture(figsize=(_INCHES, _INCHES * size[1] * lines / size[0] / columns), dpi=110)
    FigureCanvasAgg(picture)
    for n, row in enumerate(rows):
        axes = picture.add_axes((n % columns / columns, 1.0 - (n // columns + 1) / lines, 1.0 / columns, 1.0 / lines))
        middle = np.concatenate([corners.reshape(-1, 3) for corners, _ in row]).mean(axis=0)
        paint_ground(axes, camera, np.round(middle), 1.5 * float(size.max()), floor)
        paint(axes, camera, row, floor)
        centre = 0.5 * (low[n] + high[n])
        axes.set_xlim(centre[0] - 0.5 * size[0], centre[0] + 0.5 * size[0])
        axes.set_ylim(centre[1] - 0.5 * size[1], centre[1] + 0.5 * size[1])
        axes.text(0.01, 0.97, f"{times[n]:.1f} s", transform=axes.transAxes, va="top", fontsize=11)
    picture.savefig(path)


def _choose_camera(motions: Ensemble) -> Camera:
    if len(motions) != 2:
        return Camera.beside(_common_direction(motions), raise_by=_FROM_ABOVE)
    one, two = (motion.placement.positions[0, motion.mover] for motion in motions)
    between = (two - one) * [1.0, 1.0, 0.0]
    length = float(np.linalg.norm(between))
    return Camera.beside(between / length if length > _CLOSE else np.array([1.0, 0.0, 0.0]), turn=0.2)


def _common_direction(motions: Ensemble) -> Array:
    """Return the mean direction of travel; x if there is no common one."""
    mean = np.mean([travel_direction(motion) for motion in motions], axis=0)
    length = float(np.linalg.norm(mean))
    return mean / length if length > 0.5 else np.array([1.0, 0.0, 0.0])


def _obstacles(motions: Ensemble, floor: float) -> list[tuple[Array, Array]]:
    """Return poles and walls as triangles with their colours."""
    around = np.linspace(0.0, 2.0 * np.pi, 13)[:-1]
    outlines = [np.stack((x + r * np.cos(around), y + r * np.sin(around)), axis=1) for x, y, r in motions.poles]
    for x, y, u, v in motions.walls:
        aside = 0.05 * np.array([y - v, u - x]) / max(float(np.hypot(u - x, v - y)), 1e-9)
        outlines.append(np.array([(x, y) - aside, (u, v) - aside, (u, v) + aside, (x, y) + aside]))
    made = [_prism(outline, floor) for outline in outlines]
    return [(triangles, np.tile(_STONE, (len(triangles), 1))) for triangles in made]


def _prism(outline: Array, floor: float) -> Array:
    """Return the triangles (count, 3, 3) of a prism on a convex outline (corners, 2), counter-clockwise."""
    low, high = (np.column_stack((outline, np.full(len(outline), z))) for z in (floor, floor + _HIGH))
    sides = [
        (a, b, c)
        for n in range(len(low))
        for a, b, c in (
            (low[n], low[(n + 1) % len(low)], high[n]),
            (high[n], low[(n + 1) % len(low)], high[(n + 1) % len(low)]),
        )
    ]
    top = [(high[0], high[n], high[n + 1]) for n in range(1, len(high) - 1)]
    return np.array(sides + top)
