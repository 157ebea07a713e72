"""One person in a block of a scene: poses, contacts, and which feet may land elsewhere than drafted (L05 eq. 6.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gambol.composition.roles import Role
from gambol.geometry.arrays import Array
from gambol.spacetime.contact_plan import ContactPlan, cut_plan
from gambol.terms.contacts import ContactConstraint
from gambol.terms.foothold import Foothold

if TYPE_CHECKING:
    from gambol.composition.blocks import Block, PersonTrack

KEPT_FRAMES = 2
"""Frames at the ends of a block that are kept, for positions and velocities."""
_FREE_FOOTHOLD = 0.02
"""Cost per square metre of a foothold's shift; it decides only where nothing else does."""


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
                out[number] = Foothold(stance.place, start=self.track.shifts[number], weight=_FREE_FOOTHOLD)
        return out

    @cached_property
    def plan(self) -> ContactPlan:
        """The contacts in the frames of the block, with unknown footholds."""
        plan = self.role.draft.contact_plan
        moved = replace(
            plan,
            constraints=tuple(self._move(one) for one in plan.constraints if self._has(one)),
            force_contacts=tuple(self._move(one) for one in plan.force_contacts if self._has(one)),
        )
        return cut_plan(moved, self.block.first, self.block.last)

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

    def _has(self, contact: ContactConstraint) -> bool:
        return contact.first <= self.block.last and contact.last >= self.block.first

    def _move(self, contact: ContactConstraint) -> ContactConstraint:
        number = find_stance(self.role, contact.body, contact.first)
        if number is None:
            return contact
        if number in self.footholds:
            return replace(contact, foothold=self.footholds[number])
        return replace(contact, places=contact.places + np.append(self.track.shifts[number], 0.0))


def find_stance(role: Role, body: str, frame: int) -> int | None:
    """Return the number of the stance that a contact of a body that begins in a frame is part of."""
    return next((n for n, stance in enumerate(role.draft.stances) if stance.includes(body, frame)), None)


def move_contacts_to(role: Role, track: PersonTrack) -> ContactPlan:
    """Return the contacts of a role where they were solved."""

    def find_shift(body: str, first: int) -> Array:
        number = find_stance(role, body, first)
        return np.zeros(3) if number is None else np.append(track.shifts[number], 0.0)

    plan = role.draft.contact_plan
    return replace(
        plan,
        foot_contacts=tuple(
            replace(one, place=one.place + find_shift(one.point.body, one.first)) for one in plan.foot_contacts
        ),
        constraints=tuple(
            replace(one, places=one.places + find_shift(one.body, one.first)) for one in plan.constraints
        ),
    )
