"""Answer pushes with the whole body: `spacetime.recovery` places the feet, trunk and arms give way as in YL08."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.contacts.contact import BodyPoint
from gambol.contacts.views import list_constraints
from gambol.errors import InputError
from gambol.fit.contact_file import GivenContacts
from gambol.fit.rig import Fit, fit
from gambol.geometry.arrays import Array, summarise_fields
from gambol.geometry.quaternions import conjugate, rotate
from gambol.geometry.vectors import UP, find_median_place, lengths, unit_vectors
from gambol.legs.character import LEG_PARTS
from gambol.motion.cycles import continue_cycle
from gambol.motion.motion import Motion
from gambol.motion.own_frame import OwnFrame, find_own_frame
from gambol.motion.pushes import Push
from gambol.motion.skeleton import Skeleton
from gambol.progress import Progress, silent
from gambol.respond.balance import describe_overbalance, find_outcome, measure_overbalance, sum_push_forces
from gambol.respond.clips import check_pushes
from gambol.respond.human_limits import RecoveryEffort, measure_lean, measure_leg_torque
from gambol.respond.model import ARM_PARTS, DEFAULT_FREE, ResponseModel, learn_response
from gambol.respond.push_response import PushResponse
from gambol.respond.stepping import respond_to_targets
from gambol.spacetime.grounded import GroundedMotion, ground_motion
from gambol.spacetime.recovery.recover import HORIZON, PushAnswer, recover
from gambol.spacetime.recovery.window import REACTION
from gambol.spacetime.resampling import sample_fit
from gambol.stages.balance import OVERBALANCE, STEP_REACH
from gambol.stages.feet import track_point

_SPARE = 0.3
"""Seconds beyond the horizon that a clip must last, for steps that land earlier."""
_LEAST_LEFT = 0.2
"""Seconds of the clip that must follow the onset of a push."""
_RAISED, _RAISING = 0.1, 0.35
"""Force (body weights) that raises each hand where a push is as strong as steps catch, and how long it lasts (s): arms
rise by some 50 degrees. It begins after the reaction time; the muscles of shoulders are active 0.09 to 0.14 s after a
platform moves (McIlroy and Maki 1995)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class WholeBodyResponse(PushResponse):
    """A response with steps; `fitted` is the clip at the times that are shown."""

    __repr__ = summarise_fields

    found: PushAnswer
    """Its motions are in the clip's own frame, with the coordinates of `poses`; its steps are in the world."""

    @property
    def _clip(self) -> Motion:
        """The clip in the frame of the answer."""
        return replace(self.found.motion.motion, q=self.fitted.motion.q)

    @cached_property
    def effort(self) -> RecoveryEffort:
        """How far the trunk leans and a foothold moves, and how strong the legs must be."""
        character, motion = self.found.motion.character, self.found.motion.motion
        over = math.ceil(max(push.end for push in self.pushes) / motion.frame_time)
        return RecoveryEffort(
            measure_lean(character, motion, self._clip),
            max((float(np.linalg.norm(step.shift)) for step in self.found.steps), default=0.0) / character.leg_length,
            measure_leg_torque(character, motion, over),
        )

    @property
    def advice(self) -> str:
        """Why a person would fall; nothing where steps answer the push."""
        leg_length, excesses = self.fitted.character.leg_length, self.effort.excesses
        if find_outcome(self.outside, leg_length) == "falls":
            return ", ".join((describe_overbalance(self.outside, leg_length), *excesses))
        return f"a person would fall here: {', '.join(excesses)}" if excesses else ""

    @property
    def figures(self) -> dict[str, float]:
        """What was measured, by name and unit."""
        effort = self.effort
        return super().figures | {
            "lean_deg": effort.lean,
            "foothold_shift_legs": effort.shift,
            "leg_torque_nm_per_kg": effort.torque,
        }

    @cached_property
    def slide(self) -> float:
        """Largest distance (m) that a foot in contact moves and does not move in the clip."""
        after, before, worst = self.found.motion, self._clip, 0.0
        for contact in list_constraints(after.contacts):
            point = BodyPoint(contact.body, contact.body, contact.points[0])
            moved = track_point(after.motion, point) - track_point(before, point)
            moved = moved[contact.first : contact.last + 1]
            worst = max(worst, float(lengths(moved - find_median_place(moved)).max()))
        return worst

    @property
    def footwork(self) -> str:
        """Where the first step after a push lands, in words, seen by the character."""
        changed = [step for step in self.found.steps if np.linalg.norm(step.shift) >= 0.01]
        if not changed:
            return "no step changes"
        step = changed[0]
        frame = min(round(step.time / self.fitted.motion.frame_time), len(self.fitted.motion) - 1)
        placed, skeleton = self.fitted.motion.placement.positions[frame], self.fitted.character.skeleton
        left, ahead = _find_axes(skeleton, placed)
        parts = [
            f"{abs(by):.2f} m {words[int(by < 0.0)]}"
            for by, words in (
                (step.shift @ ahead, ("ahead of", "behind")),
                (step.shift @ left, ("left of", "right of")),
            )
            if abs(by) >= 0.005
        ]
        when = (
            f", {abs(step.earlier):.2f} s {('earlier', 'later')[int(step.earlier < 0.0)]}"
            if abs(step.earlier) >= 0.005
            else ""
        )
        where = " and ".join([part.removesuffix(" of") for part in parts[:-1]] + parts[-1:])
        return f"the {step.side} foot lands {where} its place in the clip{when}"


