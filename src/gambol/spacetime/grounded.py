"""A character's motion with its contacts: sampled at other times, and moved together with its stances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gambol.body.character import Character
from gambol.fit.rig import Fit
from gambol.geometry.arrays import Array
from gambol.legs.foot_contacts import FootContact
from gambol.motion.motion import Motion
from gambol.spacetime.contact_plan import (
    ContactPlan,
    FrameMask,
    assemble_plan,
    find_contact_points,
    group_stays,
    plan_contacts,
)
from gambol.spacetime.resampling import sample_curves
from gambol.stages.feet import SIDES, BodyPoint, track_point


@dataclass(frozen=True, eq=False)
class Stance:
    """A foot on the ground, from touchdown to lift-off; all its contacts share one place."""

    side: str
    first: int
    """Frame."""
    last: int
    place: Array
    """(3,) metres: the mean of its contacts."""

    def includes(self, body: str, frame: int) -> bool:
        """Whether a contact of a body that begins in a frame is part of the stance."""
        return body.startswith(self.side) and self.first <= frame <= self.last


@dataclass(frozen=True, eq=False)
class GroundedMotion:
    """A character's motion and its contacts."""

    character: Character
    motion: Motion
    points: tuple[BodyPoint, ...]
    """Heels, balls and fingertips at which contacts were found."""
    contact_plan: ContactPlan

    @cached_property
    def stances(self) -> tuple[Stance, ...]:
        """By frame of touchdown."""
        out = []
        for side in SIDES:
            names = (f"{side}_heel", f"{side}_ball")
            for stay in group_stays([one for one in self.contact_plan.foot_contacts if one.point.name in names]):
                last, place = max(one.last for one in stay), np.mean([one.place for one in stay], axis=0)
                out.append(Stance(side, stay[0].first, last, place))
        return tuple(sorted(out, key=lambda stance: stance.first))

    def sample(self, times: Array, frame_time: float) -> GroundedMotion:
        """Sample the motion at increasing times (s), one frame each."""
        plan, step = self.contact_plan, self.motion.frame_time
        motion = replace(self.motion, q=sample_curves(self.motion, self.motion.q, times), frame_time=frame_time)
        frames = np.clip(np.round(times / step).astype(int), 0, len(self.motion) - 1)
        contacts = []
        for contact in plan.foot_contacts:
            inside = np.flatnonzero((times > (contact.first - 0.5) * step) & (times <= (contact.last + 0.5) * step))
            if len(inside):
                contacts.append(replace(contact, first=int(inside[0]), last=int(inside[-1])))
        return self._assemble(motion, contacts, plan.flight[frames], plan.unseen_support[frames])

    def move(self, deviation: Array, shifts: Mapping[Stance, Array]) -> GroundedMotion:
        """Add a deviation (frames, dofs) to the coordinates, and shifts (3,) in metres to the places of stances."""

        def shift(contact: FootContact) -> Array:
            body, first = contact.point.body, contact.first
            return next((moved for stance, moved in shifts.items() if stance.includes(body, first)), np.zeros(3))

        contacts = [replace(one, place=one.place + shift(one)) for one in self.contact_plan.foot_contacts]
        return self.replan(replace(self.motion, q=self.motion.q + deviation), contacts)

    def replan(self, motion: Motion, contacts: Sequence[FootContact]) -> GroundedMotion:
        """Return another motion with other contacts, in flight in the same frames."""
        return self._assemble(motion, contacts, self.contact_plan.flight, self.contact_plan.unseen_support)

    def _assemble(self, motion: Motion, contacts: Sequence[FootContact], *masks: FrameMask) -> GroundedMotion:
        tracks = {point.name: track_point(motion, point) for point in self.points}
        plan = assemble_plan(self.character, self.points, contacts, tracks, self.contact_plan.floor, *masks)
        return replace(self, motion=motion, contact_plan=plan)


def ground_motion(fitted: Fit) -> GroundedMotion:
    """Find the contacts of a fitted clip."""
    return GroundedMotion(fitted.character, fitted.motion, find_contact_points(fitted), plan_contacts(fitted))
