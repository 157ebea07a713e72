"""Momentum on the ground as splines (L05 section 4.4.1, figure 4.3): knots are fixed, control points are unknown.

The six components of momentum per kilogram are cubic non-uniform B-splines over the phase of a ground stage, from the
step into its first frame (0) to the step out of its last frame (1). The first and the last knot have multiplicity four:
a spline begins and ends at its outer control points, and their neighbours determine the end slopes. Three things differ
from the printed form:

- the slope towards a flight is printed as m g in every component; here it is -g (per kilogram) in vertical velocity and
  0 in the others, since weight has no horizontal component and no moment about the centre of mass;
- the spacing of knots is printed as u_i - u_(i-1) < eps, which would merge all knots; here it is > eps;
- each component is printed with knots of its own; a turn about the vertical mixes components, and splines with
  different knots cannot be mixed, so here all six share one set.

As printed, the slope is free at an end without a flight, and in vertical velocity at a landing, where impulses act.
With `NewtonEuler(contact_forces=False)` this is the printed form of an edit. There are no forces in it: friction and
centre of pressure are not limited.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.solve.problem import Index
from gambol.terms.space import Space

_DEGREE = 3
_UPWARD = 2


@dataclass(frozen=True, eq=False)
class MomentumSpline:
    """Momentum of one ground stage, from its first to its last frame."""

    first: int
    last: int
    knots: Array
    """(k + 4,) phases from 0 to 1, fixed"""
    control: Array
    """(k, 6) start of the search: velocity of the centre of mass (m/s), angular momentum per kilogram (m²/s)"""
    landed: bool
    """Whether a flight precedes the stage."""
    leaves: bool
    """Whether a flight follows it."""
    gravity: float = GRAVITY

    def add(self, space: Space) -> None:
        """Add control points, the momentum spline, and its slopes towards flights."""
        problem, steps = space.problem, stage_steps(self.first, self.last, len(space))
        shape = spline_basis(self.knots, np.linspace(0.0, 1.0, len(steps)))
        slopes = end_slopes(self.landed, self.leaves, self.gravity) * space.step_times[steps[:-1]].sum()
        rise = slopes * end_gaps(self.knots)[:, None]
        for name, rate, part in (("momentum", space.velocity, slice(0, 3)), ("spin", space.spin, slice(3, 6))):
            values = problem.add_variables(self.control[:, part])
            spline = problem.add_constraints(f"{name} spline", np.zeros((len(steps), 3)))
            problem.add_linear(spline, rate[steps])
            problem.add_linear(spline[:, None], values[None], -shape[:, :, None])
            for to, after, before in zip(rise[:, part], values[[1, -1]], values[[0, -2]], strict=True):
                some = np.isfinite(to)
                slope = problem.add_constraints(f"{name} slope", to[some])
                problem.add_linear(slope, after[some])
                problem.add_linear(slope, before[some], -1.0)


def stage_steps(first: int, last: int, frames: int) -> Index:
    """Return the steps of a stage: from the one into its first frame to the one out of its last frame."""
    steps = np.arange(max(first - 1, 0), min(last, frames - 2) + 1)
    if len(steps) < 2:
        raise InputError(f"the stage from frame {first} to {last} is too short for a momentum spline")
    return steps


def spline_basis(knots: Array, phase: Array) -> Array:
    """Evaluate the basis (..., phases, k) of cubic B-splines with knots (..., k + 4), by Cox-de Boor recursion."""
    at, knots = phase[:, None], knots[..., None, :]
    values = ((knots[..., :-1] <= at) & (at < knots[..., 1:])).astype(float)
    values[..., phase == 1.0, -_DEGREE - 1] = 1.0
    for degree in range(1, _DEGREE + 1):
        span = knots[..., degree:] - knots[..., :-degree]
        share = np.divide(at - knots[..., :-degree], span, out=np.zeros_like(span + at), where=span > 0.0)
        values = share[..., :-1] * values[..., :-1] + (1.0 - share[..., 1:]) * values[..., 1:]
    return values


def end_slopes(landed: bool, leaves: bool, gravity: float) -> Array:
    """Return the slopes of momentum (2, 6) per second at the start and the end of a stage; NaN where they are free."""
    slopes = np.full((2, 6), np.nan)
    if landed:
        slopes[0] = np.where(np.arange(6) == _UPWARD, np.nan, 0.0)
    if leaves:
        slopes[1] = np.where(np.arange(6) == _UPWARD, -gravity, 0.0)
    return slopes


def end_gaps(knots: Array) -> Array:
    """Return the differences (..., 2) of the outer two control points for a slope of 1 per phase, at start and end."""
    return np.stack((knots[..., _DEGREE + 1], 1.0 - knots[..., -_DEGREE - 2]), axis=-1) / _DEGREE
