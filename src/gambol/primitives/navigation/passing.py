"""A walker that passes an obstacle on its way to a goal: where its heading contracts, by intervals (M17 section 2.4).

With x the heading less the direction of the obstacle, gamma the goal's direction less the obstacle's, and w between 0
(far in time, or missed anyway) and 1, all but x whatever they may be at any time,

    dx = k_g sin(gamma - x) + k_o w tanh((x - s) / delta) exp(-x^2 / 2 sigma^2)

is the law of `navigation.heading`. s = RIGHT = 0.1 rad, so that those who meet head on go to their right. Who yields to
another walker aims behind it: s = RIGHT + BEHIND u sin(chi - x), with u the other's share of top speed and chi its
course less the obstacle's direction. At x = s headings part: a side has to be chosen. Beside it they contract.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gambol.contraction.bound import certify_system
from gambol.contraction.certificate import Certificate, Region
from gambol.contraction.system import System
from gambol.errors import InputError
from gambol.primitives.navigation.heading import AVOIDANCE_GAIN, DELTA, GOAL_GAIN, RIGHT_BIAS, SIGMA, YIELD_ANGLE

Range = tuple[float, float]


def certify_passing(beside: Range, goal: Range, weight: Range = (0.0, 1.0), yields: bool = False) -> Certificate:
    """Headings `beside` the obstacle and a `goal` beside it (rad, left is positive), for all weights of a range.

    Who `yields` does so to a walker of any course, at any speed up to the top.
    """
    if max(goal[1] - beside[0], beside[1] - goal[0]) >= 0.5 * np.pi:
        raise InputError(
            f"headings in {beside} with a goal in {goal}", fix="less than pi / 2 apart: goals behind attract otherwise"
        )
    ranges = {"beside": beside, "goal": goal, "weight": weight}
    if not yields:
        return certify_system("heading past an obstacle", heading_system(), Region.of(ranges))
    region = Region.of(ranges | {"pace": (0.0, 1.0), "course": (-np.pi, np.pi)})
    return certify_system("heading behind another walker", yielding_system(), region)


def heading_system() -> System:
    """The heading of someone who does not yield, with the direction of the goal and the obstacle's weight as inputs."""
    return System(("beside",), lambda x, goal, weight: (_rate(x, goal, weight, RIGHT_BIAS),), inputs=("goal", "weight"))


def yielding_system() -> System:
    """The heading of someone who yields, with pace and course of the other walker as further inputs."""

    def rates(x: Any, goal: Any, weight: Any, pace: Any, course: Any) -> tuple[Any]:
        import casadi as ca

        return (_rate(x, goal, weight, RIGHT_BIAS + YIELD_ANGLE * pace * ca.sin(course - x)),)

    return System(("beside",), rates, inputs=("goal", "weight", "pace", "course"))


def _rate(x: Any, goal: Any, weight: Any, shift: Any) -> Any:
    import casadi as ca

    away = AVOIDANCE_GAIN * weight * ca.tanh((x - shift) / DELTA) * ca.exp(-x * x / (2.0 * SIGMA**2))
    return GOAL_GAIN * ca.sin(goal - x) + away