def respond_with_steps(
    character: Character,
    clip: Motion,
    pushes: Sequence[Push],
    free: int = DEFAULT_FREE,
    *,
    contacts: GivenContacts | None = None,
    cycle: slice | None = None,
    progress: Progress = silent,
) -> WholeBodyResponse:
    """Fit the character to a clip and answer pushes with steps.

    `contacts` replaces those found. The answer is solved in the clip's own frame, so that it does not depend on where
    the clip stands.
    """
    check_pushes(clip, pushes)
    late = max(pushes, key=lambda push: push.start)
    if clip.duration - late.start < _LEAST_LEFT:
        raise InputError(
            f"the clip ends {clip.duration - late.start:.2f} s after the push at {late.start:g} s begins",
            file=clip.name,
            fix="push earlier, or loop the clip",
        )
    missing = max(push.end for push in pushes) + HORIZON + _SPARE - clip.duration
    if missing > 0.0 and contacts is not None:
        raise InputError(
            f"the clip ends {missing:.2f} s too early: beyond its end it has no given contacts",
            file=clip.name,
            fix="push earlier, or give a longer clip",
        )
    frame = find_own_frame(clip)
    fitted = fit(character, _continue(replace(clip, skeleton=frame.enter(clip.skeleton)), missing))
    model = learn_response(fitted, free, cycle=cycle)
    turned = [_turn(push, frame) for push in pushes]
    found = recover(ground_motion(fitted, contacts, frame), turned, style=partial(give_way, model), progress=progress)
    failed = next((one for one in found.solved if not one.outcome.solution.converged), None)
    if failed is not None and not failed.forces:
        first, last = failed.window.times[[0, -1]]
        raise InputError(
            f"even without a push, the contacts found cannot carry the clip from {first:.2f} to {last:.2f} s",
            file=clip.name,
            fix="push at another time, or pass --method near-unactuated",
        )
    if failed is not None:
        raise InputError(
            f"no steps that people can take answer the push at {failed.onset:.2f} s: {failed.outcome.solution.status}",
            file=clip.name,
            fix="push less, or pass --method near-unactuated",
        )
    if missing > 0.0:
        count = int(np.searchsorted(found.times, clip.duration + 0.5 * clip.frame_time))
        cut = found.motion.sample(found.motion.motion.times[:count], clip.frame_time)
        found = replace(found, motion=cut, times=found.times[:count])
    back = conjugate(frame.turn)
    found = replace(found, steps=tuple(replace(one, shift=rotate(back, one.shift)) for one in found.steps))
    shown = _leave(sample_fit(fitted, found.times, clip.frame_time), frame, clip.skeleton)
    return WholeBodyResponse(shown, found.motion.motion.q, tuple(pushes), "replan", found=found)


