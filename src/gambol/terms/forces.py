"""Forces on a body besides contact forces: known external forces, and forces between two characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.solve.problem import Index, Problem
from gambol.terms.cross_product import Affine, add_cross
from gambol.terms.space import Space

_UNIT = 1e3
"""Unit of grasp forces (N): about a body weight, so that all unknowns are of one order of magnitude."""


class WrenchConstraints(NamedTuple):
    """Constraints to which forces and their moments about a point are added."""

    force: Index
    """(frames, 3)"""
    moment: Index
    """(frames, 3)"""
    about: Array
    """(3,) metres, world"""


class Wrench(Protocol):
    """A force on a body from frame `first` to frame `last`, for `NewtonEuler.forces` of a character."""

    @property
    def body(self) -> str:
        """The joint on whose body the force acts."""

    @property
    def first(self) -> int:
        """Frame."""

    @property
    def last(self) -> int:
        """Frame."""

    def add_wrench(self, space: Space, frames: Index, laws: WrenchConstraints, scale: float) -> None:
        """Add scale times the force (N) and its moment (N m) in some frames to constraints."""


class UnknownForce(Wrench, Protocol):
    """A force that is found: a term of the character on which it acts, added before the laws."""

    def add(self, space: Space) -> None:
        """Add the force as variables, and what determines them."""

    def read_forces(self, space: Space, x: Array) -> Array:
        """Return the force (frames from `first` to `last`, 3) in newtons, world axes, in a solution x."""


@dataclass(frozen=True, eq=False)
class ExternalForce:
    """A known force on a point of a body, from frame `first` on.

    It has no effect in the first and the last frame of the motion, where there are no laws of motion.
    """

    body: str
    point: Array
    """(3,) metres in the body's frame"""
    first: int
    forces: Array
    """(frames, 3) N, world axes"""

    def __post_init__(self) -> None:
        if self.forces.ndim != 2 or self.forces.shape[1] != 3 or not len(self.forces):
            raise InputError(f"external forces have shape {self.forces.shape}", fix="(frames, 3) in newtons")
        if self.first < 0 or self.point.shape != (3,):
            raise InputError(
                f"an external force at point {self.point} from frame {self.first}", fix="a point (3,) and a frame >= 0"
            )

    @property
    def last(self) -> int:
        """The last frame in which it acts."""
        return self.first + len(self.forces) - 1

    def add_wrench(self, space: Space, frames: Index, laws: WrenchConstraints, scale: float) -> None:
        """Add constants to Newton's law, and the moment at the point's position, which depends on the pose."""
        forces = scale * self.forces[frames - self.first]
        space.problem.add_constant(laws.force, forces)
        space.problem.add_constant(laws.moment, -np.cross(laws.about, forces))
        for number, axis in enumerate(np.eye(3)):  # axis . (p x f) = p . (f x axis)
            space.add_point(laws.moment[:, number], frames, self.body, self.point, np.cross(forces, axis))


@dataclass(frozen=True, eq=False)
class Grasp:
    """A point of one character that coincides with a point of another, and the force between them.

    Both characters are in one problem and have the same frames. Each adds its side first as a term and then as a force
    of its laws: `side = grasp.side(0)`, `side.add(space)`, `NewtonEuler(contacts, forces=(side,)).add(space)`.
    """

    bodies: tuple[str, str]
    points: Array
    """(2, 3) metres in the bodies' frames"""
    first: int
    last: int
    cost: float = 1e-3
    """Cost per square kilonewton and second."""
    joined: tuple[int, int] | None = None
    """First and last frame in which the points must coincide, all by default. In others, where poses are known, the
    force acts at the point of the first character."""

    def __post_init__(self) -> None:
        if np.shape(self.points) != (2, 3) or not 0 <= self.first <= self.last:
            raise InputError(
                f"a grasp of points of shape {np.shape(self.points)} from frame {self.first} to {self.last}",
                fix="two points (2, 3), and 0 <= first <= last",
            )

    def side(self, number: int) -> GraspSide:
        """Return the part of the first (0) or the second (1) character."""
        return GraspSide(self, number)


