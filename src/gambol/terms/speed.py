"""A target velocity at an end of a motion that does not begin or end at rest, such as a run; limits of joint speeds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.geometry.arrays import Array
from gambol.terms.space import Space


@dataclass(frozen=True, eq=False)
class SpeedTarget:
    """A target for the horizontal velocity of the centre of mass, on one step between frames."""

    step: int
    velocity: Array
    """(2,) m/s"""
    weight: float
    """Cost per (m/s)²."""

    def add(self, space: Space) -> None:
        """Add one square per horizontal axis."""
        space.problem.add_squares("speed", space.velocity[self.step, :2, None], 1.0, self.velocity, self.weight)


@dataclass(frozen=True, eq=False)
class JointSpeedLimit:
    """Keeps joints below their largest speeds."""

    fastest: Array
    """(dofs,) rad/s; inf without a limit."""

    def add(self, space: Space) -> None:
        """Add one inequality per step of every joint that has a limit."""
        limited = np.flatnonzero(np.isfinite(self.fastest))
        most = self.fastest[limited] * space.step_times[:, None]
        limits = space.problem.add_constraints("joint speed", -most, most)
        space.problem.add_linear(limits, space.q[1:, limited])
        space.problem.add_linear(limits, space.q[:-1, limited], -1.0)
