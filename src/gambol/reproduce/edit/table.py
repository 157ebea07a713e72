"""Table 4.1 of L05: seconds of ours, on one core, beside minutes and hours on a Pentium 4 of 2 GHz."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from gambol.metrics.figures import Band
from gambol.reproduce.claims import Claim
from gambol.reproduce.edit.clips import load_jump, load_two_jumps
from gambol.spacetime.edits.edit import Change, Edit
from gambol.spacetime.edits.parts import EditableClip
from gambol.spacetime.edits.solving import solve_edit
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.plan import FamilyPlan, parse_plan
from gambol.spacetime.families.populate import populate

RATE, PAIRS_RATE = 30.0, 20.0
"""Frames a second: of single clips, and of pairs of jumps, which then have as many frames as in the thesis."""
_MINUTE, _HOUR = 60.0, 3600.0
_GRID, _FAR = 0.5, 0.25
"""Metres to every side that a landing is moved, and the ends of two jumps."""


def run(data: Path) -> Iterator[Claim]:
    """Five rows, as in the table."""
    leap = load_jump(data, "13_11")
    hops = Edit("hops", (Change("ground 2", forward=0.3, turn=20.0), Change("ground 3", left=0.3, turn=-40.0)))
    yield _edited("forward jump", 46, 2.0 * _MINUTE, leap.clip, leap.edit("farther", forward=0.5))
    yield _edited("two-step hop", 49, 3.5 * _MINUTE, load_two_jumps(data), hops)
    yield _edited("360 degree spin", 79, 3.5 * _MINUTE, leap.clip, leap.edit("spin", turn=360.0))
    yield _populated("slam, 9 members", 44, 17.0 * _MINUTE, *solve_slam(data))
    yield _populated("controller, 81 members", 56, 4.5 * _HOUR, *solve_pairs(data))


@cache
def solve_slam(data: Path) -> tuple[Family, float]:
    """Where a jump with a raised hand lands, on a grid of 3 x 3; and the seconds that took."""
    clip = load_jump(data, "124_05")
    return _made(clip.clip, plan_landing_grid(clip.landing, RATE))


@cache
def solve_pairs(data: Path) -> tuple[Family, float]:
    """Where the first of two jumps begins and the second ends, on a grid of 3 x 3 each; and the seconds that took."""
    return _made(load_two_jumps(data), plan_two_jumps(PAIRS_RATE))


def plan_landing_grid(stage: str, rate: float) -> FamilyPlan:
    """Places of a stage on a grid of 3 x 3."""
    axes = [{"stage": stage, way: [-_GRID, _GRID], "count": 3} for way in ("forward", "left")]
    return parse_plan({"axes": axes, "rate": rate}, "grid")


def plan_two_jumps(rate: float) -> FamilyPlan:
    """Places of the first and the last ground of two jumps."""
    ends = ({"stage": "ground 1", "alone": True}, {"stage": "ground 3"})
    axes = [{**end, way: [-_FAR, _FAR], "count": 3} for end in ends for way in ("forward", "left")]
    return parse_plan({"axes": axes, "rate": rate}, "two jumps")


def _made(clip: EditableClip, plan: FamilyPlan) -> tuple[Family, float]:
    begun = time.perf_counter()
    family = populate(clip, plan)
    return family, time.perf_counter() - begun


def _edited(name: str, frames: int, thesis: float, clip: EditableClip, edit: Edit) -> Claim:
    begun = time.perf_counter()
    found = solve_edit(clip, edit, rate=RATE)
    seconds = time.perf_counter() - begun
    seconds = seconds if found.outcome.solution.converged else float("inf")
    return _row(name, frames, thesis, len(found.outcome.motion), seconds, clip)


def _populated(name: str, frames: int, thesis: float, family: Family, seconds: float) -> Claim:
    return _row(name, frames, thesis, len(family.source_times), seconds, family.clip)


def _row(name: str, frames: int, thesis: float, ours: int, seconds: float, clip: EditableClip) -> Claim:
    told = f"{clip.fitted.source.name}, {ours} frames; thesis {thesis:g} s for {frames}: {thesis / seconds:.0f} times"
    text = f"table 4.1, {name}: at most the seconds of the thesis"
    row = f"table-{name.partition(',')[0].replace(' ', '-')}"
    return Claim(row, "L05", text, seconds, "s", told, Band(high=thesis))
