"""What holds a body and where: points that stay in their places, or slide along a line (L05 section 3.4, C_e of 3.13).

A point takes three rows, a line five, a plane six, written in the axes of the contact itself: in the world's axes they
become dependent on each other as soon as a foot points along one of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.solve.problem import Index
from gambol.terms.space import Space

if TYPE_CHECKING:
    from gambol.terms.foothold import Foothold

UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class ContactConstraint:
    """Points of a body in their places from frame `first` to frame `last`; each of them carries force."""

    body: str
    points: Array
    """(n, 3) metres in the body's frame: a point, the ends of a line, or corners of a plane."""
    places: Array
    """(n, 3) metres in the world."""
    first: int
    last: int
    friction: float = 0.8
    normal: Array = field(default_factory=lambda: UP)
    grip: bool = False
    """Whether it can pull, as a hand round a bar."""
    slide: Array | None = None
    """(3,) unit vector of the line along which it may slide, as a skate: nothing resists that way."""
    foothold: Foothold | None = None
    """An unknown place that moves with all of `places`; None where they stay."""

    def __post_init__(self) -> None:
        if self.points.shape != self.places.shape or self.points.ndim != 2 or self.points.shape[1] != 3:
            raise InputError(f"a hold has a place for every point, not {self.places.shape} for {self.points.shape}")
        if not 0 <= self.first <= self.last:
            raise InputError(f"a hold of '{self.body}' cannot last from frame {self.first} to {self.last}")
        if self.foothold is not None and self.slide is not None:
            raise InputError(f"a hold of '{self.body}' cannot both slide and have an unknown foothold")

    def holds(self, frame: int) -> bool:
        """Whether it holds in a frame."""
        return self.first <= frame <= self.last

    @property
    def axes(self) -> Array:
        """(3, 3) rows: along the contact, across it, and its normal."""
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
    def rows(self) -> list[tuple[int, int]]:
        """Which point is kept along which of the axes."""
        first = [(0, 1), (0, 2)] if self.slide is not None else [(0, 0), (0, 1), (0, 2)]
        second = [(1, 1), (1, 2)] if len(self.points) > 1 else []
        return first + second + ([(2, 2)] if len(self.points) > 2 else [])

    def edges_about(self, point: Array) -> Array:
        """(points * edges, 6) force, and moment about a point (3,), of a unit push along each edge of the cones."""
        along, across, normal = self.axes
        if self.grip:
            pushes = np.array([s * axis for axis in (along, across, normal) for s in (1.0, -1.0)])
        elif self.slide is not None:
            pushes = np.array([normal + s * self.friction * across for s in (1.0, -1.0)])
        else:  # the pyramid inside the cone
            share = self.friction / np.sqrt(2.0)
            pushes = np.array([normal + share * (a * along + b * across) for a in (1.0, -1.0) for b in (1.0, -1.0)])
        force = np.tile(pushes, (len(self.places), 1))
        return np.hstack([force, np.cross(np.repeat(self.places - point, len(pushes), axis=0), force)])


@dataclass(frozen=True, eq=False)
class FixedContacts:
    """Every hold keeps its points where they are."""

    holds: tuple[ContactConstraint, ...]

    def add(self, space: Space) -> None:
        """One set of rows a hold and frame."""
        for hold in self.holds:
            frames = np.arange(hold.first, hold.last + 1)
            for point, axis in hold.rows:
                direction = hold.axes[axis]
                rows = space.problem.rows(
                    f"contact of {hold.body}", np.full(len(frames), hold.places[point] @ direction)
                )
                space.point_rows(rows, frames, hold.body, hold.points[point], direction)
                if hold.foothold is not None:
                    hold.foothold.add_shift(space.problem, rows, hold.places[point], direction)


@dataclass(frozen=True, eq=False)
class Clearance:
    """A point of a body stays above a height in some frames."""

    body: str
    point: Array
    frames: Index
    height: Array | float = 0.0
    """Metres, one or one a frame."""

    def add(self, space: Space) -> None:
        """One row a frame."""
        low = np.broadcast_to(np.asarray(self.height, dtype=float), self.frames.shape)
        rows = space.problem.rows(f"{self.body} above the ground", low, np.inf)
        space.point_rows(rows, self.frames, self.body, self.point, UP)


@dataclass(frozen=True, eq=False)
class PointTarget:
    """A point of a body is at a place of the world in a frame."""

    body: str
    point: Array
    frame: int
    place: Array
    name: str = ""

    def add(self, space: Space) -> None:
        """Three rows."""
        frames = np.array([self.frame])
        for axis in np.eye(3):
            rows = space.problem.rows(self.name or f"{self.body} at its place", np.array([self.place @ axis]))
            space.point_rows(rows, frames, self.body, self.point, axis)
