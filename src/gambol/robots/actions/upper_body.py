"""The upper body of a robot whose pelvis is level and whose legs are those of the parking posture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.body.jacobians import Jacobians
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP, lengths
from gambol.motion.kinematics import place
from gambol.poses.problem import PoseProblem
from gambol.poses.solve import StepRules, solve_apart
from gambol.poses.targets import BodyTarget, PosePrior
from gambol.robots.biped import Biped
from gambol.stages.feet import SIDES

_SETTLED = 1e-6
"""Decrease of the cost that a step promises, as a share of it, from which a phase is done: phases stay smooth."""


class UpperBody:
    """Trunk, neck and arms of a robot."""

    def __init__(self, robot: Biped) -> None:
        self.robot = robot
        head = robot.parts.head
        neck = [] if head is None else [column for column in robot.list_turns(head) if column not in robot.trunk]
        self.columns = sorted([*robot.trunk, *neck, *(column for arm in robot.parts.arms for column in arm.columns)])
        """Degrees of freedom of the upper body, in the order of the robot's."""
        self.lower, self.upper = robot.skeleton.lower[self.columns], robot.skeleton.upper[self.columns]
        self.parked = robot.posture[self.columns]
        """(columns,) angles of the parking posture."""
        self.parking = place(robot.skeleton, self.place_angles(self.parked)[None])
        """Joints of the robot as it parks, in one frame."""
        self._jacobians = Jacobians(robot.dynamics)
        self._jacobians.take(self.place_angles(self.parked))
        self._lift: Array = self._jacobians.center[2] * UP

    def place_angles(self, angles: Array) -> Array:
        """Return postures (..., dofs) with given angles (..., columns); the root is level above the origin."""
        q = np.broadcast_to(self.robot.posture, (*angles.shape[:-1], len(self.robot.posture))).copy()
        q[..., [0, 1, 3, 4, 5]] = 0.0
        q[..., self.columns] = angles
        return q

    def locate_hands(self, angles: Array) -> tuple[Array, Array]:
        """Return the places (3,) of both hands relative to the floor below the centre of mass (m).

        That is midway between the feet of a robot that stands, and keeps its height: what arms do moves the pelvis.
        """
        self._jacobians.take(self.place_angles(angles))
        left, right = (self._jacobians.place(*hand).position for hand in self.robot.hands)
        return left - self._jacobians.center + self._lift, right - self._jacobians.center + self._lift

    def aim_hand(self, side: int, places: Array) -> BodyTarget:
        """Return the target of a hand at places (phases, 3), which are those that `locate_hands` gives."""
        hand, body = self.robot.hands[side], self.robot.character
        heavy = np.flatnonzero(body.masses)
        joints, points = [hand.joint, *heavy], np.vstack((hand.point, body.centers[heavy]))
        return BodyTarget(joints, points, np.append(1.0, -body.masses[heavy] / body.mass), places - self._lift)

    def solve(self, targets: Sequence[BodyTarget], near: Array, stiffness: Array | float) -> Array:
        """Return angles (phases, columns) that move points to their targets and stay near others (phases, columns).

        `stiffness` (columns,) or of all is in m per rad.
        """
        weights = np.full(len(self.robot.posture), np.inf)
        weights[self.columns] = stiffness
        problem = PoseProblem(self.robot.skeleton, targets, PosePrior(self.place_angles(near), weights))
        return solve_apart(problem, problem.prior, rules=StepRules(settled=_SETTLED))[:, self.columns]

    def measure_arm(self) -> tuple[float, float]:
        """Return the mean height of the shoulders and the mean length of an arm from shoulder to hand (m)."""
        arms = [
            [*(self.robot.places[f"{side}_{part}"] for part in ("upper_arm", "forearm", "hand")), hand]
            for side, hand in zip(SIDES, self.robot.hands, strict=True)
        ]
        places = np.array([[point.locate(self.parking)[0] for point in arm] for arm in arms])
        return float(places[:, 0, 2].mean()), float(lengths(np.diff(places, axis=1)).sum(axis=1).mean())
