"""Find what carries a person: the point of a foot that touches the floor, its velocity, and which feet are down.

Soles are found in the motion as it is written, however fast they slide. The points of a rig's foot are joints, a few
centimetres above the sole. A foot that rolls over its heel or its toes turns about the floor below them; so the
velocity of the sole is that of a joint and what the rotation of the foot adds to it below.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_closing, minimum_filter1d

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths
from gambol.judge.curves import average, count_odd_frames
from gambol.judge.seen import SeenPerson
from gambol.stages.feet import SIDES

_BETWEEN = 3
"""Parts into which the foot is divided between heel and ball, and between ball and toe: it turns on any of them."""
_THIN, _THICK = 0.03, 0.06
"""Least and largest height (m) of joints of a foot above the floor about which they roll. At 0.03 to 0.06 feet of 72
recordings creep least as they roll over."""
_LOW, _AROUND = 0.04, 0.3
"""Height (m) of a point of a foot above the foot's lowest place within _AROUND (s) up to which it may carry."""
_LOWEST = 0.005
"""Height (m) above the lowest point of the foot at that time up to which a point is the one that touches the floor."""
_FAST, _FAST_SHARE = 1.0, 0.6
"""Speed (m/s), or share of the speed of the body where that is more, from which a foot swings."""
_DART = 0.12
"""Longest time (s) that a foot is that fast, while nothing else carries, within a stance: it slides."""
_EDGE = 0.04
"""Seconds after a landing, and before a foot leaves, in which it still rolls or brakes."""
_SMOOTH = 0.05
"""Seconds over which velocities of feet are averaged."""
_FALLING, _FALL_SMOOTH = -4.0, 0.08
"""Vertical acceleration (m/s²) of the pelvis below which the body may be in flight, and seconds of its averages."""
_PARTS = ("left_hand", "right_hand", "left_forearm", "right_forearm", "left_shank", "right_shank", "pelvis", "head")
_NEAR, _REST = 0.15, 0.5
"""Height (m) above the lowest part of the body, and speed (m/s), up to which one of _PARTS may carry."""


class SeenSupport(NamedTuple):
    """What carries a person; feet are in the order of SIDES."""

    speeds: Array
    """(frames, feet) of the slowest low point of a foot (m/s); infinity where none is low."""
    velocities: Array
    """(frames, feet, 2) of the point that touches the floor, along the floor (m/s)."""
    drifts: Array
    """(frames, feet) horizontal speed (m/s) of the slowest point of a foot, however high it is."""
    heights: Array
    """(frames, feet) metres, of the lowest point of the foot."""
    travel: Array
    """(frames,) horizontal speed of the pelvis (m/s)."""
    falling: NDArray[np.bool_]
    """(frames,) whether the pelvis falls as in flight."""
    resting: NDArray[np.bool_]
    """(frames,) whether another part of the body lies on the ground."""
    down: NDArray[np.bool_]
    """(frames, feet) whether a foot is in a stance, edges of which are left out."""

    @property
    def fast(self) -> Array:
        """(frames,) speed (m/s) from which a foot swings."""
        return np.maximum(_FAST, _FAST_SHARE * self.travel)

    @property
    def swinging(self) -> NDArray[np.bool_]:
        """(frames,) whether both feet are too fast or too high to carry."""
        return np.asarray(self.speeds.min(axis=1) >= self.fast)

    @property
    def velocity(self) -> Array:
        """(frames, 2) of the foot that is slower: of the two it carries."""
        return self.velocities[np.arange(len(self.speeds)), self.carrier]

    @property
    def carrier(self) -> NDArray[np.intp]:
        """(frames,) the foot that is slower."""
        return self.speeds.argmin(axis=1)


@lru_cache(maxsize=2)
def find_support(seen: SeenPerson) -> SeenSupport:
    """Return what carries a person in every frame; kept for a person and a source, as several looks ask for it."""
    step = seen.frame_time
    feet = [_follow_foot(seen, side) for side in SIDES]
    speeds, velocities, drifts, heights = (np.stack(values, axis=1) for values in zip(*feet, strict=True))
    pelvis = np.gradient(average(seen.places["pelvis"], step, _FALL_SMOOTH), step, axis=0)
    travel = lengths(average(pelvis[:, :2], step, 4.0 * _FALL_SMOOTH))
    falling = average(np.gradient(pelvis[:, 2], step), step, _FALL_SMOOTH) < _FALLING
    resting = _rests_on_other_parts(seen)
    raw = SeenSupport(speeds, velocities, drifts, heights, travel, falling, resting, np.zeros(speeds.shape, dtype=bool))
    return raw._replace(down=_find_down(raw, step))


