"""A humanoid robot with its limbs: joint centres, where it faces, soles, hands, and how it walks.

A hip, a shoulder or an ankle is where the axes of its joints meet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.body.jacobians import Jacobians
from gambol.body.robot_description import RobotDescription
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, summarise_fields
from gambol.geometry.vectors import UP, cross
from gambol.motion.kinematics import Placement, place, world_axes
from gambol.motion.rig import find_common_joint
from gambol.motion.skeleton import Skeleton
from gambol.robots.body_parts import (
    FEWEST_ARM_JOINTS,
    MAP_FIX,
    BodyParts,
    Limb,
    find_carrier,
    find_far_end,
    find_parts,
    stand_up,
)
from gambol.robots.sole_shapes import Foot, find_foot
from gambol.robots.standing import StandingRobot
from gambol.robots.walking_settings import (
    WalkingSettings,
    derive_armature,
    derive_grasp,
    derive_posture,
    derive_step,
    derive_stiffness,
)
from gambol.stages.feet import SIDES

_BENT = 0.25
"""Share of its range by which a hinge is bent at the beginning."""
_ALONG = 0.8
"""Least cosine of the angle between a bone and an axis along it."""
_SHORTEST, _LONGEST = 0.05, 5.0
"""Lengths (m) of a leg."""
_HEIGHT, _MASS = 0.8485, 62.4
"""Height of the centre of mass (m) and mass (kg) of JVRC-1, for which lengths and gains in this package are given."""


class BodyPlace(NamedTuple):
    """A point (3,) in the frame of a joint."""

    joint: int
    point: Array

    def locate(self, placed: Placement) -> Array:
        """Return its positions (frames, 3) in the frames of a robot."""
        turned = quat.rotate(placed.rotations[:, self.joint], self.point)
        return np.asarray(placed.positions[:, self.joint] + turned)


@dataclass(frozen=True, eq=False)
class Biped:
    """A humanoid robot with its limbs found."""

    __repr__ = summarise_fields

    description: RobotDescription
    parts: BodyParts
    upright: Array
    """(dofs,) all angles zero, or the nearest within limits: it stands upright."""
    places: Mapping[str, BodyPlace]
    """Joint centres by body part: left_thigh is the left hip, left_shank the knee, left_foot the ankle; left_upper_arm
    the shoulder, left_forearm the elbow, left_hand the wrist; pelvis, chest and head."""
    frame: Array
    """(4,) rotation from axes that point ahead, left and up to those of the root."""
    bent: Array
    """(dofs,) upright with knees and elbows bent: from it, poses are reached without passing a straight limb."""
    soles: Mapping[str, Array] = field(default_factory=dict)
    """Corners (4, 3) of soles by side, where its file has them; others are found by shape."""
    settings: WalkingSettings = field(default_factory=WalkingSettings)
    """What its file says about walking."""

    @property
    def character(self) -> Character:
        """Its body."""
        return self.description.character

    @property
    def skeleton(self) -> Skeleton:
        """Of its body."""
        return self.description.character.skeleton

    @cached_property
    def standing(self) -> Placement:
        """Its joints as it stands upright."""
        return place(self.skeleton, self.upright[None])

    @cached_property
    def standing_axes(self) -> Array:
        """(dofs, 3) axes of its degrees of freedom as it stands."""
        return np.asarray(world_axes(self.skeleton, self.upright[None], self.standing)[0])

    @cached_property
    def directions(self) -> Array:
        """(3, 3) ahead, left and up as it stands."""
        return np.asarray(quat.to_matrix(quat.multiply(self.standing.rotations[0, 0], self.frame)).T)

    def locate(self, part: str) -> Array:
        """Return the position (3,) of a part as it stands."""
        return np.asarray(self.places[part].locate(self.standing)[0])

    def orient_standing(self, joint: int) -> Array:
        """Return the orientation (4,) of a joint as it stands, in axes ahead, left and up."""
        facing = quat.multiply(self.standing.rotations[0, 0], self.frame)
        return quat.multiply(quat.conjugate(facing), self.standing.rotations[0, joint])

    @cached_property
    def leg_length(self) -> float:
        """Mean length (m) of thigh and shank."""
        return float(np.mean([self._measure(side, "thigh", "shank", "foot") for side in SIDES]))

    @cached_property
    def trunk(self) -> list[int]:
        """Degrees of freedom from root to chest."""
        return self.list_turns(self.parts.chest)

    def list_turns(self, joint: int) -> list[int]:
        """Return the degrees of freedom that turn between the root and a joint, this included, from the root on."""
        path = self.skeleton.path_to_root(joint)[-2::-1]
        return [column for each in path for column in self.skeleton.columns(each, "turn")]

    @cached_property
    def dynamics(self) -> Dynamics:
        """Of its body."""
        return Dynamics(self.character)

    @cached_property
    def feet(self) -> tuple[Foot, Foot]:
        """Left and right, with the rectangles on which it stands."""
        left, right = (find_foot(self, side) for side in SIDES)
        return left, right

    @cached_property
    def hands(self) -> tuple[BodyPlace, ...]:
        """Points that grasp, left and right; none without arms."""
        joints = [self.skeleton.dofs[arm.columns[-1]].joint for arm in self.parts.arms]
        given = self.settings.grasps
        return tuple(
            BodyPlace(joint, given[side] if side in given else derive_grasp(self, joint))
            for side, joint in zip(SIDES, joints, strict=False)
        )

    @cached_property
    def posture(self) -> Array:
        """(dofs,) in which it parks and walks, with the soles about the origin."""
        posture = derive_posture(self) if self.settings.posture is None else self.settings.posture.copy()
        jacobians = Jacobians(self.dynamics)
        jacobians.take(posture)
        posture[:3] -= np.mean([foot.place(jacobians).position for foot in self.feet], axis=0)
        return posture

    @cached_property
    def height(self) -> float:
        """Height of the centre of mass (m), to a tenth of a millimetre."""
        return round(float(self.dynamics.center_of_mass(self.posture)[2]), 4)

    @property
    def size_ratio(self) -> float:
        """Height of the centre of mass relative to that of JVRC-1."""
        return self.height / _HEIGHT

    @property
    def mass_ratio(self) -> float:
        """Mass relative to that of JVRC-1, to a gram."""
        return round(self.character.mass, 3) / _MASS

    @cached_property
    def stiffness(self) -> Array:
        """(dofs,) of the joints' controllers (N m/rad); 0 for the root."""
        given = self.settings.stiffness
        if given is None or np.isnan(given).any():
            derived = derive_stiffness(self)
            return derived if given is None else np.where(np.isnan(given), derived, given)
        return given

    @cached_property
    def armature(self) -> float:
        """Inertia of motors and gears about every joint (kg m²)."""
        return derive_armature(self) if self.settings.armature is None else self.settings.armature

    @cached_property
    def longest_step(self) -> float:
        """Length of the longest step (m)."""
        return derive_step(self)[0] if self.settings.longest_step is None else self.settings.longest_step

    @cached_property
    def step_seconds(self) -> float:
        """Seconds that it takes."""
        return derive_step(self)[1] if self.settings.step_seconds is None else self.settings.step_seconds

    @property
    def fastest(self) -> float:
        """Largest speed (m/s)."""
        return self.longest_step / self.step_seconds

    def require_arms(self) -> Biped:
        """Return the robot itself; raise an error if it has no arms."""
        if not self.parts.arms:
            raise InputError(
                f"'{self.character.name}' has no two arms of {FEWEST_ARM_JOINTS} joints or more", fix=f"or {MAP_FIX}"
            )
        return self

    def _measure(self, side: str, *parts: str) -> float:
        places = np.array([self.locate(f"{side}_{part}") for part in parts])
        return float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())


