"""Dynamic filter: corrects the centre of mass so that the whole robot has the zero moment point of the pattern.

The pattern's cart has one mass; swinging legs have their own. Joint angles are found along the plan, with arms and
trunk as they are at its beginning, and their zero moment point by inverse dynamics. A second cart makes up for what
that misses of the pattern's: its jerks over the plan minimise the squares of what is still missed and of themselves
(M17 section 3.4).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.geometry.arrays import Array
from gambol.robots.biped import Biped
from gambol.robots.cart import Cart, predict_cart
from gambol.robots.course import WalkingCourse
from gambol.robots.whole_body import BodyGoal, WholeBody

SAMPLE = 0.05
"""Seconds of one piece of jerk of a correction."""
_SAMPLES = 28
_JERK = 1e-8
"""Weight of squared jerks (m/s³) beside squared metres."""


class DynamicFilter:
    """Corrects courses of a robot."""

    def __init__(self, robot: Biped, height: float) -> None:
        self.robot, self.height = robot, height
        self._body = WholeBody(robot)

    def correct(self, q: Array, course: WalkingCourse, correction: Cart, posture: Array) -> Array:
        """Return the jerks (samples, 2) of the correction."""
        missed = self.find_missed(self.preview(q, course, posture), course)
        free, gain = self._feedback
        return np.asarray(gain @ (np.vstack([missed, missed[-1:]]) - free @ np.stack(correction)))

    def preview(self, q: Array, course: WalkingCourse, posture: Array) -> Array:
        """Return joint angles (samples + 2, dofs) along a course, from its beginning on."""
        poses = []
        for sample in (0, *range(_SAMPLES + 2)):
            stance = course.at(SAMPLE * sample)
            center = np.append(stance.cart.position, self.height)
            q = self._body.follow(q, BodyGoal(stance.soles, center, stance.heading, posture), SAMPLE)
            poses.append(q)
        return np.array(poses[1:])  # the first one still had the balance in it

    def find_missed(self, poses: Array, course: WalkingCourse) -> Array:
        """Return how far (samples, 2) zero moment points are from those of the course (m)."""
        times = SAMPLE * np.arange(1, len(poses) - 1)
        planned = [course.cart_at(time).find_zero_moment_point(self.height) for time in times]
        return np.array(planned) - find_zero_moment_points(self.robot, poses, SAMPLE)

    @cached_property
    def _feedback(self) -> tuple[Array, Array]:
        """What goals are without jerks, from the state, and jerks (samples, samples + 1) per distance from goals.

        Goals are the zero moment points, and the divergent component at the end: without that, a cart that runs away
        would do, since its zero moment point can stay where it is.
        """
        position, velocity, point = predict_cart(self.height, SAMPLE, _SAMPLES)
        omega = np.sqrt(GRAVITY / self.height)
        free, forced = (
            np.vstack([goal, end + rate / omega])
            for goal, end, rate in zip(point, (p[-1:] for p in position), (v[-1:] for v in velocity), strict=True)
        )
        return free, np.linalg.solve(forced.T @ forced + _JERK * np.eye(_SAMPLES), forced.T)


def find_zero_moment_points(robot: Biped, poses: Array, period: float) -> Array:
    """Return zero moment points (samples - 2, 2) of joint angles (samples, dofs), one per period (s).

    Rates are central differences, so that the first and the last sample have none.
    """
    q = poses[1:-1]
    velocity = (poses[2:] - poses[:-2]) / (2.0 * period)
    acceleration = (poses[2:] - 2.0 * q + poses[:-2]) / period**2
    force, moment = robot.dynamics.momentum_rate(q, velocity, acceleration)
    center = robot.dynamics.center_of_mass(q)
    weight = force[:, 2:] + robot.character.mass * GRAVITY
    return np.asarray(center[:, :2] - (center[:, 2:] * force[:, :2] + moment[:, [1, 0]] * [1.0, -1.0]) / weight)
