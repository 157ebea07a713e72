"""The characteristic curve of momentum on the ground, as printed (L05 section 3.6.2, eq. 3.10 and 3.11, figure 3.6).

During a support phase each component of momentum goes from p1 (start) through p2 (energy is stored) and p3 (energy is
released, momentum overshoots) to p4 (end). Only the figure defines p2, p3, d1 and d2. Our reading, the same for all six
components: a cubic spline through the four values at 0, 0.4, 0.85 and 1 of the phase, with the slope of the flight (or
of rest) at both ends, so that momentum is C1; d1 is the depth of the dip and d2 the height of the overshoot, both from
p4. With s the sign of p4 - p1 at the start of the search:

    s (p2 - p1) <= 0,    s (p3 - p4) >= 0,    s (p4 - p2) >= s (p3 - p4),

that is, "p2 less than p1", "p2 and p3 on opposite sides of p4" and "d1 larger than d2" for growing momentum, mirrored
for falling momentum. There are no forces in this form: friction and centre of pressure are not limited.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.geometry.arrays import Array
from gambol.solve.problem import Index, Problem
from gambol.terms.space import Space

_PHASES = np.array([0.0, 0.4, 0.85, 1.0])


@dataclass(frozen=True)
class MomentumCurve:
    """Momentum of one support phase, from its first to its last frame."""

    first: int
    last: int
    gravity: float = GRAVITY

    def add(self, space: Space) -> None:
        """Add four values per component, the curve through them, and its inequalities."""
        begin, end = max(self.first - 1, 0), min(self.last, len(space) - 2)
        steps = np.arange(begin, end + 1)
        if len(steps) < 3:
            return
        length = float(space.step_times[begin:end].sum())
        through, slopes = _spline(np.linspace(0.0, 1.0, len(steps)), length)
        falls = np.array([-self.gravity * (self.first > 0), -self.gravity * (self.last < len(space) - 1)])
        start = space.problem.start[space.velocity[steps]]
        for name, rate, axis in _components(space):
            slope = slopes @ falls if (name, axis) == ("momentum curve", 2) else np.zeros(len(steps))
            shown = start[:, axis] if name == "momentum curve" else np.zeros(len(steps))
            values = space.problem.add_variables(np.interp(_PHASES, np.linspace(0.0, 1.0, len(steps)), shown))
            curve = space.problem.add_constraints(name, slope)
            space.problem.add_linear(curve, rate[steps, axis])
            space.problem.add_linear(curve[:, None], values[None, :], -through)
            _add_shape(space.problem, values, 1.0 if shown[-1] >= shown[0] else -1.0)


def _components(space: Space) -> list[tuple[str, Index, int]]:
    return [
        (name, rate, axis)
        for name, rate in (("momentum curve", space.velocity), ("spin curve", space.spin))
        for axis in range(3)
    ]


def _spline(at: Array, length: float) -> tuple[Array, Array]:
    """Return the coefficients of the four values (steps, 4) and of the end slopes (steps, 2) in a C2 curve."""
    from scipy.interpolate import CubicSpline

    values = CubicSpline(_PHASES, np.eye(4), bc_type=((1, np.zeros(4)), (1, np.zeros(4))))(at)
    ends = [
        CubicSpline(_PHASES, np.zeros(4), bc_type=((1, length * (side == 0)), (1, length * (side == 1))))(at)
        for side in (0, 1)
    ]
    return values, np.stack(ends, axis=1)


def _add_shape(problem: Problem, values: Index, sign: float) -> None:
    """Add the inequalities of figure 3.6."""
    p1, p2, p3, p4 = values
    for name, factors in (
        ("dip below the beginning", {p2: -sign, p1: sign}),
        ("overshoot beyond the end", {p3: sign, p4: -sign}),
        ("dip deeper than overshoot", {p4: 2.0 * sign, p2: -sign, p3: -sign}),
    ):
        shape = problem.add_constraints(name, np.zeros(1), np.inf)
        problem.add_linear(shape, np.array(list(factors)), np.array(list(factors.values())))