_Pair = TypeVar("_Pair", "Grasp", "Press")


@dataclass(frozen=True, eq=False)
class _Side(Generic[_Pair]):
    """The part of one character in a force between two."""

    pair: _Pair
    number: int

    @property
    def body(self) -> str:
        """The joint of this character."""
        return self.pair.bodies[self.number]

    @property
    def first(self) -> int:
        """Frame."""
        return self.pair.first

    @property
    def last(self) -> int:
        """Frame."""
        return self.pair.last


class GraspSide(_Side["Grasp"]):
    """The part of one character in a grasp."""

    def add(self, space: Space) -> None:
        """Fix this character's point at the common point: three constraints per frame."""
        problem, frames = space.problem, np.arange(self.first, self.last + 1)
        unknowns = problem.shared(self.pair, lambda: self._add_unknowns(space))
        problem.shared((space, self), lambda: unknowns)
        if self.number == 1 and self.pair.joined is not None:
            begin, end = self.pair.joined
            inside = (frames >= begin) & (frames <= end)
            frames, unknowns = frames[inside], unknowns[inside]
        for number, axis in enumerate(np.eye(3)):
            constraints = problem.add_constraints(f"grasp of {self.body}", np.zeros(len(frames)))
            space.add_point(constraints, frames, self.body, self.pair.points[self.number], axis)
            problem.add_linear(constraints, unknowns[:, 0, number], -1.0)

    def add_wrench(self, space: Space, frames: Index, laws: WrenchConstraints, scale: float) -> None:
        """Add the force of the grasp on this character, at the common point."""
        meeting, force = np.moveaxis(space.problem.shared((space, self))[frames - self.first], 1, 0)
        size = scale * _UNIT * (1.0 if self.number == 0 else -1.0)
        space.problem.add_linear(laws.force, force, size)
        arm = Affine(meeting, np.eye(3), -laws.about)
        add_cross(space.problem, laws.moment, arm, Affine(force, np.eye(3), np.zeros(3)), size)

    def read_forces(self, space: Space, x: Array) -> Array:
        """Return the force (frames, 3) on this character (N, world axes) in a solution x."""
        force = _UNIT * x[space.problem.shared((space, self))[:, 1]]
        return np.asarray(force if self.number == 0 else -force)

    def _add_unknowns(self, space: Space) -> Index:
        """Add variables (frames, 2, 3): the common point (m), and the force on the first character (kN)."""
        problem, frames = space.problem, slice(self.first, self.last + 1)
        joint = space.character.skeleton.index(self.body)
        placed = place(space.character.skeleton, space.start[frames])
        arm = quat.rotate(placed.rotations[:, joint], self.pair.points[self.number])
        meeting = problem.add_variables(placed.positions[:, joint] + arm)
        force = problem.add_variables(np.zeros(meeting.shape))
        problem.add_squares("grasp force", force[..., None], weight=self.pair.cost * space.frame_times[frames, None])
        return np.stack([meeting, force], axis=1)


@dataclass(frozen=True, eq=False)
class RubberBand:
    """A rubber band without length from a point of a body to given places, from frame `first` on (L05 section 6.4.3).

    Its force acts along the line to the place, so that its moment is that of the same force at the place: linear.
    """

    body: str
    point: Array
    """(3,) metres in the body's frame"""
    first: int
    anchors: Array
    """(frames, 3) metres, world"""
    stiffness: float
    """N/m"""
    cost: float = 1e-3
    """Cost per square kilonewton and second."""

    @property
    def last(self) -> int:
        """The last frame in which it acts."""
        return self.first + len(self.anchors) - 1

    def add(self, space: Space) -> None:
        """Add the forces as variables, tied to how far the point is from the places."""
        problem, frames = space.problem, np.arange(self.first, self.last + 1)
        force = problem.shared((space, self), lambda: problem.add_variables(np.zeros(self.anchors.shape)))
        for number, axis in enumerate(np.eye(3)):
            constraints = problem.add_constraints(f"band of {self.body}", self.anchors @ axis)
            space.add_point(constraints, frames, self.body, self.point, axis)
            problem.add_linear(constraints, force[:, number], _UNIT / self.stiffness)
        problem.add_squares("band force", force[..., None], weight=self.cost * space.frame_times[frames, None])

    def add_wrench(self, space: Space, frames: Index, laws: WrenchConstraints, scale: float) -> None:
        """Add the force and its moment at the places."""
        force = space.problem.shared((space, self))[frames - self.first]
        space.problem.add_linear(laws.force, force, scale * _UNIT)
        arms = self.anchors[frames - self.first] - laws.about
        crossing = np.cross(arms[:, None, :], np.eye(3)[None]).transpose(0, 2, 1)  # columns: arm x axis of a force
        space.problem.add_linear(laws.moment[:, :, None], force[:, None, :], scale * _UNIT * crossing)

    def read_forces(self, space: Space, x: Array) -> Array:
        """Return the force (frames, 3) on the body (N, world axes) in a solution x."""
        return np.asarray(_UNIT * x[space.problem.shared((space, self))])


