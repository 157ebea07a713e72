"""The cart on a table: a centre of mass at constant height, moved by piecewise constant jerk.

Its zero moment point is z = c − h/g c'' (M17 section 3.4).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.geometry.arrays import Array


class Cart(NamedTuple):
    """(2,) horizontal position (m), velocity (m/s) and acceleration (m/s²) of the centre of mass."""

    position: Array
    velocity: Array
    acceleration: Array

    @classmethod
    def rest(cls, position: Array) -> Cart:
        """Return a cart that does not move."""
        return cls(position, np.zeros(2), np.zeros(2))

    def advance(self, jerk: Array, seconds: float) -> Cart:
        """Return the state after some seconds of constant jerk (2,)."""
        position, velocity, acceleration = self
        return Cart(
            position + seconds * velocity + seconds**2 / 2.0 * acceleration + seconds**3 / 6.0 * jerk,
            velocity + seconds * acceleration + seconds**2 / 2.0 * jerk,
            acceleration + seconds * jerk,
        )

    def find_zero_moment_point(self, height: float) -> Array:
        """Return it (2,) for a height of the centre of mass (m)."""
        return self.position - height / GRAVITY * self.acceleration


class CartPrediction(NamedTuple):
    """A quantity at the ends of samples, of one axis."""

    free: Array
    """(samples, 3) as a function of position, velocity and acceleration."""
    forced: Array
    """(samples, samples) as a function of the jerks."""


@lru_cache
def predict_cart(height: float, period: float, samples: int) -> tuple[CartPrediction, CartPrediction, CartPrediction]:
    """Return position, velocity and zero moment point at the ends of samples."""
    times = period * np.arange(1, samples + 1)[:, None]
    ones, zeros = np.ones_like(times), np.zeros_like(times)
    late = np.arange(samples)[:, None] - np.arange(samples)
    passed = late >= 0
    position = np.where(passed, (1 + 3 * late + 3 * late**2) * period**3 / 6.0, 0.0)
    velocity = np.where(passed, (1 + 2 * late) * period**2 / 2.0, 0.0)
    lever = height / GRAVITY
    return (
        CartPrediction(np.hstack([ones, times, times**2 / 2.0]), position),
        CartPrediction(np.hstack([zeros, ones, times]), velocity),
        CartPrediction(
            np.hstack([ones, times, times**2 / 2.0 - lever]), position - lever * np.where(passed, period, 0.0)
        ),
    )
