"""Contacts of heels, balls and hands at fixed places, and the ground below them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gambol.geometry.arrays import Array
from gambol.stages.feet import BodyPoint


@dataclass(frozen=True, eq=False)
class FootContact:
    """A contact of a heel, a ball or a hand from frame `first` to frame `last`."""

    point: BodyPoint
    first: int
    last: int
    place: Array
    """(3,) metres."""
    forward: Array
    """(3,) unit vector over the floor along the foot."""
    fixed: bool = True
    """Whether the point stays in place; else it carries load and slides."""

    @property
    def frames(self) -> slice:
        """Frames of the clip."""
        return slice(self.first, self.last + 1)


@dataclass(frozen=True)
class Floor:
    """A nearly level plane: height (m) at the origin, and slopes along x and y."""

    height: float
    slope: tuple[float, float] = (0.0, 0.0)

    def at(self, places: Array) -> Array:
        """Return heights (...,) of the floor under places (..., 2 or 3)."""
        return self.height + places[..., :2] @ np.array(self.slope)


def find_ground_heights(path: Array, contacts: Sequence[FootContact], floor: Floor) -> Array:
    """Return ground heights (frames,) below the path (frames, 3) of a foot.

    It is the lower of the grounds at the previous and at the next contact.
    """
    if not contacts:
        return floor.at(path)
    before, after = np.full(len(path), np.inf), np.full(len(path), np.inf)
    for contact in sorted(contacts, key=lambda c: c.first):
        before[contact.first :] = contact.place[2] - floor.at(contact.place)
    for contact in sorted(contacts, key=lambda c: -c.last):
        after[: contact.last + 1] = contact.place[2] - floor.at(contact.place)
    return floor.at(path) + np.minimum(before, after)
