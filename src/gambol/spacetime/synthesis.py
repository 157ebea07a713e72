"""Plan and solve a sketch (L05 chapter 3): rough motion, stages, transition poses, momentum, objective, solution."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.contacts.contact import Contact
from gambol.contacts.stage import Stage
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.skeleton import Skeleton
from gambol.progress import Progress, silent
from gambol.spacetime.drawn_poses import has_drawings, pose_from_drawing
from gambol.spacetime.poses import PoseDatabase, move_points, pose_from_points
from gambol.spacetime.program import Outcome, optimise
from gambol.spacetime.rough import RoughMotion, find_tilt, joint_turns, make_rough_motion
from gambol.spacetime.sketch import Sketch, WantedPose
from gambol.spacetime.start import FramePose, fix_pose, make_start, resting_ends
from gambol.spacetime.supports import (
    SupportSpan,
    find_support_stages,
    frame_spans,
    merge_stages,
    plan_clearances,
    plan_supports,
)
from gambol.spacetime.transitions import measure_flight
from gambol.terms.balance import BalanceCost, RestCost
from gambol.terms.contacts import FixedContacts
from gambol.terms.curve import MomentumCurve
from gambol.terms.deviation import MassDisplacement, PoseTarget
from gambol.terms.momentum import NewtonEuler
from gambol.terms.smoothness import AccelerationCost, ForceFadeCost, ForceRateCost, VelocityCost
from gambol.terms.space import Term
from gambol.terms.speed import SpeedTarget

TransitionForm = Literal["near", "exact"]
"""Suggested transition poses are costs, or constraints (L05 eq. 3.13)."""
VelocityForm = Literal["relative", "plain"]
"""The velocity cost is of the deviation from the rough motion, or of the coordinates themselves (L05 section 3.7)."""
_ITERATIONS = 200
"""Limit: our sketches take 20 to 100 iterations."""


@dataclass(frozen=True)
class SketchWeights:
    """Weights of the costs of a sketch, per second of motion."""

    displacement: float = 40.0
    """Mean squared displacement (m²) of mass from the rough motion."""
    velocity: float = 0.05
    """Squared velocity of the deviation from the rough motion."""
    acceleration: float = 1e-4
    force_rate: float = 0.002
    """Squared rate of the contact force per kilogram, and of its moment per kilogram and radius of gyration. It
    makes the body crouch before a jump and turn away before a turn: momentum that grows and ends smoothly (figure 3.6:
    C1 at take-off) needs a long acceleration, which starts below the standing pose, or turned away from it."""
    impact: float = 0.1
    """Factor of `force_rate` on landings: the ground stops a foot faster than muscles accelerate a body."""
    pose: float = 10.0
    """Transition poses, per square radian."""
    balance: float = 50.0
    rest: float = 100.0


@dataclass(frozen=True)
class MomentumForm:
    """How momentum is constrained."""

    printed: bool = False
    """On the ground by the characteristic curve of L05, without forces, instead of by contact forces."""
    residual_weight: float | None = None
    """Cost of residual force (see `terms.momentum.NewtonEuler`); None allows none."""


@dataclass(frozen=True, eq=False)
class SketchPlan:
    """A sketch ready to be solved: stages, contacts, poses and the start of the search."""

    sketch: Sketch
    rough: RoughMotion
    spans: tuple[SupportSpan, ...]
    constraints: tuple[Contact, ...]
    poses: tuple[PoseTarget, ...]
    start: Array

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Ground and flight stages."""
        return merge_stages(self.spans)


def plan_sketch(
    sketch: Sketch, database: PoseDatabase, rough: RoughMotion | None = None, transitions: TransitionForm = "near"
) -> SketchPlan:
    """Plan a sketch; its rough motion is interpolated from its keys unless it is given."""
    rough = rough or make_rough_motion(sketch)
    given = sketch.stages or find_support_stages(rough.motion, rough.character)
    if not any(stage.on for stage in given):
        raise InputError("nothing supports the body in any frame", fix="give stages, or keys between which feet stay")
    spans = frame_spans(given, sketch.fps, len(rough.motion))
    contacts = plan_supports(rough.motion, rough.character, spans)
    wanted = [pose for pose in sketch.poses if pose.joints or pose.tilt]
    targets = [_make_target(rough, pose, sketch.fps) for pose in wanted]
    upright = rough.tilt is None and has_drawings(rough.character)
    suggested = _suggest_poses(sketch, rough, spans, database) if upright else []
    taken = {target.frame for target in targets}
    poses = [pose for pose in suggested if pose.frame not in taken]
    start = make_start(rough, spans, contacts, [*poses, *targets])
    if transitions == "exact":
        terms = [_exact_term(rough.character, pose.frame, start, contacts) for pose in poses]
    else:
        terms = [_pose_term(rough.character, pose, start) for pose in poses]
    terms += [_end_term(rough, frame, spans) for frame in (0, len(start) - 1) if frame not in taken]
    terms += [_target_term(rough.character, target, pose, start) for target, pose in zip(targets, wanted, strict=True)]
    return SketchPlan(sketch, rough, spans, contacts, tuple(terms), start)


