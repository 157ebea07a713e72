"""Constraints of contacts: points of a body stay in place or slide along a line (L05 section 3.4, C_e of eq. 3.13)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from gambol.contacts.contact import Contact
from gambol.contacts.timeline import Contacts, mark_frames
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.solve.problem import Index
from gambol.terms.foothold import add_shift
from gambol.terms.space import Space


@dataclass(frozen=True, eq=False)
class ShoeSprings:
    """Springs under the soles (L05 eq. 5.13): the more force on a foot, the lower it is."""

    forces: tuple[Contact, ...]
    """Contacts whose forces are already in the space."""
    give: float
    """Metres per body weight of force on a foot; under one body weight a foot is at its place."""

    def add_to(self, space: Space, constraints: Index, frames: Index, body: str) -> None:
        """Add to the heights (frames,) of a body how far its springs are compressed."""
        space.problem.add_constant(constraints, -self.give)
        for contact in (one for one in self.forces if one.body == body):
            shares = space.problem.shared((space, contact))[frames]
            loaded = shares[:, 0] >= 0
            space.problem.add_linear(constraints[loaded, None], shares[loaded], self.give)


@dataclass(frozen=True, eq=False)
class FixedContacts:
    """Keeps the points of contacts in place, or near it."""

    contacts: tuple[Contact, ...]
    shoes: ShoeSprings | None = None
    slack: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Metres from the place: along the contact, across it, and along its normal."""

    def add(self, space: Space) -> None:
        """Add the constraints of every contact in every frame."""
        for contact in self.contacts:
            frames = np.arange(contact.first, contact.last + 1)
            for point, axis in contact.constrained_axes:
                direction = contact.axes[axis]
                place = np.full(len(frames), contact.places[point] @ direction)
                constraints = space.problem.add_constraints(
                    f"contact of {contact.body}", place - self.slack[axis], place + self.slack[axis]
                )
                space.add_point(constraints, frames, contact.body, contact.points[point], direction)
                if self.shoes is not None and axis == 2:
                    self.shoes.add_to(space, constraints, frames, contact.body)
                if contact.foothold is not None:
                    add_shift(contact.foothold, space.problem, constraints, contact.places[point], direction)


@dataclass(frozen=True, eq=False)
class Clearance:
    """Keeps a point of a body above a height, or a plane, in some frames."""

    body: str
    point: Array
    """(3,) metres in the body's frame"""
    frames: Index
    height: Array | float = 0.0
    """Metres: one value, or one per frame."""
    normal: Array = field(default_factory=lambda: UP)
    """(3,) or (frames, 3) along which the height is measured."""

    def select(self, chosen: NDArray[np.bool_]) -> Clearance:
        """Return it in some of its frames, with one height each."""
        height = np.broadcast_to(np.asarray(self.height, dtype=float), self.frames.shape)
        normal = self.normal if self.normal.ndim == 1 else self.normal[chosen]
        return replace(self, frames=self.frames[chosen], height=height[chosen], normal=normal)

    def cut(self, first: int, end: int) -> Clearance:
        """Return it limited to frames from `first` to before `end`."""
        return self.select((self.frames >= first) & (self.frames < end))

    def add(self, space: Space) -> None:
        """Add one inequality per frame."""
        low = np.broadcast_to(np.asarray(self.height, dtype=float), self.frames.shape)
        constraints = space.problem.add_constraints(f"{self.body} above the ground", low, np.inf)
        space.add_point(constraints, self.frames, self.body, self.point, self.normal)


def list_clearances(contacts: Contacts) -> tuple[Clearance, ...]:
    """Keep the points of feet that are not fixed above the ground."""
    out = []
    for point, heights in zip(contacts.points, contacts.ground, strict=True):
        fixed = [one for one in contacts.items if one.fixed and one.part == point.name and one.body == point.body]
        free = np.flatnonzero(~mark_frames(fixed, contacts.frames) & np.isfinite(heights))
        if len(free):
            out.append(Clearance(point.body, point.point, free, heights[free]))
    return tuple(out)


@dataclass(frozen=True, eq=False)
class Separation:
    """Keeps points of two bodies apart along given directions in some frames, such as a leg beside the other."""

    bodies: tuple[str, str]
    points: Array
    """(2, 3) metres in the bodies' frames"""
    frames: Index
    directions: Array
    """(frames, 3) unit vectors from the second point to the first"""
    distance: Array | float
    """Metres: one value, or one per frame."""

    def cut(self, first: int, last: int) -> Separation:
        """Return it in a range of frames, counted from its first."""
        inside = (self.frames >= first) & (self.frames <= last)
        distance = np.broadcast_to(np.asarray(self.distance, dtype=float), self.frames.shape)[inside]
        return replace(self, frames=self.frames[inside] - first, directions=self.directions[inside], distance=distance)

    def add(self, space: Space) -> None:
        """Add one inequality per frame."""
        least = np.broadcast_to(np.asarray(self.distance, dtype=float), self.frames.shape)
        constraints = space.problem.add_constraints(f"{self.bodies[0]} beside {self.bodies[1]}", least, np.inf)
        for body, point, sign in zip(self.bodies, self.points, (1.0, -1.0), strict=True):
            space.add_point(constraints, self.frames, body, point, sign * self.directions)
