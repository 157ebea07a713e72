"""Moves over the floor: how contacts, and bodies with them, are displaced and turned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from gambol.contacts.contact import Contact
from gambol.contacts.timeline import Contacts, Floor
from gambol.contacts.views import is_within
from gambol.geometry.arrays import Array
from gambol.geometry.quaternions import rotate
from gambol.geometry.vectors import rotate_plane
from gambol.motion.own_frame import OwnFrame


@dataclass(frozen=True, eq=False)
class Move:
    """A turn about the vertical axis through the origin, then a shift."""

    turn: float = 0.0
    """Radians; full turns count."""
    shift: Array = field(default_factory=lambda: np.zeros(3))
    """(3,) metres, after the turn about the world's origin."""

    def __call__(self, places: Array) -> Array:
        """Move points (..., 3)."""
        return places @ _turn_matrix(self.turn).T + self.shift

    def rotate(self, directions: Array) -> Array:
        """Turn directions (..., 3), without the shift."""
        return directions @ _turn_matrix(self.turn).T

    def after(self, first: Move) -> Move:
        """Return the composition: `first`, then this move."""
        return Move(self.turn + first.turn, self(first.shift))

    def contact(self, one: Contact) -> Contact:
        """Move a contact over the floor."""
        forward, slide = (None if way is None else self.rotate(way) for way in (one.forward, one.slide))
        return replace(one, places=self(one.places), normal=self.rotate(one.normal), forward=forward, slide=slide)

    def table(self, contacts: Contacts) -> Contacts:
        """Move all contacts of a motion, and the floor with them."""
        slope, rise = self.rotate(np.append(contacts.floor.slope, 0.0))[:2], float(self.shift[2])
        height = contacts.floor.height - float(slope @ self.shift[:2]) + rise
        floor = Floor(height, (float(slope[0]), float(slope[1])))
        return replace(contacts.change(self.contact), floor=floor, ground=contacts.ground + rise)

    def inverse(self) -> Move:
        """Return the move back."""
        back = Move(-self.turn)
        return replace(back, shift=-back.rotate(self.shift))


def enter_frame(own: OwnFrame) -> Move:
    """Return the move from the world into the frame of a clip."""
    w, _, _, z = own.turn
    return Move(2.0 * float(np.arctan2(z, w)), rotate(own.turn, own.shift))


def shift_stances(contacts: Contacts, shifts: Mapping[Contact, Array]) -> Contacts:
    """Return the table with the contacts of stances shifted by (3,) metres."""

    def move(contact: Contact) -> Contact:
        shift = find_shift(contact, shifts)
        return contact if shift is None else Move(shift=shift).contact(contact)

    return contacts.change(move)


def find_shift(contact: Contact, shifts: Mapping[Contact, Array]) -> Array | None:
    """Return the shift of the stance that a contact is part of; None if it is part of none."""
    return next((shift for stance, shift in shifts.items() if is_within(contact, stance)), None)


def _turn_matrix(angle: float) -> Array:
    matrix = np.eye(3)
    matrix[:2, :2] = rotate_plane(angle)
    return matrix
