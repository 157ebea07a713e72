"""The table and the drawer that a robot opens, as a motion to draw."""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.motion.shapes import Mesh, build_box, join_meshes
from gambol.motion.skeleton import Dof, Skeleton
from gambol.robots.actions.trials import PULL

_WOOD, _LIGHT, _METAL, _RED = (0.62, 0.47, 0.32), (0.82, 0.68, 0.49), (0.30, 0.30, 0.33), (0.80, 0.18, 0.16)
_ITEM = 0.02
"""Half the size of the object (m)."""
_SLIDES = (
    *(Dof(0, "slide", axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))),
    Dof(1, "slide", (-1.0, 0.0, 0.0)),
)
SKELETON = Skeleton(("table", "drawer"), (-1, 0), np.zeros((2, 3)), _SLIDES)
"""Both at the left end of the handle of the closed drawer, where it is grasped."""


def make_furniture(track: Array, frame_time: float, item: Array, size_ratio: float = 1.0) -> Motion:
    """Return the motion of a table with a drawer.

    `track` (frames, 4) has the place of the handle of the closed drawer and how far it is pulled out; `item` (3,) is
    the object of the open drawer, from that place (m). It opens in proportion to the `size_ratio` of the robot.
    """
    inside = item + [size_ratio * PULL, 0.0, 0.0]
    return Motion(SKELETON, track, frame_time, name="drawer", skin=_build_skin(float(track[0, 2]), inside))


def _build_skin(height: float, inside: Array) -> Mesh:
    """Return a table on legs as long as the handle is high (m), and the drawer under it with an object (3,) inside."""
    legs = [
        build_box((x, y, -height), (x + 0.04, y + 0.04, 0.03), 0, _WOOD) for x in (0.06, 0.41) for y in (-0.42, 0.16)
    ]
    return join_meshes(
        [
            *legs,
            build_box((0.05, -0.42, 0.03), (0.45, 0.20, 0.05), 0, _WOOD),
            build_box((-0.012, -0.30, -0.012), (0.012, 0.06, 0.012), 1, _METAL),
            *(build_box((0.0, y, -0.01), (0.045, y + 0.02, 0.01), 1, _METAL) for y in (-0.28, 0.02)),
            build_box((0.045, -0.36, -0.11), (0.06, 0.14, 0.02), 1, _LIGHT),
            build_box((0.06, -0.36, -0.11), (0.36, 0.14, -0.10), 1, _LIGHT),
            build_box((0.36, -0.36, -0.11), (0.37, 0.14, -0.03), 1, _LIGHT),
            *(build_box((0.06, y, -0.10), (0.36, y + 0.01, -0.03), 1, _LIGHT) for y in (-0.36, 0.13)),
            build_box(inside - _ITEM, inside + _ITEM, 1, _RED),
        ]
    )
