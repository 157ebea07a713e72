"""Estimate the true frame rate of a clip from its flights, its strongest fall and its steps.

In flight the centre of mass falls at g, so flights show by what factor time is wrong, slowed or sped up. Without them
only a clip that is too fast is recognised: the ground cannot pull, so that no body falls faster than g, and the cadence
of a walk is limited. A clip recorded at half the frame rate that its file states falls four times too fast and steps
twice too often.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.flight import compute_centre, compute_centre_heights, drop_supported_flights, find_stages
from gambol.stages.gait import find_gait_events
from gambol.stages.gravity import GravityEstimate, estimate_gravity

FASTEST_FALL = -18.0
"""Limit (m/s²): about the geometric mean of g and of 4 g, the fall of a clip recorded at half its stated rate."""
FALL_WINDOW = 0.15
"""Duration (s) over which the centre of mass must fall."""
_CADENCE, _SPEED = 2.4, 1.15
"""Steps per second and speed (m/s) that only race walkers exceed together without leaving the ground."""
_FLIGHT = 0.06
"""Duration (s) of a flight from which the motion is a run."""


@dataclass(frozen=True)
class FrameRateEstimate:
    """What a clip shows about its frame rate."""

    stated: float
    """Frames per second."""
    ratio: float
    """Ratio of the true to the stated frame time; 1 if nothing shows that it is wrong."""
    why: str
    """The evidence in words."""
    gravity: GravityEstimate | None
    """What the flights show; None without any."""

    @property
    def is_wrong(self) -> bool:
        """Whether the stated frame rate cannot be right."""
        return self.ratio != 1.0

    @property
    def by_flights(self) -> bool:
        """Whether flights show that it is wrong, or that the scale of the clip is."""
        return self.gravity is not None and self.gravity.is_off

    @property
    def fps(self) -> float:
        """The probable frame rate (frames per second)."""
        return self.stated / self.ratio


def estimate_frame_rate(motion: Motion, flights: Iterable[tuple[int, int]] | None = None) -> FrameRateEstimate:
    """Estimate the frame rate; `flights` (first and last frame) replaces those that are found."""
    stages = find_stages(find_foot_contacts(motion))
    if flights is None:
        # Also those in which the body seems to be supported: in a clip that is slowed, none falls at g.
        flights = [(stage.first, stage.last) for stage in stages if stage.kind == "flight"]
    gravity = estimate_gravity(compute_centre(motion), flights, motion.frame_time)
    if gravity is not None and (gravity.is_off or gravity.is_sure):
        ratio, why = gravity.time_ratio, f"flights fall at {gravity.value:.1f} m/s² ± {gravity.deviation:.1f}"
    elif (fall := measure_fastest_fall(motion)) < FASTEST_FALL:
        ratio, why = 2.0 if np.sqrt(GRAVITY / -fall) > 0.3 else 4.0, f"falls at {-fall:.0f} m/s²"
    else:
        cadence, step = measure_walking_pace(motion)
        flies = any(
            stage.kind == "flight" and len(stage) * motion.frame_time > _FLIGHT
            for stage in drop_supported_flights(motion, stages)
        )
        hasty = cadence > _CADENCE and cadence * step > _SPEED and not flies
        ratio = 2.0 if hasty else 1.0
        why = "steps too often for a walk" if hasty else "no flight to measure, and no step too fast"
    return FrameRateEstimate(1.0 / motion.frame_time, ratio, why, gravity)


def measure_fastest_fall(motion: Motion) -> float:
    """Return the strongest downward acceleration (m/s², negative) of the centre of mass over FALL_WINDOW."""
    heights = compute_centre_heights(motion)
    half = max(2, round(0.5 * FALL_WINDOW / motion.frame_time))
    if len(heights) < 2 * half + 1:
        return float("nan")
    times = np.arange(-half, half + 1) * motion.frame_time
    fit = np.linalg.pinv(np.stack((np.ones_like(times), times, 0.5 * times**2), axis=1))
    return float(np.convolve(heights, fit[2][::-1], "valid").min())


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