def sketch_terms(
    made: SketchPlan,
    weights: SketchWeights,
    form: MomentumForm = MomentumForm(),
    velocity: VelocityForm = "relative",
) -> list[Term]:
    """Return the terms of the whole problem (L05 eq. 3.12, 3.13)."""
    character, frames = made.rough.character, len(made.start)
    soles = [contact for contact in made.constraints if not contact.grip]  # the force of a bar turns with the swing
    on_soles = np.array([any(contact.is_active(frame) for contact in soles) for frame in range(frames)])
    supported = np.array([any(contact.is_active(frame) for contact in made.constraints) for frame in range(frames)])
    slow, moment_rate = velocity_weights(character), weights.force_rate / squared_radii_of_gyration(character)
    return [
        FixedContacts(made.constraints),
        *plan_clearances(character, made.spans, made.constraints),
        NewtonEuler(made.constraints, contact_forces=not form.printed, residual_weight=form.residual_weight),
        *(MomentumCurve(stage.first, stage.last) for stage in made.stages if form.printed and stage.kind == "ground"),
        MassDisplacement(made.rough.motion.q, weights.displacement, travel=1.0),
        VelocityCost(weights.velocity * slow, made.rough.motion.q if velocity == "relative" else None),
        AccelerationCost(weights.acceleration * slow),
        ForceRateCost(on_soles, weights.force_rate, moment_rate),
        ForceFadeCost(supported, weights.force_rate, moment_rate, weights.impact),
        *(replace(pose, weight=weights.pose * pose.weight) for pose in made.poses),
        *_rest_terms(made, weights),
    ]


def synthesise(
    made: SketchPlan,
    weights: SketchWeights = SketchWeights(),
    form: MomentumForm = MomentumForm(),
    *,
    velocity: VelocityForm = "relative",
    terms: Sequence[Term] = (),
    progress: Progress = silent,
) -> Outcome:
    """Solve the motion of a plan; `terms` are added to those of the sketch, and may use points of all bodies."""
    return optimise(
        made.rough.character,
        made.start,
        made.rough.motion.frame_time,
        [*sketch_terms(made, weights, form, velocity), *terms],
        name=made.sketch.name,
        iterations=_ITERATIONS,
        bodies=made.rough.character.bodies if terms else (),
        progress=progress,
    )


def squared_radii_of_gyration(character: Character) -> Array:
    """Return the squared radii of gyration (3,) of the standing body about its centre of mass, in m².

    A moment per kilogram, divided by the radius of gyration, is comparable to a force per kilogram: both accelerate the
    mass by the same amount. It also makes a cost of moments independent of the size of the body. Both horizontal axes
    have the mean of their squares: moments are in world axes, and a sketch may face any way.
    """
    about = np.diag(Dynamics(character).total_inertia(pose_from_drawing(character, "stand"))) / character.mass
    level = 0.5 * (about[0] + about[1])
    return np.array([level, level, about[2]])


def velocity_weights(character: Character) -> Array:
    """Return weights (dofs,) of velocities: higher for the trunk than for limbs, and for turns about forward axes."""
    skeleton = character.skeleton
    weights = np.ones(len(skeleton.dofs))
    for column, dof in enumerate(skeleton.dofs):
        name = skeleton.names[dof.joint]
        if dof.kind == "slide":
            weights[column] = 0.1
            continue
        if dof.joint == 0 or name in ("spine", "chest", "head") or "collar" in name:
            weights[column] = 4.0
        if dof.joint and abs(dof.axis[0]) > 0.5:
            weights[column] *= 4.0
    return weights


def _make_target(rough: RoughMotion, wanted: WantedPose, fps: float) -> FramePose:
    """Return a wanted pose, completed by the rough motion."""
    skeleton = rough.character.skeleton
    frame = min(round(wanted.time * fps), len(rough.motion) - 1)
    q = rough.motion.q[frame].copy()
    for name, angles in wanted.joints.items():
        for column, angle in joint_turns(skeleton, name, angles).items():
            q[column] = np.radians(angle)
    lean, roll = find_tilt(skeleton, q)
    return FramePose(
        frame,
        q,
        (np.radians(wanted.tilt.get("lean", np.degrees(lean))), np.radians(wanted.tilt.get("roll", np.degrees(roll)))),
    )


