"""The classical Runge-Kutta method of fourth order, for states of any shape."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gambol.geometry.arrays import Array


def runge_kutta(rates: Callable[[float, Array], Array], time: float, state: Array, step: float) -> Array:
    """Return the state after one step of a system with rates `rates(time, state)`."""
    first = rates(time, state)
    second = rates(time + 0.5 * step, state + 0.5 * step * first)
    third = rates(time + 0.5 * step, state + 0.5 * step * second)
    fourth = rates(time + step, state + step * third)
    return np.asarray(state + step / 6.0 * (first + 2.0 * (second + third) + fourth))
