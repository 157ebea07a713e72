"""A walker that passes an obstacle on its way to a goal: where its heading contracts, by intervals (M17 section 2.4).

With x the heading less the direction of the obstacle, gamma the goal's direction less the obstacle's, and w between 0
(far in time, or missed anyway) and 1, both whatever they may be at any time,

    dx = k_g sin(gamma - x) + k_o w tanh(x / delta) exp(-x^2 / 2 sigma^2).

Straight at the obstacle the second term tears headings apart: a side has to be chosen. Beside it the heading contracts.
"""

from __future__ import annotations

from typing import Any

from gambol.primitives.contraction.bound import certified
from gambol.primitives.contraction.certificate import Certificate, Region
from gambol.primitives.contraction.system import System
from gambol.primitives.navigation.heading import AVOID, DELTA, GOAL, SIGMA

Range = tuple[float, float]


def passing(beside: Range, goal: Range, weight: Range = (0.0, 1.0)) -> Certificate:
    """Headings `beside` the obstacle and a `goal` beside it (rad, left is positive), for all weights of a range."""
    region = Region.of({"beside": beside, "goal": goal, "weight": weight})
    return certified("heading past an obstacle", walker(), region)


def walker() -> System:
    """The heading, with the direction of the goal and the obstacle's weight as inputs."""

    def rates(x: Any, goal: Any, weight: Any) -> tuple[Any]:
        import casadi as ca

        away = AVOID * weight * ca.tanh(x / DELTA) * ca.exp(-x * x / (2.0 * SIGMA**2))
        return (GOAL * ca.sin(goal - x) + away,)

    return System(("beside",), rates, inputs=("goal", "weight"))