@dataclass(frozen=True, eq=False)
class Press:
    """Points of two characters that push each other apart when they are nearer than they should be.

    The force acts along given directions at given places, halfway between the points: where bodies yield by
    centimetres, both change little. It grows with how much nearer the points are; it never pulls. As for a `Grasp`,
    each character adds its side first as a term and then as a force of its laws.
    """

    bodies: tuple[str, str]
    points: Array
    """(2, 3) metres in the bodies' frames"""
    first: int
    directions: Array
    """(frames, 3) unit vectors from the second point to the first"""
    places: Array
    """(frames, 3) metres, world"""
    distance: float
    """Metres between the points at which they begin to push."""
    stiffness: float
    """N/m"""
    cost: float = 1e-3
    """Cost per square kilonewton and second."""

    @property
    def last(self) -> int:
        """The last frame in which it acts."""
        return self.first + len(self.directions) - 1

    def side(self, number: int) -> PressSide:
        """Return the part of the first (0) or the second (1) character."""
        return PressSide(self, number)


class PressSide(_Side[Press]):
    """The part of one character in a press."""

    def add(self, space: Space) -> None:
        """Add how far this character's point is along the directions; the first of both sides adds the forces."""
        problem, frames = space.problem, np.arange(self.first, self.last + 1)
        problem.shared((space, self), lambda: problem.shared(self.pair, lambda: self._add_forces(space)))
        apart = problem.shared((self.pair, "apart"), lambda: self._add_constraints(problem))
        space.add_point(apart, frames, self.body, self.pair.points[self.number], self._directions)

    def add_wrench(self, space: Space, frames: Index, laws: WrenchConstraints, scale: float) -> None:
        """Add the force on this character and its moment at the places."""
        force, rows = space.problem.shared((space, self))[frames - self.first, None], frames - self.first
        along, arms = self._directions[rows], self.pair.places[rows] - laws.about
        space.problem.add_linear(laws.force, force, scale * _UNIT * along)
        space.problem.add_linear(laws.moment, force, scale * _UNIT * np.cross(arms, along))

    def read_forces(self, space: Space, x: Array) -> Array:
        """Return the force (frames, 3) on this character (N, world axes) in a solution x."""
        return np.asarray(_UNIT * x[space.problem.shared((space, self))][:, None] * self._directions)

    @property
    def _directions(self) -> Array:
        """(frames, 3) unit vectors away from the other."""
        return self.pair.directions if self.number == 0 else -self.pair.directions

    def _add_forces(self, space: Space) -> Index:
        """Add variables (frames,): kilonewtons."""
        problem, frames = space.problem, slice(self.first, self.last + 1)
        force = problem.add_variables(np.zeros(len(self._directions)), 0.0)
        problem.add_squares("press force", force[:, None], weight=self.pair.cost * space.frame_times[frames])
        return force

    def _add_constraints(self, problem: Problem) -> Index:
        """Add one constraint per frame: how far the points are apart, and what the force yields."""
        distances = np.full(len(self._directions), self.pair.distance)
        apart = problem.add_constraints("bodies that press", distances, np.inf)
        problem.add_linear(apart, problem.shared(self.pair), _UNIT / self.pair.stiffness)
        return apart
