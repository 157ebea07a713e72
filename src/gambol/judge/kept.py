"""Find stances of the source of a motion that the motion does not keep."""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import find_runs
from gambol.judge.finding import Finding, FindingKind
from gambol.judge.seen import SeenPerson
from gambol.judge.support import find_support
from gambol.stages.feet import SIDES

LOST_STANCE = FindingKind(
    "lost_stance", "swings or floats, where it stands in the source, for", "s", 0.15,
    "72 recordings with 3 cm of sway, and every fourth frame of them, against themselves: at most 0.12",
)  # fmt: skip
_BRIEF = 0.1
"""Least time (s) of a stance of the source that is to be kept."""


def compare_stances(seen: SeenPerson, source: SeenPerson) -> list[Finding]:
    """Return where a foot does not stand that carries the source at that time; nothing if durations differ."""
    step, frames = seen.frame_time, len(seen)
    if abs(frames * step - len(source) * source.frame_time) > 2.0 * max(step, source.frame_time):
        return []
    at = np.minimum(np.round(np.arange(frames) * step / source.frame_time).astype(int), len(source) - 1)
    before, after = find_support(source), find_support(seen)
    found = []
    for foot, side in enumerate(SIDES):
        carries = (before.down[:, foot] & (before.carrier == foot))[at]
        for first, last in find_runs(carries):
            lost = first + np.flatnonzero(~after.down[first : last + 1, foot])
            value = len(lost) * step
            if (last - first + 1) * step > _BRIEF and value > LOST_STANCE.least:
                start, end = float(lost[0]), float(lost[-1])
                found.append(Finding(LOST_STANCE, f"{side}_foot", start * step, end * step, value))
    return found
