"""A family is made: every member of a plan is solved (L05 section 4.4.3).

The member in the middle is solved from its own draft, the others from the solution of their neighbour towards it: on a
fine grid that takes 5 iterations instead of 11. Which neighbour that is does not depend on who is done first.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gambol.body.character import Character
from gambol.body.kernels import kernels
from gambol.body.soles import soles
from gambol.errors import InputError
from gambol.fit.rig import with_safe_axes
from gambol.geometry.arrays import Array
from gambol.spacetime.edits.time_map import map_times
from gambol.spacetime.edits.draft import draft_edit
from gambol.spacetime.edits.solving import Tell
from gambol.spacetime.edits.parts import EditableClip
from gambol.spacetime.families import sampling
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.member import GridIndex, MemberStore, Member, FamilySetup
from gambol.spacetime.families.memory import check_memory
from gambol.spacetime.families.plan import FamilyPlan
from gambol.spacetime.families.workers import check_workers, open_solver

_NAMED = 5
"""Members without a solution that are told by their values."""


class FamilyProgress(NamedTuple):
    """How far a family has come."""

    done: int
    total: int
    iterations: int
    """Of the last member."""
    seconds_left: float


def populate(
    clip: EditableClip,
    plan: FamilyPlan,
    *,
    active: bool = False,
    workers: int = 1,
    scheduler: str | None = None,
    store: Path | None = None,
    progress: Callable[[FamilyProgress], None] | None = None,
    tell: Tell | None = None,
) -> Family:
    """Solve the members of a plan; the same to the last bit with any number of workers.

    Members that are solved are kept in the folder `store`, and not solved again by who goes on later. With `active`
    only those are solved that others do not tell (`families.sampling`).
    """
    check_workers(workers, scheduler)
    setting = set_up_family(clip, plan, chained=not active)
    kept = None if store is None else MemberStore(store, setting)
    indices = list(itertools.product(*map(range, plan.shape)))
    found = {index: member for index in indices if kept and (member := kept.get(index))}
    if found and tell:
        tell(f"{len(found)} of {len(indices)} members were solved before")
    if len(found) < len(indices):
        _compiled(setting.character, tell)
    begun, count = time.perf_counter(), 0
    with open_solver(setting, workers, scheduler) as solve:

        def solved(batch: Sequence[GridIndex]) -> list[Member]:
            nonlocal count
            left = [index for index in batch if index not in found]
            for index, member in solve(left, found):
                found[index] = member
                count += 1
                if kept:
                    kept.put(index, member)
                if count == workers + 1 and scheduler is None and tell:  # the first of a process takes longer
                    tell(_estimate(setting, len(indices), member.seconds / workers))
                if progress:
                    pace = (time.perf_counter() - begun) / count
                    done = len(found)
                    progress(FamilyProgress(done, len(indices), member.iterations, pace * (len(indices) - done)))
            return [found[index] for index in batch]

        if active:
            times, q, known = sampling.sample_adaptively(plan, lambda batch: [_told(member) for member in solved(batch)])
        else:
            members = solved(indices)
            _check(plan, found)
            times, q = (np.stack(parts) for parts in ([m.times for m in members], [m.q for m in members]))
            times, q = times.reshape(*plan.shape, -1), q.reshape(*plan.shape, *q.shape[1:])
            known = np.ones(plan.shape, dtype=bool)
    return Family(plan, clip, setting.character, setting.source_times, times, q, known)


def _told(member: Member) -> tuple[Array, Array] | None:
    return (member.times, member.q) if member.converged else None


def set_up_family(clip: EditableClip, plan: FamilyPlan, chained: bool = True) -> FamilySetup:
    """What the members of a plan share; refuses what cannot be edited, and what memory does not hold."""
    ends = itertools.product(*((0, axis.count - 1) for axis in plan.axes))
    longest = max((plan.edit(end) for end in ends), key=lambda edit: float(map_times(clip, edit).times[-1]))
    draft = draft_edit(clip, longest, plan.rate, clip.fitted.character)
    shown = draft.time_map.to_source(draft.reference.times)
    check_memory(plan, len(shown), draft.reference.q.shape[1])
    return FamilySetup(clip, plan, _character(clip, plan), shown, chained)


def _character(clip: EditableClip, plan: FamilyPlan) -> Character:
    """The clip's, its root about axes that suit all members: their coordinates can be blended."""
    own = clip.fitted.character
    turning = (range(axis.count if "turn" in axis.ranges else 1) for axis in plan.axes)
    drafts = (draft_edit(clip, plan.edit(index), plan.rate, own) for index in itertools.product(*turning))
    turns = np.concatenate([draft.reference.placement.rotations[:, 0] for draft in drafts])
    return with_safe_axes(own, {own.skeleton.names[0]: turns})


def _compiled(character: Character, tell: Tell | None) -> None:
    """The functions that all members need: compiled here once, and not by every worker."""
    kernels(character, [sole.body for sole in soles(character).values()], tell)


def _estimate(setting: FamilySetup, left: int, seconds: float) -> str:
    dofs = len(setting.character.skeleton.dofs)
    size = prod(setting.plan.shape) * len(setting.source_times) * (dofs + 1) * 8
    return f"{left} members of {len(setting.source_times)} frames: {size / 1e6:.1f} MB, about {left * seconds:.0f} s"


def _check(plan: FamilyPlan, found: dict[GridIndex, Member]) -> None:
    lost = [index for index, member in sorted(found.items()) if not member.converged]
    if lost:
        told = "; ".join(f"{_values(plan, index)}: {found[index].status}" for index in lost[:_NAMED])
        more = f"; and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
        raise InputError(
            f"{len(lost)} of {len(found)} members cannot be: {told}{more}",
            file=plan.name,
            fix="make the ranges of the axes smaller; what is solved is kept",
        )


def _values(plan: FamilyPlan, index: Iterable[int]) -> str:
    axes = zip(plan.axes, index, strict=True)
    return ", ".join(f"{axis.stage} {axis.measure} {axis.values[n]:.3g}" for axis, n in axes)
