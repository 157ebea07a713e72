"""Solve an edited clip (L05 section 4.4.2): the physical motion nearest to its draft.

By default contacts push within their friction cones (`spacetime.nearest`), and the deviation from the draft counts the
displacement of all mass, the centre of mass included, so that no balance objective is needed. The form printed in the
thesis, momentum splines and a pseudo balance objective without forces, is in `printed`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.contacts.views import list_constraints, list_loads
from gambol.geometry.arrays import Array
from gambol.progress import Progress, silent
from gambol.solve.ipopt import FINAL_BARRIER, SolverState
from gambol.spacetime.edits.anticipation import anticipate
from gambol.spacetime.edits.draft import Draft, draft_edit
from gambol.spacetime.edits.edit import Edit
from gambol.spacetime.edits.parts import EditableClip
from gambol.spacetime.edits.printed import printed_terms
from gambol.spacetime.evaluate import FrameErrors, evaluate_frames
from gambol.spacetime.nearest import RESIDUAL_WEIGHT, nearest_terms
from gambol.spacetime.obstacles import describe_residual, find_doubts
from gambol.spacetime.program import Outcome, optimise
from gambol.terms.space import Term

EDIT_FPS = 60.0
"""Frames per second at which edits are solved."""
_ITERATIONS = 60
_STEPS, _COARSE = 8, 20.0
"""Sizes from one to its double in the search for the feasible share of an edit, and its frames per second."""
_NEAR = 0.35
"""Largest difference between drafts (metres or radians) at which the solution of one is a good start for another."""
_PEAK = 5.0
"""Largest ground force in body weights (at the largest gravity of the clip)."""


class WarmStart(NamedTuple):
    """The solution of a similar draft, as a start for the solver."""

    deviation: Array
    """(frames, dofs) solution minus draft"""
    warm: SolverState

    def is_near(self, reference: Array) -> bool:
        """Whether a draft is near enough that this start saves iterations."""
        if reference.shape != self.deviation.shape:
            return False
        own = self.warm.x[: reference.size].reshape(reference.shape) - self.deviation
        return bool(np.abs(reference - own).max() <= _NEAR)


@dataclass(frozen=True, eq=False)
class SolvedEdit:
    """A draft and its solution."""

    draft: Draft
    outcome: Outcome

    @property
    def warm_start(self) -> WarmStart:
        """A start for a similar draft."""
        return WarmStart(self.outcome.motion.q - self.draft.reference.q, self.outcome.solution.state)

    @property
    def change_deg(self) -> float:
        """Difference of joint angles from the draft in degrees, root mean square over joints and frames."""
        skeleton = self.draft.character.skeleton
        turns = [n for n, dof in enumerate(skeleton.dofs) if dof.kind == "turn" and dof.joint]
        return float(np.degrees(np.sqrt(np.mean((self.outcome.motion.q - self.draft.reference.q)[:, turns] ** 2))))

    @cached_property
    def verdict(self) -> FrameErrors:
        """How physical the motion is at its frames."""
        plan = self.draft.contacts
        loads = list_loads(plan, self.draft.character)
        return evaluate_frames(
            self.draft.character, self.outcome.motion, list_constraints(plan), loads, self.draft.gravity
        )

    @property
    def notes(self) -> list[str]:
        """Messages for the user."""
        residual_force = [describe_residual(self.outcome)] if "residual force" in self.outcome.marks else []
        return residual_force + find_doubts(self.verdict)

    @property
    def summary(self) -> str:
        """One line: what was changed, frames, iterations and seconds."""
        solution = self.outcome.solution
        frames, seconds = len(self.outcome.motion), sum(solution.seconds.values())
        return f"{self.draft.edit}: {frames} frames in {solution.iterations} iterations, {seconds:.1f} s"


def solve_edit(
    clip: EditableClip,
    edit: Edit,
    *,
    fps: float = EDIT_FPS,
    soft: bool = False,
    printed: bool = False,
    terms: Sequence[Term] = (),
    progress: Progress = silent,
) -> SolvedEdit:
    """Draft and solve an edit of a clip; see `solve_draft`."""
    return solve_draft(draft_edit(clip, edit, fps), soft=soft, printed=printed, terms=terms, progress=progress)


def solve_draft(
    draft: Draft,
    *,
    soft: bool = False,
    printed: bool = False,
    terms: Sequence[Term] = (),
    progress: Progress = silent,
    after: WarmStart | None = None,
) -> SolvedEdit:
    """Find the physical motion nearest to a draft.

    `soft` allows residual forces on the ground, at a cost. `printed` uses the form of the thesis, which has no contact
    forces. `terms` are added to those of the edit, and may use points of all bodies. `after` is the solution of a
    similar draft to start from; by default the solver starts from the draft.
    """
    price = np.where(draft.contacts.flight, np.inf, RESIDUAL_WEIGHT) if soft else None
    reference = draft.reference.q if printed else anticipate(draft)
    if printed:
        own = printed_terms(draft)
    else:
        peak = _PEAK * float(draft.gravity.max()) / GRAVITY
        own = nearest_terms(
            draft.character,
            reference,
            draft.contacts,
            residual_weight=price,
            gravity=draft.gravity,
            peak=peak,
            seconds=draft.reference.frame_time,
        )
    if after is not None and not after.is_near(draft.reference.q):
        after = None
    outcome = optimise(
        draft.character,
        reference if after is None else draft.reference.q + after.deviation,
        draft.reference.frame_time,
        [*own, *terms],
        name=draft.reference.name,
        iterations=_ITERATIONS,
        progress=progress,
        warm_start=None if after is None else after.warm,
        barrier=FINAL_BARRIER,
        bodies=draft.character.bodies if terms else (),
    )
    if after is not None and not outcome.solution.converged:
        return solve_draft(draft, soft=soft, printed=printed, terms=terms, progress=progress)
    return SolvedEdit(draft, outcome)


def find_feasible_share(clip: EditableClip, edit: Edit, terms: Sequence[Term] = ()) -> float:
    """Find roughly the largest share of an edit that can be solved, by bisection; 0 if less than a sixteenth can.

    The sizes that are tried are the same whatever was asked, and so is the largest of them that can be solved.
    """
    if edit.size == 0.0:
        return 0.0
    asked = math.floor(_STEPS * math.log2(edit.size))
    low, high = asked + 1 - 4 * _STEPS, asked + 1
    share = 0.0
    while high - low > 1:
        step = (low + high) // 2
        tried = 2.0 ** (step / _STEPS) / edit.size
        if solve_edit(clip, edit.scale(tried), fps=_COARSE, terms=terms).outcome.solution.converged:
            low, share = step, tried
        else:
            high = step
    return share
