"""Trunk, neck and arms of a robot, whose degrees of freedom actions move."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.robots.biped import make_biped
from gambol.robots.body_parts import find_parts
from gambol.robots.robot import Robot
from gambol.robots.standing import StandingRobot


@dataclass(frozen=True, eq=False)
class RobotLimbs:
    """Joints and degrees of freedom of a robot's upper body."""

    chest: int
    """The last joint that turns both arms."""
    head: int | None
    """The last joint of the neck; None without a neck."""
    shoulders: tuple[int, int]
    """Left, right: the first joint of an arm."""
    elbows: tuple[int, int]
    trunk: tuple[int, ...]
    """Degrees of freedom from root to chest."""
    neck: tuple[int, ...]
    arms: tuple[tuple[int, ...], tuple[int, ...]]
    """Degrees of freedom from chest to hand, left and right."""
    above_wrist: tuple[int, ...]
    """Degrees of freedom of shoulders and elbows."""
    leg: float
    """Leg length from hip to ankle (m)."""

    @property
    def columns(self) -> list[int]:
        """Degrees of freedom of the upper body, in the order of the robot's."""
        return sorted([*self.trunk, *self.neck, *self.arms[0], *self.arms[1]])


def find_limbs(robot: Robot) -> RobotLimbs:
    """Return the limbs of a robot."""
    standing = StandingRobot(robot.description, robot.description.up)
    parts = find_parts(standing)
    left, right = parts.arms
    trunk = tuple(standing.list_turns(parts.chest))
    above = [] if parts.head is None else standing.list_turns(parts.head)
    return RobotLimbs(
        parts.chest,
        parts.head,
        (standing.joint_of(left.columns[0]), standing.joint_of(right.columns[0])),
        (standing.joint_of(left.hinge), standing.joint_of(right.hinge)),
        trunk,
        tuple(column for column in above if column not in trunk),
        (left.columns, right.columns),
        tuple(column for arm in parts.arms for column in arm.columns[: arm.columns.index(arm.hinge) + 1]),
        make_biped(standing, parts).leg_length,
    )
