"""From a sketch to a motion (L05 chapter 3): rough motion, stages, transition poses, momentum, objective, solution."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.contacts import Stage
from gambol.motion.skeleton import Skeleton
from gambol.solve.ipopt import OnIteration
from gambol.spacetime.drawn_poses import has_drawings
from gambol.spacetime.poses import PoseDatabase, move_points, pose_from_points
from gambol.spacetime.program import Outcome, optimise
from gambol.spacetime.rough import RoughMotion, make_rough_motion, find_tilt, joint_turns
from gambol.spacetime.sketch import Sketch, WantedPose
from gambol.spacetime.start import FramePose, resting_ends, make_start, usual_poses
from gambol.spacetime.supports import SupportSpan, plan_clearances, find_support_stages, plan_supports, frame_spans, merge_stages
from gambol.spacetime.transitions import measure_flight
from gambol.terms.balance import BalanceCost, RestCost
from gambol.terms.curve import MomentumCurve
from gambol.terms.contacts import FixedContacts, ContactConstraint
from gambol.terms.deviation import MassDisplacement, PoseTarget
from gambol.terms.momentum import NewtonEuler
from gambol.terms.smoothness import ForceFadeCost, VelocityCost, AccelerationCost, ForceRateCost
from gambol.terms.space import Term
from gambol.terms.speed import SpeedTarget

_TRAVEL = 0.01
"""The share of the centre of mass in the displacement: it keeps a skater, whom nothing else contacts, near the sketch."""
_ITERATIONS, _PRINTED_ITERATIONS = 80, 200
"""At most: our sketches take 20 to 40, and up to 80 with the printed curve."""


@dataclass(frozen=True)
class SketchWeights:
    """What counts how much, in costs a second of motion."""

    displacement: float = 40.0
    """Of the mean squared way (m²) of the mass from the rough motion."""
    velocity: float = 0.05
    """Of joints' and the root's velocity, squared, from that of the rough motion."""
    acceleration: float = 1e-4
    force_rate: float = 0.002
    twist_rate: float = 0.2
    """Of the moment about the vertical, small as feet can make it: so turns are wound up for, and begin in time."""
    fade: float = 0.1
    """Of the rates from ground to flight and back, in those on the ground."""
    fade_moment: float = 3.0
    pose: float = 10.0
    """Of a transition pose, a square radian."""
    balance: float = 50.0
    rest: float = 100.0


@dataclass(frozen=True)
class MomentumForm:
    """How momentum is governed."""

    printed: bool = False
    """On the ground by the characteristic curve of L05, without forces, instead of by what soles can push."""
    soft: float | None = None
    """Price of momentum from nowhere (see `terms.momentum.Laws`); None allows none."""


@dataclass(frozen=True, eq=False)
class SketchPlan:
    """All that a sketch says of the motion to be found."""

    sketch: Sketch
    rough: RoughMotion
    spans: tuple[SupportSpan, ...]
    contacts: tuple[ContactConstraint, ...]
    poses: tuple[PoseTarget, ...]
    start: Array

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Ground and flight."""
        return merge_stages(self.spans)


def plan_sketch(sketch: Sketch, database: PoseDatabase, rough: RoughMotion | None = None) -> SketchPlan:
    """Stages, contacts, poses and a start for a sketch; its rough motion is given, or that of its keys."""
    rough = rough or make_rough_motion(sketch)
    given = sketch.stages or find_support_stages(rough.motion, rough.character)
    if not any(stage.on for stage in given):
        raise InputError("nothing carries the body in any frame", fix="give stages, or keys between which feet stay")
    spans = frame_spans(given, sketch.rate, len(rough.motion))
    contacts = plan_supports(rough.motion, rough.character, spans)
    said = [_said(rough, wanted, sketch.rate) for wanted in sketch.poses if wanted.joints or wanted.tilt]
    upright = rough.tilt is None and has_drawings(rough.character)
    suggested = _suggested(sketch, rough, spans, database) if upright else []
    told = {posed.frame for posed in said}
    usual = usual_poses(rough, spans)
    poses = [pose for pose in (*usual, *suggested) if pose.frame not in told]
    start = make_start(rough, spans, contacts, [*poses, *said])
    terms = [_pose(rough.character, pose, start) for pose in poses if pose.weight > 0.0]
    terms += [_as_sketched(rough, frame, spans) for frame in (0, len(start) - 1) if frame not in told]
    terms += [
        _part(rough.character, pose, wanted, start)
        for pose, wanted in zip(said, (w for w in sketch.poses if w.joints or w.tilt), strict=True)
    ]
    return SketchPlan(sketch, rough, spans, contacts, tuple(terms), start)


