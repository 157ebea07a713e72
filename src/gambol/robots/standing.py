"""A robot as it stands: where its joints and their axes are, and which of its joints bends a limb most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gambol.body.robot_description import ROOT_DOFS, RobotDescription
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.motion.kinematics import Placement, place, world_axes
from gambol.motion.skeleton import Skeleton

_SWEEP = 9
"""Angles at which a joint is tried."""
_NEARLY = 0.7
"""Share of the largest change."""


@dataclass(frozen=True, eq=False)
class StandingRobot:
    """A robot with all angles zero, or the nearest within limits."""

    description: RobotDescription
    up: Array
    """(3,) direction of the vertical in the axes of the root."""

    @property
    def skeleton(self) -> Skeleton:
        """Of its body."""
        return self.description.character.skeleton

    @cached_property
    def posture(self) -> Array:
        """(dofs,) coordinates."""
        dofs = self.skeleton.dofs
        q = np.clip(np.zeros(len(dofs)), [dof.lower for dof in dofs], [dof.upper for dof in dofs])
        opposite = float(self.up @ UP) <= -(1.0 - 1e-9) * float(np.linalg.norm(self.up))
        turn = quat.from_axis_angle(np.eye(3)[0], np.pi) if opposite else quat.shortest_arc(self.up, UP)
        q[3 : len(ROOT_DOFS)] = angles_about(np.eye(3)[::-1], turn[None])[0]
        return q

    @cached_property
    def placed(self) -> Placement:
        """Its joints."""
        return place(self.skeleton, self.posture[None])

    @cached_property
    def axes(self) -> Array:
        """(dofs, 3) of its degrees of freedom."""
        return np.asarray(world_axes(self.skeleton, self.posture[None], self.placed)[0])

    def at(self, joint: int) -> Array:
        """Return the position (3,) of a joint."""
        return np.asarray(self.placed.positions[0, joint])

    def find_center(self, joint: int) -> Array:
        """Return the centre of mass (3,) of what a joint carries."""
        center = self.description.character.centers[joint]
        return np.asarray(self.at(joint) + quat.rotate(self.placed.rotations[0, joint], center))

    def joint_of(self, column: int) -> int:
        """Return the joint that a degree of freedom moves."""
        return self.skeleton.dofs[column].joint

    def list_turns(self, joint: int) -> list[int]:
        """Return the degrees of freedom that turn between the root and a joint, this included, from the root on."""
        path = self.skeleton.path_to_root(joint)[-2::-1]
        return [column for each in path for column in self.skeleton.columns(each, "turn")]

    def express(self, joint: int, point: Array) -> Array:
        """Return a point of the world (3,) in the frame of a joint."""
        return np.asarray(quat.rotate(quat.conjugate(self.placed.rotations[0, joint]), point - self.at(joint)))

    def meet(self, columns: Sequence[int]) -> Array:
        """Return the point (3,) nearest to the axes of degrees of freedom."""
        places = np.array([self.at(self.joint_of(column)) for column in columns])
        axes = self.axes[list(columns)]
        across = np.eye(3) - axes[:, :, None] * axes[:, None]
        total, middle = across.sum(axis=0), places.mean(axis=0)
        # Parallel axes meet nowhere: of equally near points, the nearest to the joints.
        target = np.einsum("nij,nj->i", across, places - middle)
        return np.asarray(middle + np.linalg.lstsq(total, target, rcond=1e-6)[0])


def find_hinge(skeleton: Skeleton, q: Array, columns: Sequence[int], first: int, last: int, point: Array) -> int:
    """Return the degree of freedom that most changes the distance of a point (3,) of joint `last` from joint `first`.

    Every one of `columns` is turned from limit to limit, and the others are as in `q` (dofs,). Of those that change it
    nearly as much, the last: a shoulder beside a clavicle does.
    """
    changes = []
    for column in columns:
        dof, tried = skeleton.dofs[column], np.repeat(q[None], _SWEEP, axis=0)
        tried[:, column] = np.linspace(max(dof.lower, -np.pi), min(dof.upper, np.pi), _SWEEP)
        placed = place(skeleton, tried)
        end = placed.positions[:, last] + quat.rotate(placed.rotations[:, last], point)
        changes.append(float(np.ptp(np.linalg.norm(end - placed.positions[:, first], axis=1))))
    return columns[int(np.flatnonzero(np.array(changes) >= _NEARLY * max(changes))[-1])]
