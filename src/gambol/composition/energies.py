"""What is minimised for a person of a scene: likeness to the clips, or the effort of the muscles (L05 eq. 6.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from gambol.body.character import Character
from gambol.composition.composition import Action
from gambol.composition.roles import Role, find_mass
from gambol.contacts.timeline import limit_contacts
from gambol.contacts.views import list_constraints
from gambol.fit.load import as_motion
from gambol.geometry.arrays import Array
from gambol.io.models import as_model
from gambol.motion.skeleton import Skeleton
from gambol.progress import Progress, silent
from gambol.spacetime.edits.verb import prepare_clip
from gambol.spacetime.nearest import RESIDUAL_WEIGHT, find_unseen_supports
from gambol.styles.learning import find_start
from gambol.styles.scene import ROOT_COST, fit_scene, make_force_terms
from gambol.styles.style import PhysicalStyle, blend_parameters, find_style_rows
from gambol.styles.task import StyleTask, draft_task, make_scene
from gambol.styles.verb import choose_part
from gambol.terms.contacts import FixedContacts, list_clearances
from gambol.terms.deviation import MassDisplacement, PoseDeviation, PoseTarget, weigh_dofs
from gambol.terms.foothold import FootholdChange
from gambol.terms.forces import Wrench
from gambol.terms.momentum import NewtonEuler
from gambol.terms.muscle import MUSCLE_PARAMETERS, MuscleCost
from gambol.terms.smoothness import (
    FORCE_COST,
    FORCE_FADE_COST,
    FORCE_RATE_COST,
    AccelerationCost,
    ForceFadeCost,
    ForceRateCost,
    VelocityCost,
)
from gambol.terms.space import Term
from gambol.terms.torque import JointTorque

if TYPE_CHECKING:
    from gambol.composition.block_person import PersonInBlock

_MASS, _ANGLES, _HEIGHT = 400.0, 10.0, 50.0
"""Costs of displaced mass (per m²), of joint angles (per rad²) and of the height of the root (per m²), per second."""
_VELOCITY, _ACCELERATION = 0.05, 1e-4
"""Costs of velocities and accelerations of deviations."""
_HELD_ARM = 0.2
"""Cost of the joint angles of an arm whose hand is held (per rad² and second), so that trunks stay upright: at a tenth
of the cost of others, in place of a fiftieth, a child of 1.2 m leans by 6.6 degrees away from an adult."""
_STEP_CHANGE, _HELD_STEP_CHANGE, _HIT_STEP_CHANGE = 50.0, 500.0, 2.0
"""Costs per square metre by which the shifts of successive footholds differ: whoever is held keeps up, whoever was hit
steps where they must."""
_END = 1.0
"""Cost per square radian of leaving the poses at the ends of a scene, where effort is minimised."""
_SEAM = 0.3
"""Seconds on both sides of a seam over which one style passes into the next."""


class Energy(Protocol):
    """What is minimised for a person."""

    def make_terms(self, person: PersonInBlock, forces: tuple[Wrench, ...], progress: Progress) -> Sequence[Term]:
        """Return the terms of a person in a block, laws included."""


@dataclass(frozen=True)
class Likeness:
    """Deviation from the draft: of angles, of mass about its centre, of velocities, and of steps."""

    share: float = 1.0

    def make_terms(self, person: PersonInBlock, forces: tuple[Wrench, ...], progress: Progress) -> Sequence[Term]:
        """Return the terms of a person in a block, laws included."""
        reference, plan, share = person.reference, person.plan, self.share
        character = person.role.draft.character
        held = [force for force in forces if force.body.endswith("hand")]
        steady = _HELD_STEP_CHANGE if held else _STEP_CHANGE
        contacts = (*person.loads, *find_unseen_supports(character, reference, plan))
        residual = RESIDUAL_WEIGHT if person.block.relaxed else None
        laws = NewtonEuler(contacts, cost=FORCE_COST, residual_weight=residual, forces=forces)
        return [
            MassDisplacement(reference, share * _MASS),
            PoseDeviation(reference, share * _weigh_pose(character.skeleton, len(reference), held)),
            VelocityCost(share * _VELOCITY, reference),
            AccelerationCost(share * _ACCELERATION, reference),
            laws,
            ForceRateCost(~plan.flight, share * FORCE_RATE_COST, share * FORCE_RATE_COST, reference),
            ForceFadeCost(~plan.flight, share * FORCE_FADE_COST, share * FORCE_FADE_COST),
            *keep_contacts(person),
            *(
                FootholdChange(one.before, one.after, share * (_HIT_STEP_CHANGE if one.hit else steady))
                for one in person.steps
            ),
        ]


def _weigh_pose(skeleton: Skeleton, frames: int, held: Sequence[Wrench]) -> Array:
    """Return weights (frames, dofs) of deviations from the draft: arms whose hands are held give way first."""
    weights, names = np.tile(weigh_dofs(skeleton, _ANGLES, _HEIGHT), (frames, 1)), skeleton.names
    for force in held:
        side, above = force.body.partition("_")[0], skeleton.path_to_root(skeleton.index(force.body))
        arm = [dof.joint in above and names[dof.joint].startswith(side) for dof in skeleton.dofs]
        weights[force.first : force.last + 1, arm] = _HELD_ARM
    return weights


@dataclass(frozen=True, eq=False)
class Effort:
    """Squared torques of the muscles (L05 eq. 6.6) beside springs, with the preferences of a style."""

    parameters: Array
    """(frames of the scene, joint dofs, 7) `terms.muscle.MUSCLE_PARAMETERS`"""

    def make_terms(self, person: PersonInBlock, forces: tuple[Wrench, ...], progress: Progress) -> Sequence[Term]:
        """Return the terms of a person in a block, laws included."""
        reference, character = person.reference, person.role.draft.character
        laws, costs = make_force_terms(character, person.plan, reference, forces)
        if person.block.relaxed:
            laws = replace(laws, residual_weight=RESIDUAL_WEIGHT)
        torque = JointTorque(laws, 0.0, ROOT_COST, progress)
        whole = np.ones(len(character.skeleton.dofs))
        ends = {0, 1, len(reference) - 2, len(reference) - 1} - set(person.pinned)
        inner = self.parameters[person.frames][1:-1]
        return [
            laws,
            *costs,
            torque,
            MuscleCost(torque, inner),
            *keep_contacts(person),
            *(PoseTarget(frame, reference[frame], _END * _stay(character) * whole) for frame in sorted(ends)),
        ]


def _stay(character: Character) -> Array:
    """Return weights (dofs,) of poses at the ends: the place on the floor is free."""
    return np.array([float(dof.kind == "turn" or abs(dof.axis[2]) > 0.5) for dof in character.skeleton.dofs])


def make_energy(role: Role, progress: Progress = silent) -> Energy:
    """Return what is minimised for a person; the styles of actions are interpolated across their seams."""
    person = role.person
    if person.energy == "likeness":
        return Likeness(person.share)
    rows = [_find_rows(role, action, progress) for action in person.actions]
    inside = np.clip((role.clip_times[:, None] - np.array(role.seams)) / (2.0 * _SEAM) + 0.5, 0.0, 1.0)
    begun, ended = (
        np.pad(inside, ((0, 0), side), constant_values=value) for side, value in (((1, 0), 1.0), ((0, 1), 0.0))
    )
    parameters = blend_parameters(rows, begun - ended)
    priced = [MUSCLE_PARAMETERS.index(name) for name in ("cost", "smoothness", "posture")]
    parameters[..., priced] *= person.share
    return Effort(parameters)


def _find_rows(role: Role, action: Action, progress: Progress) -> Array:
    """Return the parameters (joint dofs, 7) of an action: of its style, or uniform preferences."""
    person = role.person
    file = action.style or (person.energy if person.energy != "effort" else "")
    if file:
        return find_style_rows(as_model(file, PhysicalStyle), role.draft.character.skeleton)
    motion = as_motion(action.clip)
    clip, _ = prepare_clip(motion, *choose_part(motion, action.start, action.end), find_mass(person))
    fitted = fit_scene(make_scene(draft_task(clip, StyleTask())), progress)
    return find_start(fitted).make_uniform()


def keep_contacts(person: PersonInBlock) -> list[Term]:
    """Return constraints of feet and of the frames that a block shares with others."""
    plan, pinned = person.plan, person.pinned
    count = len(person.reference)
    begin = sum(frame < count // 2 for frame in pinned)
    end = count - (len(pinned) - begin)
    whole = np.ones(len(person.role.draft.character.skeleton.dofs))
    return [
        FixedContacts(limit_contacts(list_constraints(plan), begin, end - 1)),
        *(one.cut(begin, end) for one in list_clearances(plan)),
        *(PoseTarget(frame, person.start[frame], whole, exact=True) for frame in pinned),
    ]
