"""Smoothness costs: velocity (L05 section 3.7) and acceleration of the coordinates, rates of force and moment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.arrays import Array
from gambol.solve.problem import Index
from gambol.terms.space import Space


@dataclass(frozen=True, eq=False)
class VelocityCost:
    """Squared velocity of the coordinates, or of their deviation from a reference motion, integrated over time."""

    weight: Array | float
    """(dofs,) or (frames - 1, dofs)"""
    reference: Array | None = None
    """(frames, dofs)"""

    def add(self, space: Space) -> None:
        """Add one square per coordinate and step."""
        step = space.frame_time
        target = 0.0 if self.reference is None else np.diff(self.reference, axis=0) / step
        pairs = np.stack([space.q[1:], space.q[:-1]], axis=-1)
        space.problem.add_squares("velocity", pairs, np.array([1.0, -1.0]) / step, target, self.weight * step)


@dataclass(frozen=True, eq=False)
class AccelerationCost:
    """Squared acceleration of the coordinates, or of their deviation from a reference motion, integrated over time."""

    weight: Array | float
    """(dofs,) or (frames - 2, dofs)"""
    reference: Array | None = None
    """(frames, dofs)"""

    def add(self, space: Space) -> None:
        """Add one square per coordinate and inner frame with a positive weight."""
        bend, step = second_difference(space.q), space.frame_time
        weight = np.broadcast_to(self.weight, bend.shape[:2])
        some = weight > 0.0
        target = np.zeros(weight.shape) if self.reference is None else np.diff(self.reference, 2, axis=0) / step**2
        factors = np.array([1.0, -2.0, 1.0]) / step**2
        space.problem.add_squares("acceleration", bend[some], factors, target[some], weight[some] * step)


@dataclass(frozen=True, eq=False)
class ForceRateCost:
    """Squared rates of force and of moment (per kilogram) during support, integrated over time.

    With a reference motion, of their deviation from its rates.
    """

    supported: NDArray[np.bool_]
    """(frames,) whether there is any contact"""
    force: Array | float
    moment: Array | float
    """Weights: one for all axes, or (3,)."""
    reference: Array | None = None
    """(frames, dofs)"""

    def add(self, space: Space) -> None:
        """Add one square per component and pair of consecutive supported frames."""
        chosen = self.supported[1:-2] & self.supported[2:-1]
        _add_rates(space, chosen, self.force, self.moment, self.reference)


@dataclass(frozen=True, eq=False)
class ForceFadeCost:
    """Squared rates of force and of moment (per kilogram) at take-off and landing.

    It makes contact forces fade out before a flight and fade in after it, so that momentum is C1 (L05 section 3.6.2). A
    force that ends abruptly satisfies all laws at the frames, but a motion re-sampled between them oscillates.
    """

    supported: NDArray[np.bool_]
    """(frames,) whether there is any contact"""
    force: Array | float
    moment: Array | float
    """Weights: one for all axes, or (3,)."""
    landing: float = 1.0
    """Factor of the weight of force at landings."""

    def add(self, space: Space) -> None:
        """Add one square per component and pair of consecutive frames of which one is supported."""
        before, after = self.supported[1:-2], self.supported[2:-1]
        _add_rates(space, before & ~after, self.force, self.moment)
        _add_rates(space, ~before & after, self.landing * np.asarray(self.force), self.moment)


def _add_rates(
    space: Space,
    chosen: NDArray[np.bool_],
    force: Array | float,
    moment: Array | float,
    reference: Array | None = None,
) -> None:
    """Add squares of the changes of force and moment from chosen inner frames to the next."""
    frames, step = 1 + np.flatnonzero(chosen), space.frame_time
    factors = np.array([1.0, -2.0, 1.0]) / step**2
    momenta = None if reference is None else _compute_momenta(space, reference)
    for number, (name, rate, weight) in enumerate(
        (("force rate", space.velocity, force), ("moment rate", space.spin, moment))
    ):
        columns = np.stack([rate[frames + 1], rate[frames], rate[frames - 1]], axis=-1)
        target = 0.0 if momenta is None else np.diff(momenta[number], 2, axis=0)[frames - 1] / step**2
        space.problem.add_squares(name, columns, factors, target, weight * step)


def _compute_momenta(space: Space, q: Array) -> tuple[Array, Array]:
    """Return velocity of the centre of mass and angular momentum per kilogram (frames - 1, 3) of a motion."""
    step, dynamics = space.frame_time, space.dynamics
    velocity = np.diff(dynamics.center_of_mass(q), axis=0) / step
    angular = np.asarray(dynamics.momentum(0.5 * (q[1:] + q[:-1]), np.diff(q, axis=0) / step).angular)
    return velocity, angular / space.character.mass


def second_difference(index: Index) -> Index:
    """Return each inner index with its neighbours, (..., 3): next, own, previous."""
    return np.stack([index[2:], index[1:-1], index[:-2]], axis=-1)
