"""Draw several characters in their common world at a few moments."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gambol.drawing.camera import Camera, aim_camera
from gambol.drawing.obstacles import build_obstacles
from gambol.drawing.painter import GROUND, FigureMesh, paint, paint_ground
from gambol.drawing.path_tracer import paint_studio
from gambol.drawing.shot import Look
from gambol.motion.ensemble import Ensemble
from gambol.motion.figure import estimate_floor_height

_MARGIN = 0.4
_INCHES, _DOTS = 12.0, 110
_FEW = 6
"""Up to this many characters are drawn in detail."""


def save_moments(
    motions: Ensemble, path: Path, moments: int = 4, camera: Camera | None = None, look: Look = "plain"
) -> None:
    """Draw all motions and obstacles at evenly spaced moments."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Picture

    drawn = motions.drawn
    figures = [FigureMesh(motion, coarse=len(motions) > _FEW) for motion in drawn]
    camera = camera or aim_camera(motions)
    floor = min(estimate_floor_height(motion) for motion in motions)
    obstacles = build_obstacles(motions, floor)
    times = np.linspace(0.0, motions.duration, moments)
    rows = [
        [figure.pose(frame) for figure, frame in zip(figures, drawn.frames_at(time), strict=True)] + obstacles
        for time in times
    ]
    seen = [camera.project(np.concatenate([surface.vertices for surface in row])) for row in rows]
    low, high = (np.array([edge(flat, axis=0) for flat in seen]) for edge in (np.min, np.max))
    size = (high - low).max(axis=0) + 2.0 * _MARGIN
    columns = min(moments, 4 if len(motions) == 2 else 2)
    lines = -(-moments // columns)
    height = _INCHES * size[1] * lines / size[0] / columns
    picture = Picture(figsize=(_INCHES, height), dpi=_DOTS, facecolor=GROUND)
    FigureCanvasAgg(picture)
    reach = 1.5 * float(size.max())
    for n, row in enumerate(rows):
        axes = picture.add_axes((n % columns / columns, 1.0 - (n // columns + 1) / lines, 1.0 / columns, 1.0 / lines))
        centre = 0.5 * (low[n] + high[n])
        axes.set_xlim(centre[0] - 0.5 * size[0], centre[0] + 0.5 * size[0])
        axes.set_ylim(centre[1] - 0.5 * size[1], centre[1] + 0.5 * size[1])
        if look == "studio":
            paint_studio(axes, camera, row, floor)
        else:
            middle = np.concatenate([surface.vertices for surface in row]).mean(axis=0)
            paint_ground(axes, camera, camera.right, middle, (reach, reach), floor)
            paint(axes, camera, row, floor, light=camera.light)
        axes.text(0.01, 0.97, f"{times[n]:.1f} s", transform=axes.transAxes, va="top", fontsize=11)
    picture.savefig(path, dpi=_DOTS if path.suffix.lower() == ".png" else 2 * _DOTS)
