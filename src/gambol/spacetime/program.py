"""Solve a motion from a list of terms, by one optimisation over all frames (L05 eq. 3.13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gambol.body.character import Character
from gambol.body.kernels import make_kernels
from gambol.body.soles import find_soles
from gambol.contacts.foothold import Foothold
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.progress import Progress, silent
from gambol.solve.ipopt import Solution, SolverState, solve
from gambol.solve.problem import Problem
from gambol.terms.contacts import FixedContacts
from gambol.terms.space import Space, Term, make_space


@dataclass(frozen=True, eq=False)
class Outcome:
    """A solved motion of a character, and the solver's solution."""

    character: Character
    motion: Motion
    solution: Solution
    marks: dict[str, Array]
    """(frames,) by name: values that soft terms took, such as "residual force" in body weights."""
    footholds: Mapping[Foothold, Array]
    """Solved variables of unknown footholds: shifts in metres along their axes, and yaws."""


def optimise(
    character: Character,
    start: Array,
    frame_time: float,
    terms: Sequence[Term],
    *,
    name: str = "motion",
    iterations: int = 80,
    progress: Progress = silent,
    warm_start: SolverState | None = None,
    barrier: float = 0.0,
    least_barrier: float = 0.0,
    bodies: Sequence[str] = (),
    begin: float = 0.0,
) -> Outcome:
    """Find the motion that minimises the terms' costs under their constraints, from `start` (frames, dofs).

    `progress` is called before a compilation and after every iteration. `warm_start` is the solver
    state of a problem of the same shape; the motion itself still begins at `start`. `barrier` and
    `least_barrier` are those of `solve.ipopt.solve`. Terms may use points of bodies with soles, and of `bodies`; of all
    bodies if contacts keep a body without a sole in place.
    `begin` (s) is the time of the first frame in the whole motion, of which this may be a part.
    """
    shown = {*(sole.body for sole in find_soles(character).values()), *bodies}
    kept = {one.body for term in terms if isinstance(term, FixedContacts) for one in term.contacts}
    made = make_kernels(character, list(shown) if kept <= shown else character.bodies, progress)
    space = make_space(Problem(), character, made, start, frame_time, begin=begin)
    own = space.problem.size
    for term in terms:
        term.add(space)
    solution = solve(
        space.problem,
        iterations=iterations,
        progress=progress,
        warm_start=warm_start,
        fresh=own,
        barrier=barrier,
        least_barrier=least_barrier,
    )
    motion = Motion(character.skeleton, solution.x[space.q], frame_time, name)
    footholds = {one: solution.x[index] for one, index in space.problem.shared_by(Foothold).items()}
    return Outcome(character, motion, solution, _find_marks(space, solution), footholds)


def _find_marks(space: Space, solution: Solution) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for name, parts in space.problem.marks.items():
        found[name] = np.zeros(len(space))
        for frames, index in parts:
            size = np.linalg.norm(solution.x[index].reshape(len(frames), -1), axis=1)
            found[name][frames] = np.maximum(found[name][frames], size)
    return found
