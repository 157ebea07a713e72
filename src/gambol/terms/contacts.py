"""Contact constraints: points of a body stay in place or slide along a line (L05 section 3.4, C_e of eq. 3.13).

A point contact has three constraints, a line five, a plane six. They are written in the axes of the contact: in the
world's axes they become linearly dependent when a foot points along one of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.solve.problem import Index
from gambol.terms.foothold import Foothold
from gambol.terms.space import Space


@dataclass(frozen=True, eq=False)
class ContactConstraint:
    """Points of a body that stay in place from frame `first` to frame `last`; contact forces act at each of them."""

    body: str
    points: Array
    """(n, 3) metres in the body's frame: a point, the ends of a line, or corners of a plane."""
    places: Array
    """(n, 3) metres in the world."""
    first: int
    last: int
    friction: float = 0.8
    """Coefficient of friction."""
    normal: Array = field(default_factory=lambda: UP)
    grip: bool = False
    """Whether it can pull, like a hand on a bar."""
    slide: Array | None = None
    """(3,) unit vector of the line along which it slides without friction, like a skate."""
    foothold: Foothold | None = None
    """An unknown place that moves all of `places`; None for known places."""

    def __post_init__(self) -> None:
        if self.points.shape != self.places.shape or self.points.ndim != 2 or self.points.shape[1] != 3:
            raise InputError(
                f"a contact has places of shape {self.places.shape} for points of shape {self.points.shape}",
                fix="one place (3,) for every point (3,)",
            )
        if not 0 <= self.first <= self.last:
            raise InputError(
                f"a contact of '{self.body}' lasts from frame {self.first} to frame {self.last}",
                fix="0 <= first <= last",
            )
        if self.foothold is not None and self.slide is not None:
            raise InputError(f"a contact of '{self.body}' cannot both slide and have an unknown foothold")

    def is_active(self, frame: int) -> bool:
        """Whether the contact exists in a frame."""
        return self.first <= frame <= self.last

    @cached_property
    def axes(self) -> Array:
        """(3, 3) unit vectors as rows: along the contact, across it, and its normal."""
        if self.slide is not None:
            along = self.slide
        elif len(self.places) > 1:
            along = self.places[1] - self.places[0]
        else:
            along = np.cross(np.roll(self.normal, 1), self.normal)
        along = along - (along @ self.normal) * self.normal
        along = along / np.linalg.norm(along)
        return np.array([along, np.cross(self.normal, along), self.normal])

    @property
    def constrained_axes(self) -> list[tuple[int, int]]:
        """Pairs of point and axis along which it is fixed."""
        first = [(0, 1), (0, 2)] if self.slide is not None else [(0, 0), (0, 1), (0, 2)]
        second = [(1, 1), (1, 2)] if len(self.points) > 1 else []
        return first + second + ([(2, 2)] if len(self.points) > 2 else [])

    def edges_about(self, point: Array) -> Array:
        """Return force and moment about a point (3,) of a unit force along each edge of the friction cones.

        The shape is (points * edges, 6).
        """
        along, across, normal = self.axes
        if self.grip:
            edges = np.array([s * axis for axis in (along, across, normal) for s in (1.0, -1.0)])
        elif self.slide is not None:
            edges = np.array([normal + s * self.friction * across for s in (1.0, -1.0)])
        else:  # the pyramid inside the cone
            share = self.friction / np.sqrt(2.0)
            edges = np.array([normal + share * (a * along + b * across) for a in (1.0, -1.0) for b in (1.0, -1.0)])
        force = np.tile(edges, (len(self.places), 1))
        return np.hstack([force, np.cross(np.repeat(self.places - point, len(edges), axis=0), force)])


@dataclass(frozen=True, eq=False)
class ShoeSprings:
    """Springs under the soles (L05 eq. 5.13): the more force on a foot, the lower it is."""

    forces: tuple[ContactConstraint, ...]
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
    """Keeps the points of contacts in place."""

    contacts: tuple[ContactConstraint, ...]
    shoes: ShoeSprings | None = None

    def add(self, space: Space) -> None:
        """Add the constraints of every contact in every frame."""
        for contact in self.contacts:
            frames = np.arange(contact.first, contact.last + 1)
            for point, axis in contact.constrained_axes:
                direction = contact.axes[axis]
                constraints = space.problem.add_constraints(
                    f"contact of {contact.body}", np.full(len(frames), contact.places[point] @ direction)
                )
                space.add_point(constraints, frames, contact.body, contact.points[point], direction)
                if self.shoes is not None and axis == 2:
                    self.shoes.add_to(space, constraints, frames, contact.body)
                if contact.foothold is not None:
                    contact.foothold.add_shift(space.problem, constraints, contact.places[point], direction)


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

    def add(self, space: Space) -> None:
        """Add one inequality per frame."""
        low = np.broadcast_to(np.asarray(self.height, dtype=float), self.frames.shape)
        constraints = space.problem.add_constraints(f"{self.body} above the ground", low, np.inf)
        space.add_point(constraints, self.frames, self.body, self.point, self.normal)


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

    def add(self, space: Space) -> None:
        """Add one inequality per frame."""
        least = np.broadcast_to(np.asarray(self.distance, dtype=float), self.frames.shape)
        constraints = space.problem.add_constraints(f"{self.bodies[0]} beside {self.bodies[1]}", least, np.inf)
        for body, point, sign in zip(self.bodies, self.points, (1.0, -1.0), strict=True):
            space.add_point(constraints, self.frames, body, point, sign * self.directions)


@dataclass(frozen=True, eq=False)
class PointTarget:
    """Puts a point of a body at a place in one frame."""

    body: str
    point: Array
    """(3,) metres in the body's frame"""
    frame: int
    place: Array
    """(3,) metres in the world"""
    name: str = ""

    def add(self, space: Space) -> None:
        """Add three equality constraints."""
        frames = np.array([self.frame])
        for axis in np.eye(3):
            constraints = space.problem.add_constraints(
                self.name or f"{self.body} at its place", np.array([self.place @ axis])
            )
            space.add_point(constraints, frames, self.body, self.point, axis)
