"""A motion as the best of all that keep to some terms (L05 eq. 3.13): the one way from terms to a solved motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gambol.body.character import Character
from gambol.body.kernels import kernels
from gambol.body.soles import soles
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.solve.ipopt import Progress, Solution, Warm, solve
from gambol.solve.problem import Problem
from gambol.terms.space import Space, Term, make_space


@dataclass(frozen=True, eq=False)
class Outcome:
    """A motion of a character and what the solver says of it."""

    character: Character
    motion: Motion
    solution: Solution
    marks: dict[str, Array]
    """(frames,) by name what soft terms took: "help force" in body weights, bodies beside their holds in metres."""


def optimise(
    character: Character,
    start: Array,
    frame_time: float,
    terms: Sequence[Term],
    *,
    name: str = "motion",
    iterations: int = 80,
    progress: Progress | None = None,
    tell: Callable[[str], None] | None = None,
    after: Warm | None = None,
    barrier: float = 0.0,
    bodies: Sequence[str] = (),
) -> Outcome:
    """The motion that the terms like best, searched from `start` (frames, dofs).

    `tell` hears of slow first times (a compilation), `progress` of every iteration; `after` is the solution of a
    problem of the same shape to go on from in all but the motion itself, `barrier` how much bounds count before they
    are reached (`solve.ipopt`). Terms may use points of the soles' bodies, and of `bodies` besides.
    """
    shown = dict.fromkeys((*(sole.body for sole in soles(character).values()), *bodies))
    made = kernels(character, list(shown), tell)
    space = make_space(Problem(), character, made, start, frame_time)
    own = space.problem.size
    for term in terms:
        term.add(space)
    solution = solve(space.problem, iterations=iterations, progress=progress, after=after, fresh=own, barrier=barrier)
    motion = Motion(character.skeleton, solution.x[space.q], frame_time, name)
    return Outcome(character, motion, solution, _marked(space, solution))


def _marked(space: Space, solution: Solution) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for name, parts in space.problem.marks.items():
        found[name] = np.zeros(len(space))
        for frames, index in parts:
            size = np.linalg.norm(solution.x[index].reshape(len(frames), -1), axis=1)
            found[name][frames] = np.maximum(found[name][frames], size)
    return found
