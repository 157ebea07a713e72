"""Paint where hands and centre of mass have been during the last seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gambol.drawing.camera import Camera
from gambol.geometry.arrays import Array
from gambol.motion.figure import COLORS
from gambol.motion.motion import Motion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CENTER_COLOR = (0.78, 0.20, 0.22)
"""Colour of the centre of mass."""
_SECONDS = 2.0
"""How long a trail is seen."""
_WIDTH = 2.2


class Trail(NamedTuple):
    """The path of a point of a motion."""

    points: Array
    """(frames, 3) metres, world."""
    color: tuple[float, float, float]
    frame_time: float


def find_trails(motion: Motion) -> list[Trail]:
    """Return the paths of the hands and the centre of mass of a person, or of the middle of another body."""
    placed, step = motion.placement.positions, motion.frame_time
    if motion.rig is None:
        return [Trail(placed[:, motion.mover], CENTER_COLOR, step)]
    from gambol.body.character import Character
    from gambol.body.dynamics import Dynamics
    from gambol.fit.rig import fit

    fitted = fit(Character.from_motion(motion), motion)
    trails = [Trail(Dynamics(fitted.character).center_of_mass(fitted.motion.q), CENTER_COLOR, step)]
    for side, number in (("left", 1), ("right", -1)):
        ends = [motion.rig.parts[name] for name in (f"{side}_hand", f"{side}_forearm") if name in motion.rig.parts]
        trails += [Trail(placed[:, joint], COLORS[number], step) for joint in ends[:1]]
    return trails


def paint_trail(axes: Axes, camera: Camera, trail: Trail, frame: int) -> None:
    """Paint a trail up to a frame, the older the fainter."""
    from matplotlib.collections import LineCollection

    count = max(1, round(_SECONDS / trail.frame_time))
    first = max(0, frame - count)
    path = camera.project(trail.points[first : frame + 1])
    if len(path) < 2:
        return
    ages = np.arange(first + 1, frame + 1) - frame + count
    colors = np.column_stack((np.tile(trail.color, (len(ages), 1)), ages / count))
    lines = LineCollection(list(np.stack((path[:-1], path[1:]), axis=1)), colors=colors, linewidths=_WIDTH, zorder=7)
    axes.add_collection(lines, autolim=False)
