"""Paint forces, contacts and the centre of mass over a figure, and pushes as arrows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gambol.drawing.camera import Camera
from gambol.drawing.trails import CENTER_COLOR
from gambol.fit.physics import Physics
from gambol.geometry.arrays import Array
from gambol.motion.figure import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FORCE, _PUSH = (0.16, 0.56, 0.30), (0.80, 0.16, 0.16)
_NEWTON, _SHORTEST = 0.003, 0.35
"""Length of an arrow in metres per newton, and its smallest length."""
_AFTERWARDS = 0.25
"""Seconds that an arrow stays visible after its push."""


class Arrow(NamedTuple):
    """A push to draw: when it acts (s), where, and its force in every frame of a motion."""

    start: float
    end: float
    points: Array
    """(frames, 3) metres, world."""
    forces: Array
    """(frames, 3) newtons, world."""

    def __repr__(self) -> str:
        return f"Arrow({self.start:g} to {self.end:g} s)"


def paint_arrow(axes: Axes, camera: Camera, arrow: Arrow, frame: int, time: float) -> None:
    """Paint a push while it acts, and fading shortly afterwards."""
    if not arrow.start <= time <= arrow.end + _AFTERWARDS:
        return
    force, point = arrow.forces[frame], arrow.points[frame]
    size = float(np.linalg.norm(force))
    tail = point - max(_NEWTON * size, _SHORTEST) * force / max(size, 1e-9)
    start, tip = camera.project(np.stack((tail, point)))
    style = {"arrowstyle": "-|>,head_width=0.5,head_length=0.9", "color": _PUSH, "linewidth": 4.0, "shrinkA": 0}
    faded = 1.0 - max(0.0, time - arrow.end) / _AFTERWARDS
    axes.annotate("", tip, start, zorder=9, arrowprops={**style, "shrinkB": 0, "alpha": faded})


def paint_forces(axes: Axes, camera: Camera, physics: Physics, frame: int, shift: Array) -> None:
    """Paint the forces of a frame, shifted by `shift` (3,) like its figure."""
    center = physics.forces.center_of_mass[frame] + shift
    below = np.array([center[0], center[1], physics.floor])
    high, low = camera.project(np.stack((center, below)))
    axes.plot([high[0], low[0]], [high[1], low[1]], color=CENTER_COLOR, linewidth=0.7, linestyle=(0, (2, 2)), zorder=4)
    axes.plot(*low, marker="o", markersize=3.5, color=CENTER_COLOR, zorder=4)
    axes.plot(
        *high, marker="o", markersize=6.5, color="white", markeredgecolor=CENTER_COLOR, markeredgewidth=1.8, zorder=5
    )
    for name, place in physics.contact_places(frame).items():
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
