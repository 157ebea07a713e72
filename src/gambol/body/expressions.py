"""Kinematics and dynamics of a character as CasADi functions, for optimisers.

Positions, momenta and inverse dynamics are written as a recursion over the joints on scalar expressions, with common
subexpressions eliminated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.geometry import quaternions as quat


@dataclass(frozen=True)
class _Frame:
    """A joint's frame in the world with its velocities and accelerations."""

    rotation: ca.SX
    position: ca.SX
    spin: ca.SX
    velocity: ca.SX
    spin_rate: ca.SX
    acceleration: ca.SX


class Expressions:
    """CasADi functions of (q, velocity, acceleration) of one character."""

    def __init__(self, character: Character) -> None:
        self.character = character
        count = len(character.skeleton.dofs)
        self.q, self.velocity, self.acceleration = (ca.SX.sym(n, count) for n in ("q", "v", "a"))

    @cached_property
    def _frames(self) -> list[_Frame]:
        return _propagate(self.character, self.q, self.velocity, self.acceleration)

    @cached_property
    def positions(self) -> ca.Function:
        """q -> (3, joints) world positions of all joints."""
        return self._function("positions", [self.q], ca.horzcat(*(f.position for f in self._frames)))

    @cached_property
    def frames(self) -> ca.Function:
        """q -> (12, joints): rotation (column by column) and world position of every joint."""
        columns = [ca.vertcat(ca.vec(f.rotation), f.position) for f in self._frames]
        return self._function("frames", [self.q], ca.horzcat(*columns))

    @cached_property
    def axes(self) -> ca.Function:
        """q -> (3, dofs): world axis of every degree of freedom."""
        return self._function("axes", [self.q], ca.horzcat(*self._world_axes))

    def point(self, joint: int, point: Sequence[float]) -> ca.Function:
        """q -> (3,) world position of a point (3,) in a joint's frame."""
        frame = self._frames[joint]
        return self._function("point", [self.q], frame.position + frame.rotation @ ca.DM(np.asarray(point)))

    @cached_property
    def center_of_mass(self) -> ca.Function:
        """q -> (3,) centre of mass."""
        return self._function("center_of_mass", [self.q], self._center())

    @cached_property
    def momentum(self) -> ca.Function:
        """q, velocity -> (6,) linear momentum, then angular momentum about the centre of mass."""
        center = self._center()
        linear, angular = ca.SX.zeros(3), ca.SX.zeros(3)
        for joint in self._massive:
            frame, mass = self._frames[joint], self.character.masses[joint]
            arm = frame.rotation @ ca.DM(self.character.centers[joint])
            inertia = frame.rotation @ ca.DM(self.character.inertias[joint]) @ frame.rotation.T
            velocity = frame.velocity + ca.cross(frame.spin, arm)
            linear += mass * velocity
            angular += inertia @ frame.spin + mass * ca.cross(frame.position + arm - center, velocity)
        return self._function("momentum", [self.q, self.velocity], ca.vertcat(linear, angular))

    @cached_property
    def torques(self) -> ca.Function:
        """q, velocity, acceleration -> (dofs,) generalised forces: inverse dynamics, gravity included."""
        skeleton = self.character.skeleton
        force = [ca.SX.zeros(3) for _ in skeleton.names]
        moment = [ca.SX.zeros(3) for _ in skeleton.names]
        up = ca.DM([0.0, 0.0, GRAVITY])
        for joint in self._massive:
            frame, mass = self._frames[joint], self.character.masses[joint]
            arm = frame.rotation @ ca.DM(self.character.centers[joint])
            inertia = frame.rotation @ ca.DM(self.character.inertias[joint]) @ frame.rotation.T
            acceleration = (
                frame.acceleration + ca.cross(frame.spin_rate, arm) + ca.cross(frame.spin, ca.cross(frame.spin, arm))
            )
            force[joint] += mass * (acceleration + up)
            moment[joint] += ca.cross(arm, force[joint])
            moment[joint] += inertia @ frame.spin_rate + ca.cross(frame.spin, inertia @ frame.spin)
        out = self._onto_axes(force, moment)
        return self._function("torques", [self.q, self.velocity, self.acceleration], out)

    @cached_property
    def mass_matrix(self) -> ca.Function:
        """q -> (dofs, dofs) mass matrix, from composite inertias: half the work of differentiating the torques."""
        skeleton, frames = self.character.skeleton, self._frames
        masses = [0.0] * len(frames)
        moments, inertias = [ca.SX.zeros(3) for _ in frames], [ca.SX.zeros(3, 3) for _ in frames]
        for joint in reversed(range(len(frames))):
            if self.character.masses[joint] > 0.0:
                mass, turn = float(self.character.masses[joint]), frames[joint].rotation
                center = frames[joint].position - frames[0].position + turn @ ca.DM(self.character.centers[joint])
                masses[joint] += mass
                moments[joint] += mass * center
                inertias[joint] += turn @ ca.DM(self.character.inertias[joint]) @ turn.T
                inertias[joint] += mass * (ca.dot(center, center) * ca.SX.eye(3) - center @ center.T)
            if joint:
                parent = skeleton.parents[joint]
                masses[parent] += masses[joint]
                moments[parent] += moments[joint]
                inertias[parent] += inertias[joint]
        # Angular velocity per coordinate, and linear velocity of the point at the root's position.
        spins, drifts = [], []
        for dof, axis in zip(skeleton.dofs, self._world_axes, strict=True):
            turning = dof.kind == "turn"
            spins.append(axis if turning else ca.SX.zeros(3))
            drifts.append(ca.cross(frames[dof.joint].position - frames[0].position, axis) if turning else axis)
        matrix = ca.SX.zeros(len(skeleton.dofs), len(skeleton.dofs))
        for column, dof in enumerate(skeleton.dofs):
            joint = dof.joint
            linear = masses[joint] * drifts[column] + ca.cross(spins[column], moments[joint])
            angular = inertias[joint] @ spins[column] + ca.cross(moments[joint], drifts[column])
            path = set(skeleton.path_to_root(joint))
            for row in range(column + 1):
                if skeleton.dofs[row].joint in path:
                    value = ca.dot(spins[row], angular) + ca.dot(drifts[row], linear)
                    matrix[row, column] = matrix[column, row] = value
        return self._function("mass_matrix", [self.q], matrix)

    @cached_property
    def generalised_forces(self) -> ca.Function:
        """q, wrenches (6, joints: force, moment about the joint, world axes) -> (dofs,) generalised forces."""
        skeleton = self.character.skeleton
        wrenches = ca.SX.sym("wrenches", 6, len(skeleton.names))
        force = [wrenches[:3, joint] for joint in range(len(skeleton.names))]
        moment = [wrenches[3:, joint] for joint in range(len(skeleton.names))]
        return self._function("generalised_forces", [self.q, wrenches], self._onto_axes(force, moment))

    def _onto_axes(self, force: list[ca.SX], moment: list[ca.SX]) -> ca.SX:
        """Sum forces and moments on the bodies from the tips to the root and project them onto every axis."""
        skeleton = self.character.skeleton
        for joint in reversed(range(1, len(skeleton.names))):
            parent = skeleton.parents[joint]
            arm = self._frames[joint].position - self._frames[parent].position
            force[parent] += force[joint]
            moment[parent] += moment[joint] + ca.cross(arm, force[joint])
        return ca.vertcat(
            *(
                ca.dot(axis, force[dof.joint] if dof.kind == "slide" else moment[dof.joint])
                for dof, axis in zip(skeleton.dofs, self._world_axes, strict=True)
            )
        )

    @cached_property
    def _massive(self) -> list[int]:
        return [int(j) for j in np.flatnonzero(self.character.masses)]

    @cached_property
    def _world_axes(self) -> list[ca.SX]:
        """World axis (3,) of every degree of freedom."""
        skeleton = self.character.skeleton
        axes: list[ca.SX] = [ca.SX.zeros(3)] * len(skeleton.dofs)
        for joint, parent in enumerate(skeleton.parents):
            rotation = self._frames[parent].rotation if parent >= 0 else ca.SX.eye(3)
            for column in skeleton.columns(joint, "slide"):
                axes[column] = rotation @ ca.DM(np.array(skeleton.dofs[column].axis))
            rotation = rotation @ ca.DM(quat.to_matrix(skeleton.rests[joint]))
            for column in skeleton.columns(joint, "turn"):
                axis = np.array(skeleton.dofs[column].axis)
                axes[column] = rotation @ ca.DM(axis)
                rotation = rotation @ make_rotation(axis, self.q[column])
        return axes

    def _center(self) -> ca.SX:
        total = ca.SX.zeros(3)
        for joint in self._massive:
            frame = self._frames[joint]
            total += self.character.masses[joint] * (
                frame.position + frame.rotation @ ca.DM(self.character.centers[joint])
            )
        return total / self.character.mass

    @staticmethod
    def _function(name: str, inputs: list[ca.SX], output: ca.SX) -> ca.Function:
        return ca.Function(name, inputs, [output], {"cse": True})


