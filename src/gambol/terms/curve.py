"""The characteristic curve of momentum on the ground, as printed (L05 section 3.6.2, eq. 3.10 and 3.11, figure 3.6).

Every component of momentum runs from p1, where a stand begins, over p2 (energy is stored) and p3 (released in a burst
that overshoots) to p4, where it ends. The figure alone says what p2, p3, d1 and d2 are. Our reading, the same for all
six components: a cubic spline through the four values at 0, 0.4, 0.85 and 1 of the stand, with the slope of the flight
(or of rest) at both ends, so that it is C1; d1 and d2 are the depth of the dip and the height of the overshoot as seen
from p4. With s the sign of p4 - p1 in the start:

    s (p2 - p1) <= 0,    s (p3 - p4) >= 0,    s (p4 - p2) >= s (p3 - p4),

which is "p2 less than p1", "p2 and p3 on opposite sides of p4" and "d1 larger than d2" for momentum that grows, and its
mirror image for momentum that falls. The form knows no forces: friction and pressure come out as they may.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.body.character import GRAVITY
from gambol.geometry.arrays import Array
from gambol.solve.problem import Index, Problem
from gambol.terms.space import Space

_AT = np.array([0.0, 0.4, 0.85, 1.0])


@dataclass(frozen=True)
class MomentumCurve:
    """Momentum of one stand, from its first to its last frame."""

    first: int
    last: int
    gravity: float = GRAVITY

    def add(self, space: Space) -> None:
        """Four values a component, the curve through them, and its inequalities."""
        begin, end = max(self.first - 1, 0), min(self.last, len(space) - 2)
        steps = np.arange(begin, end + 1)
        if len(steps) < 3:
            return
        length = (len(steps) - 1) * space.frame_time
        through, slopes = _spline(np.linspace(0.0, 1.0, len(steps)), length)
        falls = np.array([-self.gravity * (self.first > 0), -self.gravity * (self.last < len(space) - 1)])
        start = space.problem.start[space.velocity[steps]]
        for name, rate, axis in _components(space):
            slope = slopes @ falls if (name, axis) == ("momentum curve", 2) else np.zeros(len(steps))
            shown = start[:, axis] if name == "momentum curve" else np.zeros(len(steps))
            values = space.problem.add_variables(np.interp(_AT, np.linspace(0.0, 1.0, len(steps)), shown))
            rows = space.problem.add_constraints(name, slope)
            space.problem.add_linear(rows, rate[steps, axis])
            space.problem.add_linear(rows[:, None], values[None, :], -through)
            _shape(space.problem, values, 1.0 if shown[-1] >= shown[0] else -1.0)


def _components(space: Space) -> list[tuple[str, Index, int]]:
    return [
        (name, rate, axis)
        for name, rate in (("momentum curve", space.velocity), ("spin curve", space.spin))
        for axis in range(3)
    ]


def _spline(at: Array, length: float) -> tuple[Array, Array]:
    """What the four values (steps, 4) and the slopes at both ends (steps, 2) add to a C2 curve."""
    from scipy.interpolate import CubicSpline

    values = CubicSpline(_AT, np.eye(4), bc_type=((1, np.zeros(4)), (1, np.zeros(4))))(at)
    ends = [
        CubicSpline(_AT, np.zeros(4), bc_type=((1, length * (side == 0)), (1, length * (side == 1))))(at)
        for side in (0, 1)
    ]
    return values, np.stack(ends, axis=1)


def _shape(problem: Problem, values: Index, sign: float) -> None:
    """The inequalities of figure 3.6."""
    p1, p2, p3, p4 = values
    for name, factors in (
        ("dip below the beginning", {p2: -sign, p1: sign}),
        ("overshoot beyond the end", {p3: sign, p4: -sign}),
        ("dip deeper than overshoot", {p4: 2.0 * sign, p2: -sign, p3: -sign}),
    ):
        rows = problem.add_constraints(name, np.zeros(1), np.inf)
        problem.add_linear(rows, np.array(list(factors)), np.array(list(factors.values())))
