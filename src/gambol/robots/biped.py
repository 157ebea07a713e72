"""Find legs, arms, trunk and head of a humanoid robot by the shape of its description, without knowing its names.

Degrees of freedom form chains from the root. The two that end lowest are legs, the two that end farthest to the sides
are arms. A hip, a shoulder or an ankle is where the axes of its joints meet; a knee or an elbow is the joint that
changes the distance between the ends of its limb most. Knees bend backward, which tells where the robot faces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gambol.body.robot_description import RobotDescription
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP, cross
from gambol.motion.kinematics import Placement, place, world_axes
from gambol.motion.skeleton import Skeleton
from gambol.stages.feet import SIDES

_ARM = 7
"""Most degrees of freedom of an arm without its hand: three of the shoulder, one of the elbow, three of the wrist."""
_LEG = 5
"""Fewest degrees of freedom of a leg that can place a foot: three of the hip, one of the knee, one of the ankle."""
_SHORTEST = 3
"""Fewest degrees of freedom of an arm: two of the shoulder, one of the elbow."""
_LEVEL = 0.5
"""A last joint of a leg that is farther ahead of the one before it than this share of the distance moves toes."""
_BENT = 0.25
"""Share of its range by which a hinge is bent at the beginning."""
_SWEEP = 9
"""Angles at which a joint is tried."""


class BodyPlace(NamedTuple):
    """A point (3,) in the frame of a joint."""

    joint: int
    point: Array


@dataclass(frozen=True, eq=False)
class Biped:
    """A humanoid robot with its limbs found."""

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
    return _Finder(description).find()


class _Finder:
    def __init__(self, description: RobotDescription) -> None:
        self.description, self.skeleton = description, description.character.skeleton
        dofs = self.skeleton.dofs
        self.lower, self.upper = (np.array([getattr(dof, end) for dof in dofs]) for end in ("lower", "upper"))
        self.posture = np.clip(np.zeros(len(dofs)), self.lower, self.upper)
        self.placed = place(self.skeleton, self.posture[None])
        self.axes = world_axes(self.skeleton, self.posture[None], self.placed)[0]
        self.turning = [j for j in range(1, len(self.skeleton.names)) if self.skeleton.columns(j, "turn")]
        self.chains = [self._chain(joint) for joint in self.turning if not self._goes_on(joint)]

    def find(self) -> Biped:
        legs = self._find_legs()
        arms, chest, head = self._find_upper_body(legs)
        left = self._face(legs)
        places: dict[str, BodyPlace] = {"pelvis": BodyPlace(0, np.zeros(3)), "chest": BodyPlace(chest, np.zeros(3))}
        if head is not None:
            places["head"] = BodyPlace(head, np.zeros(3))
        for limbs, parts, last in ((legs, ("thigh", "shank", "foot"), -1), (arms, ("upper_arm", "forearm", "hand"), 0)):
            ordered = sorted(limbs, key=lambda limb: -float(self._at(limb[0]) @ left))
            for side, limb in zip(SIDES, ordered, strict=True):
                places |= {f"{side}_{part}": found for part, found in zip(parts, self._bones(limb, last), strict=True)}
        bent = self.posture.copy()
        for limb in (*legs, *arms):
            column = self.skeleton.columns(self._find_hinge(limb), "turn")[0]
            bent[column] += _BENT * (self._find_far_end(column) - bent[column])
        ahead = cross(left, UP)
        frame = quat.from_matrix(np.stack((ahead, left, UP), axis=1))
        root = self.placed.rotations[0, 0]
        return Biped(self.description, self.posture, places, quat.multiply(quat.conjugate(root), frame), bent)

    def _at(self, joint: int) -> Array:
        return np.asarray(self.placed.positions[0, joint])

    def _chain(self, end: int) -> list[int]:
        """Return the joints that turn from the root to an end."""
        return [joint for joint in self.skeleton.path_to_root(end)[::-1] if joint in self.turning]

    def _goes_on(self, joint: int) -> bool:
        return any(joint in self.skeleton.path_to_root(other)[1:] for other in self.turning)

    def _find_legs(self) -> list[list[int]]:
        """Return the joints of both legs, without toes."""
        low = sorted(self.chains, key=lambda chain: float(self._at(chain[-1])[2]))
        pairs = [(low[0], other) for other in low[1:] if not set(low[0]) & set(other)]
        if not pairs or min(len(leg) for leg in pairs[0]) < _LEG:
            raise InputError(
                f"'{self.description.character.name}' has no two legs", fix="give a robot with two legs and a free base"
            )
        return [self._without_toes(list(leg)) for leg in pairs[0]]

    def _without_toes(self, leg: list[int]) -> list[int]:
        step = self._at(leg[-1]) - self._at(leg[-2])
        level = np.linalg.norm(step[:2]) > _LEVEL * np.linalg.norm(step) and np.linalg.norm(step) > 0.02
        return leg[:-1] if level and len(leg) > _LEG else leg

    def _find_upper_body(self, legs: list[list[int]]) -> tuple[list[list[int]], int, int | None]:
        """Return the joints of both arms without hands, the last joint that they share, and the last of the neck."""
        across = self._at(legs[0][0]) - self._at(legs[1][0])
        others = [chain for chain in self.chains if not set(chain) & {*legs[0], *legs[1]}]
        if len(others) < 2:
            raise InputError(f"'{self.description.character.name}' has no arms", fix="give a robot with two arms")
        ends = sorted(others, key=lambda chain: float(self._at(chain[-1]) @ across))
        paths = [self.skeleton.path_to_root(chain[-1])[::-1] for chain in (ends[0], ends[-1])]
        shared = [joint for joint in paths[0] if joint in paths[1]]
        arms = [[joint for joint in chain if joint not in shared][:_ARM] for chain in (ends[0], ends[-1])]
        if min(len(arm) for arm in arms) < _SHORTEST:
            raise InputError(
                f"the arms of '{self.description.character.name}' have fewer than {_SHORTEST} joints",
                fix="give a robot with shoulders and elbows",
            )
        middle = [chain for chain in others if not set(chain) & {*arms[0], *arms[1]}]
        chest = next((joint for joint in reversed(shared) if joint in self.turning), 0)
        high = max(middle, key=lambda chain: float(self._at(chain[-1])[2]), default=None)
        return arms, chest, None if high is None else high[-1]

    def _face(self, legs: list[list[int]]) -> Array:
        """Return the direction (3,) to the left: knees bend so that feet go backward."""
        back = np.zeros(3)
        for leg in legs:
            knee = self._find_hinge(leg)
            column = self.skeleton.columns(knee, "turn")[0]
            back += np.sign(self._find_far_end(column)) * cross(self.axes[column], self._at(leg[-1]) - self._at(knee))
        across = self._at(legs[0][0]) - self._at(legs[1][0])
        left = across * [1.0, 1.0, 0.0] / np.linalg.norm(across[:2])
        return left if float(cross(left, UP) @ back) < 0.0 else -left

    def _find_far_end(self, column: int) -> float:
        """Return the limit (rad) of a hinge to which it bends."""
        return float(max(self.lower[column], self.upper[column], key=abs))

    def _find_hinge(self, limb: list[int]) -> int:
        """Return the joint of a limb that changes the distance of its last link from its first joint most."""
        changes = []
        for joint in limb[1:]:
            column = self.skeleton.columns(joint, "turn")[0]
            tried = np.repeat(self.posture[None], _SWEEP, axis=0)
            tried[:, column] = np.linspace(max(self.lower[column], -np.pi), min(self.upper[column], np.pi), _SWEEP)
            placed = place(self.skeleton, tried)
            link = quat.rotate(placed.rotations[:, limb[-1]], self.description.character.centers[limb[-1]])
            away = placed.positions[:, limb[-1]] + link - placed.positions[:, limb[0]]
            changes.append(float(np.ptp(np.linalg.norm(away, axis=1))))
        return limb[1 + int(np.argmax(changes))]

    def _bones(self, limb: list[int], last: int) -> tuple[BodyPlace, BodyPlace, BodyPlace]:
        """Return the beginning, the hinge and the end of a limb; `last` joint after the hinge has the end."""
        hinge, above = self._find_hinge(limb), self.skeleton.parents[limb[0]]
        before, after = limb[: limb.index(hinge)], limb[limb.index(hinge) + 1 :]
        end = BodyPlace(hinge, self.description.character.centers[hinge])  # a forearm without a wrist
        if after:
            end = BodyPlace(after[last], self._express(after[last], self._meet(after[:2])))
        return BodyPlace(above, self._express(above, self._meet(before))), BodyPlace(hinge, np.zeros(3)), end

    def _meet(self, joints: list[int]) -> Array:
        """Return the point (3,) nearest to the axes of joints."""
        if len(joints) == 1:
            return self._at(joints[0])
        total, target = np.zeros((3, 3)), np.zeros(3)
        for joint in joints:
            axis = self.axes[self.skeleton.columns(joint, "turn")[0]]
            across = np.eye(3) - np.outer(axis, axis)
            total, target = total + across, target + across @ self._at(joint)
        # Parallel axes meet nowhere: of equally near points, the nearest to the joints.
        middle = np.mean([self._at(joint) for joint in joints], axis=0)
        return np.asarray(middle + np.linalg.lstsq(total, target - total @ middle, rcond=1e-6)[0])

    def _express(self, joint: int, point: Array) -> Array:
        """Return a point of the world (3,) in the frame of a joint."""
        turned = quat.conjugate(self.placed.rotations[0, joint])
        return np.asarray(quat.rotate(turned, point - self._at(joint)))
