"""Measure how fast feet slide during contact."""

from __future__ import annotations

import numpy as np

from gambol.features.strides import FOOT_POINTS
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.stages.feet import find_foot_points, track_point

SURE_CONTACT = 0.6
"""Contact weight from which a point is measured; contact begins at 0.5."""


def measure_slip_speeds(motion: Motion, contacts: Array) -> Array:
    """Return horizontal speeds (steps,) of heels and balls during contact (m/s).

    Contacts (frames, 4) are those of the blend that was played; a step counts where both its frames are above
    SURE_CONTACT.
    """
    points = {point.name: track_point(motion, point) for point in find_foot_points(motion)}
    speeds = []
    for column, name in enumerate(FOOT_POINTS):
        moved = np.linalg.norm(np.diff(points[name][:, :2], axis=0), axis=1) / motion.frame_time
        speeds.append(moved[(contacts[1:, column] > SURE_CONTACT) & (contacts[:-1, column] > SURE_CONTACT)])
    return np.concatenate(speeds)


def percentile_99(speeds: Array) -> float:
    """Return the 99th percentile."""
    return float(np.quantile(speeds, 0.99))
