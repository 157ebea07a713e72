"""Fit the joint angles of a robot's upper body to directions of its bones and places of its hands, within limits.

Every iteration is a least-squares step with bounds: squared errors of unit directions, of hands in metres, and of
joint angles about a reference, each with its weight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from gambol.body.jacobians import Jacobians
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths
from gambol.robots.actions.limbs import RobotLimbs, find_limbs
from gambol.robots.robot import Robot
from gambol.robots.task_stack import Task, solve_tasks

_HAND = 10.0
"""Weight of a hand's error (m) beside that of a direction: a centimetre counts as six degrees."""
_STEP = 0.3
"""Largest change (rad) of an angle in an iteration, which is linear."""
_CONVERGED = 1e-5
_X, _Y, _Z = np.eye(3)


class Bone(NamedTuple):
    """A direction of a robot's body: from one point to another, each an offset (3,) in the frame of a joint."""

    start: int
    start_offset: Array
    end: int
    end_offset: Array


class AnglePrior(NamedTuple):
    """What angles should be where nothing else decides."""

    angles: Array
    """(columns,) of the upper body (rad)."""
    stiffness: Array
    """(columns,) weights of differences from these."""


class UpperBodyFit:
    """Fits the upper body of a robot whose root is level."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.limbs: RobotLimbs = find_limbs(robot)
        self.columns = self.limbs.columns
        dofs = [robot.character.skeleton.dofs[column] for column in self.columns]
        self.lower, self.upper = (np.array([getattr(dof, end) for dof in dofs]) for end in ("lower", "upper"))
        self._jacobians = Jacobians(robot.dynamics)
        self.bones = self._list_bones()
        self._jacobians.take(self.place_angles(robot.posture[self.columns]))
        self._lift = np.array([0.0, 0.0, self._jacobians.center[2]])

    def _list_bones(self) -> list[Bone]:
        """Up and left of the chest, upper arm and forearm of both sides, then ahead and left of the head."""
        chest, head = self.limbs.chest, self.limbs.head
        bones = [Bone(chest, np.zeros(3), chest, axis) for axis in (_Z, _Y)]
        for shoulder, elbow, hand in zip(self.limbs.shoulders, self.limbs.elbows, self.robot.hands, strict=True):
            bones += [Bone(a, np.zeros(3), b, np.zeros(3)) for a, b in ((shoulder, elbow), (elbow, hand.joint))]
        return bones if head is None else [*bones, *(Bone(head, np.zeros(3), head, axis) for axis in (_X, _Y))]

    def place_angles(self, angles: Array) -> Array:
        """Return the posture (dofs,) with given angles of the upper body; the root is level above the origin."""
        q = self.robot.posture.copy()
        q[[0, 1, 3, 4, 5]] = 0.0
        q[self.columns] = angles
        return q

    def locate_hands(self, angles: Array) -> tuple[Array, Array]:
        """Return the places (3,) of both hands relative to the floor below the centre of mass (m).

        That is midway between the feet of a robot that stands, and keeps its height: what arms do moves the pelvis.
        """
        self._jacobians.take(self.place_angles(angles))
        left, right = (self._place_hand(side)[0] for side in range(2))
        return left, right

    def _place_hand(self, side: int) -> tuple[Array, Array]:
        """Return the place (3,) of a hand and its Jacobian (3, columns)."""
        hand = self.robot.hands[side]
        placed = self._jacobians.place(hand.joint, hand.point)
        jacobian = placed.jacobian[:3] - self._jacobians.center_jacobian
        return placed.position - self._jacobians.center + self._lift, jacobian[:, self.columns]

    def measure_arm(self) -> tuple[float, float]:
        """Return the mean height of the shoulders and the mean length of an arm from shoulder to hand (m)."""
        self._jacobians.take(self.place_angles(self.robot.posture[self.columns]))
        heights, sizes = [], []
        for shoulder, elbow, hand in zip(self.limbs.shoulders, self.limbs.elbows, self.robot.hands, strict=True):
            joints = [self._jacobians.place(joint, np.zeros(3)) for joint in (shoulder, elbow, hand.joint)]
            places = np.array([point.position for point in (*joints, self._jacobians.place(hand.joint, hand.point))])
            heights.append(places[0, 2])
            sizes.append(lengths(np.diff(places, axis=0)).sum())
        return float(np.mean(heights)), float(np.mean(sizes))

    def measure_directions(self, angles: Array) -> Array:
        """Return the unit directions (bones, 3) that angles give to all bones."""
        self._jacobians.take(self.place_angles(angles))
        return np.array([self._measure(bone)[0] for bone in self.bones])

    def fit(
        self,
        angles: Array,
        prior: AnglePrior,
        iterations: int,
        directions: Sequence[Array] | Array = (),
        hands: Mapping[int, Array] = MappingProxyType({}),
    ) -> Array:
        """Return angles (columns,) from given ones on.

        `directions` are unit vectors (3,) of the first bones, `hands` places (3,) by side, as `locate_hands` gives.
        """
        for _ in range(iterations):
            self._jacobians.take(self.place_angles(angles))
            rows = [Task(np.diag(prior.stiffness), prior.stiffness * (prior.angles - angles))]
            for bone, goal in zip(self.bones, directions, strict=False):
                direction, jacobian = self._measure(bone)
                rows.append(Task(jacobian, goal - direction))
            for side, goal in hands.items():
                place, jacobian = self._place_hand(side)
                rows.append(Task(_HAND * jacobian, _HAND * (goal - place)))
            step = solve_tasks(
                [Task(np.vstack([row.jacobian for row in rows]), np.concatenate([row.velocity for row in rows]))],
                np.maximum(self.lower - angles, -_STEP),
                np.minimum(self.upper - angles, _STEP),
            )
            angles = angles + step
            if np.abs(step).max() < _CONVERGED:
                break
        return angles

    def _measure(self, bone: Bone) -> tuple[Array, Array]:
        """Return the unit direction (3,) of a bone and its Jacobian (3, columns)."""
        start = self._jacobians.place(bone.start, bone.start_offset)
        end = self._jacobians.place(bone.end, bone.end_offset)
        along = end.position - start.position
        size = float(lengths(along))
        direction = along / size
        moved = (end.jacobian - start.jacobian)[:3, self.columns] / size
        return direction, moved - np.outer(direction, direction @ moved)
