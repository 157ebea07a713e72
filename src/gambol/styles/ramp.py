"""The slope that somebody walks on, as something to draw."""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array
from gambol.geometry.vectors import rotate_plane
from gambol.motion.motion import Motion
from gambol.stages.feet import find_foot_points, track_point

_BEYOND, _BESIDE = 0.5, 0.6
"""Metres of slope before and after the feet, and beside them."""
_LOW = 0.1
"""Share of the frames in which the lowest point of the feet is on the ground, at least."""


def make_ramp(motion: Motion, degrees: float) -> Array:
    """Return the ramp (7,) of an `Ensemble` under a motion that walks up a slope along its way (downhill: negative)."""
    feet = np.stack([track_point(motion, point) for point in find_foot_points(motion)], axis=1)
    travel = motion.placement.positions[[0, -1], motion.mover]
    heading = float(np.arctan2(*(travel[1] - travel[0])[[1, 0]]))
    turn, rise = rotate_plane(heading), np.tan(np.radians(degrees))
    along, across = np.moveaxis(feet[..., :2] @ turn, -1, 0)
    height = float(np.quantile((feet[..., 2] - rise * along).min(axis=1), _LOW))
    ends = np.array([along.min() - _BEYOND, along.max() + _BEYOND])
    middle = 0.5 * (across.min() + across.max())
    places = np.stack((ends, np.full(2, middle)), axis=1) @ turn.T
    corners = np.column_stack((places, height + rise * ends)).ravel()
    return np.append(corners, np.ptp(across) + 2.0 * _BESIDE)
