"""A character's motion with its contacts: sampled at other times, and moved together with its stances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gambol.body.character import Character
from gambol.contacts.contact import Contact
from gambol.contacts.move import shift_stances
from gambol.contacts.timeline import Contacts
from gambol.contacts.views import add_ground, find_stances
from gambol.fit.contact_file import GivenContacts, use_contacts
from gambol.fit.rig import Fit
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.motion.own_frame import OwnFrame
from gambol.spacetime.resampling import sample_curves


@dataclass(frozen=True, eq=False)
class GroundedMotion:
    """A character's motion and its contacts."""

    character: Character
    motion: Motion
    contacts: Contacts

    @cached_property
    def stances(self) -> tuple[Contact, ...]:
        """One contact per foot from touchdown to lift-off, by frame of touchdown."""
        return find_stances(self.contacts)

    def sample(self, times: Array, frame_time: float) -> GroundedMotion:
        """Sample the motion at increasing times (s), one frame each."""
        motion = replace(self.motion, q=sample_curves(self.motion, self.motion.q, times), frame_time=frame_time)
        return replace(self, motion=motion, contacts=add_ground(self.contacts.sample(times, frame_time), motion))

    def move(self, deviation: Array, shifts: Mapping[Contact, Array]) -> GroundedMotion:
        """Add a deviation (frames, dofs) to the coordinates, and shifts (3,) in metres to the places of stances."""
        motion = replace(self.motion, q=self.motion.q + deviation)
        return self.replan(motion, shift_stances(self.contacts, shifts).items)

    def replan(self, motion: Motion, contacts: Sequence[Contact]) -> GroundedMotion:
        """Return another motion with other contacts, in flight in the same frames."""
        return replace(self, motion=motion, contacts=add_ground(replace(self.contacts, items=tuple(contacts)), motion))


def ground_motion(fitted: Fit, contacts: GivenContacts | None = None, own: OwnFrame = OwnFrame()) -> GroundedMotion:
    """Return a fitted clip with its contacts: those given in the world, or else those found; `own` is its frame."""
    return GroundedMotion(fitted.character, fitted.motion, use_contacts(fitted, contacts, own=own))
