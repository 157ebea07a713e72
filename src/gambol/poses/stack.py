"""Stack of tasks: joint rates that fulfil tasks in strict order of priority, within limits (M17 section 3.4).

Every level minimises |J q' − v|² over the rates q' that leave all higher levels as they are (J of these is multiplied
by a basis of their common null space) and that keep to the limits: one quadratic program each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.solve.qp import solve_dense


class Task(NamedTuple):
    """Wanted velocities of points or joints."""

    jacobian: Array
    """(rows, dofs)."""
    velocity: Array
    """(rows,)."""
    damping: float = 1e-6
    """Weight of squared rates beside squared errors. Directions in which it prevails are left to later levels."""


def solve_tasks(levels: Sequence[Task], lower: Array, upper: Array) -> Array:
    """Return rates (dofs,) within limits; an earlier level is never worse for the sake of a later one."""
    rates = np.clip(0.0, lower, upper)
    free = np.eye(len(lower))
    for level, (jacobian, velocity, damping) in enumerate(levels):
        inner = jacobian @ free
        hessian = inner.T @ inner + damping * np.eye(free.shape[1])
        slope = inner.T @ (jacobian @ rates - velocity)
        # Zero is feasible, but for rounding errors of the level above.
        found = solve_dense(hessian, slope, free, np.minimum(lower - rates, 0.0), np.maximum(upper - rates, 0.0))
        if found is not None:
            rates = rates + free @ found
        if level + 1 < len(levels):
            _, sizes, axes = np.linalg.svd(inner)
            free = free @ axes[int((sizes > np.sqrt(damping)).sum()) :].T
    return rates
