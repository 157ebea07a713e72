"""Find trunk, neck and arms among the joints of a robot: from the chains between its root and its hands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.body.jacobians import Jacobians
from gambol.geometry.arrays import Array
from gambol.robots.robot import Robot

_SWEEP = 9
"""Angles at which a joint is tried."""


@dataclass(frozen=True, eq=False)
class RobotLimbs:
    """Joints and degrees of freedom of a robot's upper body."""

    chest: int
    """The last joint that both arms have in common."""
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
    skeleton = robot.character.skeleton
    left, right = (skeleton.path_to_root(hand.joint)[::-1] for hand in robot.hands)
    shared = [joint for joint in left if joint in right]
    chest = shared[-1]
    arms = left[len(shared) :], right[len(shared) :]
    neck = _find_neck(robot, chest, [arm[0] for arm in arms])
    elbows = tuple(_find_elbow(robot, side, arm) for side, arm in enumerate(arms))
    return RobotLimbs(
        chest,
        neck[-1] if neck else None,
        (arms[0][0], arms[1][0]),
        (elbows[0], elbows[1]),
        _list_columns(robot, shared[1:]),
        _list_columns(robot, neck),
        (_list_columns(robot, arms[0]), _list_columns(robot, arms[1])),
        tuple(
            column
            for arm, elbow in zip(arms, elbows, strict=True)
            for column in _list_columns(robot, arm[: arm.index(elbow) + 1])
        ),
        _measure_leg(robot),
    )


def _find_neck(robot: Robot, chest: int, shoulders: list[int]) -> list[int]:
    """Return the joints that turn one after the other above the chest, up to where they branch, as in a face."""
    skeleton, neck = robot.character.skeleton, [chest]
    apart: dict[int, list[int]] = {}
    for joint in range(len(skeleton.names)):
        path = skeleton.path_to_root(joint)
        if chest in path[1:] and skeleton.columns(joint, "turn") and not set(shoulders) & set(path):
            before = next(other for other in path[1:] if other == chest or skeleton.columns(other, "turn"))
            apart.setdefault(before, []).append(joint)
    while len(apart.get(neck[-1], [])) == 1:
        neck += apart[neck[-1]]
    return neck[1:]


def _list_columns(robot: Robot, joints: list[int]) -> tuple[int, ...]:
    return tuple(column for joint in joints for column in robot.character.skeleton.columns(joint, "turn"))


def _find_elbow(robot: Robot, side: int, arm: list[int]) -> int:
    """Return the joint that changes the distance of the hand from the shoulder most as it turns from limit to limit."""
    hand, dofs, jacobians = robot.hands[side], robot.character.skeleton.dofs, Jacobians(robot.dynamics)
    changes = {}
    for column in _list_columns(robot, arm):
        distances = []
        for angle in np.linspace(max(dofs[column].lower, -np.pi), min(dofs[column].upper, np.pi), _SWEEP):
            q = robot.posture.copy()
            q[column] = angle
            jacobians.take(q)
            shoulder = jacobians.place(arm[0], np.zeros(3)).position
            distances.append(np.linalg.norm(jacobians.place(hand.joint, hand.point).position - shoulder))
        changes[np.ptp(distances)] = dofs[column].joint
    return changes[max(changes)]


def _measure_leg(robot: Robot) -> float:
    """Return the mean length (m) of the bones between hip and ankle."""
    skeleton, sizes = robot.character.skeleton, []
    for foot in robot.feet:
        joints = [joint for joint in skeleton.path_to_root(foot.joint)[:-1] if skeleton.columns(joint)]
        bones: Array = skeleton.offsets[joints[:-1]]  # that of the first joint leads from the root to the hip
        sizes.append(np.linalg.norm(bones, axis=1).sum())
    return float(np.mean(sizes))
