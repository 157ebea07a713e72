"""How physical edited jumps are at and between their frames, beside the form that is printed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isnan
from pathlib import Path

import numpy as np

from gambol.metrics.figures import Band
from gambol.reproduce.claims import Claim
from gambol.reproduce.edit.clips import Jump, jump, solved
from gambol.spacetime.edits.edit import Edit
from gambol.spacetime.edits.edited import Edited, edited
from gambol.spacetime.judge import Between, judge_between
from gambol.spacetime.stances import points_of
from gambol.stages.feet import track

RATE = 60.0
CLIPS = ("13_11", "13_13")
_PEAK = 1.3
"""Times the largest force of the clip itself."""
_TIMES = 4
_ASKED = "asked of gambol"
_AT_FRAMES = (
    ("fall", "centre of mass falls at g in flight: worst error", "m/s²", 1.0, Band(high=1e-4)),
    ("spin", "angular momentum is kept in flight: worst drift", "kg m²/s", 1.0, Band(high=1e-4)),
    ("contact", "feet stay in their places: worst", "mm", 1e3, Band(high=0.01)),
    ("least", "the ground does not pull: least vertical force", "body weights", 1.0, Band(low=0.0)),
    ("friction", "friction needed", "", 1.0, Band(high=0.8)),
    ("pressure", "centre of pressure outside the support", "mm", 1e3, Band(high=1.0)),
)
_BETWEEN = (
    ("parabola", "re-sampled 4 times: centre of mass off a parabola", "mm", 1e3, Band(high=0.5)),
    ("spin", "re-sampled: drift of angular momentum in flight", "%", 1e2, Band(high=2.0)),
    ("slip", "re-sampled: slip of what is held", "mm", 1e3, Band(high=3.0)),
    ("penetration", "re-sampled: heels and balls below the floor", "mm", 1e3, Band(high=3.0)),
)


def edits_of(clip: Jump) -> list[Edit]:
    """What is judged."""
    return [
        clip.edit("farther", forward=0.5),
        clip.edit("turn", turn=90.0),
        clip.edit("spin", turn=360.0),
        clip.backward,
    ]


def run(data: Path) -> Iterator[Claim]:
    """Four edits of two jumps, and two in the printed form."""
    for name in CLIPS:
        own = solved(data, name, Edit("none"), RATE)
        for edit in edits_of(jump(data, name)):
            found = solved(data, name, edit, RATE)
            yield from judged(f"{name}-{edit.name}", found, own, f"{name} at {RATE:g} Hz, {edit}")
    yield from _printed(data, CLIPS[0])


def judged(row: str, found: Edited, own: Edited, data: str) -> Iterator[Claim]:
    """An edited clip beside the clip itself, solved with nothing changed."""
    yield from _at_frames(row, found, own, data)
    was, now = between(own), between(found)
    for field in _BETWEEN:
        told = f"{data}; with nothing changed {field[3] * getattr(was, field[0]):.3g}"
        yield from _figures(f"{row}-between", now, [field], told)


def between(found: Edited) -> Between:
    """How physical it is between its frames; the floor may tilt, so that heels and balls each have their own."""
    draft, motion = found.draft, found.outcome.motion
    stands, root = draft.stands, motion.placement.positions[:, 0]
    verdict = judge_between(
        draft.character,
        motion,
        stands.holds,
        stands.floor.at(root),
        _TIMES,
        pushes=stands.pushes,
        gravity=draft.gravity,
    )
    return replace(verdict, penetration=_below(found))


def _below(found: Edited) -> float:
    """Metres of heels and balls below the floor."""
    from scipy.interpolate import CubicSpline

    motion, floor = found.outcome.motion, found.draft.stands.floor
    frames = np.arange((len(motion) - 1) * _TIMES + 1) / _TIMES
    fine = replace(motion, q=CubicSpline(np.arange(len(motion)), motion.q)(frames))
    feet = [point for point in points_of(found.draft.clip.fitted) if not point.name.endswith("hand")]
    ways = [track(fine, point) for point in feet]
    return max(0.0, *(float((floor.at(way) - way[:, 2]).max()) for way in ways))


def _printed(data: Path, name: str) -> Iterator[Claim]:
    """As printed, momentum on the ground follows splines and knows no forces: what the ground would have to give."""
    own, clip = solved(data, name, Edit("none"), RATE), jump(data, name)
    for edit in edits_of(clip)[:2]:
        found = edited(clip.clip, edit, rate=RATE, printed=True)
        ours = solved(data, name, edit, RATE).verdict
        row = f"{name}-{edit.name}-printed"
        told = f"{name} at {RATE:g} Hz, {edit}, printed form; default: friction {ours.friction:.2f}, "
        told += f"peak {ours.peak:.2f} body weights"
        yield from _at_frames(row, found, own, told)


def _at_frames(row: str, found: Edited, own: Edited, data: str) -> Iterator[Claim]:
    solution = found.outcome.solution
    count = float(solution.iterations) if solution.converged else float("inf")
    yield Claim(f"{row}-iterations", _ASKED, "converges: iterations", count, "", data, Band(high=60.0))
    yield from _figures(row, found.verdict, _AT_FRAMES, data)
    share = found.verdict.peak / own.verdict.peak
    text = "largest vertical force, over that of the clip with nothing changed"
    yield Claim(f"{row}-peak", _ASKED, text, share, "times", data, Band(high=_PEAK))


def _figures(name: str, verdict: object, rows, data: str) -> Iterator[Claim]:  # type: ignore[no-untyped-def]
    for field, text, unit, scale, band in rows:
        value = scale * getattr(verdict, field)
        if not isnan(value):
            yield Claim(f"{name}-{field}", _ASKED, text, value, unit, data, band)
