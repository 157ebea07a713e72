"""An edited clip (L05 section 4.4.2): the motion nearest to its draft that physics allows.

By default what is held pushes within its cone (`spacetime.nearest`): momentum on the ground is what feet can give, and
likeness to the draft counts the way of every bit of mass, that of the centre too, so that no balance objective is
needed. The form that is printed, momentum splines and a pseudo balance objective without forces, is `printed`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gambol.body.character import GRAVITY
from gambol.geometry.arrays import Array
from gambol.solve.ipopt import Progress, Warm
from gambol.spacetime.edits.draft import Draft, draft_edit
from gambol.spacetime.edits.edit import Edit
from gambol.spacetime.edits.parts import EditableClip
from gambol.spacetime.edits.printed import printed_terms
from gambol.spacetime.judge import AtFrames, judge
from gambol.spacetime.nearest import SOFT, nearest
from gambol.spacetime.program import Outcome, optimise
from gambol.spacetime.trouble import doubts, helped

EDIT_RATE = 60.0
"""Frames a second at which edits are solved."""
_ITERATIONS = 60
_TRIES, _COARSE = 5, 20.0
"""Halvings when it is asked how far an edit can go, and frames a second of a first answer."""
_NEAR = 0.35
"""Metres or radians between drafts up to which the solution of one is a good start for the other."""
_BARRIER = 1e-4
"""How much the bounds of forces count before they are reached: joints come out within 0.3 degrees of where they are
without, in two thirds of the iterations."""
_PEAK = 5.0
"""Body weights (of the largest gravity that there is) that the ground gives at most."""

Tell = Callable[[str], None]


class WarmStart(NamedTuple):
    """Where the search for a motion can begin: with what became of a draft like it."""

    change: Array
    """(frames, dofs) what was added to the draft"""
    warm: Warm

    def near(self, like: Array) -> bool:
        """Whether a draft is so near that to begin here is worth it."""
        if like.shape != self.change.shape:
            return False
        drafted = self.warm.x[: like.size].reshape(like.shape) - self.change
        return bool(np.abs(like - drafted).max() <= _NEAR)


@dataclass(frozen=True, eq=False)
class SolvedEdit:
    """What was asked, and what came."""

    draft: Draft
    outcome: Outcome

    @property
    def begun(self) -> WarmStart:
        """For a draft like it to begin with."""
        return WarmStart(self.outcome.motion.q - self.draft.reference.q, self.outcome.solution.warm)

    @property
    def change(self) -> float:
        """Degrees that joints are turned from those of the clip, root mean square over joints and frames."""
        skeleton = self.draft.character.skeleton
        turns = [n for n, dof in enumerate(skeleton.dofs) if dof.kind == "turn" and dof.joint]
        return float(np.degrees(np.sqrt(np.mean((self.outcome.motion.q - self.draft.reference.q)[:, turns] ** 2))))

    @cached_property
    def verdict(self) -> AtFrames:
        """How physical it is at its frames."""
        stands = self.draft.contact_plan
        return judge(self.draft.character, self.outcome.motion, stands.holds, stands.pushes, self.draft.gravity)

    @property
    def notes(self) -> list[str]:
        """What a person should know."""
        softened = [helped(self.outcome)] if "help force" in self.outcome.marks else []
        return softened + doubts(self.verdict)

    @property
    def story(self) -> str:
        """What was changed and how the solver fared, in a line."""
        solution = self.outcome.solution
        frames, seconds = len(self.outcome.motion), sum(solution.seconds.values())
        return f"{self.draft.edit}: {frames} frames in {solution.iterations} iterations, {seconds:.1f} s"


def solve_edit(
    clip: EditableClip,
    edit: Edit,
    *,
    rate: float = EDIT_RATE,
    soft: bool = False,
    printed: bool = False,
    progress: Progress | None = None,
    tell: Tell | None = None,
) -> SolvedEdit:
    """Edit a clip."""
    return solve_draft(draft_edit(clip, edit, rate), soft=soft, printed=printed, progress=progress, tell=tell)


def solve_draft(
    draft: Draft,
    *,
    soft: bool = False,
    printed: bool = False,
    progress: Progress | None = None,
    tell: Tell | None = None,
    after: WarmStart | None = None,
) -> SolvedEdit:
    """The motion nearest to a draft, searched from there, or from what became of one like it.

    `soft` allows momentum from nowhere on the ground; the printed form does not ask where it comes from.
    """
    price = np.where(draft.contact_plan.flight, np.inf, SOFT) if soft else None
    if printed:
        terms = printed_terms(draft)
    else:
        peak = _PEAK * float(draft.gravity.max()) / GRAVITY
        terms = nearest(
            draft.character,
            draft.reference.q,
            draft.contact_plan,
            soft=price,
            gravity=draft.gravity,
            peak=peak,
            seconds=draft.reference.frame_time,
        )
    if after is not None and not after.near(draft.reference.q):
        after = None
    outcome = optimise(
        draft.character,
        draft.reference.q if after is None else draft.reference.q + after.change,
        draft.reference.frame_time,
        terms,
        name=draft.reference.name,
        iterations=_ITERATIONS,
        progress=progress,
        tell=tell,
        after=None if after is None else after.warm,
        barrier=_BARRIER,
    )
    if after is not None and not outcome.solution.converged:
        return solve_draft(draft, soft=soft, printed=printed, progress=progress, tell=tell)
    return SolvedEdit(draft, outcome)


def find_feasible_share(clip: EditableClip, edit: Edit) -> float:
    """The share of an edit that can still be solved, roughly."""
    low, high = 0.0, 1.0
    for _ in range(_TRIES):
        middle = 0.5 * (low + high)
        if solve_edit(clip, edit.scale(middle), rate=_COARSE).outcome.solution.converged:
            low = middle
        else:
            high = middle
    return low
