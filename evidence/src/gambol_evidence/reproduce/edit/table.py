"""Measure the times of table 4.1 of L05 on one core, next to those of the thesis on a 2 GHz Pentium 4."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from gambol.metrics.figures import Band
from gambol.spacetime.edits.edit import Change, Edit
from gambol.spacetime.edits.parts import EditableClip
from gambol.spacetime.edits.solve_edit import solve_edit
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.plan import FamilyPlan, parse_plan
from gambol.spacetime.families.populate import populate
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.edit.clips import load_jump, load_two_jumps

RATE, PAIRS_RATE = 30.0, 20.0
"""Frames per second of single clips, and of pairs of jumps, which then have as many frames as in the thesis."""
_MINUTE, _HOUR = 60.0, 3600.0
_OTHER_MACHINE = "the time is that of another machine, twenty years older"
_GRID, _FAR = 0.5, 0.25
"""Largest displacement (m) of a landing, and of both ends of two jumps."""


def measure_times(data: Path) -> Iterator[Claim]:
    """Measure the five rows of the table."""
    leap = load_jump(data, "13_11")
    hops = Edit("hops", (Change("ground 2", forward=0.3, turn=20.0), Change("ground 3", left=0.3, turn=-40.0)))
    yield _time_edit("forward jump", 46, 2.0 * _MINUTE, leap.clip, leap.edit("farther", forward=0.5))
    yield _time_edit("two-step hop", 49, 3.5 * _MINUTE, load_two_jumps(data), hops)
    yield _time_edit("360 degree spin", 79, 3.5 * _MINUTE, leap.clip, leap.edit("spin", turn=360.0))
    yield _time_family("slam, 9 members", 44, 17.0 * _MINUTE, *solve_slam(data))
    yield _time_family("controller, 81 members", 56, 4.5 * _HOUR, *solve_pairs(data))


@cache
def solve_slam(data: Path) -> tuple[Family, float]:
    """Solve a family of a jump with a raised hand, landing on a grid of 3 x 3; return it and the seconds it took."""
    clip = load_jump(data, "124_05")
    return _time_population(clip.clip, plan_landing_grid(clip.landing, RATE))


@cache
def solve_pairs(data: Path) -> tuple[Family, float]:
    """Solve a family of two jumps whose start and end vary on a grid of 3 x 3 each; return it and the seconds."""
    return _time_population(load_two_jumps(data), plan_two_jumps(PAIRS_RATE))


def plan_landing_grid(stage: str, rate: float) -> FamilyPlan:
    """Return the plan that varies the place of a stage on a grid of 3 x 3."""
    axes = [{"stage": stage, name: [-_GRID, _GRID], "count": 3} for name in ("forward", "left")]
    return parse_plan({"axes": axes, "fps": rate}, "grid")


def plan_two_jumps(rate: float) -> FamilyPlan:
    """Return the plan that varies the first and the last ground stage of two jumps."""
    ends = ({"stage": "ground 1", "alone": True}, {"stage": "ground 3"})
    axes = [{**end, name: [-_FAR, _FAR], "count": 3} for end in ends for name in ("forward", "left")]
    return parse_plan({"axes": axes, "fps": rate}, "two jumps")


def _time_population(clip: EditableClip, plan: FamilyPlan) -> tuple[Family, float]:
    begun = time.perf_counter()
    family = populate(clip, plan)
    return family, time.perf_counter() - begun


def _time_edit(name: str, frames: int, thesis: float, clip: EditableClip, edit: Edit) -> Claim:
    begun = time.perf_counter()
    solved = solve_edit(clip, edit, fps=RATE)
    seconds = time.perf_counter() - begun
    seconds = seconds if solved.outcome.solution.converged else float("inf")
    return _claim(name, frames, thesis, len(solved.outcome.motion), seconds, clip)


def _time_family(name: str, frames: int, thesis: float, family: Family, seconds: float) -> Claim:
    return _claim(name, frames, thesis, len(family.source_times), seconds, family.clip)


def _claim(name: str, frames: int, thesis: float, ours: int, seconds: float, clip: EditableClip) -> Claim:
    about = f"{clip.fitted.source.name}, {ours} frames; thesis: {thesis:g} s for {frames} frames"
    text = f"{name}: time to solve, compared with table 4.1"
    row = f"table-{name.partition(',')[0].replace(' ', '-')}"
    return Claim(row, "L05 p. 59", text, seconds, "s", about, Band(high=thesis), by_construction=_OTHER_MACHINE)
