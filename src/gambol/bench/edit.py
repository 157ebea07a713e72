"""`gambol bench edit`: from a clip to an edited one, and to families of them, on one core and on two.

Beside it the times of the thesis (L05 table 4.1, 2005, a Pentium 4 of 2 GHz).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from time import perf_counter
from typing import Any

import numpy as np

from gambol.bench.rows import Row, measure_seconds
from gambol.body.character import Character
from gambol.fit.rig import fit
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.spacetime.edits.draft import draft_edit
from gambol.spacetime.edits.edit import Change, Edit
from gambol.spacetime.edits.parts import EditableClip, divide_clip
from gambol.spacetime.edits.prefit import prefit_stage
from gambol.spacetime.edits.solving import solve_edit
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.plan import FamilyPlan, parse_plan
from gambol.spacetime.families.populate import populate
from gambol.spacetime.join import join_motions

_FRAMES, _RATE = 60, 30.0
_EDITS: tuple[dict[str, Any], ...] = (
    {"forward": 1.0},
    {"forward": -1.0},
    {"left": 1.0},
    {"turn": 180.0},
    {"turn": -180.0},
    {"forward": 0.5, "turn": 90.0},
)
"""Within a metre and half a turn."""
_THESIS, _THESIS_FAMILY = 120.0, 4.5 * 3600.0
"""Seconds: a jump of 46 frames, and 81 pairs of jumps of 56."""
_POSES = 5000


def run() -> Iterator[Row]:
    """Rows as they are measured."""
    clip = make_one_jump()
    solve_edit(clip, Edit("first", (Change("ground 2", forward=0.1),)), rate=_RATE)  # compiles for this skeleton
    for rate in (_RATE, 2.0 * _RATE):
        yield from _edits(clip, rate)
    yield Row("prefit", measure_seconds(lambda: _prefit(clip), 3), "s")
    family = yield from _family("one-jump", clip, plan_grid())
    yield from _family("two-jumps", make_two_jumps(), plan_steering())
    times = np.random.default_rng(0).uniform(0.0, family.times[..., -1].min(), _POSES)
    each = measure_seconds(lambda: [family.pose((0.13, -0.21), float(t)) for t in times], 3) / _POSES
    yield Row("blend", 1.0 / each, "poses/s")


def make_one_jump() -> EditableClip:
    """Two seconds of the built-in jump: 60 frames at 30 Hz."""
    motion = samples.jump()
    whole = cut_editable(motion)
    flight = next(part for part in whole.stages if part.kind == "flight")
    count = round((_FRAMES - 1) / _RATE / motion.frame_time) + 1
    first = min(max((flight.first + flight.last - count) // 2, 0), len(motion) - count)
    return cut_editable(motion[first : first + count])


def make_two_jumps() -> EditableClip:
    """The built-in jump, twice."""
    motion = samples.jump()
    twice = join_motions(motion, motion).motion
    return cut_editable(twice[round(0.8 / motion.frame_time) : round(2.85 / motion.frame_time)])


def cut_editable(motion: Motion) -> EditableClip:
    """A motion as it is edited."""
    return divide_clip(fit(Character.from_motion(motion), motion))


def plan_grid() -> FamilyPlan:
    """81 landings on a grid."""
    axes = [{"stage": "ground 2", way: [-0.4, 0.4], "count": 9} for way in ("forward", "left")]
    return parse_plan({"axes": axes, "rate": _RATE}, "landings")


def plan_steering() -> FamilyPlan:
    """Where the first of two jumps begins and the second ends, 81 of them."""
    ends = ({"stage": "ground 1", "alone": True}, {"stage": "ground 3"})
    axes = [{**end, way: [-0.25, 0.25], "count": 3} for end in ends for way in ("forward", "left")]
    return parse_plan({"axes": axes, "rate": _RATE}, "two jumps")


def _edits(clip: EditableClip, rate: float) -> Iterator[Row]:
    """The mean and the worst of some edits."""
    took, iterations, frames = [], [], 0
    for numbers in _EDITS:
        begun = perf_counter()
        found = solve_edit(clip, Edit("edit", (Change("ground 2", **numbers),)), rate=rate)
        took.append(perf_counter() - begun)
        solution, frames = found.outcome.solution, len(found.outcome.motion)
        iterations.append(float(solution.iterations) if solution.converged else float("inf"))
    mean, name = float(np.mean(took)), f"edit-{frames}"
    yield Row(name, mean, "s", "the thesis (46 frames)", _THESIS, _THESIS / mean)
    yield Row(f"{name}-worst", max(took), "s", "the thesis (46 frames)", _THESIS, _THESIS / max(took))
    yield Row(f"{name}-iterations", float(np.mean(iterations)), "iterations")
    yield Row(f"{name}-iterations-most", max(iterations), "iterations")


def _prefit(clip: EditableClip) -> None:
    """Momentum splines of the ground before and after the jump, at 60 Hz."""
    draft = draft_edit(clip, Edit("none"), 2.0 * _RATE)
    air = np.flatnonzero(draft.contact_plan.flight)
    for first, last in ((0, int(air[0]) - 1), (int(air[-1]) + 1, len(draft.reference) - 1)):
        prefit_stage(draft.character, draft.reference, first, last, landed=first > 0, leaves=first == 0)


def _family(name: str, clip: EditableClip, plan: FamilyPlan) -> Generator[Row, None, Family]:
    """All members, by one worker and by two."""
    iterations: list[int] = []
    begun = perf_counter()
    family = populate(clip, plan, progress=lambda progress: iterations.append(progress.iterations))
    one = perf_counter() - begun
    begun = perf_counter()
    populate(clip, plan, workers=2)
    two = perf_counter() - begun
    name = f"{name}-{family.solved.size}-of-{len(family.source_times)}"
    yield Row(name, one, "s", "the thesis (two jumps)", _THESIS_FAMILY, _THESIS_FAMILY / one)
    yield Row(f"{name}-two-workers", two, "s", "one worker", one, one / two)
    yield Row(f"{name}-iterations", float(np.mean(iterations)), "iterations")
    return family