def make_rotation(axis: np.ndarray, angle: ca.SX) -> ca.SX:
    """Return the rotation matrix of an angle about a unit axis (Rodrigues' formula)."""
    cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    return ca.SX.eye(3) + ca.sin(angle) * ca.DM(cross) + (1 - ca.cos(angle)) * ca.DM(cross @ cross)


def _propagate(character: Character, q: ca.SX, v: ca.SX, a: ca.SX) -> list[_Frame]:
    """Return the world frames of all joints with their velocities and accelerations, root first."""
    skeleton = character.skeleton
    zero = ca.SX.zeros(3)
    ground = _Frame(ca.SX.eye(3), zero, zero, zero, zero, zero)
    frames: list[_Frame] = []
    for joint, parent in enumerate(skeleton.parents):
        base = frames[parent] if parent >= 0 else ground
        arm = ca.SX(ca.DM(skeleton.offsets[joint]))
        slide_v, slide_a = ca.SX.zeros(3), ca.SX.zeros(3)
        for column in skeleton.columns(joint, "slide"):
            along = ca.DM(np.array(skeleton.dofs[column].axis))
            arm, slide_v, slide_a = arm + along * q[column], slide_v + along * v[column], slide_a + along * a[column]
        arm, slide_v, slide_a = base.rotation @ arm, base.rotation @ slide_v, base.rotation @ slide_a
        position = base.position + arm
        velocity = base.velocity + ca.cross(base.spin, arm) + slide_v
        acceleration = (
            base.acceleration
            + ca.cross(base.spin_rate, arm)
            + ca.cross(base.spin, ca.cross(base.spin, arm))
            + 2 * ca.cross(base.spin, slide_v)
            + slide_a
        )
        rotation = base.rotation @ ca.DM(quat.to_matrix(skeleton.rests[joint]))
        spin, spin_rate = base.spin, base.spin_rate
        for column in skeleton.columns(joint, "turn"):
            axis = np.array(skeleton.dofs[column].axis)
            world = rotation @ ca.DM(axis)
            spin_rate = spin_rate + world * a[column] + ca.cross(spin, world * v[column])
            spin = spin + world * v[column]
            rotation = rotation @ make_rotation(axis, q[column])
        frames.append(_Frame(rotation, position, spin, velocity, spin_rate, acceleration))
    return frames
