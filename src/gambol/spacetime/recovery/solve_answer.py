"""Solve the answer of the whole body to a push: the motion nearest to the clip, with steps where it needs them.

Unknown are the coordinates of all frames, contact forces inside their friction cones, and where the feet land. The push
enters Newton's and Euler's laws as an external force. Deviations from the clip have costs: of joint angles, of their
velocities and accelerations, of mass about its centre, and of rates of force beyond those of the clip. Travel over the
ground has none; a step that differs from the step before it has. The last two frames are those of the clip, displaced,
unless the clip ends within two steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gambol.contacts.contact import Contact
from gambol.contacts.timeline import limit_contacts
from gambol.contacts.views import list_constraints, list_loads
from gambol.geometry.arrays import Array
from gambol.motion.pushes import Push
from gambol.progress import Progress, silent
from gambol.solve.ipopt import SolverState
from gambol.spacetime.nearest import find_unseen_supports
from gambol.spacetime.program import Outcome, optimise
from gambol.spacetime.recovery.crossing import find_crossings
from gambol.spacetime.recovery.window import PINNED, REACTION, RecoveryWindow, find_floor_normal, list_approaches
from gambol.terms.contacts import FixedContacts, Separation, list_clearances
from gambol.terms.deviation import MassDisplacement, PoseDeviation, PosesUpToTravel, PoseTarget, weigh_dofs
from gambol.terms.foothold import FootholdChange
from gambol.terms.forces import ExternalForce
from gambol.terms.momentum import NewtonEuler
from gambol.terms.smoothness import AccelerationCost, ForceRateCost, VelocityCost
from gambol.terms.space import Term

_MASS, _ANGLES, _HEIGHT = 400.0, 10.0, 200.0
"""Costs of displaced mass (per m²), of joint angles (per rad²) and of the height of the root (per m²), per second."""
_VELOCITY, _ACCELERATION = 0.05, 1e-4
"""Costs of velocities and accelerations of deviations."""
_FORCE, _FORCE_RATE = 1e-4, 1e-5
"""Costs of contact force, and of the rates of force and moment beyond those of the clip."""
_STEP_CHANGE = 2.0
"""Cost per square metre by which the shifts of successive footholds differ: the path after the push is kept."""
_STIFF = 30.0
"""Factor of the cost of joint velocities until a push is felt: the solver knows of it sooner."""
_BESIDE = (0.01, 0.01, 0.03)
"""Metres along, across and above its path in the clip, moved with its foothold, at which a foot comes and leaves."""
_ITERATIONS = 60
_SEPARATIONS = 2
"""Solves with legs kept apart: the second for parts that the first brought near."""


@dataclass(frozen=True, eq=False)
class SolvedAnswer:
    """A window and the motion that was solved for it."""

    window: RecoveryWindow
    outcome: Outcome
    forces: tuple[ExternalForce, ...]

    @property
    def onset(self) -> float:
        """When the push begins (s)."""
        return float(self.window.times[PINNED - 1])

    @property
    def deviation(self) -> Array:
        """(frames, dofs) from the reference."""
        return self.outcome.motion.q - self.window.reference.motion.q

    @property
    def shifts(self) -> Mapping[Contact, Array]:
        """How far every stance lands from its place in the reference, (3,) metres."""
        return {
            stance: np.zeros(3) if one is None else self.outcome.footholds[one] @ one.axes
            for stance, one in self.window.footholds
        }


def solve_window(
    window: RecoveryWindow,
    pushes: Sequence[Push],
    *,
    style: Array | float = 0.0,
    barrier: float = 0.0,
    apart: bool = False,
    progress: Progress = silent,
) -> SolvedAnswer:
    """Answer pushes in a window; `style` (frames, dofs) is the deviation from the reference that costs nothing.

    With `apart`, an answer in which the legs pass through each other is solved again with the legs kept apart.
    """
    forces = tuple(force for push in pushes if (force := window.convert_push(push)) is not None)
    reference = window.reference
    wanted = reference.motion.q + style
    terms = recovery_terms(window, forces, wanted)

    def solve(start: Array, separations: Sequence[Separation], state: SolverState | None = None) -> Outcome:
        return optimise(
            reference.character,
            start,
            reference.motion.frame_time,
            [*terms, *separations],
            name=reference.motion.name,
            iterations=_ITERATIONS,
            barrier=barrier,
            warm_start=state,
            bodies=reference.character.bodies,
            progress=progress,
        )

    outcome, separations = solve(wanted, ()), list[Separation]()
    for _ in range(_SEPARATIONS if apart else 0):
        found = find_crossings(reference, outcome.motion.q)
        if not found or not outcome.solution.converged:
            break
        separations += found
        outcome = solve(outcome.motion.q, separations, _add_separations(outcome.solution.state, found))
    return SolvedAnswer(window, outcome, forces)


def _add_separations(state: SolverState, added: Sequence[Separation]) -> SolverState:
    """Return the solver state of a problem for the same problem with more separations at its end."""
    count = sum(len(one.frames) for one in added)
    return state._replace(constraints=np.append(state.constraints, np.zeros(count)))


def recovery_terms(window: RecoveryWindow, forces: tuple[ExternalForce, ...], wanted: Array) -> list[Term]:
    """Return the terms of an answer that is as near as possible to the `wanted` poses (frames, dofs)."""
    reference, clip = window.reference, window.reference.motion.q
    plan, dofs = reference.contacts, reference.character.skeleton.dofs
    end = len(clip) - PINNED if window.closed else len(clip)
    standing = tuple(one for stance, one in window.footholds if one is not None and stance.last >= end)
    surprised = np.arange(len(clip)) * reference.motion.frame_time < REACTION + reference.motion.frame_time
    stiff = np.where(surprised, _STIFF, 1.0)[:, None]
    unseen = find_unseen_supports(reference.character, clip, plan)
    carrying = (*window.give_footholds(list_loads(plan, reference.character)), *unseen)
    return [
        MassDisplacement(wanted, _MASS),
        PoseDeviation(wanted, weigh_dofs(reference.character.skeleton, _ANGLES, _HEIGHT)),
        VelocityCost(_VELOCITY * stiff[:-1] ** np.array([float(dof.joint > 0) for dof in dofs]), wanted),
        AccelerationCost(_ACCELERATION, wanted),
        NewtonEuler(carrying, cost=_FORCE, forces=forces),
        ForceRateCost(~plan.flight, _FORCE_RATE, _FORCE_RATE, clip),
        FixedContacts(limit_contacts(window.give_footholds(list_constraints(plan)), PINNED, end - 1)),
        FixedContacts(limit_contacts(list_approaches(window), PINNED, end - 1), slack=_BESIDE),
        *(one.cut(PINNED, end) for one in list_clearances(plan)),
        *(PoseTarget(frame, clip[frame], np.ones(len(dofs)), exact=True) for frame in range(PINNED)),
        *(
            [PosesUpToTravel(tuple(range(end, len(clip))), clip, standing, find_floor_normal(reference))]
            if window.closed
            else []
        ),
        *(
            FootholdChange(before, after, _STEP_CHANGE)
            for (_, before), (_, after) in pairwise(window.footholds)
            if after is not None
        ),
    ]
