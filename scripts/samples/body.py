"""The whole figure from a posture, two planned feet and a planned centre of mass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import Placement
from samples import rig
from samples.legs import Foot, Leg, X, Y, Z, solve_leg

_MIRROR = np.array([1.0, -1.0, 1.0, -1.0])
"""A rotation seen in a mirror across the plane of x and z."""


@dataclass(frozen=True)
class Arm:
    """Angles (frames,) of an arm, the same signs on both sides."""

    flexion: Array
    """Swung forward from hanging."""
    abduction: Array
    """Away from the body."""
    inward: Array
    """Turned inward about its own length."""
    elbow: Array
    wrist: Array


@dataclass(frozen=True)
class Posture:
    """Everything above the legs, angles (frames, 3) about forward, left and up: roll, pitch, yaw."""

    pelvis: Array
    trunk: Array
    """Of the chest seen from the pelvis, shared between spine and chest."""
    arms: tuple[Arm, Arm]
    """Left, right."""
    gaze: Array
    """(frames,) pitch of the head in the world, down positive."""


@dataclass(frozen=True)
class Figure:
    """A posed figure."""

    root: Array
    rotations: dict[str, Array]
    legs: tuple[Leg, Leg]
    placement: Placement
    points: Array
    """Point masses (frames, points, 3)."""


def _turn(angles: Array) -> Array:
    """Yaw, then pitch, then roll, each about the axis the one before has turned."""
    roll, pitch, yaw = angles.T
    tilt = quat.multiply(quat.from_axis_angle(Y, pitch), quat.from_axis_angle(X, roll))
    return quat.multiply(quat.from_axis_angle(Z, yaw), tilt)


def upper_rotations(posture: Posture) -> dict[str, Array]:
    """Local rotations of the pelvis and everything above it; the head looks straight ahead."""
    pelvis = _turn(posture.pelvis)
    half = _turn(0.5 * posture.trunk)
    chest = quat.multiply(quat.multiply(pelvis, half), half)
    zero = np.zeros_like(posture.gaze)
    # A fifth of the trunk's own turning is left in the head: one held dead level looks mounted.
    look = _turn(np.stack((zero, posture.gaze, 0.2 * (posture.pelvis + posture.trunk)[:, 2]), axis=-1))
    to_head = quat.make_continuous(quat.multiply(quat.conjugate(chest), look))
    neck = to_head + np.sign(to_head[:, :1]) * quat.IDENTITY
    neck /= np.linalg.norm(neck, axis=-1, keepdims=True)
    out = {"Hips": pelvis, "Spine": half, "Chest": half, "Neck": neck, "Head": neck}
    for side, arm in zip(("Left", "Right"), posture.arms, strict=True):
        mirror = 1.0 if side == "Left" else _MIRROR
        hang = quat.multiply(quat.from_axis_angle(Y, -arm.flexion), quat.from_axis_angle(X, arm.abduction - np.pi / 2))
        out[f"{side}Arm"] = quat.multiply(hang, quat.from_axis_angle(Y, arm.inward)) * mirror
        out[f"{side}ForeArm"] = quat.from_axis_angle(Z, -arm.elbow) * mirror
        out[f"{side}Hand"] = quat.from_axis_angle(Z, -arm.wrist) * mirror
    return out


def pose(root: Array, posture: Posture, feet: tuple[Foot, Foot]) -> Figure:
    """The figure with its root at (frames, 3) and its feet exactly where they are planned."""
    return _with_legs(root, upper_rotations(posture), feet)


def _with_legs(root: Array, upper: dict[str, Array], feet: tuple[Foot, Foot]) -> Figure:
    rotations, legs = dict(upper), []
    for side, sign, foot in zip(("Left", "Right"), (1.0, -1.0), feet, strict=True):
        hip = root + quat.rotate(upper["Hips"], rig.HIP * [1.0, sign, 1.0])
        leg = solve_leg(hip, upper["Hips"], foot)
        joints = (f"{side}UpLeg", f"{side}Leg", f"{side}Foot", f"{side}ToeBase")
        rotations |= dict(zip(joints, leg[:4], strict=True))
        legs.append(leg)
    placement = rig.placed(root, rotations)
    return Figure(root, rotations, (legs[0], legs[1]), placement, rig.mass_points(placement))


def pose_on_center(center: Array, posture: Posture, feet: tuple[Foot, Foot], root: Array, rounds: int = 4) -> Figure:
    """The figure whose centre of mass is at `center` (frames, 3), searched from a guess of the root.

    Moving the root moves the centre by four fifths as much, the feet staying where they are.
    """
    upper = upper_rotations(posture)
    figure = _with_legs(root, upper, feet)
    for _ in range(rounds):
        root = root + 1.2 * (center - center_of_mass(figure))
        figure = _with_legs(root, upper, feet)
    return figure


def center_of_mass(figure: Figure) -> Array:
    """(frames, 3) metres."""
    return rig.SHARES @ figure.points


def angular_momentum(points: Array, rates: Array) -> Array:
    """About the centre of mass, a kilogram of body (frames, 3), of points and rates relative to that centre."""
    return np.einsum("p,npk->nk", rig.SHARES, np.cross(points, rates))