def _follow_foot(seen: SeenPerson, side: str) -> tuple[Array, Array, Array, Array]:
    """Return speed, velocity (frames, 2), drift and height of a foot, as in `SeenSupport`."""
    step, points = seen.frame_time, _divide(seen.soles[side])
    heights = points[..., 2]
    velocity = average(np.gradient(points, step, axis=0), step, _SMOOTH)
    # A point at a height h below a joint moves by -h * cross(turning, UP) more.
    turning = average(_measure_turning(seen.rotations[f"{side}_foot"], step), step, _SMOOTH)
    below = np.stack((-turning[:, 1], turning[:, 0]), axis=1)[:, None]
    best = -np.sum(velocity[..., :2] * below, axis=2) / np.maximum(np.sum(below * below, axis=2), 1e-9)
    velocity[..., :2] += np.clip(best, _THIN, _THICK)[..., None] * below
    speeds = lengths(velocity)
    own = heights.min(axis=1)
    level = minimum_filter1d(own, count_odd_frames(2.0 * _AROUND, step), mode="nearest")
    touching = np.where(heights < own[:, None] + _LOWEST, speeds, np.inf).argmin(axis=1)
    low = np.where(heights < level[:, None] + _LOW, speeds, np.inf)
    drift = lengths(velocity[..., :2]).min(axis=1)
    return low.min(axis=1), velocity[np.arange(len(points)), touching, :2], drift, own


def _divide(points: Array) -> Array:
    """Return points (frames, points, 3) with more between them."""
    at = np.linspace(0.0, points.shape[1] - 1.0, _BETWEEN * (points.shape[1] - 1) + 1)
    before = np.minimum(at.astype(int), points.shape[1] - 2)
    share = (at - before)[:, None]
    return points[:, before] * (1.0 - share) + points[:, before + 1] * share


def _measure_turning(rotations: Array, step: float) -> Array:
    """Return angular velocities (frames, 3) in rad/s, in the world."""
    turns = quat.log(quat.multiply(rotations[1:], quat.conjugate(rotations[:-1]))) / step
    return 0.5 * (np.concatenate((turns[:1], turns)) + np.concatenate((turns, turns[-1:])))


def _find_down(support: SeenSupport, step: float) -> NDArray[np.bool_]:
    """Return (frames, feet) whether a foot is in a stance."""
    slow = support.speeds < support.fast[:, None]
    carried = ~support.falling & ~support.resting
    reach = count_odd_frames(_DART, step) // 2
    out = np.zeros_like(slow)
    for foot in range(len(SIDES)):
        down = slow[:, foot] & carried
        padded = np.pad(down, reach, mode="edge")
        closed = binary_closing(padded, np.ones(2 * reach + 1))[reach : reach + len(down)]
        down |= closed & carried & support.swinging & np.isfinite(support.speeds[:, foot])
        out[:, foot] = minimum_filter1d(down.astype(np.uint8), 2 * round(_EDGE / step) + 1, mode="nearest") > 0
    return out


def _rests_on_other_parts(seen: SeenPerson) -> NDArray[np.bool_]:
    """Return (frames,) whether a part of the body other than a foot is at rest near the lowest of all parts."""
    parts = np.stack([seen.places[part] for part in _PARTS if part in seen.places], axis=1)
    soles = np.concatenate([seen.soles[side][..., 2] for side in SIDES], axis=1)
    lowest = np.minimum(parts[..., 2].min(axis=1), soles.min(axis=1))
    speeds = lengths(average(np.gradient(parts, seen.frame_time, axis=0), seen.frame_time, _FALL_SMOOTH))
    return ((parts[..., 2] < lowest[:, None] + _NEAR) & (speeds < _REST)).any(axis=1)
