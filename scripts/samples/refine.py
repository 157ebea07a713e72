"""Fit the free numbers of a motion so that the ground can give the forces it takes.

A body's motion needs a force f = a + g at a centre of pressure p with (p - c) x f = dL/dt (all a kilogram
of body; c the centre of mass, L the angular momentum about it): what is missing from this balance is the
residual that a motion without physics would have to get from nowhere.
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
class Knob:
    """Numbers that may change: where they start and how far it is natural for them to go."""

    start: Array
    spread: Array


def knob(start: ArrayLike, spread: ArrayLike) -> Knob:
    """A knob from plain numbers, with one spread for all or one for each."""
    values = np.atleast_1d(np.asarray(start, dtype=float))
    return Knob(values, np.broadcast_to(np.asarray(spread, dtype=float), values.shape))


def unpacked(knobs: dict[str, Knob], u: Array) -> dict[str, Array]:
    """The values of all knobs turned by `u` spreads."""
    out, at = {}, 0
    for name, k in knobs.items():
        out[name] = k.start + k.spread * u[at : at + k.start.size]
        at += k.start.size
    return out


def refine(
    knobs: dict[str, Knob],
    residuals: Callable[[dict[str, Array]], Array],
    start: dict[str, Array] | None = None,
    rounds: int = 30,
) -> dict[str, Array]:
    """The knobs' values that make the residuals least, each held back in proportion to its spread.

    The search begins at `start` where it is given; what holds the knobs back is still where they start.
    """

    def cost(u: Array) -> Array:
        return np.concatenate((residuals(unpacked(knobs, u)), u))

    def slope(u: Array) -> Array:
        here, step = cost(u), 1e-4
        return np.stack([(cost(u + step * e) - here) / step for e in np.eye(len(u))], axis=1)

    first = [np.zeros_like(k.start) if start is None else (start[n] - k.start) / k.spread for n, k in knobs.items()]
    answer = least_squares(cost, np.concatenate(first), jac=slope, max_nfev=rounds, ftol=1e-4)
    return unpacked(knobs, answer.x)


def missing_moment(center: Array, acceleration: Array, momentum_rate: Array, pressure: Array) -> Array:
    """What no force at the centre of pressure explains, as metres of lever under body weight (frames, 3)."""
    force = acceleration + [0.0, 0.0, GRAVITY]
    return (momentum_rate - np.cross(pressure - center, force)) / GRAVITY


def below(values: Array, least: float, scale: float) -> Array:
    """Nothing where values are above `least`, then growing smoothly: a soft wall."""
    return np.maximum(least - values, 0.0) / scale
