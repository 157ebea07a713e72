"""A target velocity at an end of a motion that does not begin or end at rest, such as a run; limits of joint speeds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.geometry.arrays import Array
from gambol.terms.space import Space

_NEAR = 0.2
"""Share of a largest speed from which a joint may come to exceed it."""


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
    """Keeps joints that are fast in a reference below their largest speeds."""

    reference: Array
    """(frames, dofs)"""
    fastest: Array
    """(dofs,) rad/s; inf without a limit."""

    def add(self, space: Space) -> None:
        """Add one inequality per step of every joint that comes near its limit in the reference."""
        most = self.fastest * space.step_times[:, None]
        columns = np.flatnonzero((np.abs(np.diff(self.reference, axis=0)) > _NEAR * most).any(axis=0))
        limits = space.problem.add_constraints("joint speed", -most[:, columns], most[:, columns])
        space.problem.add_linear(limits, space.q[1:, columns])
        space.problem.add_linear(limits, space.q[:-1, columns], -1.0)
