"""Likeness to another motion: mass displacement (L05 section 3.7), joint angles, and poses in single frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.body.kernels import references
from gambol.geometry.arrays import Array
from gambol.terms.space import Space


@dataclass(frozen=True, eq=False)
class MassDisplacement:
    """Mean squared way (m²) of the body's mass from where it is in a motion, integrated over time.

    The way of the centre of mass is left out unless `travel` says otherwise: where the body is, momentum decides.
    """

    like: Array
    """(frames, dofs)"""
    weight: float
    travel: float = 0.0
    """The share of the centre's own way that counts."""

    def add(self, space: Space) -> None:
        """Fill in the cost of the frames' kernel, and take the centre of mass out of it."""
        weight = self.weight * space.frame_time
        after = len(space.kernels.constants)
        space.frames.parameters[:, after] = weight
        space.frames.parameters[:, after + 1 :] = references(space.character, self.like)
        center = space.dynamics.center_of_mass(self.like)
        space.problem.least("travel", space.center[..., None], 1.0, center, -(1.0 - self.travel) * weight)


@dataclass(frozen=True, eq=False)
class PoseDeviation:
    """Squared coordinates from those of a motion, integrated over time."""

    like: Array
    """(frames, dofs)"""
    weight: Array
    """(dofs,) a square radian or metre, and second"""

    def add(self, space: Space) -> None:
        """One square a coordinate and frame."""
        space.problem.least("likeness", space.q[..., None], 1.0, self.like, self.weight * space.frame_time)


@dataclass(frozen=True, eq=False)
class PoseTarget:
    """A pose in one frame: as near as its weights ask for, or exactly."""

    frame: int
    q: Array
    """(dofs,)"""
    weight: Array
    """(dofs,) a square radian; nothing where the pose does not say."""
    exact: bool = False

    def add(self, space: Space) -> None:
        """A square, or a row, for every coordinate with weight."""
        said = np.flatnonzero(self.weight)
        columns = space.q[self.frame, said]
        if self.exact:
            space.problem.add(space.problem.rows(f"pose of frame {self.frame}", self.q[said]), columns)
        else:
            space.problem.least("pose", columns[:, None], 1.0, self.q[said], self.weight[said])
