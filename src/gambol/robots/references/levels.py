"""Heights on which a robot's feet rest, from those of a person's flat stances: floors, stairs, stones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gambol.geometry.arrays import Array, find_runs
from gambol.robots.references.sole_path import SolePath

_STEP = 0.04
"""Metres (of a person) between the heights of stances from which they are on different levels."""
_ON = 0.06
"""Metres from a level within which a swing leads to it."""


def measure_height(path: SolePath, first: int, last: int) -> float:
    """Return the median height (m) of a sole in some frames."""
    return float(np.median(path.places[first : last + 1, 2]))


def find_levels(paths: Mapping[str, SolePath], heights: Sequence[float], scale: float) -> Array:
    """Return the heights (m) of the levels on which feet rest, from those of flat stances."""
    if not heights:
        return np.array([min(float(path.places[:, 2].min()) for path in paths.values())])
    ordered = np.sort(heights)
    apart = np.flatnonzero(np.diff(ordered) > _STEP * scale) + 1
    return np.array([np.median(group) for group in np.split(ordered, apart)])


def find_floor(paths: Mapping[str, SolePath]) -> float:
    """Return the height (m) of the lowest ground on which a sole rests; of the lowest at all if none does."""
    resting = [path.ground[path.touching] for path in paths.values() if path.touching.any()]
    return min(float(ground.min()) for ground in resting or [path.ground for path in paths.values()])


def lay_ground(path: SolePath, heights: Sequence[float], levels: Array, lowest: Array) -> Array:
    """Return the height (frames,) of the ground: that of the stance in which the foot rests, else of the lower one.

    `heights` (stances,) are those of flat stances, `lowest` (frames,) of the lowest corner. A foot that rests without
    being flat does so on the nearest level. A swing that the clip cuts off may lead to a lower level, and to one that
    no stance shows.
    """
    frames = np.arange(len(path.places))
    ground = np.full(len(frames), levels[0])
    first, last = np.array(path.flat, dtype=int).reshape(-1, 2).T
    known, middles = np.array(heights), 0.5 * (first + last)
    if len(known):
        before, after = np.searchsorted(first, frames, "right") - 1, np.searchsorted(last, frames)
        ground = np.minimum(*(known[np.clip(each, 0, len(known) - 1)] for each in (before, after)))
        for span in (frames[: first[0]], frames[last[-1] + 1 :]):
            deepest = float(path.places[span, 2].min(initial=np.inf))
            level = _find_nearest(levels, deepest)
            ground[span] = np.minimum(ground[span], level if abs(level - deepest) < _ON else deepest)
    for begin, end in find_runs(path.touching):
        span, own = frames[begin : end + 1], np.flatnonzero((first >= begin) & (last <= end))
        if len(own):
            ground[span] = known[own][np.abs(span[:, None] - middles[own]).argmin(axis=1)]
        else:
            ground[span] = _find_nearest(levels, float(np.median(lowest[span])))
    return ground


def _find_nearest(levels: Array, height: float) -> float:
    return float(levels[np.abs(levels - height).argmin()])
