"""Pose the whole figure from a posture, two planned feet and a planned centre of mass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import Placement
from samples import rig
from samples.legs import Foot, Leg, X, Y, Z, solve_leg

_MIRROR = np.array([1.0, -1.0, 1.0, -1.0])
"""Factors that mirror a rotation at the plane of x and z."""


@dataclass(frozen=True)
class Arm:
    """Angles (frames,) of an arm, with the same signs on both sides."""

    flexion: Array
    """Forward from hanging."""
    abduction: Array
    """Away from the body."""
    inward: Array
    """Inward about its own length."""
    elbow: Array
    wrist: Array


@dataclass(frozen=True)
class Posture:
    """Posture above the legs: angles (frames, 3) about forward, left and up (roll, pitch, yaw)."""

    pelvis: Array
    trunk: Array
    """Angles of the chest relative to the pelvis, shared between spine and chest."""
    arms: tuple[Arm, Arm]
    """Left, right."""
    gaze: Array
    """(frames,) pitch of the head in the world frame, down positive."""


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
    """Return rotations by yaw, then pitch, then roll, about rotated axes."""
    roll, pitch, yaw = angles.T
    tilt = quat.multiply(quat.from_axis_angle(Y, pitch), quat.from_axis_angle(X, roll))
    return quat.multiply(quat.from_axis_angle(Z, yaw), tilt)


def upper_rotations(posture: Posture) -> dict[str, Array]:
    """Return local rotations of the pelvis and the joints above it; the head looks straight ahead."""
    pelvis = _turn(posture.pelvis)
    half = _turn(0.5 * posture.trunk)
    chest = quat.multiply(quat.multiply(pelvis, half), half)
    zero = np.zeros_like(posture.gaze)
    # The head keeps a fifth of the yaw of the trunk: without it the neck looks rigid.
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
    """Pose the figure with its root at (frames, 3) and its feet exactly as planned."""
    return _with_legs(root, upper_rotations(posture), feet)


def _with_legs(root: Array, upper: dict[str, Array], feet: tuple[Foot, Foot]) -> Figure:
    rotations, legs = dict(upper), []
    for side, sign, foot in zip(("Left", "Right"), (1.0, -1.0), feet, strict=True):
        hip = root + quat.rotate(upper["Hips"], rig.HIP * [1.0, sign, 1.0])
        leg = solve_leg(hip, upper["Hips"], foot)
        joints = (f"{side}UpLeg", f"{side}Leg", f"{side}Foot", f"{side}ToeBase")
        rotations |= dict(zip(joints, leg[:4], strict=True))
        legs.append(leg)
    placement = rig.place_figure(root, rotations)
    return Figure(root, rotations, (legs[0], legs[1]), placement, rig.mass_points(placement))


def pose_on_center(center: Array, posture: Posture, feet: tuple[Foot, Foot], root: Array, rounds: int = 4) -> Figure:
    """Pose the figure with its centre of mass at `center` (frames, 3), by fixed-point steps from a guess of the root.

    With planted feet, moving the root moves the centre of mass by about four fifths as much.
    """
    upper = upper_rotations(posture)
    figure = _with_legs(root, upper, feet)
    for _ in range(rounds):
        root = root + 1.2 * (center - center_of_mass(figure))
        figure = _with_legs(root, upper, feet)
    return figure


def center_of_mass(figure: Figure) -> Array:
    """Return the centre of mass (frames, 3) in metres."""
    return rig.SHARES @ figure.points


def angular_momentum(points: Array, rates: Array) -> Array:
    """Return angular momentum (frames, 3) per kilogram, from points and velocities relative to the centre of mass."""
    return np.einsum("p,npk->nk", rig.SHARES, np.cross(points, rates))
