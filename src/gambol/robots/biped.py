"""A humanoid robot with its limbs: joint centres, where it faces, and the posture from which poses are solved.

A hip, a shoulder or an ankle is where the axes of its joints meet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gambol.body.robot_description import RobotDescription
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, summarise_fields
from gambol.geometry.vectors import UP, cross
from gambol.motion.kinematics import Placement, place
from gambol.motion.rig import find_common_joint
from gambol.motion.skeleton import Skeleton
from gambol.robots.body_parts import BodyParts, Limb, find_carrier, find_far_end, find_parts, stand_up
from gambol.robots.standing import StandingRobot
from gambol.stages.feet import SIDES

_BENT = 0.25
"""Share of its range by which a hinge is bent at the beginning."""
_ALONG = 0.8
"""Least cosine of the angle between a bone and an axis along it."""
_SHORTEST, _LONGEST = 0.05, 5.0
"""Lengths (m) of a leg."""


class BodyPlace(NamedTuple):
    """A point (3,) in the frame of a joint."""

    joint: int
    point: Array


@dataclass(frozen=True, eq=False)
class Biped:
    """A humanoid robot with its limbs found."""

    __repr__ = summarise_fields

    description: RobotDescription
    posture: Array
    """(dofs,) all angles zero, or the nearest within limits: it stands upright."""
    places: Mapping[str, BodyPlace]
    """Joint centres by body part: left_thigh is the left hip, left_shank the knee, left_foot the ankle; left_upper_arm
    the shoulder, left_forearm the elbow, left_hand the wrist; pelvis, chest and head."""
    frame: Array
    """(4,) rotation from axes that point ahead, left and up to those of the root."""
    bent: Array
    """(dofs,) the posture with knees and elbows bent: from it, poses are reached without passing a straight limb."""
    soles: Mapping[str, Array] = field(default_factory=dict)
    """Corners (4, 3) of soles by side, where a mapping file has them; others are found by shape."""

    @property
    def skeleton(self) -> Skeleton:
        """Of its body."""
        return self.description.character.skeleton

    @cached_property
    def standing(self) -> Placement:
        """Its joints in the posture in which it stands."""
        return place(self.skeleton, self.posture[None])

    def locate(self, part: str) -> Array:
        """Return the position (3,) of a part as it stands."""
        return self.find_standing(*self.places[part])

    def orient_standing(self, joint: int) -> Array:
        """Return the orientation (4,) of a joint as it stands, in axes ahead, left and up."""
        facing = quat.multiply(self.standing.rotations[0, 0], self.frame)
        return quat.multiply(quat.conjugate(facing), self.standing.rotations[0, joint])

    def find_standing(self, joint: int, point: Array) -> Array:
        """Return the position (3,) of a point in a joint's frame as it stands."""
        return np.asarray(self.standing.positions[0, joint] + quat.rotate(self.standing.rotations[0, joint], point))

    @cached_property
    def leg_length(self) -> float:
        """Mean length (m) of thigh and shank."""
        return float(np.mean([self._measure(side, "thigh", "shank", "foot") for side in SIDES]))

    def _measure(self, side: str, *parts: str) -> float:
        places = np.array([self.locate(f"{side}_{part}") for part in parts])
        return float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())


def find_biped(description: RobotDescription) -> Biped:
    """Find the limbs of a robot that stands upright at angles of zero."""
    robot = stand_up(description)
    return make_biped(robot, find_parts(robot))


def make_biped(robot: StandingRobot, parts: BodyParts, soles: Mapping[str, Array] | None = None) -> Biped:
    """Return a robot with the places of its parts."""
    joints = {"pelvis": find_carrier(robot, parts.legs), "chest": parts.chest}
    places = {part: BodyPlace(joint, np.zeros(3)) for part, joint in joints.items()}
    if parts.head is not None:
        places["head"] = BodyPlace(parts.head, np.zeros(3))
    hips = find_common_joint(robot.skeleton, [_find_above(robot, leg) for leg in parts.legs])
    for side, leg, arm in zip(SIDES, parts.legs, parts.arms, strict=True):
        places[f"{side}_thigh"] = _find_start(robot, leg, hips)
        places[f"{side}_upper_arm"] = _find_start(robot, arm, _find_above(robot, arm))
        places |= {f"{side}_shank": _find_bend(robot, leg), f"{side}_forearm": _find_bend(robot, arm)}
        places |= {f"{side}_foot": _find_ankle(robot, leg), f"{side}_hand": _find_wrist(robot, arm)}
    bent, ahead = robot.posture.copy(), cross(parts.left, UP)
    for limbs, toward in ((parts.legs, -ahead), (parts.arms, ahead)):
        for limb in limbs:
            bent[limb.hinge] += _BENT * (_find_bend_angle(robot, limb, toward) - bent[limb.hinge])
    frame = quat.from_matrix(np.stack((ahead, parts.left, UP), axis=1))
    turned = quat.multiply(quat.conjugate(robot.placed.rotations[0, 0]), frame)
    biped = Biped(robot.description, robot.posture, places, turned, bent, soles or {})
    if not _SHORTEST < biped.leg_length < _LONGEST:
        raise InputError(
            f"the legs of '{robot.description.character.name}' are {biped.leg_length:.3g} m long",
            fix="give lengths in metres",
        )
    return biped


def _find_above(robot: StandingRobot, limb: Limb) -> int:
    """Return the joint that carries a limb."""
    return robot.skeleton.parents[robot.joint_of(limb.columns[0])]


def _find_start(robot: StandingRobot, limb: Limb, above: int) -> BodyPlace:
    """Return the hip or the shoulder, on a joint that carries the limb."""
    before = limb.columns[: limb.columns.index(limb.hinge)]
    return BodyPlace(above, robot.express(above, robot.meet(before or limb.columns[:1])))


def _find_bend(robot: StandingRobot, limb: Limb) -> BodyPlace:
    """Return the knee or the elbow."""
    return BodyPlace(robot.joint_of(limb.hinge), np.zeros(3))


def _find_bend_angle(robot: StandingRobot, limb: Limb, toward: Array) -> float:
    """Return the angle (rad) to which a knee or an elbow bends; of equal ones, that which brings its link `toward`."""
    joint, far = robot.joint_of(limb.hinge), find_far_end(robot, limb.hinge)
    if far:
        return far
    moved = cross(robot.axes[limb.hinge], robot.find_center(joint) - robot.at(joint))
    return float(np.copysign(min(robot.skeleton.dofs[limb.hinge].upper, np.pi), moved @ toward))


def _find_ankle(robot: StandingRobot, leg: Limb) -> BodyPlace:
    """Return the ankle, on the foot."""
    after = leg.columns[leg.columns.index(leg.hinge) + 1 :]
    foot = robot.joint_of(leg.columns[-1])
    return BodyPlace(foot, robot.express(foot, robot.meet(after[-2:] or (leg.hinge,))))


def _find_wrist(robot: StandingRobot, arm: Limb) -> BodyPlace:
    """Return the wrist, on its first link; without one, the middle of the forearm, or of what turns about it."""
    after = arm.columns[arm.columns.index(arm.hinge) + 1 :]
    first, elbow = robot.joint_of((after or (arm.hinge,))[0]), robot.at(robot.joint_of(arm.hinge))
    bone = robot.find_center(first) - elbow
    if not after or (len(after) == 1 and abs(robot.axes[after[0]] @ bone) > _ALONG * np.linalg.norm(bone)):
        return BodyPlace(first, robot.description.character.centers[first])
    return BodyPlace(first, robot.express(first, robot.meet(after[:2])))
