"""`gambol bench edit`: time to solve edits on one core, and families of edits on one core and on two.

Compared with the times of the thesis (L05 table 4.1, 2005, on a 2 GHz Pentium 4).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import product
from time import perf_counter
from typing import Any

import numpy as np

from gambol.body.character import Character
from gambol.fit.rig import fit
from gambol.geometry import quaternions as quat
from gambol.io import samples
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.spacetime.edits.draft import draft_edit
from gambol.spacetime.edits.edit import Change, Edit
from gambol.spacetime.edits.parts import EditableClip, divide_clip
from gambol.spacetime.edits.prefit import prefit_stage
from gambol.spacetime.edits.solve_edit import solve_edit
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.inverse import find_point, reach
from gambol.spacetime.families.member import Member
from gambol.spacetime.families.plan import FamilyPlan, GridIndex, parse_plan
from gambol.spacetime.families.populate import populate, set_up_family
from gambol.spacetime.families.workers import open_solver
from gambol.spacetime.join import join_motions
from gambol_evidence.bench.rows import Row, measure_seconds

_FRAMES, _RATE = 60, 30.0
_EDITS: tuple[dict[str, Any], ...] = (
    {"forward": 1.0},
    {"forward": -1.0},
    {"left": 1.0},
    {"turn": 180.0},
    {"turn": -180.0},
    {"forward": 0.5, "turn": 90.0},
)
"""Changes up to a metre and half a turn."""
_THESIS, _THESIS_FAMILY = 120.0, 4.5 * 3600.0
"""Seconds of the thesis: a jump of 46 frames, and 81 pairs of jumps of 56 frames."""
_POSES, _GOALS = 5000, 50


def run() -> Iterator[Row]:
    """Yield the rows as they are measured."""
    clip = make_one_jump()
    solve_edit(clip, Edit("first", (Change("ground 2", forward=0.1),)), fps=_RATE)  # compiles for this skeleton
    for rate in (_RATE, 2.0 * _RATE):
        yield from _time_edits(clip, rate)
    yield Row("prefit", measure_seconds(lambda: _prefit_ground(clip), 3), "s")
    family = yield from _time_family("one-jump", clip, plan_grid())
    yield from _time_family("two-jumps", make_two_jumps(), plan_steering())
    random = np.random.default_rng(0)
    times = random.uniform(0.0, family.times[..., -1].min(), _POSES)
    each = measure_seconds(lambda: [family.pose((0.13, -0.21), float(t)) for t in times], 3) / _POSES
    yield Row("blend", 1.0 / each, "poses/s")
    yield _time_reaching(family, random)


def make_one_jump() -> EditableClip:
    """Cut two seconds of the built-in jump: 60 frames at 30 frames per second."""
    motion = samples.jump()
    whole = divide_motion(motion)
    flight = next(part for part in whole.stages if part.kind == "flight")
    count = round((_FRAMES - 1) / _RATE / motion.frame_time) + 1
    first = min(max((flight.first + flight.last - count) // 2, 0), len(motion) - count)
    return divide_motion(motion[first : first + count])


def make_two_jumps() -> EditableClip:
    """Join the built-in jump to itself."""
    motion = samples.jump()
    twice = join_motions(motion, motion).motion
    return divide_motion(twice[round(0.8 / motion.frame_time) : round(2.85 / motion.frame_time)])


def divide_motion(motion: Motion) -> EditableClip:
    """Fit a character to a motion and divide it into stages."""
    return divide_clip(fit(Character.from_motion(motion), motion))


def plan_grid() -> FamilyPlan:
    """Return the plan of 81 landings on a grid."""
    axes = [{"stage": "ground 2", name: [-0.4, 0.4], "count": 9} for name in ("forward", "left")]
    return parse_plan({"axes": axes, "fps": _RATE}, "landings")


def plan_steering() -> FamilyPlan:
    """Return the plan that varies the start of the first and the end of the second of two jumps: 81 members."""
    ends = ({"stage": "ground 1", "alone": True}, {"stage": "ground 3"})
    axes = [{**end, name: [-0.25, 0.25], "count": 3} for end in ends for name in ("forward", "left")]
    return parse_plan({"axes": axes, "fps": _RATE}, "two jumps")


def _time_edits(clip: EditableClip, rate: float) -> Iterator[Row]:
    """Yield mean and largest time and iterations of some edits."""
    took, iterations, frames = [], [], 0
    for numbers in _EDITS:
        begun = perf_counter()
        found = solve_edit(clip, Edit("edit", (Change("ground 2", **numbers),)), fps=rate)
        took.append(perf_counter() - begun)
        solution, frames = found.outcome.solution, len(found.outcome.motion)
        iterations.append(float(solution.iterations) if solution.converged else float("inf"))
    mean, name = float(np.mean(took)), f"edit-{frames}"
    yield Row(name, mean, "s", "the thesis (46 frames)", _THESIS, _THESIS / mean)
    yield Row(f"{name}-worst", max(took), "s", "the thesis (46 frames)", _THESIS, _THESIS / max(took))
    yield Row(f"{name}-iterations", float(np.mean(iterations)), "iterations")
    yield Row(f"{name}-iterations-most", max(iterations), "iterations")


def _prefit_ground(clip: EditableClip) -> None:
    """Fit momentum splines to the ground stages before and after the jump, at 60 frames per second."""
    draft = draft_edit(clip, Edit("none"), 2.0 * _RATE)
    air = np.flatnonzero(draft.contacts.flight)
    for first, last in ((0, int(air[0]) - 1), (int(air[-1]) + 1, len(draft.reference) - 1)):
        prefit_stage(draft.character, draft.reference, first, last, landed=first > 0, leaves=first == 0)


def _time_reaching(family: Family, random: np.random.Generator) -> Row:
    """Return the time of inverse control: the right hand to where it is in blends, in mid-clip."""
    body, point = find_point(family.character, "right hand")
    middle = 0.5 * float(family.times[..., -1].min())
    low, high = np.transpose([sorted(axis.ranges[axis.measure]) for axis in family.plan.axes])
    poses = np.array([family.pose(random.uniform(low, high), middle) for _ in range(_GOALS)])
    joint, placed = family.character.skeleton.index(body), place(family.character.skeleton, poses)
    goals = (placed.positions[:, joint] + quat.rotate(placed.rotations[:, joint], point)).tolist()
    each = measure_seconds(lambda: [reach(family, body, point, goal, middle) for goal in goals], 3) / _GOALS
    return Row("reach", 1e3 * each, "ms")


def _count_iterations(clip: EditableClip, plan: FamilyPlan) -> list[int]:
    """Return the iterations of every member."""
    setup, found = set_up_family(clip, plan), dict[GridIndex, Member]()
    with open_solver(setup, 1, None) as solve:
        found |= solve(list(product(*map(range, plan.shape))), found)
    return [member.iterations for member in found.values()]


def _time_family(name: str, clip: EditableClip, plan: FamilyPlan) -> Generator[Row, None, Family]:
    """Yield the times of all members with one worker and with two; return the family."""
    begun = perf_counter()
    family = populate(clip, plan)
    one = perf_counter() - begun
    begun = perf_counter()
    populate(clip, plan, workers=2)
    two = perf_counter() - begun
    name = f"{name}-{family.solved.size}-of-{len(family.source_times)}"
    yield Row(name, one, "s", "the thesis (two jumps)", _THESIS_FAMILY, _THESIS_FAMILY / one)
    yield Row(f"{name}-two-workers", two, "s", "one worker", one, one / two)
    yield Row(f"{name}-iterations", float(np.mean(_count_iterations(clip, plan))), "iterations")
    return family
