"""Static balance (L05 section 3.7): where a character stands still, its centre of mass is above its support."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.geometry.arrays import Array
from gambol.terms.space import Space


@dataclass(frozen=True, eq=False)
class BalanceCost:
    """Horizontal distance of the centre of mass from a point of the floor, in one frame."""

    frame: int
    over: Array
    """(2,) metres"""
    weight: float
    """Cost per square metre."""

    def add(self, space: Space) -> None:
        """Add one square per horizontal axis."""
        space.problem.add_squares("balance", space.center[self.frame, :2, None], 1.0, self.over, self.weight)


@dataclass(frozen=True, eq=False)
class RestCost:
    """Velocity of the centre of mass, and with 2 % of the weight of the coordinates, on one step between frames."""

    step: int
    weight: float
    """Cost per (m/s)²."""

    def add(self, space: Space) -> None:
        """Add squares of velocities."""
        space.problem.add_squares("rest", space.velocity[self.step, :, None], weight=self.weight)
        pairs = np.stack([space.q[self.step + 1], space.q[self.step]], axis=-1)
        factors = np.array([1.0, -1.0]) / space.step_times[self.step]
        space.problem.add_squares("rest", pairs, factors, weight=0.02 * self.weight)


@dataclass(frozen=True)
class CenterReturnCost:
    """Distance of the centre of mass between two frames (L05 section 4.4.2: E_b of an outer stage)."""

    first: int
    last: int
    weight: float
    """Cost per square metre."""

    def add(self, space: Space) -> None:
        """Add one square per axis."""
        pairs = np.stack([space.center[self.last], space.center[self.first]], axis=-1)
        space.problem.add_squares("pseudo balance", pairs, np.array([1.0, -1.0]), weight=self.weight)


@dataclass(frozen=True, eq=False)
class CenterTarget:
    """Distance of the centre of mass from a place in one frame (L05 section 4.4.2: E_b of an inner stage)."""

    frame: int
    place: Array
    """(3,) metres"""
    weight: float
    """Cost per square metre."""

    def add(self, space: Space) -> None:
        """Add one square per axis."""
        space.problem.add_squares("pseudo balance", space.center[self.frame, :, None], 1.0, self.place, self.weight)