def _suggest_poses(
    sketch: Sketch, rough: RoughMotion, spans: Sequence[SupportSpan], database: PoseDatabase
) -> list[FramePose]:
    """Return take-off and landing poses of every flight from the database, with offsets of mass points applied."""
    character, stages = rough.character, merge_stages(spans)
    found = []
    for n, span in enumerate(spans):
        if not span.air or n in (0, len(spans) - 1):
            continue
        feet = [[sole.replace(" ", "_") for sole in spans[m].spec.on] for m in (n - 1, n + 1)]
        stage = next(stage for stage in stages if stage.first == span.first)
        flight = measure_flight(character, rough.motion, stages, stage)
        answer = database.suggest(flight, character, takeoff_feet=feet[0], landing_feet=feet[1])
        if answer is None:
            continue
        for suggestion, frame in zip(answer, (span.first - 1, span.last + 1), strict=True):
            offsets = next((wanted.mass for wanted in sketch.poses if round(wanted.time * sketch.fps) == frame), {})
            q = pose_from_points(
                character, move_points(suggestion.points, **offsets), suggestion.start, suggestion.feet
            )
            found.append(FramePose(frame, q, find_tilt(character.skeleton, q)))
    return found


def _pose_term(character: Character, posed: FramePose, start: Array) -> PoseTarget:
    """Return the target of all joints, with half the weight for lean and roll of the root."""
    skeleton = character.skeleton
    weights = np.array([float(dof.joint > 0) for dof in skeleton.dofs])
    turns = skeleton.columns(0, "turn")
    weights[_tilting(skeleton)] = 0.5
    q = posed.q.copy()
    q[turns] = start[posed.frame, turns]
    return PoseTarget(posed.frame, q, weights)


def _exact_term(character: Character, frame: int, start: Array, contacts: Sequence[Contact]) -> PoseTarget:
    """Return the constraint of a whole transition pose (L05 eq. 3.13: C_p = 0), with its soles in place.

    Contacts determine some coordinates from the others: those are left to them, so that no constraint is redundant.
    """
    q, given = fix_pose(character, start[frame], [contact for contact in contacts if contact.is_active(frame)])
    return PoseTarget(frame, q, given.astype(float), exact=True)


def _end_term(rough: RoughMotion, frame: int, spans: Sequence[SupportSpan]) -> PoseTarget:
    """Return the target of an end of the motion: the rough pose, or only lean, roll and keyed joints if it moves."""
    skeleton = rough.character.skeleton
    weights = np.zeros(len(skeleton.dofs))
    if frame in resting_ends(rough, spans):
        weights[[column for column, dof in enumerate(skeleton.dofs) if dof.joint > 0]] = 1.0
    weights[_tilting(skeleton)] = 0.5
    weights[list(rough.keyed)] = 1.0
    return PoseTarget(frame, rough.motion.q[frame], weights)


def _target_term(character: Character, posed: FramePose, wanted: WantedPose, start: Array) -> PoseTarget:
    """Return the target of a wanted pose: only the coordinates that it sets."""
    skeleton = character.skeleton
    weights = np.zeros(len(skeleton.dofs))
    for name, angles in wanted.joints.items():
        weights[list(joint_turns(skeleton, name, angles))] = wanted.weight
    q, turns = posed.q.copy(), skeleton.columns(0, "turn")
    if wanted.tilt:
        weights[_tilting(skeleton, wanted.tilt)] = wanted.weight
        q[turns] = start[posed.frame, turns]
        if len(_tilting(skeleton)) == 2:  # contacts may have tilted the start
            q[_tilting(skeleton)] = posed.tilt
    return PoseTarget(posed.frame, q, weights, wanted.exact)


def _tilting(skeleton: Skeleton, names: Collection[str] = ("lean", "roll")) -> list[int]:
    """Return the columns of lean and roll of the root: all its turns, unless the first of them is the heading."""
    heading, lean, roll = skeleton.columns(0, "turn")
    if abs(skeleton.dofs[heading].axis[2]) < 0.99:
        return [heading, lean, roll]
    return [column for column, name in ((lean, "lean"), (roll, "roll")) if name in names]


def _rest_terms(made: SketchPlan, weights: SketchWeights) -> list[Term]:
    """Return costs at the ends: rest and balance, or the velocity of the rough motion; none for hands on a bar."""
    terms: list[Term] = []
    fps, last, still = made.sketch.fps, len(made.start) - 1, resting_ends(made.rough, made.spans)
    for frame, step in ((0, 0), (last, last - 1)):
        contacts = [contact for contact in made.constraints if contact.is_active(frame)]
        if frame in still:
            over = np.mean([place for contact in contacts for place in contact.places], axis=0)[:2]
            terms += [BalanceCost(frame, over, weights.balance / fps), RestCost(step, weights.rest / fps)]
        elif not any(contact.grip for contact in contacts):
            terms.append(SpeedTarget(step, made.rough.speed(step), weights.rest / fps))
    return terms