def _turn(push: Push, frame: OwnFrame) -> Push:
    """Return a push in the frame of a clip."""
    return (
        push if push.axes == "body" else replace(push, force=tuple(rotate(frame.turn, np.array(push.force)).tolist()))
    )


def _leave(fitted: Fit, frame: OwnFrame, home: Skeleton) -> Fit:
    """Return a fit in the world, where the rig is at `home`."""
    skeleton = frame.leave(fitted.character.skeleton)
    return replace(
        fitted,
        character=replace(fitted.character, skeleton=skeleton),
        motion=replace(fitted.motion, skeleton=skeleton),
        source=replace(fitted.source, skeleton=home),
    )


def _continue(clip: Motion, seconds: float) -> Motion:
    """Append some seconds of the clip's cycle, if it has one: a push is answered until the walker is back on it."""
    if seconds <= 0.0:
        return clip
    try:
        return continue_cycle(clip, math.ceil(seconds / clip.frame_time))
    except InputError:
        return clip


def give_way(model: ResponseModel, clip: GroundedMotion, pushes: Sequence[Push]) -> Array:
    """Return the deviation (frames, dofs) of trunk, arms and head in near-unactuated coordinates, with arms raised."""
    skeleton, targets = clip.character.skeleton, clip.motion.q
    pushed = respond_to_targets(model, targets, pushes)
    raised = respond_to_targets(model, targets, [*pushes, *raise_arms(clip, pushes)])
    away = np.zeros_like(targets)
    for column, dof in enumerate(skeleton.dofs):
        name = skeleton.names[dof.joint]
        if dof.joint and not name.endswith(LEG_PARTS):
            away[:, column] = (raised if name.endswith(ARM_PARTS) else pushed)[:, column] - targets[:, column]
    return away


def raise_arms(clip: GroundedMotion, pushes: Sequence[Push]) -> list[Push]:
    """Return what raises the hands after pushes that need a step, the more the nearer to a fall.

    Hands go out, up, and ahead as far as the push is along the way: arms ahead turn against a trunk that falls back.
    """
    character, motion = clip.character, clip.motion
    outside = measure_overbalance(character, motion, pushes) - OVERBALANCE
    strength = min(max(outside / (STEP_REACH * character.leg_length - OVERBALANCE), 0.0), 1.0)
    onset = min(push.start for push in pushes)
    left, ahead = _find_axes(character.skeleton, motion[: round(onset / motion.frame_time) + 1].placement.positions[-1])
    along = abs(float(np.dot(ahead, unit_vectors(sum_push_forces(character, motion, pushes).sum(axis=0)))))
    force = _RAISED * strength * character.mass * GRAVITY
    return [
        Push(
            f"{side}_hand",
            tuple((force * (sign * left + 0.6 * along * ahead + 0.5 * UP)).tolist()),
            onset + REACTION,
            _RAISING,
        )
        for side, sign in (("left", 1.0), ("right", -1.0))
        if strength > 0.0
    ]


def _find_axes(skeleton: Skeleton, places: Array) -> tuple[Array, Array]:
    """Return unit vectors to the left of a character and ahead, along the floor, from the places (joints, 3)."""
    hips = places[skeleton.index("left_thigh")] - places[skeleton.index("right_thigh")]
    left = unit_vectors(hips * (1.0, 1.0, 0.0))
    return left, np.cross(left, UP)