def sketch_terms(made: SketchPlan, weights: SketchWeights, form: MomentumForm = MomentumForm()) -> list[Term]:
    """The whole problem (L05 eq. 3.12, 3.13)."""
    character, frames = made.rough.character, len(made.start)
    soles = [contact for contact in made.constraints if not contact.grip]  # the force of a bar turns with who swings round it
    carried = np.array([any(contact.is_active(frame) for contact in soles) for frame in range(frames)])
    held = np.array([any(contact.is_active(frame) for contact in made.constraints) for frame in range(frames)])
    slow = velocity_weights(character)
    return [
        FixedContacts(made.constraints),
        *plan_clearances(character, made.spans, made.constraints),
        NewtonEuler(made.constraints, pushes=not form.printed, soft=form.soft),
        *(MomentumCurve(stage.first, stage.last) for stage in made.stages if form.printed and stage.kind == "ground"),
        MassDisplacement(made.rough.motion.q, weights.displacement, _TRAVEL),
        VelocityCost(weights.velocity * slow, made.rough.motion.q),
        AccelerationCost(weights.acceleration * slow),
        ForceRateCost(carried, weights.force_rate, np.array([weights.force_rate, weights.force_rate, weights.twist_rate])),
        ForceFadeCost(held, weights.fade * weights.force_rate, weights.fade_moment * weights.force_rate),
        *(_weighed(pose, weights.pose) for pose in made.poses),
        *_ends(made, weights),
    ]


def synthesise(
    made: SketchPlan,
    weights: SketchWeights = SketchWeights(),
    form: MomentumForm = MomentumForm(),
    *,
    progress: OnIteration | None = None,
    tell: Callable[[str], None] | None = None,
) -> Outcome:
    """The motion of a plan."""
    terms = sketch_terms(made, weights, form)
    return optimise(
        made.rough.character,
        made.start,
        made.rough.motion.frame_time,
        terms,
        name=made.sketch.name,
        iterations=_PRINTED_ITERATIONS if form.printed else _ITERATIONS,
        progress=progress,
        tell=tell,
    )


def velocity_weights(character: Character) -> Array:
    """(dofs,) how much the velocity of a coordinate counts: the trunk more than limbs, bending more than swinging."""
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


def _said(rough: RoughMotion, wanted: WantedPose, rate: float) -> FramePose:
    """The pose that is wanted at a time: what is said, and the rough motion for the rest."""
    skeleton = rough.character.skeleton
    frame = min(round(wanted.time * rate), len(rough.motion) - 1)
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


def _suggested(sketch: Sketch, rough: RoughMotion, spans: Sequence[SupportSpan], database: PoseDatabase) -> list[FramePose]:
    """Take-off and landing poses of every flight, from the database, moved as the keys there say."""
    character, stages = rough.character, merge_stages(spans)
    found = []
    for n, span in enumerate(spans):
        if not span.air or n in (0, len(spans) - 1):
            continue
        feet = [[sole.replace(" ", "_") for sole in spans[m].carried.on] for m in (n - 1, n + 1)]
        stage = next(stage for stage in stages if stage.first == span.first)
        flight = measure_flight(character, rough.motion, stages, stage)
        answer = database.suggest(flight, character, takeoff_feet=feet[0], landing_feet=feet[1])
        if answer is None:
            continue
        for suggestion, frame in zip(answer, (span.first - 1, span.last + 1), strict=True):
            drags = next((wanted.mass for wanted in sketch.poses if round(wanted.time * sketch.rate) == frame), {})
            q = pose_from_points(character, move_points(suggestion.points, **drags), suggestion.start, suggestion.feet)
            found.append(FramePose(frame, q, find_tilt(character.skeleton, q), 1.0))
    return found


