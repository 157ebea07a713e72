"""Solve the members of a family plan (L05 section 4.4.3).

The member in the middle of the grid starts from its own draft, the others from the solution of their neighbour towards
it: on a fine grid that takes 5 iterations instead of 11. The choice of neighbour does not depend on the order in which
members are finished.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from math import prod
from pathlib import Path

import numpy as np

from gambol.body.character import Character
from gambol.body.kernels import make_kernels
from gambol.body.soles import find_soles
from gambol.errors import InputError
from gambol.fit.rig import choose_safe_axes
from gambol.geometry.arrays import Array
from gambol.progress import Progress, silent
from gambol.solve.workers import check_workers
from gambol.spacetime.edits.draft import draft_edit
from gambol.spacetime.edits.parts import EditableClip
from gambol.spacetime.edits.time_map import map_times
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.member import FamilySetup, Member, MemberStore
from gambol.spacetime.families.memory import check_memory
from gambol.spacetime.families.plan import FamilyPlan, GridIndex
from gambol.spacetime.families.sampling import sample_adaptively
from gambol.spacetime.families.workers import open_solver

_REPORTED = 5
"""Members without a solution that an error lists by their values."""


def populate(
    clip: EditableClip,
    plan: FamilyPlan,
    *,
    active: bool = False,
    workers: int = 1,
    scheduler: str | None = None,
    store: Path | None = None,
    progress: Progress = silent,
) -> Family:
    """Solve the members of a plan; the result is identical to the last bit for any number of workers.

    Solved members are kept in the folder `store` and are not solved again when a run resumes. `active` is adaptive
    sampling: a member is solved only where interpolation is not good enough (`families.sampling`).
    """
    check_workers(workers, scheduler)
    setup = set_up_family(clip, plan, warm_starts=not active)
    stored = None if store is None else MemberStore(store, setup)
    indices = list(itertools.product(*map(range, plan.shape)))
    found = {index: member for index in indices if stored and (member := stored.get(index))}
    if found:
        progress(f"{len(found)} of {len(indices)} members were solved before", 0, None)
    with open_solver(setup, workers, scheduler) as solve:
        if len(found) < len(indices):
            _compile(setup.character, progress)
        count = 0

        def solve_batch(batch: Sequence[GridIndex]) -> list[Member]:
            nonlocal count
            left = [index for index in batch if index not in found]
            for index, member in solve(left, found):
                found[index] = member
                count += 1
                if stored:
                    stored.put(index, member)
                if count == workers + 1 and scheduler is None:  # the first member of a process takes longer
                    progress(_estimate(setup, len(indices), member.seconds / workers), 0, None)
                progress("solving members", len(found), len(indices))
            return [found[index] for index in batch]

        if active:
            times, q, known = sample_adaptively(plan, lambda batch: [_solution(m) for m in solve_batch(batch)])
        else:
            members = solve_batch(indices)
            _check(plan, found)
            times, q = (np.stack(parts) for parts in ([m.times for m in members], [m.q for m in members]))
            times, q = times.reshape(*plan.shape, -1), q.reshape(*plan.shape, *q.shape[1:])
            known = np.ones(plan.shape, dtype=bool)
    return Family(plan, clip, setup.character, setup.source_times, times, q, known)


def _solution(member: Member) -> tuple[Array, Array] | None:
    return (member.times, member.q) if member.converged else None


def set_up_family(clip: EditableClip, plan: FamilyPlan, warm_starts: bool = True) -> FamilySetup:
    """Prepare what all members share; refuse plans that cannot be edited or do not fit into memory."""
    ends = itertools.product(*((0, axis.count - 1) for axis in plan.axes))
    longest = max((plan.edit(end) for end in ends), key=lambda edit: float(map_times(clip, edit).times[-1]))
    draft = draft_edit(clip, longest, plan.fps, clip.fitted.character)
    source_times = draft.time_map.to_source(draft.reference.times)
    check_memory(plan, len(source_times), draft.reference.q.shape[1])
    return FamilySetup(clip, plan, _character(clip, plan), source_times, warm_starts)


def _character(clip: EditableClip, plan: FamilyPlan) -> Character:
    """Return the clip's character with root axes suited to all members, so that their coordinates can be blended."""
    own = clip.fitted.character
    turning = (range(axis.count if "turn" in axis.ranges else 1) for axis in plan.axes)
    drafts = (draft_edit(clip, plan.edit(index), plan.fps, own) for index in itertools.product(*turning))
    turns = np.concatenate([draft.reference.placement.rotations[:, 0] for draft in drafts])
    return choose_safe_axes(own, {own.skeleton.names[0]: turns})


def _compile(character: Character, progress: Progress) -> None:
    """Compile the functions that all members need once, instead of in every worker."""
    make_kernels(character, [sole.body for sole in find_soles(character).values()], progress)


def _estimate(setup: FamilySetup, left: int, seconds: float) -> str:
    dofs = len(setup.character.skeleton.dofs)
    size = prod(setup.plan.shape) * len(setup.source_times) * (dofs + 1) * 8
    return f"{left} members of {len(setup.source_times)} frames: {size / 1e6:.1f} MB, about {left * seconds:.0f} s"


def _check(plan: FamilyPlan, found: dict[GridIndex, Member]) -> None:
    lost = [index for index, member in sorted(found.items()) if not member.converged]
    if lost:
        listed = "; ".join(f"{_values(plan, index)}: {found[index].status}" for index in lost[:_REPORTED])
        more = f"; and {len(lost) - _REPORTED} more" if len(lost) > _REPORTED else ""
        raise InputError(
            f"{len(lost)} of {len(found)} members have no solution: {listed}{more}",
            file=plan.name,
            fix="make the ranges of the axes smaller; solved members are kept",
        )


def _values(plan: FamilyPlan, index: Iterable[int]) -> str:
    axes = zip(plan.axes, index, strict=True)
    return ", ".join(f"{axis.stage} {axis.measure} {axis.values[n]:.3g}" for axis, n in axes)
