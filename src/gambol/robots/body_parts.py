"""Find legs, arms, trunk and head of a humanoid robot by the shape of its description, without knowing its names.

Degrees of freedom form chains from the root. The two that end lowest are legs, the two that end farthest to the sides
are arms. A knee or an elbow is the joint that changes the distance between the ends of its limb most. Knees bend
backward, which tells where the robot faces.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gambol.body.robot_description import RobotDescription
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP, cross
from gambol.robots.standing import StandingRobot, find_hinge

_ARM = 7
"""Most degrees of freedom of an arm without its hand: three of the shoulder, one of the elbow, three of the wrist."""
_LEG = 5
"""Fewest degrees of freedom of a leg that can place a foot: three of the hip, one of the knee, one of the ankle."""
FEWEST_ARM_JOINTS = 3
"""Fewest degrees of freedom of an arm: two of the shoulder, one of the elbow."""
_Y = np.array([0.0, 1.0, 0.0])
_LEVEL = 0.5
"""Toes are farther ahead of the joint before them than this share of the distance."""
_PARALLEL = 0.8
"""Least cosine of the angle between parallel axes."""
_NEAR = 0.2
"""Share of the height of a hip above the lowest end up to which ends of chains are those of legs."""
MAP_FIX = "write a robot file with 'gambol rig ROBOT -o robot.yaml', fill it in and give it in place of the robot"


class Limb(NamedTuple):
    """A leg or an arm."""

    columns: tuple[int, ...]
    """Degrees of freedom that turn, from the trunk to foot or hand."""
    hinge: int
    """That of the knee or the elbow."""


@dataclass(frozen=True, eq=False)
class BodyParts:
    """Joints and degrees of freedom of the parts of a humanoid robot; limbs are left and right."""

    legs: tuple[Limb, Limb]
    arms: tuple[Limb, ...]
    """None of a robot without arms."""
    chest: int
    """The last joint that turns and carries both arms; the root without arms."""
    head: int | None
    """The last joint of the neck."""
    left: Array
    """(3,) direction to the left as the robot stands."""


def stand_up(description: RobotDescription) -> StandingRobot:
    """Return a robot as it stands with the vertical of its file, or with y up if that makes its legs vertical.

    URDF does not say which axis is up.
    """
    robot, turned = (StandingRobot(description, up) for up in (description.up, _Y))
    with suppress(InputError):
        find_legs(robot)
        return robot
    with suppress(InputError):
        bones = [
            turned.at(turned.joint_of(leg.columns[-1])) - turned.at(turned.joint_of(leg.columns[0]))
            for leg in find_legs(turned)
        ]
        if all(-bone[2] > _PARALLEL * np.linalg.norm(bone) for bone in bones):
            return turned
    return robot


def find_parts(robot: StandingRobot) -> BodyParts:
    """Find the parts of a robot; arms and head are those of a robot that has two arms."""
    legs = find_legs(robot)
    left = find_left(robot, legs)
    arms = find_arms(robot, legs)
    if not arms:
        return BodyParts(legs, (), 0, None, left)
    return BodyParts(legs, arms, find_carrier(robot, arms), find_neck_end(robot, legs, arms), left)


def find_legs(robot: StandingRobot) -> tuple[Limb, Limb]:
    """Return the left and the right leg, without toes: the chains that end lowest."""
    chains = [chain for chain in _list_chains(robot) if _end_height(robot, chain) < _start_height(robot, chain)]
    apart: list[list[int]] = []
    for chain in sorted(chains, key=lambda chain: _end_height(robot, chain)):
        lowest, hip = _end_height(robot, (apart or [chain])[0]), _start_height(robot, chain)
        low = _end_height(robot, chain) - lowest <= _NEAR * (hip - lowest)
        if low and not any(_meet(robot, chain, other) for other in apart):
            apart.append(chain)
    name = robot.description.character.name
    if len(apart) > 2:
        raise InputError(f"'{name}' stands on {len(apart)} legs", fix="give a robot with two legs")
    if len(apart) < 2:
        raise InputError(f"'{name}' has no two legs below its hips", fix=MAP_FIX)
    shared = set(apart[0]) & set(apart[1])  # a waist between the base and the hips
    columns = [[column for column in leg if column not in shared] for leg in apart]
    fewest = min(len(leg) for leg in columns)
    if fewest < _LEG:
        raise InputError(
            f"the lowest limbs of '{name}' have {fewest} joints, legs {_LEG} or more",
            fix=f"if these are not its legs, {MAP_FIX}",
        )
    legs = [_make_leg(robot, leg) for leg in columns]
    return _order(robot, legs, find_left(robot, legs))


def find_arms(robot: StandingRobot, legs: Sequence[Limb]) -> tuple[Limb, ...]:
    """Return the left and the right arm, without fingers: the chains that end farthest to the sides; none if short."""
    left = find_left(robot, legs)
    others = _list_others(robot, legs)
    if len(others) < 2:
        return ()
    ends = sorted(others, key=lambda chain: float(robot.at(robot.joint_of(chain[-1])) @ left))
    paths = ends[-1], ends[0]
    shared = set(paths[0]) & set(paths[1])
    arms = [_leave_out_fingers([column for column in path if column not in shared], others) for path in paths]
    if min(len(arm) for arm in arms) < FEWEST_ARM_JOINTS:
        return ()
    return _order(robot, [_make_limb(robot, arm) for arm in arms], left)


def _leave_out_fingers(arm: list[int], chains: Sequence[list[int]]) -> list[int]:
    """Return the part of an arm that several chains have, those of fingers; its first joints if there are none."""
    common = [column for column in arm if sum(column in chain for chain in chains) > 1]
    return common or arm[:_ARM]


def find_carrier(robot: StandingRobot, limbs: Sequence[Limb]) -> int:
    """Return the last joint that turns both limbs, of arms the chest; the root if there is none."""
    one, other = (robot.list_turns(robot.joint_of(limb.columns[0])) for limb in limbs)
    return next((robot.joint_of(column) for column in reversed(one) if column in other), 0)


def find_neck_end(robot: StandingRobot, legs: Sequence[Limb], arms: Sequence[Limb]) -> int | None:
    """Return the last joint of the highest chain that is neither leg nor arm."""
    used = {column for arm in arms for column in arm.columns}
    middle = [chain for chain in _list_others(robot, legs) if not set(chain) & used]
    high = max(middle, key=lambda chain: _end_height(robot, chain), default=None)
    return None if high is None else robot.joint_of(high[-1])


def find_left(robot: StandingRobot, legs: Sequence[Limb]) -> Array:
    """Return the direction (3,) to the left: knees bend so that feet go backward; else feet point ahead."""
    back = np.zeros(3)
    feet = [robot.joint_of(leg.columns[-1]) for leg in legs]
    for leg, foot in zip(legs, feet, strict=True):
        bone = robot.at(foot) - robot.at(robot.joint_of(leg.hinge))
        back += find_far_end(robot, leg.hinge) * cross(robot.axes[leg.hinge], bone)
    if not back.any():
        back = np.sum([robot.at(foot) - robot.find_center(foot) for foot in feet], axis=0)
    one, other = (robot.at(robot.joint_of(leg.columns[0])) for leg in legs)
    across = (one - other) * [1.0, 1.0, 0.0]
    if not np.linalg.norm(across) > 0.0:
        raise InputError(f"the hips of '{robot.description.character.name}' are in one place", fix=MAP_FIX)
    left = across / np.linalg.norm(across)
    return np.asarray(left if float(cross(left, UP) @ back) < 0.0 else -left)


def find_far_end(robot: StandingRobot, hinge: int) -> float:
    """Return the limit (rad) of a hinge to which it bends, at most half a turn; 0 if it bends to both sides alike."""
    dof = robot.skeleton.dofs[hinge]
    far = float(np.clip(max(dof.lower, dof.upper, key=abs), -np.pi, np.pi))
    return 0.0 if -dof.lower == dof.upper else far


def _list_chains(robot: StandingRobot) -> list[list[int]]:
    """Return the degrees of freedom that turn, from the root to every joint that turns and has none below it."""
    turning = [j for j in range(1, len(robot.skeleton.names)) if robot.skeleton.columns(j, "turn")]
    above = {each for joint in turning for each in robot.skeleton.path_to_root(joint)[1:]}
    return [robot.list_turns(joint) for joint in turning if joint not in above]


def _list_others(robot: StandingRobot, legs: Sequence[Limb]) -> list[list[int]]:
    """Return the chains that are not of legs."""
    used = {column for leg in legs for column in leg.columns}
    return [chain for chain in _list_chains(robot) if not set(chain) & used]


def _meet(robot: StandingRobot, one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether chains are no two legs: they share more than a waist, which is below the base and above knees."""
    shared = [column for column in one if column in other]
    knees = 0.5 * (_start_height(robot, one) + _end_height(robot, one))
    return bool(shared) and not knees < _end_height(robot, shared) <= float(robot.at(0)[2])