def _pose(character: Character, posed: FramePose, start: Array) -> PoseTarget:
    """All joints of a pose, and half as strictly the lean and roll of its root; a drawing says nothing of twists."""
    skeleton = character.skeleton
    weights = np.array([float(dof.joint > 0) for dof in skeleton.dofs])
    if posed.weight < 1.0:
        weights[[column for column, dof in enumerate(skeleton.dofs) if abs(dof.axis[2]) > 0.5]] = 0.0
    turns = skeleton.columns(0, "turn")
    weights[_tilting(skeleton)] = 0.5
    q = posed.q.copy()
    q[turns] = start[posed.frame, turns]
    return PoseTarget(posed.frame, q, posed.weight * weights)


def _as_sketched(rough: RoughMotion, frame: int, spans: Sequence[SupportSpan]) -> PoseTarget:
    """The rough pose at an end of the motion; where the body does not rest there, its lean and what keys tell of."""
    skeleton = rough.character.skeleton
    weights = np.zeros(len(skeleton.dofs))
    if frame in resting_ends(rough, spans):
        weights[[column for column, dof in enumerate(skeleton.dofs) if dof.joint > 0]] = 1.0
    weights[_tilting(skeleton)] = 0.5
    weights[list(rough.keyed)] = 1.0
    return PoseTarget(frame, rough.motion.q[frame], weights)


def _part(character: Character, posed: FramePose, wanted: WantedPose, start: Array) -> PoseTarget:
    """What a sketch says of a pose."""
    skeleton = character.skeleton
    weights = np.zeros(len(skeleton.dofs))
    for name, angles in wanted.joints.items():
        weights[list(joint_turns(skeleton, name, angles))] = wanted.weight
    q, turns = posed.q.copy(), skeleton.columns(0, "turn")
    if wanted.tilt:
        weights[_tilting(skeleton, wanted.tilt)] = wanted.weight
        q[turns] = start[posed.frame, turns]
    return PoseTarget(posed.frame, q, weights, wanted.exact)


def _tilting(skeleton: Skeleton, names: Collection[str] = ("lean", "roll")) -> list[int]:
    """The columns that lean and roll the root: all its turns, unless the first of them is the heading."""
    heading, lean, roll = skeleton.columns(0, "turn")
    if abs(skeleton.dofs[heading].axis[2]) < 0.99:
        return [heading, lean, roll]
    return [column for column, name in ((lean, "lean"), (roll, "roll")) if name in names]


def _weighed(pose: PoseTarget, weight: float) -> PoseTarget:
    return PoseTarget(pose.frame, pose.q, weight * pose.weight, pose.exact)


def _ends(made: SketchPlan, weights: SketchWeights) -> list[Term]:
    """Standing still at the ends, or going on as fast as the rough motion does; a swing from a bar ends as it likes."""
    terms: list[Term] = []
    rate, last, still = made.sketch.rate, len(made.start) - 1, resting_ends(made.rough, made.spans)
    for frame, step in ((0, 0), (last, last - 1)):
        contacts = [contact for contact in made.constraints if contact.is_active(frame)]
        if frame in still:
            over = np.mean([place for contact in contacts for place in contact.places], axis=0)[:2]
            terms += [BalanceCost(frame, over, weights.balance / rate), RestCost(step, weights.rest / rate)]
        elif not any(contact.grip for contact in contacts):
            terms.append(SpeedTarget(step, made.rough.speed(step), weights.rest / rate))
    return terms
