"""Fit the free parameters of a motion so that the ground can give the forces that it needs.

A motion needs a force f = a + g at a centre of pressure p with (p - c) x f = dL/dt (all per kilogram of the body; c is
the centre of mass, L the angular momentum about it). What is missing from this balance is the residual.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares

from gambol.geometry.arrays import Array
from samples.rig import GRAVITY


@dataclass(frozen=True)
class FreeParameter:
    """Numbers to be fitted: start values, and the spread that scales the cost of leaving them."""

    start: Array
    spread: Array


def make_parameter(start: ArrayLike, spread: ArrayLike) -> FreeParameter:
    """Make a parameter from plain numbers, with one spread for all or one for each."""
    values = np.atleast_1d(np.asarray(start, dtype=float))
    return FreeParameter(values, np.broadcast_to(np.asarray(spread, dtype=float), values.shape))


def unpack(parameters: dict[str, FreeParameter], u: Array) -> dict[str, Array]:
    """Return the values of all parameters, `u` spreads away from their starts."""
    out, at = {}, 0
    for name, k in parameters.items():
        out[name] = k.start + k.spread * u[at : at + k.start.size]
        at += k.start.size
    return out


def refine(
    parameters: dict[str, FreeParameter],
    residuals: Callable[[dict[str, Array]], Array],
    start: dict[str, Array] | None = None,
    rounds: int = 30,
) -> dict[str, Array]:
    """Return the values that minimise the squared residuals plus the squared distances from the starts, in spreads.

    The search begins at `start` where it is given; distances are still those from the parameters' own starts.
    """

    def cost(u: Array) -> Array:
        return np.concatenate((residuals(unpack(parameters, u)), u))

    def slope(u: Array) -> Array:
        here, step = cost(u), 1e-4
        return np.stack([(cost(u + step * e) - here) / step for e in np.eye(len(u))], axis=1)

    first = [
        np.zeros_like(k.start) if start is None else (start[n] - k.start) / k.spread for n, k in parameters.items()
    ]
    answer = least_squares(cost, np.concatenate(first), jac=slope, max_nfev=rounds, ftol=1e-4)
    return unpack(parameters, answer.x)


def missing_moment(center: Array, acceleration: Array, momentum_rate: Array, pressure: Array) -> Array:
    """Return the moment (frames, 3) that no force at the centre of pressure explains, in body weights times metres."""
    force = acceleration + [0.0, 0.0, GRAVITY]
    return (momentum_rate - np.cross(pressure - center, force)) / GRAVITY


def penalise_below(values: Array, least: float, scale: float) -> Array:
    """Return a penalty that is 0 where values are above `least` and grows linearly below."""
    return np.maximum(least - values, 0.0) / scale
