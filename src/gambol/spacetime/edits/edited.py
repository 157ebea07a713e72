"""An edited clip (L05 section 4.4.2): the motion nearest to its draft that physics allows, and its way home."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gambol.solve.ipopt import Progress, Solution
from gambol.spacetime.edits.draft import Draft, draft_of
from gambol.spacetime.edits.edit import Edit
from gambol.spacetime.edits.parts import Clip
from gambol.spacetime.nearest import nearest
from gambol.spacetime.program import Outcome, optimise

RATE = 60.0
"""Frames a second at which edits are solved."""
_ITERATIONS = 100
_TRIES = 5
"""Halvings when it is asked how far an edit can go."""
SOFT = 300.0
"""Price of momentum from nowhere, squared body weights times seconds, where it is allowed."""

Tell = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Edited:
    """What was asked, and what came."""

    draft: Draft
    outcome: Outcome

    @property
    def change(self) -> float:
        """Degrees that joints are turned from those of the clip, root mean square over joints and frames."""
        skeleton = self.draft.character.skeleton
        turns = [n for n, dof in enumerate(skeleton.dofs) if dof.kind == "turn" and dof.joint]
        return float(np.degrees(np.sqrt(np.mean((self.outcome.motion.q - self.draft.like.q)[:, turns] ** 2))))

    @property
    def story(self) -> str:
        """What was changed and how the solver fared, in a line."""
        solution = self.outcome.solution
        frames, seconds = len(self.outcome.motion), sum(solution.seconds.values())
        return f"{self.draft.edit}: {frames} frames in {solution.iterations} iterations, {seconds:.1f} s"


def edited(
    clip: Clip,
    edit: Edit,
    *,
    rate: float = RATE,
    soft: bool = False,
    progress: Progress | None = None,
    tell: Tell | None = None,
) -> Edited:
    """Edit a clip."""
    return solved(draft_of(clip, edit, rate), soft=soft, progress=progress, tell=tell)


def solved(
    draft: Draft,
    *,
    soft: bool = False,
    progress: Progress | None = None,
    tell: Tell | None = None,
    after: Solution | None = None,
) -> Edited:
    """The motion nearest to a draft; `after` is the solution of one like it."""
    price = np.where(draft.stands.flight, np.inf, SOFT) if soft else None
    terms = nearest(draft.character, draft.like.q, draft.stands, soft=price, gravity=draft.gravity)
    outcome = optimise(
        draft.character,
        draft.like.q,
        draft.like.frame_time,
        terms,
        name=draft.like.name,
        iterations=_ITERATIONS,
        progress=progress,
        tell=tell,
        after=after,
    )
    return Edited(draft, outcome)


def farthest(clip: Clip, edit: Edit, rate: float) -> float:
    """The share of an edit that can still be solved."""
    low, high = 0.0, 1.0
    for _ in range(_TRIES):
        middle = 0.5 * (low + high)
        if edited(clip, edit.scaled(middle), rate=rate).outcome.solution.converged:
            low = middle
        else:
            high = middle
    return low
