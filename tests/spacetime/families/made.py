"""Small families of the built-in jump."""

from __future__ import annotations

import itertools

import numpy as np

from gambol import load
from gambol.body.character import Character
from gambol.fit.rig import fit
from gambol.io import samples
from gambol.spacetime.edits.draft import draft_edit
from gambol.spacetime.edits.parts import divide_clip
from gambol.spacetime.edits.solve_edit import solve_draft
from gambol.spacetime.families.family import Family, resample_member
from gambol.spacetime.families.plan import parse_plan
from gambol.spacetime.families.sampling import sample_adaptively
from gambol.spacetime.join import join_motions


def clip_from(motion, begin, end):
    cut = motion[round(begin / motion.frame_time) : round(end / motion.frame_time)]
    return divide_clip(fit(Character.from_motion(cut), cut))


def jump():
    return clip_from(load(samples.file("jump")), 0.75, 2.0)


def twice():
    motion = load(samples.file("jump"))
    return clip_from(join_motions(motion, motion).motion, 0.8, 2.85)


def unsolved(clip, axes, fps=20.0):
    """A family whose members are moved, but not solved: fast, and as good where physics does not matter."""
    plan = parse_plan({"axes": axes, "fps": fps}, "family")
    usual = draft_edit(clip, plan.edit_at([axis.values.mean() for axis in plan.axes]), fps)
    source_times = usual.time_map.to_source(usual.reference.times)
    times, q = [], []
    for member in itertools.product(*map(range, plan.shape)):
        draft = draft_edit(clip, plan.edit(member), fps, usual.character)
        times.append(draft.time_map.from_source(source_times))
        q.append([np.interp(times[-1], draft.reference.times, column) for column in draft.reference.q.T])
    shape = (*plan.shape, len(source_times))
    q = np.moveaxis(np.array(q), 1, 2).reshape(*shape, -1)
    return Family(
        plan, clip, usual.character, source_times, np.reshape(times, shape), q, np.ones(plan.shape, dtype=bool)
    )


def steering(low, high):
    """The axes of two jumps."""
    first = [{"stage": "ground 1", way: [low, high], "count": 2, "alone": True} for way in ("forward", "left")]
    return [*first, *({"stage": "ground 3", way: [-0.3, 0.3], "count": 2} for way in ("forward", "left"))]


def two_jumps(fps=20.0):
    """Five members are solved; the others are filled in."""
    clip = twice()
    plan = parse_plan({"axes": steering(0.0, 0.3), "fps": fps}, "twice")
    usual = draft_edit(clip, plan.edit((0, 0, 0, 0)), fps)
    source_times = usual.time_map.to_source(usual.reference.times)

    def solve(members):
        drafts = [draft_edit(clip, plan.edit(member), fps, usual.character) for member in members]
        return [resample_member(solve_draft(draft), source_times) for draft in drafts]

    times, q, done = sample_adaptively(plan, solve, tolerance=100.0)
    return Family(plan, clip, usual.character, source_times, times, q, done)
