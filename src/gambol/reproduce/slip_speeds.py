"""How fast feet slide while they are held, seen on the motion that came out."""

from __future__ import annotations

import numpy as np

from gambol.features.strides import FOOT_POINTS
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.stages.feet import find_foot_points, track_point

SURE_CONTACT = 0.6
"""Share of contact from which a point is measured: at 1/2 a contact begins, and a tenth is 3 % of a turn."""


def measure_slip_speeds(motion: Motion, contacts: Array) -> Array:
    """Metres a second (steps,) at which heels and balls move over the floor while they are surely in contact.

    They are points of the rig's feet, in two frames running in which the contacts (frames, 4) of the blend that was
    played are above SURE.
    """
    points = {point.name: track_point(motion, point) for point in find_foot_points(motion)}
    speeds = []
    for column, name in enumerate(FOOT_POINTS):
        moved = np.linalg.norm(np.diff(points[name][:, :2], axis=0), axis=1) / motion.frame_time
        speeds.append(moved[(contacts[1:, column] > SURE_CONTACT) & (contacts[:-1, column] > SURE_CONTACT)])
    return np.concatenate(speeds)


def percentile_99(speeds: Array) -> float:
    """What 99 of 100 are below."""
    return float(np.quantile(speeds, 0.99))
