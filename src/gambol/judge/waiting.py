"""Find people who stay where they are and move as nobody does: feet that shuffle, and turns without a step."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, minimum_filter1d, uniform_filter1d

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.vectors import lengths
from gambol.judge.curves import average, count_odd_frames, find_beyond
from gambol.judge.finding import Finding, FindingKind
from gambol.judge.seen import SeenPerson
from gambol.judge.support import SeenSupport, find_support
from gambol.stages.feet import SIDES

SHUFFLES = FindingKind(
    "shuffles", "slides within a second, while the body stays, by", "cm", 8.0, "72 recordings: at most 6.8"
)
TURNS_ON_SPOT = FindingKind(
    "turns_on_spot", "turns within a second, while the body stays and no foot steps, by", "degrees", 45.0,
    "72 recordings: at most 39",
)  # fmt: skip

_WINDOW = 1.0
"""Seconds over which both are measured."""
_LEVEL = 0.5
"""Seconds before and after each frame in which the lowest place of a foot shows the floor."""
_LOW = 0.03
"""Height (m) of a foot above that up to which it is on the floor."""
_SLOW, _FAST = 0.1, 0.5
"""Speeds (m/s) of a foot that shuffles: others creep, or step."""
_STEPS = 0.4
"""Speed (m/s) from which a foot steps."""
_STAYS = 0.15
"""Metres that the pelvis of a body that stays moves at most within the window."""
_TRAVELS, _SMOOTH = 0.4, 0.3
"""Speed (m/s) of the pelvis, averaged over a time (s), from which a body does not turn on the spot."""


def find_waiting_faults(seen: SeenPerson) -> list[Finding]:
    """Return feet that shuffle, and turns without a step, of a body that stays where it is."""
    support, step = find_support(seen), seen.frame_time
    level = minimum_filter1d(support.heights, count_odd_frames(2.0 * _LEVEL, step), axis=0, mode="nearest")
    low = (support.heights < level + _LOW) & ~(support.falling | support.resting)[:, None]
    return [*_find_shuffles(seen, support, low), *_find_turns(seen, support, low)]


def _find_shuffles(seen: SeenPerson, support: SeenSupport, low: NDArray[np.bool_]) -> Iterator[Finding]:
    step, size = seen.frame_time, count_odd_frames(_WINDOW, seen.frame_time)
    place = seen.places["pelvis"][:, :2]
    stays = lengths(_measure_range(place, size)) < _STAYS
    slides = low & (support.drifts > _SLOW) & (support.drifts < _FAST)
    ways = 100.0 * size * step * uniform_filter1d(np.where(slides, support.drifts, 0.0), size, axis=0, mode="constant")
    for foot, side in enumerate(SIDES):
        yield from find_beyond(SHUFFLES, f"{side}_foot", np.where(stays, ways[:, foot], 0.0), SHUFFLES.limit, step)


def _find_turns(seen: SeenPerson, support: SeenSupport, low: NDArray[np.bool_]) -> Iterator[Finding]:
    step, turned = seen.frame_time, seen.rotations["pelvis"]
    turns = quat.log(quat.multiply(turned[1:], quat.conjugate(turned[:-1])))[:, 2]
    yaw = np.degrees(np.concatenate(([0.0], np.cumsum(turns))))
    travel = lengths(average(np.gradient(seen.places["pelvis"][:, :2], step, axis=0), step, _SMOOTH))
    angles = np.zeros(len(seen))
    for first, last in find_runs((low & (support.drifts < _STEPS)).all(axis=1) & (travel < _TRAVELS)):
        during = slice(first, last + 1)
        angles[during] = _measure_range(yaw[during], count_odd_frames(_WINDOW, step))
    yield from find_beyond(TURNS_ON_SPOT, "pelvis", angles, TURNS_ON_SPOT.limit, step)


def _measure_range(values: Array, size: int) -> Array:
    """Return by how much values (frames, ...) differ within so many frames around each."""
    most, least = (look(values, size, axis=0, mode="nearest") for look in (maximum_filter1d, minimum_filter1d))
    return np.asarray(most - least)