def find_biped(description: RobotDescription) -> Biped:
    """Find the limbs of a robot that stands upright at angles of zero."""
    robot = stand_up(description)
    return make_biped(robot, find_parts(robot))


def make_biped(
    robot: StandingRobot,
    parts: BodyParts,
    soles: Mapping[str, Array] | None = None,
    settings: WalkingSettings = WalkingSettings(),
) -> Biped:
    """Return a robot with the places of its parts."""
    joints = {"pelvis": find_carrier(robot, parts.legs), "chest": parts.chest}
    places = {part: BodyPlace(joint, np.zeros(3)) for part, joint in joints.items()}
    if parts.head is not None:
        places["head"] = BodyPlace(parts.head, np.zeros(3))
    hips = find_common_joint(robot.skeleton, [_find_above(robot, leg) for leg in parts.legs])
    for side, leg in zip(SIDES, parts.legs, strict=True):
        places[f"{side}_thigh"] = _find_start(robot, leg, hips)
        places |= {f"{side}_shank": _find_bend(robot, leg), f"{side}_foot": _find_ankle(robot, leg)}
    for side, arm in zip(SIDES, parts.arms, strict=False):
        places[f"{side}_upper_arm"] = _find_start(robot, arm, _find_above(robot, arm))
        places |= {f"{side}_forearm": _find_bend(robot, arm), f"{side}_hand": _find_wrist(robot, arm)}
    bent, ahead = robot.posture.copy(), cross(parts.left, UP)
    for limbs, toward in ((parts.legs, -ahead), (parts.arms, ahead)):
        for limb in limbs:
            bent[limb.hinge] += _BENT * (_find_bend_angle(robot, limb, toward) - bent[limb.hinge])
    frame = quat.from_matrix(np.stack((ahead, parts.left, UP), axis=1))
    turned = quat.multiply(quat.conjugate(robot.placed.rotations[0, 0]), frame)
    biped = Biped(robot.description, parts, robot.posture, places, turned, bent, soles or {}, settings)
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
