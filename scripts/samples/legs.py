"""A leg between a hip that moves and a foot that is planned: the two-bone problem in closed form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.legs.two_bone import end_angle, flexion
from samples.rig import SHANK, THIGH

X, Y, Z = np.eye(3)


class Foot(NamedTuple):
    """Where a foot is planned to be."""

    ankle: Array
    """(frames, 3) world."""
    pitch: Array
    """(frames,) about the foot's lateral axis, toes down positive."""
    toes: Array
    """(frames,) toes bent up from the foot, positive."""
    heading: float
    """Turned out to the left of straight ahead."""

    @property
    def rotation(self) -> Array:
        """(frames, 4) world."""
        return quat.multiply(quat.from_axis_angle(Z, np.float64(self.heading)), quat.from_axis_angle(Y, self.pitch))


class Leg(NamedTuple):
    """Local rotations (frames, 4) of a leg, and the angles that say whether it is believable."""

    hip: Array
    knee: Array
    ankle: Array
    toes: Array
    knee_flexion: Array
    ankle_flexion: Array
    thigh_flexion: Array
    stretch: Array
    """Distance from hip to ankle as a share of the straight leg; the leg cannot reach beyond 1."""


def solve_leg(hip: Array, pelvis: Array, foot: Foot) -> Leg:
    """The leg from hip positions (frames, 3) on a pelvis turned by `pelvis` (frames, 4) to a planned foot.

    The knee is a hinge whose axis stays square to the leg and as near as can be to the foot's lateral
    axis, so that it bends the way the foot points.
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


def pivot(center: complex, arm: complex, pitch: Array) -> Array:
    """Position, rate and second rate of the end of an arm that turns about a fixed point.

    Complex numbers are points of the foot's plane, ahead + i up; `pitch` is an angle, toes down, with its
    two rates.
    """
    angle, rate, second = pitch
    end = arm * np.exp(-1j * angle)
    return np.array([center + end, -1j * rate * end, (-1j * second - rate**2) * end])
