"""Forces on a body besides those of the ground: external ones that are known, and those between two characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.solve.problem import Index, Problem
from gambol.terms.cross_product import Affine, add_cross
from gambol.terms.space import Space

_UNIT = 1e3
"""Newtons in the unknown forces between characters: about a body weight, so that all unknowns are of one size."""


class WrenchConstraints(NamedTuple):
    """Rows that forces, and their moments about a point, are added to."""

    force: Index
    """(frames, 3)"""
    moment: Index
    """(frames, 3)"""
    about: Array
    """(3,) metres, world"""


class Wrench(Protocol):
    """A force on a body from frame `first` to frame `last`, for the laws of a character."""

    @property
    def body(self) -> str:
        """The joint whose frame the force acts in."""

    @property
    def first(self) -> int:
        """Frame."""

    @property
    def last(self) -> int:
        """Frame."""

    def add_wrench(self, space: Space, frames: Index, rows: WrenchConstraints, scale: float) -> None:
        """Add scale times the force (N) and its moment (N m) in some frames to rows."""


@dataclass(frozen=True, eq=False)
class ExternalForce:
    """A known force on a point of a body, from frame `first` on; laws hold between the first and the last frame."""

    body: str
    point: Array
    """(3,) metres in the body's frame"""
    first: int
    forces: Array
    """(frames, 3) N, world axes"""

    def __post_init__(self) -> None:
        if self.forces.ndim != 2 or self.forces.shape[1] != 3 or not len(self.forces):
            raise InputError(f"an external force has three numbers per frame, not {self.forces.shape}")
        if self.first < 0 or self.point.shape != (3,):
            raise InputError(f"no external force at {self.point} from frame {self.first}", fix="a point (3,), a frame")

    @property
    def last(self) -> int:
        """The last frame in which it acts."""
        return self.first + len(self.forces) - 1

    def add_wrench(self, space: Space, frames: Index, rows: WrenchConstraints, scale: float) -> None:
        """Constants in Newton's law; in Euler's the point's place, which the pose decides."""
        forces = scale * self.forces[frames - self.first]
        space.problem.add_constant(rows.force, forces)
        space.problem.add_constant(rows.moment, -np.cross(rows.about, forces))
        for number, axis in enumerate(np.eye(3)):  # axis . (p x f) = p . (f x axis)
            space.add_point(rows.moment[:, number], frames, self.body, self.point, np.cross(forces, axis))


@dataclass(frozen=True, eq=False)
class Grasp:
    """A point of one character that stays on a point of another, and the force with which they hold each other.

    Both are in one problem and have the same frames. Each takes its side, first as a term and then as a force of its
    laws: `side = grasp.side(0)`, `side.add(space)`, `Laws(holds, forces=(side,)).add(space)`.
    """

    bodies: tuple[str, str]
    points: Array
    """(2, 3) metres in the bodies' frames"""
    first: int
    last: int
    cost: float = 1e-3
    """Per square kilonewton and second."""

    def __post_init__(self) -> None:
        if np.shape(self.points) != (2, 3) or not 0 <= self.first <= self.last:
            raise InputError(
                f"no grasp of points {np.shape(self.points)} from frame {self.first} to {self.last}",
                fix="two points (2, 3), and first <= last",
            )

    def side(self, number: int) -> GraspSide:
        """What the grasp is to the first (0) or the second (1) character."""
        return GraspSide(self, number)

    def forces(self, problem: Problem, x: Array) -> Array:
        """(frames, 3) N on the first character, world axes, in a solution x of a problem."""
        return np.asarray(_UNIT * x[problem.shared(self)[:, 1]])


@dataclass(frozen=True, eq=False)
class GraspSide:
    """One character's part of a grasp."""

    grasp: Grasp
    number: int

    @property
    def body(self) -> str:
        """Of this character."""
        return self.grasp.bodies[self.number]

    @property
    def first(self) -> int:
        """Frame."""
        return self.grasp.first

    @property
    def last(self) -> int:
        """Frame."""
        return self.grasp.last

    def add(self, space: Space) -> None:
        """Keep this character's point where both meet: three rows per frame."""
        problem, frames = space.problem, np.arange(self.first, self.last + 1)
        unknowns = problem.shared(self.grasp, lambda: self._made(space))
        for number, axis in enumerate(np.eye(3)):
            rows = problem.add_constraints(f"grasp of {self.body}", np.zeros(len(frames)))
            space.add_point(rows, frames, self.body, self.grasp.points[self.number], axis)
            problem.add_linear(rows, unknowns[:, 0, number], -1.0)
        problem.shared((space, self), lambda: unknowns)

    def add_wrench(self, space: Space, frames: Index, rows: WrenchConstraints, scale: float) -> None:
        """The force of the grasp on this character, where both meet."""
        meeting, force = np.moveaxis(space.problem.shared((space, self))[frames - self.first], 1, 0)
        size = scale * _UNIT * (1.0 if self.number == 0 else -1.0)
        space.problem.add_linear(rows.force, force, size)
        arm = Affine(meeting, np.eye(3), -rows.about)
        add_cross(space.problem, rows.moment, arm, Affine(force, np.eye(3), np.zeros(3)), size)

    def _made(self, space: Space) -> Index:
        """(frames, 2, 3) where both meet (m), and the force on the first character (kN)."""
        problem, frames = space.problem, slice(self.first, self.last + 1)
        joint = space.character.skeleton.index(self.body)
        placed = place(space.character.skeleton, space.start[frames])
        arm = quat.rotate(placed.rotations[:, joint], self.grasp.points[self.number])
        meeting = problem.add_variables(placed.positions[:, joint] + arm)
        force = problem.add_variables(np.zeros(meeting.shape))
        problem.add_squares("grasp force", force[..., None], weight=self.grasp.cost * space.frame_time)
        return np.stack([meeting, force], axis=1)
