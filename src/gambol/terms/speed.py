"""Speed at an end of a motion that neither begins nor ends at rest: a runner's, a skater's."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.geometry.arrays import Array
from gambol.terms.space import Space


@dataclass(frozen=True, eq=False)
class SpeedTarget:
    """The centre of mass travels over the ground at a velocity, on one step."""

    step: int
    velocity: Array
    """(2,) metres a second"""
    weight: float

    def add(self, space: Space) -> None:
        """A square along each axis of the floor."""
        space.problem.add_squares("speed", space.velocity[self.step, :2, None], 1.0, self.velocity, self.weight)
