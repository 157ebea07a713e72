"""Smoothness: minimal velocity of the degrees of freedom (L05 section 3.7), their acceleration, the rate of force."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.arrays import Array
from gambol.solve.problem import Index
from gambol.terms.space import Space


@dataclass(frozen=True, eq=False)
class VelocityCost:
    """Squared velocity of every coordinate, or its difference from that of a motion."""

    weight: Array | float
    """(dofs,)"""
    like: Array | None = None
    """(frames, dofs)"""

    def add(self, space: Space) -> None:
        """One square a coordinate and step."""
        step = space.frame_time
        target = 0.0 if self.like is None else np.diff(self.like, axis=0) / step
        pairs = np.stack([space.q[1:], space.q[:-1]], axis=-1)
        space.problem.add_squares("velocity", pairs, np.array([1.0, -1.0]) / step, target, self.weight * step)


@dataclass(frozen=True, eq=False)
class AccelerationCost:
    """Squared acceleration of every coordinate."""

    weight: Array | float
    """(dofs,) or (frames - 2, dofs)"""

    def add(self, space: Space) -> None:
        """One square a coordinate and inner frame with any weight."""
        bend, step = second_difference(space.q), space.frame_time
        weight = np.broadcast_to(self.weight, bend.shape[:2])
        some = weight > 0.0
        factors = np.array([1.0, -2.0, 1.0]) / step**2
        space.problem.add_squares("acceleration", bend[some], factors, 0.0, weight[some] * step)


@dataclass(frozen=True, eq=False)
class ForceRateCost:
    """Squared rates of force and of moment (a kilogram) while the ground carries."""

    carried: NDArray[np.bool_]
    """(frames,) whether anything holds"""
    force: Array | float
    moment: Array | float
    """One for all axes, or (3,)."""

    def add(self, space: Space) -> None:
        """One square a component, for frames that follow each other on the ground."""
        _steady(space, self.carried[1:-2] & self.carried[2:-1], self.force, self.moment)


@dataclass(frozen=True, eq=False)
class ForceFadeCost:
    """Squared rates of force and of moment from the last frame that anything holds to the first in flight, and back.

    What holds a body fades as it leaves. A force that breaks off is allowed by all laws at the frames, but between
    them a re-sampled motion rings.
    """

    held: NDArray[np.bool_]
    """(frames,) whether anything holds"""
    force: float
    moment: float

    def add(self, space: Space) -> None:
        """One square a component, for frames between which the ground is left or reached."""
        _steady(space, self.held[1:-2] != self.held[2:-1], self.force, self.moment)


def _steady(space: Space, chosen: NDArray[np.bool_], force: Array | float, moment: Array | float) -> None:
    """Squares of the changes of force and moment from chosen inner frames to the next."""
    frames = 1 + np.flatnonzero(chosen)
    factors = np.array([1.0, -2.0, 1.0]) / space.frame_time**2
    for name, rate, weight in (("force rate", space.velocity, force), ("moment rate", space.spin, moment)):
        columns = np.stack([rate[frames + 1], rate[frames], rate[frames - 1]], axis=-1)
        space.problem.add_squares(name, columns, factors, 0.0, weight * space.frame_time)


def second_difference(index: Index) -> Index:
    """Three variables that follow each other, for every inner one."""
    return np.stack([index[2:], index[1:-1], index[:-2]], axis=-1)
