"""One step of the classical method of fourth order (Runge and Kutta), for states of any shape."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gambol.geometry.arrays import Array


def runge_kutta(rates: Callable[[float, Array], Array], time: float, state: Array, step: float) -> Array:
    """The state a step later, of a system whose states change at `rates(time, state)`."""
    first = rates(time, state)
    second = rates(time + 0.5 * step, state + 0.5 * step * first)
    third = rates(time + 0.5 * step, state + 0.5 * step * second)
    fourth = rates(time + step, state + step * third)
    return np.asarray(state + step / 6.0 * (first + 2.0 * (second + third) + fourth))
