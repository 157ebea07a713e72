"""Find stances of the source of a motion that the motion does not keep."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import find_runs
from gambol.judge.finding import Finding, FindingKind
from gambol.judge.seen import SeenPerson
from gambol.judge.stances import BRIEF, SeenStance, list_stances
from gambol.judge.support import find_support
from gambol.stages.feet import SIDES

LOST_STANCE = FindingKind(
    "lost_stance", "swings or floats, where it stands in the source, for", "s", 0.15,
    "72 recordings with 3 cm of sway, and every fourth frame of them, against themselves: at most 0.12",
)  # fmt: skip


class KeptStances(NamedTuple):
    """The stances of a source that a motion keeps, and those that it loses."""

    kept: tuple[SeenStance, ...]
    lost: tuple[SeenStance, ...]


def sort_stances(seen: SeenPerson, source: SeenPerson) -> KeptStances | None:
    """Return the stances of a source by whether the foot stands in half of their time; None if durations differ."""
    if not _last_as_long(seen, source):
        return None
    down, step = find_support(seen).down, seen.frame_time
    kept, lost = list[SeenStance](), list[SeenStance]()
    for stance in list_stances(source):
        during = slice(round(stance.start / step), max(round(stance.end / step), round(stance.start / step) + 1))
        stands = down[during, SIDES.index(stance.side)].mean() >= 0.5
        (kept if stands else lost).append(stance)
    return KeptStances(tuple(kept), tuple(lost))


def compare_stances(seen: SeenPerson, source: SeenPerson) -> list[Finding]:
    """Return where a foot does not stand that carries the source at that time; nothing if durations differ."""
    step, frames = seen.frame_time, len(seen)
    if not _last_as_long(seen, source):
        return []
    at = np.minimum(np.round(np.arange(frames) * step / source.frame_time).astype(int), len(source) - 1)
    before, after = find_support(source), find_support(seen)
    found = []
    for foot, side in enumerate(SIDES):
        carries = (before.down[:, foot] & (before.carrier == foot))[at]
        for first, last in find_runs(carries):
            lost = first + np.flatnonzero(~after.down[first : last + 1, foot])
            value = len(lost) * step
            if (last - first + 1) * step > BRIEF and value > LOST_STANCE.least:
                start, end = float(lost[0]), float(lost[-1])
                found.append(Finding(LOST_STANCE, f"{side}_foot", start * step, end * step, value))
    return found


def _last_as_long(seen: SeenPerson, source: SeenPerson) -> bool:
    apart = len(seen) * seen.frame_time - len(source) * source.frame_time
    return abs(apart) <= 2.0 * max(seen.frame_time, source.frame_time)
