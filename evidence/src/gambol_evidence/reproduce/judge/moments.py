"""Times of a recording at which a fault would be seen: feet that stand, parts that move, knees that are bent.

A foot stands while the joint of its toes is slow and no higher than that of the other foot: the plainest rule, which
shares nothing with those that the judge goes by.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body.measure import require_rig
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.vectors import lengths, unit_vectors
from gambol.motion.motion import Motion
from gambol.stages.feet import SIDES

_SLOW = 0.25
"""Speed (m/s) of the toes below which a foot stands."""
_ABOVE = 0.04
"""Height (m) of its toes above those of the other foot up to which a foot stands."""
_LEVEL = 0.02
"""Height (m) of a stance above the lowest of the clip up to which both are on one floor."""
_SPAN = 0.05
"""Seconds over which a speed is measured."""


class Window(NamedTuple):
    """Frames from the first to the last, both included."""

    first: int
    last: int

    @property
    def frames(self) -> slice:
        """The frames as an index of arrays."""
        return slice(self.first, self.last + 1)


def track_joint(motion: Motion, part: str) -> Array:
    """Return the places (frames, 3) of the joint of a part of the body (m)."""
    return motion.placement.positions[:, require_rig(motion).parts[part]]


def measure_speeds(places: Array, frame_time: float) -> Array:
    """Return speeds (frames,) of places (frames, 3) in m/s."""
    reach = max(1, round(0.5 * _SPAN / frame_time))
    frames = np.arange(len(places))
    before, after = np.maximum(frames - reach, 0), np.minimum(frames + reach, len(places) - 1)
    return np.asarray(lengths(places[after] - places[before]) / ((after - before) * frame_time))


def find_standing(motion: Motion) -> dict[str, NDArray[np.bool_]]:
    """Return (frames,) whether each foot stands, by side."""
    toes = {side: track_joint(motion, f"{side}_toes") for side in SIDES}
    lowest = np.minimum(*(toes[side][:, 2] for side in SIDES))
    return {
        side: (measure_speeds(toes[side], motion.frame_time) < _SLOW) & (toes[side][:, 2] < lowest + _ABOVE)
        for side in SIDES
    }


def list_level_stances(motion: Motion, shortest: float) -> list[Window]:
    """Return the stances of either foot that last `shortest` seconds and are on the lowest floor of the clip."""
    stances, heights = [], []
    for side, standing in find_standing(motion).items():
        height = track_joint(motion, f"{side}_toes")[:, 2]
        for run in find_runs(standing):
            window = Window(*map(int, run))
            if (window.last - window.first) * motion.frame_time >= shortest:
                stances.append(window)
                heights.append(float(np.median(height[window.frames])))
    return [one for one, height in zip(stances, heights, strict=True) if height < min(heights) + _LEVEL]


def name_standing_legs(motion: Motion, window: Window) -> frozenset[str]:
    """Return the legs, such as left_leg, whose feet stand in at least half of some frames."""
    standing = find_standing(motion)
    return frozenset(f"{side}_leg" for side in SIDES if standing[side][window.frames].mean() >= 0.5)


def measure_knee_flexion(motion: Motion, side: str) -> Array:
    """Return the angle (frames,) between thigh and shank in degrees: 0 for a straight leg."""
    hip, knee, ankle = (track_joint(motion, f"{side}_{part}") for part in ("thigh", "shank", "foot"))
    cosine = np.sum(unit_vectors(knee - hip) * unit_vectors(ankle - knee), axis=1)
    return np.asarray(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


def measure_swing(motion: Motion, side: str) -> float:
    """Return how far (m) a hand moves before the chest, along the axis on which it moves most."""
    rig = require_rig(motion)
    chest = rig.parts.get("chest", rig.parts["pelvis"])
    placed = motion.placement
    arm = track_joint(motion, f"{side}_hand") - placed.positions[:, chest]
    return float(np.ptp(quat.rotate(quat.conjugate(placed.rotations[:, chest]), arm), axis=0).max())


def draw_window(mask: NDArray[np.bool_], frames: int, random: np.random.Generator) -> Window | None:
    """Return so many frames at random in all of which a mask (frames,) is True; None where there are none."""
    inside = np.convolve(mask, np.ones(frames), mode="valid") > frames - 0.5 if frames <= len(mask) else np.zeros(0)
    starts = np.flatnonzero(inside)
    if len(starts) == 0:
        return None
    first = int(random.choice(starts))
    return Window(first, first + frames - 1)
