"""Forces, contacts and the centre of mass, painted over a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gambol.drawing.painter import Camera
from gambol.fit.physics import Physics
from gambol.geometry.arrays import Array
from gambol.motion.figure import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FORCE, _CENTER = (0.16, 0.56, 0.30), (0.78, 0.20, 0.22)


def paint_forces(axes: Axes, camera: Camera, physics: Physics, frame: int, shift: Array) -> None:
    """Paint what acts in a frame, moved by `shift` (3,) with its figure."""
    center = physics.forces.center_of_mass[frame] + shift
    below = np.array([center[0], center[1], physics.floor])
    high, low = camera.project(np.stack((center, below)))
    axes.plot([high[0], low[0]], [high[1], low[1]], color=_CENTER, linewidth=0.7, linestyle=(0, (2, 2)), zorder=4)
    axes.plot(*low, marker="o", markersize=3.5, color=_CENTER, zorder=4)
    axes.plot(*high, marker="o", markersize=6.5, color="white", markeredgecolor=_CENTER, markeredgewidth=1.8, zorder=5)
    for name, place in physics.held(frame).items():
        color = COLORS[1 if name.startswith("left") else -1]
        axes.plot(
            *camera.project(place + shift), marker="D", markersize=4.5, color=color,
            markeredgecolor=(0.1, 0.1, 0.12), markeredgewidth=0.8, zorder=5,
        )  # fmt: skip
    for line in physics.force_lines(frame):
        if np.ptp(line, axis=0).any():
            start, tip = camera.project(line + shift)
            axes.annotate(
                "", tip, start, zorder=6,
                arrowprops={"arrowstyle": "-|>", "color": _FORCE, "linewidth": 1.8, "shrinkA": 0, "shrinkB": 0},
            )  # fmt: skip
