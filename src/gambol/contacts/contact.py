"""A contact: points of a body that touch a surface for an interval of frames (L05 section 3.4, equations 3.1 to 3.6).

A contact of one point has three constraints, of a line five, of a plane six. They are written in the axes of the
contact: in the world's axes they become linearly dependent when a foot points along one of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gambol.assumptions import FRICTION
from gambol.contacts.foothold import Foothold
from gambol.errors import InputError
from gambol.geometry.arrays import Array, summarise_fields
from gambol.geometry.vectors import UP

ContactKind = Literal["fixed", "rolling", "sliding"]
"""How a contact touches: fixed in place, rolling off, or sliding along a line."""
_OF_FEET = ("heel", "ball", "toe", "sole", "foot")


class BodyPoint(NamedTuple):
    """A point of a body that can touch something: `point` (3,) metres in the frame of the joint `body`."""

    name: str
    body: str
    point: Array


@dataclass(frozen=True, eq=False)
class Contact:
    """Points of a body that touch a surface from frame `first` to frame `last`, and may push at it."""

    __repr__ = summarise_fields

    body: str
    """Name of the joint whose frame the points are in."""
    points: Array
    """(n, 3) metres in the body's frame: a point, the ends of a line, or corners of a plane."""
    places: Array
    """(n, 3) metres in the world: where the points are fixed, or where a slide begins."""
    first: int
    last: int
    part: str = ""
    """What touches, such as left_heel; the body's name when not given."""
    fixed: bool = True
    """Whether the points stay at their places, or on their line; else they roll or slide while they carry load."""
    slide: Array | None = None
    """(3,) unit vector of the line along which they slide without friction, like a skate."""
    forward: Array | None = None
    """(3,) unit vector along the foot."""
    normal: Array = field(default_factory=lambda: UP)
    """(3,) unit vector out of the surface."""
    friction: float = FRICTION
    grip: bool = False
    """Whether it can pull, like a hand on a bar."""
    surface: str = "floor"
    """What is touched: floor, step, bar, or another name."""
    foothold: Foothold | None = None
    """An unknown place that moves all of `places`; None for known places."""
    certainty: float = 1.0
    """Of a contact that was found: share of its frames in which the points are nearly at rest."""
    given: bool = False
    """Whether a user gave it; else it was found."""

    def __post_init__(self) -> None:
        for name in ("points", "places"):
            _freeze(self, name, np.reshape(getattr(self, name), (-1, 3)))
        for name in ("slide", "forward", "normal"):
            if getattr(self, name) is not None:
                _freeze(self, name, getattr(self, name))
        if self.points.shape != self.places.shape:
            raise InputError(
                f"a contact has places of shape {self.places.shape} for points of shape {self.points.shape}",
                fix="one place (3,) for every point (3,)",
            )
        if not 0 <= self.first <= self.last:
            raise InputError(
                f"a contact of '{self.body}' lasts from frame {self.first} to frame {self.last}",
                fix="0 <= first <= last",
            )
        if self.slide is not None and abs(float(np.linalg.norm(self.slide)) - 1.0) > 1e-6:
            raise InputError(f"the slide of a contact must be a unit vector, not {self.slide}")
        if self.foothold is not None and self.slide is not None:
            raise InputError(f"a contact of '{self.body}' cannot both slide and have an unknown foothold")
        object.__setattr__(self, "part", self.part or self.body)

    @property
    def kind(self) -> ContactKind:
        """How it touches: fixed in place, rolling off, or sliding along a line."""
        return "sliding" if self.slide is not None else "fixed" if self.fixed else "rolling"

    @property
    def place(self) -> Array:
        """(3,) metres: the mean of the places."""
        return np.asarray(self.places.mean(axis=0))

    @property
    def frames(self) -> slice:
        """Its frames."""
        return slice(self.first, self.last + 1)

    def is_active(self, frame: int) -> bool:
        """Whether it exists in a frame."""
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


def is_foot(part: str) -> bool:
    """Whether a part that touches, such as left_heel, is one of a foot."""
    return part.rpartition("_")[2] in _OF_FEET


def touch(
    point: BodyPoint,
    place: Array,
    first: int,
    last: int,
    *,
    fixed: bool = True,
    forward: Array | None = None,
) -> Contact:
    """Return the contact of a point of a body at a place (3,)."""
    return Contact(point.body, point.point, place, first, last, point.name, fixed, forward=forward)


def _freeze(owner: Contact, name: str, value: ArrayLike) -> None:
    array = np.array(value, dtype=float)
    if array.shape[-1:] != (3,) or not np.isfinite(array).all():
        raise InputError(f"the {name} of a contact must be finite numbers x, y and z, not {array}")
    array.flags.writeable = False
    object.__setattr__(owner, name, array)