def _start_height(robot: StandingRobot, chain: Sequence[int]) -> float:
    return float(robot.at(robot.joint_of(chain[0]))[2])


def _end_height(robot: StandingRobot, chain: Sequence[int]) -> float:
    return float(robot.at(robot.joint_of(chain[-1]))[2])


def _make_leg(robot: StandingRobot, columns: Sequence[int]) -> Limb:
    """Return a leg without its toes, which turn about an axis parallel to the knee's, ahead of the ankle."""
    leg = _make_limb(robot, columns)
    step = robot.at(robot.joint_of(columns[-1])) - robot.at(robot.joint_of(columns[-2]))
    far = np.linalg.norm(step) > 0.02 and np.linalg.norm(step[:2]) > _LEVEL * np.linalg.norm(step)
    parallel = abs(float(robot.axes[columns[-1]] @ robot.axes[leg.hinge])) > _PARALLEL
    return _make_limb(robot, columns[:-1]) if far and parallel and len(columns) > _LEG else leg


def _make_limb(robot: StandingRobot, columns: Sequence[int]) -> Limb:
    first, last = (robot.joint_of(column) for column in (columns[0], columns[-1]))
    center = robot.description.character.centers[last]
    return Limb(tuple(columns), find_hinge(robot.skeleton, robot.posture, columns, first, last, center))


def _order(robot: StandingRobot, limbs: Sequence[Limb], left: Array) -> tuple[Limb, Limb]:
    one, other = sorted(limbs, key=lambda limb: -float(robot.at(robot.joint_of(limb.columns[0])) @ left))
    return one, other
