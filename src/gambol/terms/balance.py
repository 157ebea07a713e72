"""Static balance (L05 section 3.7): where a character stands still, its centre of mass is over what carries it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.geometry.arrays import Array
from gambol.terms.space import Space


@dataclass(frozen=True, eq=False)
class BalanceCost:
    """The centre of mass over a place, in one frame."""

    frame: int
    over: Array
    """(2,) metres"""
    weight: float

    def add(self, space: Space) -> None:
        """A square along each axis of the floor."""
        space.problem.add_squares("balance", space.center[self.frame, :2, None], 1.0, self.over, self.weight)


@dataclass(frozen=True, eq=False)
class RestCost:
    """A body that is still on one step: its centre of mass, and less strictly its joints."""

    step: int
    weight: float

    def add(self, space: Space) -> None:
        """Squares of velocities."""
        space.problem.add_squares("rest", space.velocity[self.step, :, None], weight=self.weight)
        pairs = np.stack([space.q[self.step + 1], space.q[self.step]], axis=-1)
        factors = np.array([1.0, -1.0]) / space.frame_time
        space.problem.add_squares("rest", pairs, factors, weight=0.02 * self.weight)


@dataclass(frozen=True)
class CenterReturnCost:
    """The centre of mass in one frame near where it is in another (L05 section 4.4.2: E_b of an outer stage)."""

    first: int
    last: int
    weight: float

    def add(self, space: Space) -> None:
        """A square along each axis of the world."""
        pairs = np.stack([space.center[self.last], space.center[self.first]], axis=-1)
        space.problem.add_squares("pseudo balance", pairs, np.array([1.0, -1.0]), weight=self.weight)


@dataclass(frozen=True, eq=False)
class CenterTarget:
    """The centre of mass in one frame near a place (L05 section 4.4.2: E_b of an inner stage)."""

    frame: int
    place: Array
    """(3,) metres"""
    weight: float

    def add(self, space: Space) -> None:
        """A square along each axis of the world."""
        space.problem.add_squares("pseudo balance", space.center[self.frame, :, None], 1.0, self.place, self.weight)
