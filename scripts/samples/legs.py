"""Solve a leg between a moving hip and a planned foot: two-bone inverse kinematics in closed form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.legs.two_bone import end_angle, flexion
from samples.rig import SHANK, THIGH

X, Y, Z = np.eye(3)


class Foot(NamedTuple):
    """A planned foot."""

    ankle: Array
    """(frames, 3) metres, world frame."""
    pitch: Array
    """(frames,) about the foot's lateral axis, toes down positive."""
    toes: Array
    """(frames,) toes bent up from the foot, positive."""
    heading: float
    """Radians, to the left of straight ahead."""

    @property
    def rotation(self) -> Array:
        """(frames, 4) world frame."""
        return quat.multiply(quat.from_axis_angle(Z, np.float64(self.heading)), quat.from_axis_angle(Y, self.pitch))


class Leg(NamedTuple):
    """Local rotations (frames, 4) of a leg, and its joint angles (frames,)."""

    hip: Array
    knee: Array
    ankle: Array
    toes: Array
    knee_flexion: Array
    ankle_flexion: Array
    thigh_flexion: Array
    stretch: Array
    """Distance from hip to ankle relative to the straight leg; the leg cannot reach beyond 1."""


def solve_leg(hip: Array, pelvis: Array, foot: Foot) -> Leg:
    """Solve the leg from hip positions (frames, 3) and rotations `pelvis` (frames, 4) to a planned foot.

    The knee is a hinge whose axis is perpendicular to the leg and nearest to the lateral axis of the foot, so that the
    knee bends in the direction of the foot.
    """
    reach = foot.ankle - hip
    distance = np.linalg.norm(reach, axis=-1)
    stretch = distance / (THIGH + SHANK)
    span = np.minimum(distance, 0.99999 * (THIGH + SHANK))
    bend = flexion(THIGH, SHANK, span)
    inner = end_angle(THIGH, SHANK, bend)

    up = -reach / distance[:, None]
    lateral = np.array([-np.sin(foot.heading), np.cos(foot.heading), 0.0])
    side = lateral - up * (up @ lateral)[:, None]
    side /= np.linalg.norm(side, axis=-1, keepdims=True)
    straight = quat.from_matrix(np.stack((np.cross(side, up), side, up), axis=-1))

    thigh = quat.multiply(straight, quat.from_axis_angle(Y, -inner))
    knee = quat.from_axis_angle(Y, bend)
    shank = quat.multiply(thigh, knee)
    ankle = quat.multiply(quat.conjugate(shank), foot.rotation)
    down = quat.rotate(thigh, -Z)
    return Leg(
        hip=quat.multiply(quat.conjugate(pelvis), thigh),
        knee=knee,
        ankle=ankle,
        toes=quat.from_axis_angle(Y, -foot.toes),
        knee_flexion=bend,
        ankle_flexion=-2.0 * np.arctan2(ankle[:, 2], ankle[:, 0]),
        thigh_flexion=np.arctan2(down[:, 0], -down[:, 2]),
        stretch=stretch,
    )


def rotate_about(center: complex, arm: complex, pitch: Array) -> Array:
    """Return position and two derivatives of the end of an arm that rotates about a fixed point.

    Complex numbers are points of the plane of the foot, ahead + i up; `pitch` is an angle, toes down, with its two
    derivatives.
    """
    angle, rate, second = pitch
    end = arm * np.exp(-1j * angle)
    return np.array([center + end, -1j * rate * end, (-1j * second - rate**2) * end])
