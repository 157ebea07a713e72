"""Certify where the heading of a walker that passes an obstacle contracts, by intervals (M17 section 2.4).

With x the heading minus the direction of the obstacle, gamma the goal's direction minus the obstacle's, and w between 0
(late or no collision) and 1, where gamma and w may take any value of their range at any time,

    dx = k_g sin(gamma - x) + k_o w tanh((x - s) / delta) exp(-x^2 / 2 sigma^2)

is the law of `navigation.heading`. s = RIGHT_BIAS = 0.1 rad, so that walkers that meet head on go to their right. A
walker that yields aims behind the other: s = RIGHT_BIAS + YIELD_ANGLE u sin(chi - x), with u the other's share of top
speed and chi its course minus the obstacle's direction. At x = s headings diverge to either side; off it they
contract.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gambol.contraction.certificate import Certificate, Region
from gambol.errors import InputError
from gambol.primitives.navigation.heading import AVOIDANCE_GAIN, DELTA, GOAL_GAIN, RIGHT_BIAS, SIGMA, YIELD_ANGLE
from gambol_evidence.contraction.bound import certify_system
from gambol_evidence.contraction.system import System

Range = tuple[float, float]


def certify_passing(beside: Range, goal: Range, weight: Range = (0.0, 1.0), yields: bool = False) -> Certificate:
    """Certify headings `beside` the obstacle with a `goal` beside it (rad, left is positive), for a range of weights.

    `yields`: the walker yields to another of any course, at any speed up to the top.
    """
    if max(goal[1] - beside[0], beside[1] - goal[0]) >= 0.5 * np.pi:
        raise InputError(
            f"headings in {beside} with a goal in {goal}",
            fix="keep them less than pi / 2 apart: the law for goals behind differs",
        )
    ranges = {"beside": beside, "goal": goal, "weight": weight}
    if not yields:
        return certify_system("heading past an obstacle", heading_system(), Region.of(ranges))
    region = Region.of(ranges | {"pace": (0.0, 1.0), "course": (-np.pi, np.pi)})
    return certify_system("heading behind another walker", yielding_system(), region)


def heading_system() -> System:
    """Return the heading dynamics of a walker that does not yield; inputs: goal direction, weight of the obstacle."""
    return System(("beside",), lambda x, goal, weight: (_rate(x, goal, weight, RIGHT_BIAS),), inputs=("goal", "weight"))


def yielding_system() -> System:
    """Return the heading dynamics of a walker that yields; further inputs: pace and course of the other walker."""

    def rates(x: Any, goal: Any, weight: Any, pace: Any, course: Any) -> tuple[Any]:
        import casadi as ca

        return (_rate(x, goal, weight, RIGHT_BIAS + YIELD_ANGLE * pace * ca.sin(course - x)),)

    return System(("beside",), rates, inputs=("goal", "weight", "pace", "course"))


def _rate(x: Any, goal: Any, weight: Any, shift: Any) -> Any:
    import casadi as ca

    away = AVOIDANCE_GAIN * weight * ca.tanh((x - shift) / DELTA) * ca.exp(-x * x / (2.0 * SIGMA**2))
    return GOAL_GAIN * ca.sin(goal - x) + away
