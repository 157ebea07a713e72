"""One person in a block of a scene: poses, contacts, and which feet may land elsewhere than drafted (L05 eq. 6.2)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gambol.composition.roles import Role
from gambol.contacts.contact import Contact
from gambol.contacts.foothold import FREE_SHIFT_COST, Foothold
from gambol.contacts.move import shift_stances
from gambol.contacts.timeline import Contacts
from gambol.contacts.views import is_within, list_loads
from gambol.geometry.arrays import Array

if TYPE_CHECKING:
    from gambol.composition.blocks import Block, PersonTrack

KEPT_FRAMES = 2
"""Frames at the ends of a block that are kept, for positions and velocities."""


class FootholdPair(NamedTuple):
    """Two successive footholds."""

    before: Foothold | Array
    """Or its shift (2,), where that is known: of the one before, or of the one after an unknown one."""
    after: Foothold
    hit: bool
    """Whether the person was hit before."""


@dataclass(frozen=True, eq=False)
class PersonInBlock:
    """The part of a role in a block: poses, contacts, and which feet may land elsewhere."""

    role: Role
    track: PersonTrack
    block: Block
    likened: Array | None = None
    """(frames of the scene, dofs) to which likeness is asked for; None for the draft."""
    hit: int | None = None
    """Frame of the scene in which somebody hits the person."""

    @property
    def frames(self) -> slice:
        """Frames of the scene."""
        return slice(self.block.first, self.block.last + 1)

    @property
    def start(self) -> Array:
        """(frames, dofs) where the search begins"""
        return self.track.q[self.frames]

    @property
    def reference(self) -> Array:
        """(frames, dofs) to which likeness is asked for"""
        return (self.role.draft.motion.q if self.likened is None else self.likened)[self.frames]

    @property
    def pinned(self) -> tuple[int, ...]:
        """Frames of the block that are kept."""
        count, whole = self.block.last - self.block.first + 1, len(self.role.draft.motion)
        begin = range(KEPT_FRAMES) if self.block.first > 0 else ()
        end = range(count - KEPT_FRAMES, count) if self.block.last < whole - 1 else ()
        return (*begin, *end)

    @cached_property
    def footholds(self) -> dict[int, Foothold]:
        """Unknown footholds by stance: of feet that land and leave, or stay to the end, inside the block."""
        out, whole = {}, len(self.role.draft.motion)
        for number, stance in enumerate(self.role.draft.stances):
            lands = stance.first >= self.block.first + KEPT_FRAMES
            leaves = stance.last <= self.block.last - KEPT_FRAMES or self.block.last == whole - 1
            if lands and leaves and stance.first <= self.block.last:
                out[number] = Foothold(stance.place, start=self.track.shifts[number], weight=FREE_SHIFT_COST)
        return out

    @cached_property
    def plan(self) -> Contacts:
        """The contacts in the frames of the block, with unknown footholds."""
        plan = move_contacts_to(self.role, self.track, self.footholds)
        return plan.change(self._free).cut(self.block.first, self.block.last)

    @cached_property
    def loads(self) -> tuple[Contact, ...]:
        """The contacts with the points at which force may act."""
        return list_loads(self.plan, self.role.draft.character)

    @property
    def steps(self) -> list[FootholdPair]:
        """Successive footholds of which one at least is unknown."""
        every = [self.footholds.get(number, self.track.shifts[number]) for number in range(len(self.track.shifts))]
        found = []
        for (one, other), stance in zip(pairwise(every), self.role.draft.stances[1:], strict=True):
            known, free = (one, other) if isinstance(other, Foothold) else (other, one)
            if isinstance(free, Foothold):
                found.append(FootholdPair(known, free, self.hit is not None and stance.first >= self.hit))
        return found

    def _free(self, contact: Contact) -> Contact:
        """Return a contact of an unknown foothold with it."""
        stances = self.role.draft.stances
        number = next((n for n in self.footholds if is_within(contact, stances[n])), None)
        return contact if number is None else replace(contact, foothold=self.footholds[number])


def move_contacts_to(role: Role, track: PersonTrack, free: Collection[int] = ()) -> Contacts:
    """Return the contacts of a role where they were solved; those of stances that are `free` stay as drafted."""
    moved = enumerate(zip(role.draft.stances, track.shifts, strict=True))
    shifts = {stance: np.append(shift, 0.0) for number, (stance, shift) in moved if number not in free}
    return shift_stances(role.draft.contacts, shifts)
