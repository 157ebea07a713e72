"""A target velocity at an end of a motion that does not begin or end at rest, such as a run."""

from __future__ import annotations

from dataclasses import dataclass

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
