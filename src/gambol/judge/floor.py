"""Find feet that stand above or below the floor, and the height of the floor that feet show.

Stances that follow each other show the floor, which may be tilted, or a stair. A stance stands on it if its height is
between those of the two stances before and the two after it, or if it has a step of its own. Only what carries alone
is compared: a foot beside one that stands may hover.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.arrays import Array, find_runs
from gambol.judge.finding import Finding, FindingKind
from gambol.judge.seen import SeenPerson
from gambol.judge.support import SeenSupport, find_support
from gambol.stages.feet import SIDES

_RECORDED = "72 recordings: beyond 97 of 100 stances"
FOOT_FLOAT = FindingKind("foot_float", "carries the body above the floor by", "cm", 3.0, _RECORDED)
FOOT_SINKS = FindingKind("foot_sinks", "carries the body below the floor by", "cm", 3.0, _RECORDED)
_SOLES = "soles of 72 recordings are known to 3 cm"
OVER_FLOOR = FindingKind("over_floor", "is above the floor by", "cm", 4.0, _SOLES)
UNDER_FLOOR = FindingKind("under_floor", "is below the floor by", "cm", 4.0, _SOLES)

_MOVED = 2.0
"""Distance (cm) from the floor of the source and from z = 0 from which a person of one build is off the floor."""
_SAME_BUILD = 0.01
"""Largest difference of statures, as a share, of one build."""
_ALONE = 0.5
"""Speed (m/s) of the other foot from which a foot carries alone."""
_SLOWER = 0.25
"""Largest share of that speed that the foot which carries has."""
_EDGE = 0.05
"""Seconds at both ends of such a time in which a foot lands or leaves."""
_BRIEF = 0.1
"""Least time (s) of that in a stance that is looked at."""
_BOTH = 0.3
"""Least time (s) for which both feet stand to be looked at together."""
_STILL = 0.25
"""Horizontal speed (m/s) up to which feet stand that stand both."""
_BESIDE = 2
"""Stances before, and as many after, that show the floor."""
_UNEVEN, _SLOPE = 1.5, 1.5
"""Largest difference (cm) of the levels of left and right feet, and of successive stances, that a level floor shows."""
_HILL, _FEWEST = 4.0, 4
"""Difference of height (cm) of successive stances from which, where all of them differ alike, somebody walks on a
slope; and number of stances that show it."""
_STEP = 12.0
"""Difference of height (cm) from which a stance is on a step, not above or below the floor."""
_MOSTLY = 0.25
"""Share of a stance in which a foot may be lower (or higher) than its level."""
_LIKELY = 1.4
"""How many times as large a move in the other direction must be to count, where a foot ends as high as it began."""
_SOLE = 0.0165
"""Height of the joints of a standing foot above the floor, as a share of the stature: 2.9 cm at 1.75 m."""


class _Stance(NamedTuple):
    """Where a foot carries alone, or both do: the frames, and heights (feet, frames) in cm."""

    part: str
    frames: NDArray[np.intp]
    heights: Array


def find_floor_faults(seen: SeenPerson) -> list[Finding]:
    """Return where feet that carry the body are above or below the floor of their stance or of those beside it."""
    support, step = find_support(seen), seen.frame_time
    stances = sorted(_find_stances(support, step), key=lambda stance: int(stance.frames[0]))
    strays = _find_strays(stances)
    found = []
    for number, stance in enumerate([*stances, *_find_both(support, step)]):
        both = (_measure_move(stance), (strays.get(number, 0.0), stance.frames))
        excess, frames = max(both, key=lambda one: abs(one[0]))
        kind = FOOT_FLOAT if excess > 0.0 else FOOT_SINKS
        if abs(excess) > kind.least:
            found.append(Finding(kind, stance.part, float(frames[0]) * step, float(frames[-1]) * step, abs(excess)))
    return found


def find_off_floor(seen: SeenPerson) -> list[Finding]:
    """Return by how much a person is above or below the floor of a scene, which is at z = 0."""
    return [_make_finding(seen, 100.0 * measure_floor(seen))]


def compare_floors(seen: SeenPerson, source: SeenPerson) -> list[Finding]:
    """Return by how much a person is above or below the floor of the source, unless the new floor is at z = 0."""
    if abs(seen.stature - source.stature) > _SAME_BUILD * source.stature:
        return []
    height, moved = 100.0 * measure_floor(seen), 100.0 * (measure_floor(seen) - measure_floor(source))
    off = _make_finding(seen, min(height, moved, key=abs))
    return [replace(off, kind=replace(off.kind, limit=_MOVED))]


def _make_finding(seen: SeenPerson, height: float) -> Finding:
    kind = OVER_FLOOR if height > 0.0 else UNDER_FLOOR
    return Finding(kind, "body", 0.0, (len(seen) - 1) * seen.frame_time, abs(height))


def measure_floor(seen: SeenPerson) -> float:
    """Return the height (m) of the floor that the feet show most of the time; of the lowest sole, if none stands."""
    support = find_support(seen)
    standing = support.down & (support.carrier[:, None] == np.arange(len(SIDES)))
    level = np.median(support.heights[standing]) if standing.any() else support.heights.min()
    return float(level) - _SOLE * seen.stature


def _find_stances(support: SeenSupport, step: float) -> Iterator[_Stance]:
    """Yield stances with the frames in which a foot carries alone."""
    edge = round(_EDGE / step)
    carried = ~support.falling & ~support.resting
    for foot, side in enumerate(SIDES):
        own, other = support.drifts[:, foot], support.drifts[:, 1 - foot]
        alone = carried & (own < _SLOWER * other) & (other > _ALONE)
        for first, last in find_runs(alone):
            frames = np.arange(first + edge, last - edge + 1)
            if len(frames) * step >= _BRIEF:
                yield _Stance(f"{side}_foot", frames, 100.0 * support.heights[frames, foot][None])


def _find_both(support: SeenSupport, step: float) -> Iterator[_Stance]:
    """Yield where both feet stand, longer than in a step."""
    for first, last in find_runs(np.asarray((support.drifts < _STILL).all(axis=1) & ~support.falling)):
        if (last - first + 1) * step >= _BOTH:
            heights = 100.0 * support.heights[first : last + 1].T
            yield _Stance(" and ".join(f"{side}_foot" for side in SIDES), np.arange(first, last + 1), heights)


def _find_strays(stances: Sequence[_Stance]) -> dict[int, float]:
    """Return by how much (cm) stances are above the floor beside them, or below it (negative), by their numbers.

    They are found one after the other, the farthest first: it is no floor for the others.
    """
    levels = _level_hill(np.array([float(np.median(stance.heights)) for stance in stances]))
    left = np.array([stance.part.startswith(SIDES[0]) for stance in stances], dtype=bool)
    strays: dict[int, float] = {}
    while len(strays) < len(stances):
        rest = [number for number in range(len(stances)) if number not in strays]
        apart = {number: _measure_apart(levels, left, np.array(rest), number) for number in rest}
        worst = max(rest, key=lambda number: abs(apart[number]))
        if abs(apart[worst]) <= FOOT_FLOAT.least:
            break
        strays[worst] = apart[worst]
    return strays


def _level_hill(levels: Array) -> Array:
    """Return the levels (stances,) less those of an even slope, where somebody walks up or down one."""
    if len(levels) < _FEWEST:
        return levels
    at = np.arange(len(levels))
    rise, height = np.polyfit(at, levels, 1)
    even = abs(rise) > _HILL and np.abs(levels - height - rise * at).max() < _UNEVEN
    return levels - rise * at if even else levels


def _measure_apart(levels: Array, left: NDArray[np.bool_], floor: NDArray[np.intp], number: int) -> float:
    """Return how far (cm) the level of a stance is outside those of the stances beside it; 0 on stairs.

    `floor` are the numbers of stances that may show a floor. Its slope, and what left and right feet differ by, are
    those of all of them.
    """
    others = floor[floor != number]
    sides = [others[left[others]], others[~left[others]]]
    slopes = np.concatenate([np.diff(levels[one]) / np.diff(one) for one in sides])
    slope = float(np.clip(np.median(slopes), -_SLOPE, _SLOPE)) if len(slopes) else 0.0
    flat = levels - slope * np.arange(len(levels))
    if min(map(len, sides)) > 0:
        uneven = np.median(flat[sides[0]]) - np.median(flat[sides[1]])
        flat = flat - np.clip(uneven, -_UNEVEN, _UNEVEN) * left
    beside = np.concatenate((others[others < number][-_BESIDE:], others[others > number][:_BESIDE]))
    if len(beside) < 2 or np.ptp(levels[beside]) > _STEP:
        return 0.0
    apart = float(flat[number] - np.clip(flat[number], flat[beside].min(), flat[beside].max()))
    return apart if abs(apart) < _STEP else 0.0


def _measure_move(stance: _Stance) -> tuple[float, NDArray[np.intp]]:
    """Return how far (cm) a foot rises (or sinks: negative) from where it is most of its stance, and in which frames.

    Where both feet stand, it is what both do. Up and back down, or the reverse, is told by where it begins and ends.
    """
    rise = (stance.heights - np.quantile(stance.heights, _MOSTLY, axis=1, keepdims=True)).min(axis=0)
    fall = (np.quantile(stance.heights, 1.0 - _MOSTLY, axis=1, keepdims=True) - stance.heights).min(axis=0)
    ends = stance.heights[:, [0, -1]].mean()
    likely = np.where(stance.heights.mean() > ends, (_LIKELY, 1.0), (1.0, _LIKELY))
    sign, move = ((1.0, rise), (-1.0, fall))[int(np.argmax(likely * (rise.max(), fall.max())))]
    return sign * float(move.max()), stance.frames[move >= 0.5 * move.max()]
