"""Detect a wrong frame rate from falls and steps that are too fast.

The ground cannot pull, so no body falls faster than g, and the cadence of a walk is limited. A clip recorded at half
the frame rate that its file states falls four times too fast and steps twice too often.
"""

from __future__ import annotations

import numpy as np

from gambol.body.character import GRAVITY
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.flight import compute_centre_heights, drop_supported_flights, find_stages
from gambol.stages.gait import find_gait_events

FASTEST_FALL = -18.0
"""Limit (m/s²): about the geometric mean of g and of 4 g, the fall of a clip recorded at half its stated rate."""
FALL_WINDOW = 0.15
"""Duration (s) over which the centre of mass must fall."""
_CADENCE, _SPEED = 2.4, 1.15
"""Steps per second and speed (m/s) that only race walkers exceed together without leaving the ground."""
_FLIGHT = 0.06
"""Duration (s) of a flight from which the motion is a run."""


def measure_fastest_fall(motion: Motion) -> float:
    """Return the strongest downward acceleration (m/s², negative) of the centre of mass over FALL_WINDOW."""
    heights = compute_centre_heights(motion)
    half = max(2, round(0.5 * FALL_WINDOW / motion.frame_time))
    if len(heights) < 2 * half + 1:
        return float("nan")
    times = np.arange(-half, half + 1) * motion.frame_time
    fit = np.linalg.pinv(np.stack((np.ones_like(times), times, 0.5 * times**2), axis=1))
    return float(np.convolve(heights, fit[2][::-1], "valid").min())


def estimate_frame_rate(motion: Motion) -> float | None:
    """Return the probable frame rate (frames per second) if the stated one cannot be right, else None."""
    stated = 1.0 / motion.frame_time
    fall = measure_fastest_fall(motion)
    if fall < FASTEST_FALL:
        return stated / 2.0 if np.sqrt(GRAVITY / -fall) > 0.3 else stated / 4.0
    cadence, step = measure_walking_pace(motion)
    hasty = cadence > _CADENCE and cadence * step > _SPEED
    return stated / 2.0 if hasty and not _flies(motion) else None


def _flies(motion: Motion) -> bool:
    stages = drop_supported_flights(motion, find_stages(find_foot_contacts(motion)))
    return any(stage.kind == "flight" and len(stage) * motion.frame_time > _FLIGHT for stage in stages)


def measure_walking_pace(motion: Motion) -> tuple[float, float]:
    """Return steps per second and metres per step along the path; NaN with too few steps."""
    try:
        events = find_gait_events(motion)
    except InputError:
        return float("nan"), float("nan")
    strikes = np.sort(np.concatenate([events.strikes[side] for side in ("left", "right")]))
    if len(strikes) < 4:
        return float("nan"), float("nan")
    frames = np.clip(np.round(strikes[[0, -1]] / motion.frame_time).astype(int), 0, len(motion) - 1)
    length = _path_length(motion.placement.positions[frames[0] : frames[1] + 1, motion.mover, :2], motion.frame_time)
    return (len(strikes) - 1) / float(strikes[-1] - strikes[0]), length / (len(strikes) - 1)


def _path_length(path: Array, frame_time: float) -> float:
    """Return the length (m) of a path without the sway of every step."""
    every = max(1, round(0.25 / frame_time))
    return float(np.linalg.norm(np.diff(path[::every], axis=0), axis=1).sum())
