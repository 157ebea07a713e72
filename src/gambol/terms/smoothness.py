"""Smoothness costs: velocity (L05 section 3.7) and acceleration of the coordinates, rates of force and moment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.arrays import Array
from gambol.solve.problem import Index
from gambol.terms.space import Space

FORCE_COST, FORCE_RATE_COST, FORCE_FADE_COST = 1e-4, 1e-5, 1e-4
"""Costs of contact force, of the rates of force and moment, and of forces that end abruptly. Without them contact
forces are not unique, and a motion oscillates when it is re-sampled."""


@dataclass(frozen=True, eq=False)
class VelocityCost:
    """Squared velocity of the coordinates, or of their deviation from a reference motion, integrated over time."""

    weight: Array | float
    """(dofs,) or (frames - 1, dofs)"""
    reference: Array | None = None
    """(frames, dofs)"""

    def add(self, space: Space) -> None:
        """Add one square per coordinate and step."""
        steps = space.step_times[:, None]
        target = 0.0 if self.reference is None else np.diff(self.reference, axis=0) / steps
        pairs = np.stack([space.q[1:], space.q[:-1]], axis=-1)
        factors = np.array([1.0, -1.0]) / steps[..., None]
        space.problem.add_squares("velocity", pairs, factors, target, self.weight * steps)


@dataclass(frozen=True, eq=False)
class AccelerationCost:
    """Squared acceleration of the coordinates, or of their deviation from a reference motion, integrated over time."""

    weight: Array | float
    """(dofs,) or (frames - 2, dofs)"""
    reference: Array | None = None
    """(frames, dofs)"""

    def add(self, space: Space) -> None:
        """Add one square per coordinate and inner frame with a positive weight."""
        bend, steps = second_difference(space.q), space.frame_times[1:-1, None]
        weight = np.broadcast_to(self.weight, bend.shape[:2])
        some = weight > 0.0
        factors = np.broadcast_to(_bend_factors(space.step_times, space.frame_times[1:-1])[:, None], bend.shape)
        target = np.zeros(weight.shape) if self.reference is None else _bend(self.reference, factors)
        space.problem.add_squares("acceleration", bend[some], factors[some], target[some], (weight * steps)[some])


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
    frames = 1 + np.flatnonzero(chosen)
    # The force in a frame is the change of momentum over the time that the frame stands for.
    factors = _bend_factors(space.frame_times[1:-1], space.step_times[1:-1])[:, None]
    steps = space.step_times[frames, None]
    momenta = None if reference is None else _compute_momenta(space, reference)
    for number, (name, rate, weight) in enumerate(
        (("force rate", space.velocity, force), ("moment rate", space.spin, moment))
    ):
        columns = np.stack([rate[frames + 1], rate[frames], rate[frames - 1]], axis=-1)
        target = 0.0 if momenta is None else _bend(momenta[number], factors)[frames - 1]
        space.problem.add_squares(name, columns, factors[frames - 1], target, weight * steps)


def _compute_momenta(space: Space, q: Array) -> tuple[Array, Array]:
    """Return velocity of the centre of mass and angular momentum per kilogram (frames - 1, 3) of a motion."""
    steps, dynamics = space.step_times[:, None], space.dynamics
    velocity = np.diff(dynamics.center_of_mass(q), axis=0) / steps
    angular = np.asarray(dynamics.momentum(0.5 * (q[1:] + q[:-1]), np.diff(q, axis=0) / steps).angular)
    return velocity, angular / space.character.mass


def _bend_factors(steps: Array, times: Array) -> Array:
    """Return factors (n, 3) of `second_difference` for curves with these steps (n + 1,), per time (n,)."""
    before, after = 1.0 / steps[:-1], 1.0 / steps[1:]
    return np.stack([after, -(before + after), before], axis=-1) / times[:, None]


def _bend(values: Array, factors: Array) -> Array:
    """Return second derivatives (n, columns) of curves (n + 2, columns)."""
    return factors[..., 0] * values[2:] + factors[..., 1] * values[1:-1] + factors[..., 2] * values[:-2]


def second_difference(index: Index) -> Index:
    """Return each inner index with its neighbours, (..., 3): next, own, previous."""
    return np.stack([index[2:], index[1:-1], index[:-2]], axis=-1)
