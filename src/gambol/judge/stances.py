"""List stances; find feet that slide while they carry the body, and bodies that nothing carries.

A slide is the largest distance between two places of the carrying sole within a second of a stance, however fast or
slowly it slides. Rolling from heel to toe and turning on the ball move the point that carries, not the sole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.arrays import Array, find_runs, summarise_fields
from gambol.geometry.vectors import lengths
from gambol.judge.finding import Finding, FindingKind
from gambol.judge.seen import SeenPerson
from gambol.judge.support import SeenSupport, find_support
from gambol.stages.feet import SIDES

_RECORDED = "72 recordings: beyond 98 of 100 stances of walks, runs and turns"
FOOT_SLIDE = FindingKind("foot_slide", "slides by", "cm", 3.0, _RECORDED)
"""Relative to the floor, as far as the other foot does not stand: one that shuffles beside it is no slide."""
BOTH_FEET_SLIDE = FindingKind("both_feet_slide", "slide at once by", "cm", 3.0, _RECORDED)
UNSUPPORTED = FindingKind("unsupported", "has nothing that carries it for", "s", 0.3, "longest in 70 of 72 recordings")

BRIEF = 0.1
"""Least time (s) of a stance that is listed."""
_WINDOW = 1.0
"""Longest time (s) of one slide: over longer, feet of people who stand creep."""
_LAGS = 40
"""Number of times between places that are compared."""
_TOGETHER = 0.12
"""Difference of velocities (m/s) up to which a foot moves with the one that carries."""
_ENDS = 0.1
"""Share of a slide before its begin, and after its end, that is left out of its time."""


@dataclass(frozen=True)
class SeenStance:
    """A time in which a viewer sees a foot stand."""

    __repr__ = summarise_fields

    side: str
    start: float
    end: float
    """Seconds of the motion; edges, in which the foot lands or leaves, are left out."""
    slide: float
    """Centimetres that the sole moves, at most, within a second in which the foot carries."""
    speed: float
    """Largest speed (m/s) at which it does."""
    person: str = ""
    """Who it is of, in a scene of several."""

    def facts(self) -> dict[str, Any]:
        """Return what is known about it as plain JSON types."""
        return {
            **({"person": self.person} if self.person else {}),
            "side": self.side,
            "start": round(self.start, 4),
            "end": round(self.end, 4),
            "slide_cm": self.slide,
            "speed_m_s": self.speed,
        }


class _Slide(NamedTuple):
    """A slide of a foot: frames from the first to the last, metres, and the largest speed (m/s)."""

    foot: int
    first: int
    last: int
    way: float
    speed: float


def list_stances(seen: SeenPerson) -> tuple[SeenStance, ...]:
    """Return the stances that a viewer sees, in the order in which they begin."""
    support, step = find_support(seen), seen.frame_time
    carries = _find_carrying(support)
    stances = []
    for foot, side in enumerate(SIDES):
        for first, last in find_runs(support.down[:, foot]):
            own = carries[first : last + 1, foot]
            if (last - first + 1) * step >= BRIEF and own.any():
                velocity = support.velocity[first : last + 1]
                way, speed = _measure_farthest(velocity, own, step), float(lengths(velocity[own]).max())
                stances.append(SeenStance(side, first * step, last * step, 100.0 * way, speed))
    return tuple(sorted(stances, key=lambda stance: stance.start))


def find_slides(seen: SeenPerson) -> list[Finding]:
    """Return where a foot slides that carries the body, where both do, and where nothing carries it."""
    support, step = find_support(seen), seen.frame_time
    carries = _find_carrying(support)
    slides = [one for foot in range(len(SIDES)) for one in _find_slides_of(foot, support, carries, step)]
    both = np.asarray(carries.all(axis=1))
    shared = [one for one in slides if both[one.first : one.last + 1].mean() > 0.5]
    found = [_make_finding(FOOT_SLIDE, f"{SIDES[one.foot]}_foot", one, step) for one in slides if one not in shared]
    part = " and ".join(f"{side}_foot" for side in SIDES)
    for one in sorted(shared, key=lambda slide: -slide.way):
        new = _make_finding(BOTH_FEET_SLIDE, part, one, step)
        if not any(new.is_near(old, 0.0) for old in found if old.kind is BOTH_FEET_SLIDE):
            found.append(new)
    alone = support.swinging & ~support.falling & ~support.resting
    for first, last in find_runs(alone):
        seconds = (last - first + 1) * step
        if seconds > UNSUPPORTED.least:
            found.append(Finding(UNSUPPORTED, "body", first * step, last * step, seconds))
    return found


def _make_finding(kind: FindingKind, part: str, slide: _Slide, step: float) -> Finding:
    return Finding(kind, part, slide.first * step, slide.last * step, 100.0 * slide.way, speed=slide.speed)


def _find_carrying(support: SeenSupport) -> NDArray[np.bool_]:
    """Return (frames, feet) whether a foot carries the body: the slower one, and one that moves with it."""
    together = lengths(support.velocities - support.velocity[:, None]) < _TOGETHER
    return np.asarray(support.down & (together | (support.carrier[:, None] == np.arange(len(SIDES)))))


def _measure_farthest(velocity: Array, carries: NDArray[np.bool_], step: float) -> float:
    """Return the largest distance (m) within `_WINDOW` between places of a foot that carries half of the time."""
    path, carried = _sum_up(velocity * step), _sum_up(carries[:, None].astype(float))[:, 0]
    return max(
        float(np.where(carried[lag:] - carried[:-lag] > 0.5 * lag, lengths(path[lag:] - path[:-lag]), 0.0).max())
        for lag in _choose_lags(len(path), step)
    )


def _sum_up(values: Array) -> Array:
    """Return the sums (frames + 1, ...) of the values before each frame."""
    return np.concatenate((np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)))


def _choose_lags(count: int, step: float) -> NDArray[np.intp]:
    """Return differences of frames, of so many, at which places are compared."""
    most = min(count - 1, round(_WINDOW / step))
    return np.unique(np.linspace(1, most, min(most, _LAGS)).round().astype(int)) if most > 0 else np.zeros(0, dtype=int)


def _find_slides_of(foot: int, support: SeenSupport, carries: NDArray[np.bool_], step: float) -> Iterator[_Slide]:
    """Yield the slides of a foot in which it carries at least half of the time."""
    path = _sum_up(support.velocity * step)
    for first, last in find_runs(support.down[:, foot]):
        for start, end, way in _find_moves(path[first : last + 2], step):
            during = slice(first + start, min(first + end, last) + 1)
            if carries[during, foot].mean() > 0.5:
                speed = float(lengths(support.velocity[during]).max())
                yield _Slide(foot, during.start, during.stop - 1, way, speed)


def _find_moves(path: Array, step: float) -> Iterator[tuple[int, int, float]]:
    """Yield first and last frame and length (m) of moves along a path (frames, 2), the longest first."""
    lags = _choose_lags(len(path), step)
    if not len(lags):
        return
    ways = [lengths(path[lag:] - path[:-lag]) for lag in lags]
    best = int(np.argmax([way.max() for way in ways]))
    start, way = int(ways[best].argmax()), float(ways[best].max())
    if 100.0 * way <= FOOT_SLIDE.least:
        return
    end = start + int(lags[best])
    done = (path[start : end + 1] - path[start]) @ (path[end] - path[start]) / way**2
    early = int(np.flatnonzero(done <= _ENDS)[-1])
    late = early + int(np.flatnonzero(done[early:] >= 1.0 - _ENDS)[0])
    yield start + early, start + late, way
    yield from _find_moves(path[: start + 1], step)
    for first, last, length in _find_moves(path[end:], step):
        yield end + first, end + last, length
