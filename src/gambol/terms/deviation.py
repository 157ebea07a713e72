"""Costs of deviating from a reference motion: mass displacement (L05 section 3.7), joint angles, poses of frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gambol.body.kernels import compute_references
from gambol.contacts.foothold import Foothold, find_plane_axes
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.motion.skeleton import Skeleton
from gambol.terms.foothold import find_variables
from gambol.terms.space import Space


@dataclass(frozen=True, eq=False)
class MassDisplacement:
    """Mean squared displacement (m²) of the body's mass from a reference motion, integrated over time.

    Displacement of the centre of mass is excluded by default, since momentum determines it.
    """

    reference: Array
    """(frames, dofs)"""
    weight: float
    travel: float = 0.0
    """Share of the displacement of the centre of mass that counts, 0 to 1."""

    def add(self, space: Space) -> None:
        """Set the parameters of the frame kernel's cost, and subtract the centre of mass from it."""
        weight = self.weight * space.frame_times
        after = len(space.kernels.constants)
        space.frames.parameters[:, after] = weight
        space.frames.parameters[:, after + 1 :] = compute_references(space.character, self.reference)
        center = space.dynamics.center_of_mass(self.reference)
        space.problem.add_squares(
            "travel", space.center[..., None], 1.0, center, -(1.0 - self.travel) * weight[:, None]
        )


@dataclass(frozen=True, eq=False)
class PoseDeviation:
    """Squared deviation of the coordinates from a reference motion, integrated over time."""

    reference: Array
    """(frames, dofs)"""
    weight: Array
    """(dofs,) cost per square radian (or square metre) and second"""

    def add(self, space: Space) -> None:
        """Add one square per coordinate and frame."""
        space.problem.add_squares(
            "pose deviation", space.q[..., None], 1.0, self.reference, self.weight * space.frame_times[:, None]
        )


def weigh_dofs(skeleton: Skeleton, angles: float, height: float) -> Array:
    """Return weights (dofs,) of angles and of vertical translations; horizontal ones are free."""
    heights = [height if abs(dof.axis[2]) > 0.5 else 0.0 for dof in skeleton.dofs]
    return np.where([dof.kind == "turn" for dof in skeleton.dofs], angles, heights)


@dataclass(frozen=True, eq=False)
class PoseTarget:
    """A target pose in one frame, as a cost or as a constraint."""

    frame: int
    q: Array
    """(dofs,)"""
    weight: Array
    """(dofs,) cost per square radian; 0 leaves a coordinate free."""
    exact: bool = False
    """Whether coordinates with a weight are constraints instead of costs."""

    def add(self, space: Space) -> None:
        """Add a square, or an equality constraint, for every coordinate with a weight."""
        chosen = np.flatnonzero(self.weight)
        columns = space.q[self.frame, chosen]
        if self.exact:
            constraints = space.problem.add_constraints(f"pose of frame {self.frame}", self.q[chosen])
            space.problem.add_linear(constraints, columns)
        else:
            space.problem.add_squares("pose", columns[:, None], 1.0, self.q[chosen], self.weight[chosen])


@dataclass(frozen=True, eq=False)
class RepeatedChange:
    """A pose that differs from a reference motion as another pose does, at a cost: what a stride before or after does.

    Poses at the ends of a motion have no stride beyond them that would say how somebody leans under a load.
    """

    frame: int
    like: int
    """The frame of the other pose."""
    reference: Array
    """(frames, dofs)"""
    weight: float
    """Per square radian (or square metre)."""

    def add(self, space: Space) -> None:
        """Add a square for every coordinate."""
        pairs = np.stack((space.q[self.frame], space.q[self.like]), axis=1)
        apart = self.reference[self.frame] - self.reference[self.like]
        space.problem.add_squares("repeated change", pairs, np.array([1.0, -1.0]), apart, self.weight)


@dataclass(frozen=True, eq=False)
class KeptCoordinates:
    """Coordinates that are as in a reference motion: they are no unknowns."""

    reference: Array
    """(frames, dofs)"""
    columns: Sequence[int]
    first: int = 0
    """The first frame in which they are kept; those before have poses that are constraints."""

    def add(self, space: Space) -> None:
        """Fix the variables."""
        chosen = slice(self.first, None), list(self.columns)
        space.problem.fix(space.q[chosen], self.reference[chosen])


@dataclass(frozen=True, eq=False)
class Cycle:
    """The first poses of a motion again after a period, moved (L05 section 2.2.2)."""

    period: int
    """Frames."""
    poses: int
    """How many: two fix angles and velocities."""
    travel: Array
    """(dofs,) change of the coordinates in a period."""

    def add(self, space: Space) -> None:
        """Add an equality constraint for every coordinate of these poses."""
        constraints = space.problem.add_constraints("cycle", np.tile(self.travel, (self.poses, 1)))
        space.problem.add_linear(constraints, space.q[self.period : self.period + self.poses])
        space.problem.add_linear(constraints, space.q[: self.poses], -1.0)


@dataclass(frozen=True, eq=False)
class PosesUpToTravel:
    """The poses of a reference motion in some frames, displaced along the ground by one unknown travel."""

    frames: tuple[int, ...]
    reference: Array
    """(frames of the motion, dofs)"""
    footholds: tuple[Foothold, ...] = ()
    """Footholds that are displaced with them, on the same ground."""
    normal: Array = field(default_factory=lambda: UP)
    """Of the ground."""

    def add(self, space: Space) -> None:
        """Add an equality constraint for every coordinate and frame, and for the shifts of the footholds."""
        problem, skeleton = space.problem, space.character.skeleton
        travel = problem.shared((space, self), lambda: problem.add_variables(np.zeros(2)))
        frames = np.array(self.frames)
        constraints = problem.add_constraints("poses up to travel", self.reference[frames])
        problem.add_linear(constraints, space.q[frames])
        slides = skeleton.columns(0, "slide")
        axes = np.array([skeleton.dofs[column].axis for column in slides])
        problem.add_linear(constraints[:, slides, None], travel, -axes @ find_plane_axes(self.normal).T)
        for foothold in self.footholds:
            tied = problem.add_constraints("footholds up to travel", np.zeros(2))
            problem.add_linear(tied, find_variables(foothold, problem)[:2])
            problem.add_linear(tied, travel, -1.0)
