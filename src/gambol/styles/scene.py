"""A character with its footprints and how it begins and ends: what a style is applied to (L05 eq. 5.18).

The motion that is nearest to a clip and obeys physics with these footprints is the one that a style is learned from
(motion fitting, 5.27); the motion of least muscle cost with these footprints is the one that a style generates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.body.kernels import make_kernels
from gambol.body.soles import find_soles
from gambol.contacts.timeline import Contacts, limit_contacts
from gambol.contacts.views import list_constraints, list_loads
from gambol.geometry.arrays import Array
from gambol.progress import Progress, silent
from gambol.solve.ipopt import FINAL_BARRIER, Solution, SolverState, solve
from gambol.solve.problem import Problem
from gambol.spacetime.nearest import nearest_terms
from gambol.terms.contacts import FixedContacts, Separation, ShoeSprings, list_clearances
from gambol.terms.deviation import Cycle, PoseDeviation, PoseTarget, RepeatedChange
from gambol.terms.direction import ForceDirectionCost
from gambol.terms.forces import Wrench
from gambol.terms.momentum import NewtonEuler, sum_contact_forces
from gambol.terms.muscle import MuscleCost, find_joint_columns
from gambol.terms.smoothness import (
    FORCE_COST,
    FORCE_FADE_COST,
    FORCE_RATE_COST,
    AccelerationCost,
    ForceFadeCost,
    ForceRateCost,
)
from gambol.terms.space import Space, Term, make_space
from gambol.terms.torque import JointTorque

STYLE_FPS = 30.0
"""Frames per second at which styles are learned and applied, as in L05."""
_DIRECTION = 1.0
"""Cost of contact forces that point past the centre of mass."""
ROOT_COST = 3e-4
"""Cost per N² (or (N m)²) and second of the residual at the root: it stays below a newton."""
_ENDS = 2
"""Poses at each end that are given: their angles and velocities."""
_PATIENCE = 60
"""Iterations until a task is taken for impossible: drafts of tasks are far from physical."""
_END = 1.0
"""Cost per square radian (or square metre) of leaving a given pose, where that is allowed."""
STYLE_ITERATIONS = 150


@dataclass(frozen=True, eq=False)
class StyleScene:
    """Contacts of a character over time, and poses near which it begins and ends."""

    character: Character
    frame_time: float
    contacts: Contacts
    reference: Array
    """(frames, dofs): a search begins here; the first two and the last two poses are given."""
    exact: tuple[bool, bool] = (True, True)
    """Whether the poses given at the beginning, and at the end, are kept exactly; if not, leaving them has a cost."""
    strides: tuple[int, int] | None = None
    """Frames of the first and the last stride. Where they are known, poses at the ends that are not kept exactly are
    not given: they differ from the reference as those of a stride after or before do."""
    change_cost: Array | float = 0.0
    """(dofs,) cost per (rad/s²)² and second of accelerations that the reference does not have."""
    pose_cost: Array | float = 0.0
    """(dofs,) cost per square radian and second of leaving the poses of the reference."""
    shoe_give: float = 0.0
    """Metres by which the springs of shoes yield to one body weight."""
    separations: tuple[Separation, ...] = ()
    """Of arms and body."""
    travel: Array | None = None
    """(dofs,) of a cycle: the last two poses are the first two, moved by this much, and no pose is given."""

    def cut(self, first: int, last: int) -> StyleScene:
        """Return the frames from a first to a last one, which is no cycle."""
        return replace(
            self,
            contacts=self.contacts.cut(first, last),
            reference=self.reference[first : last + 1],
            separations=tuple(one.cut(first, last) for one in self.separations),
        )

    def with_reference(self, reference: Array) -> StyleScene:
        """Return the same contacts with other poses."""
        return replace(self, reference=reference)


class SolvedScene(NamedTuple):
    """A solved motion of a scene."""

    space: Space
    torque: JointTorque
    muscle: MuscleCost | None
    solution: Solution

    @property
    def q(self) -> Array:
        """(frames, dofs)"""
        return np.asarray(self.solution.x[self.space.q])

    @property
    def joint_torques(self) -> Array:
        """(frames - 2, joint dofs) N m/kg"""
        torques = self.torque.torques(self.space, self.solution.x) / self.space.character.mass
        return np.asarray(torques[:, find_joint_columns(self.space)])

    def find_muscle_torques(self, parameters: Array) -> Array:
        """Return the muscle torques (frames - 2, joint dofs) in N m/kg beside springs of `terms.muscle`."""
        return MuscleCost(self.torque, parameters).torques(self.space, self.solution.x)

    def find_ground_force(self, body: str) -> Array:
        """Return the force (frames, 3) in newtons of all contacts of a body; the first and the last frame have none."""
        mine = [contact for contact in self.torque.laws.contacts if contact.body == body]
        return sum_contact_forces(self.space, mine, self.solution.x)

    @property
    def root_residual(self) -> Array:
        """(frames - 2, 6) N and N m that no force explains."""
        return self.torque.torques(self.space, self.solution.x)[:, :6]


def fit_scene(scene: StyleScene, progress: Progress = silent) -> SolvedScene:
    """Return the motion nearest to the reference that obeys physics, with its torques."""
    terms = nearest_terms(scene.character, scene.reference, scene.contacts, seconds=scene.frame_time)
    laws = next(term for term in terms if isinstance(term, NewtonEuler))
    terms = [*terms, _aim_forces(laws, scene.character, scene.reference)]
    return _solve(scene, terms, JointTorque(laws, 0.0, ROOT_COST, progress), None, progress=progress)


def generate_motion(
    scene: StyleScene,
    parameters: Array,
    *,
    begin: Array | None = None,
    start: SolverState | None = None,
    iterations: int = STYLE_ITERATIONS,
    further: Sequence[Term] = (),
    progress: Progress = silent,
) -> SolvedScene:
    """Return the motion of least muscle cost: `parameters` (joint dofs, 7) are those of `terms.muscle`.

    The search begins at `begin` (frames, dofs), by default at the reference, or at `start`, the solution of the same
    scene with other parameters. `further` terms are added to those of the style, and may use points of all bodies.
    """
    plan, character = scene.contacts, scene.character
    laws, costs = make_force_terms(character, plan, scene.reference)
    torque = JointTorque(laws, 0.0, ROOT_COST, progress)
    frames, whole = len(scene.reference), np.ones(len(character.skeleton.dofs))
    shoes = ShoeSprings(laws.contacts, scene.shoe_give) if scene.shoe_give else None
    cyclic = scene.travel is not None
    # The first and the last frame have no forces.
    first, last = (_ENDS if exact else int(cyclic or shoes is not None) for exact in scene.exact)
    terms: list[Term] = [
        laws,
        FixedContacts(limit_contacts(list_constraints(plan), first, frames - last - 1), shoes),
        *(one.cut(first, frames - last) for one in list_clearances(plan)),
        *scene.separations,
        *costs,
    ]
    if np.any(scene.change_cost):
        terms.append(AccelerationCost(scene.change_cost, scene.reference))
    if np.any(scene.pose_cost):
        terms.append(PoseDeviation(scene.reference, np.broadcast_to(scene.pose_cost, whole.shape)))
    if scene.travel is not None:
        terms.append(Cycle(frames - _ENDS, _ENDS, scene.travel))
    else:
        terms += _find_ends(scene, whole)
    if begin is not None:
        scene = scene.with_reference(begin)
    return _solve(scene, terms, torque, MuscleCost(torque, parameters), start, iterations, progress, further)


def _find_ends(scene: StyleScene, whole: Array) -> Iterator[Term]:
    """Yield what is known of the poses at the ends."""
    frames = len(scene.reference)
    strides = (None, None) if scene.strides is None else (scene.strides[0], -scene.strides[1])
    ends = (range(_ENDS), range(frames - _ENDS, frames))
    for end, exact, stride in zip(ends, scene.exact, strides, strict=True):
        for frame in end:
            if exact or stride is None:
                yield PoseTarget(frame, scene.reference[frame], _END * whole, exact=exact)
            else:
                yield RepeatedChange(frame, frame + stride, scene.reference, _END)


def make_force_terms(
    character: Character, plan: Contacts, reference: Array, forces: tuple[Wrench, ...] = ()
) -> tuple[NewtonEuler, tuple[Term, ...]]:
    """Return the laws of motion, and costs without which contact forces are not unique."""
    laws = NewtonEuler(list_loads(plan, character), cost=FORCE_COST, forces=forces)
    return laws, (
        ForceRateCost(~plan.flight, FORCE_RATE_COST, FORCE_RATE_COST),
        ForceFadeCost(~plan.flight, FORCE_FADE_COST, FORCE_FADE_COST),
        _aim_forces(laws, character, reference),
    )


def _aim_forces(laws: NewtonEuler, character: Character, reference: Array) -> ForceDirectionCost:
    """Let forces point to where the centre of mass is in the reference."""
    return ForceDirectionCost(laws.contacts, Dynamics(character).center_of_mass(reference), _DIRECTION)


def _solve(
    scene: StyleScene,
    terms: Sequence[Term],
    torque: JointTorque,
    muscle: MuscleCost | None,
    start: SolverState | None = None,
    iterations: int = STYLE_ITERATIONS,
    progress: Progress = silent,
    further: Sequence[Term] = (),
) -> SolvedScene:
    soles = (sole.body for sole in find_soles(scene.character).values())
    apart = (body for one in scene.separations for body in one.bodies)
    bodies = dict.fromkeys((*soles, *(contact.body for contact in list_constraints(scene.contacts)), *apart))
    if further:
        bodies = dict.fromkeys(scene.character.bodies)
    kernels = make_kernels(scene.character, list(bodies), progress)
    space = make_space(Problem(), scene.character, kernels, scene.reference, scene.frame_time)
    for term in (*terms, torque, *([] if muscle is None else [muscle]), *further):
        term.add(space)
    solution = solve(
        space.problem,
        iterations=iterations,
        progress=progress,
        warm_start=start,
        barrier=FINAL_BARRIER,
        patience=_PATIENCE,
    )
    return SolvedScene(space, torque, muscle, solution)
