"""Joint angles of a robot whose feet, centre of mass, hands and posture have goals, tick by tick (M17 section 3.4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gambol.body.jacobians import Jacobians
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.poses.stack import Task, solve_tasks
from gambol.robots.biped import Biped

_FOLLOW, _STRAIGHTEN, _SETTLE = 0.014, 0.05, 0.25
"""Seconds in which errors of goals, of the root's attitude, and of joints that no goal moves are corrected to 1/e."""
_FASTEST = 2.0
"""Largest speed of a hand (m/s): a goal far away would ask for joint angles beyond what is linear."""
_CALM = 0.006
"""Damping of hands of JVRC-1 (m²/rad²): a stretched arm does not flutter."""
_UPRIGHT = 5.0
"""Weight of the root's attitude beside that of a joint."""
_AIRBORNE = 0.002
"""Distance (m) of a sole from its place up to which a robot stands."""
_SETTLING = 40
"""Ticks until a robot stands level."""


class SolePose(NamedTuple):
    """Where a sole should be."""

    position: Array
    """(3,) of its middle (m)."""
    rotation: Array
    """(3, 3)."""


class BodyGoal(NamedTuple):
    """What a robot should do in one tick."""

    soles: tuple[SolePose, SolePose]
    center: Array
    """(3,) of mass (m)."""
    heading: float
    """Of the root (rad)."""
    posture: Array
    """(dofs,) joint angles where nothing else decides; those of the root are not used."""
    hands: tuple[Array | None, Array | None] = (None, None)
    """(3,) places of the grasping points (m)."""


class WholeBody:
    """Finds joint angles of a robot that follow goals."""

    def __init__(self, robot: Biped) -> None:
        self.robot = robot
        self._jacobians = Jacobians(robot.dynamics)
        self._calm = _CALM * robot.size_ratio**2
        dofs = robot.character.skeleton.dofs
        self._lower, self._upper = (np.array([getattr(dof, end) for dof in dofs]) for end in ("lower", "upper"))

    def follow(self, q: Array, goal: BodyGoal, seconds: float) -> Array:
        """Return the joint angles (dofs,) some seconds later."""
        self._jacobians.take(q)
        share = 1.0 - float(np.exp(-seconds / _FOLLOW))
        speeds = self.robot.description.speeds
        rates = solve_tasks(
            [self._stand(goal, share), *self._reach(goal, share, seconds), self._pose(q, goal, seconds)],
            np.maximum(self._lower - q, -speeds * seconds),
            np.minimum(self._upper - q, speeds * seconds),
        )
        return q + rates

    def _stand(self, goal: BodyGoal, share: float) -> Task:
        """Both soles and the centre of mass."""
        jacobians: list[Array] = [self._jacobians.center_jacobian]
        errors: list[Array] = [goal.center - self._jacobians.center]
        for foot, sole in zip(self.robot.feet, goal.soles, strict=True):
            placed = foot.place(self._jacobians)
            jacobians.append(placed.jacobian)
            errors += [sole.position - placed.position, _rotation_error(sole.rotation, placed.rotation)]
        return Task(np.vstack(jacobians), share * np.concatenate(errors))

    def _reach(self, goal: BodyGoal, share: float, seconds: float) -> list[Task]:
        """Hands that have goals."""
        wanted = [(hand, place) for hand, place in zip(self.robot.hands, goal.hands, strict=False) if place is not None]
        if not wanted:
            return []
        placed = [self._jacobians.place(hand.joint, hand.point) for hand, _ in wanted]
        errors = [share * (place - point.position) for point, (_, place) in zip(placed, wanted, strict=True)]
        farthest = _FASTEST * seconds
        slowed = [error * min(1.0, farthest / max(float(np.linalg.norm(error)), 1e-12)) for error in errors]
        return [Task(np.vstack([point.jacobian[:3] for point in placed]), np.concatenate(slowed), self._calm)]

    def _pose(self, q: Array, goal: BodyGoal, seconds: float) -> Task:
        """The root upright in its heading, and every joint as in the posture."""
        settled = 1.0 - float(np.exp(-seconds / _SETTLE))
        upright = 1.0 - float(np.exp(-seconds / _STRAIGHTEN))
        error = np.concatenate([upright * ([goal.heading, 0.0, 0.0] - q[3:6]), settled * (goal.posture[6:] - q[6:])])
        weights = np.r_[np.full(3, _UPRIGHT), np.ones(len(q) - 6)]
        return Task(weights[:, None] * np.eye(len(q))[3:], weights * error)


def _rotation_error(wanted: Array, found: Array) -> Array:
    """Return the rotation vector (3,) from one matrix to a near other, world axes."""
    apart = wanted @ found.T
    return 0.5 * np.array([apart[2, 1] - apart[1, 2], apart[0, 2] - apart[2, 0], apart[1, 0] - apart[0, 1]])


def stand_level(robot: Biped) -> Array:
    """Return the robot's posture (dofs,) with level soles side by side and the centre of mass above their middle."""
    body, jacobians, q = WholeBody(robot), Jacobians(robot.dynamics), robot.posture
    jacobians.take(q)
    left, right = (foot.place(jacobians).position for foot in robot.feet)
    half = 0.5 * (left - right) * [0.0, 1.0, 0.0]
    soles = SolePose(half, np.eye(3)), SolePose(-half, np.eye(3))
    goal = BodyGoal(soles, np.array([0.0, 0.0, jacobians.center[2]]), 0.0, robot.posture)
    for _ in range(_SETTLING):
        q = body.follow(q, goal, 1.0)
    jacobians.take(q)
    placed = [foot.place(jacobians).position for foot in robot.feet]
    away = max(float(np.linalg.norm(place - sole.position)) for place, sole in zip(placed, soles, strict=True))
    if away > _AIRBORNE:
        raise InputError(
            f"the robot '{robot.character.name}' does not stand: a sole stays {away:.2f} m from the ground",
            fix="give another posture or other soles in a robot file (gambol rig)",
        )
    return q


def pitch_root(q: Array) -> Array:
    """Return the rotation (3, 3) by which a robot's root leans ahead, in world axes."""
    heading, pitch = (quat.from_axis_angle(axis, angle) for axis, angle in zip(np.eye(3)[[2, 1]], q[3:5], strict=True))
    return np.asarray(quat.to_matrix(quat.multiply(heading, quat.multiply(pitch, quat.conjugate(heading)))))
