"""Inverse kinematics that keeps a character's feet on the paths of a clip (YL08 section 4.3), as CasADi expressions.

Seen from the foot, a leg is a roll and then two bones in a plane, since knee and ankle rotate about parallel axes: roll
and pitch follow from arc tangents, the knee from the law of cosines, and the orientation of the thigh gives the three
angles of the hip. Both feet stay on the clip's path at all times, so contacts need not be known.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from gambol.body.character import Character
from gambol.body.expressions import make_rotation
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.legs.two_bone import MIN_FLEXION, end_angle, flexion, hip_drop, leg_reach, soften_reach

LEG_PARTS = ("thigh", "shank", "foot", "toes")
_EASED = np.radians(30.0)
"""Flexion (rad) from which a leg eases out once the hips deviate: pushed hips move at 1 m/s and more, and the knee of a
straighter leg would rotate by 1000 degrees per second to follow."""
_STAYED = 0.05
"""Deviation of the hips (m or rad) over which a leg that is straighter in the clip begins to ease out."""
_BENT = 0.1
"""Change of the knee angle (rad) over which a backward bend of the clip fades out."""
_HALVINGS = 6
"""Bisection steps for the share of the root's deviation that the legs can reach; one interpolation follows."""
_NEAR_LIMIT = 0.75
"""Share of the largest drop from which the root deviates by less."""


@dataclass(frozen=True, eq=False)
class CharacterLeg:
    """One leg: a ball hip about three orthogonal axes, a knee about y, an ankle about y and then x."""

    columns: tuple[int, ...]
    hip: Array
    """(3,) metres in the frame of the pelvis."""
    rest: Array
    """(3, 3) rest orientation of the thigh."""
    axes: Array
    """(3, 3): the hip's axes as rows."""
    thigh: float
    """Length in metres."""
    shank: float
    """Length in metres."""
    roll: float
    """Sign of the ankle's last axis along x."""
    lower: Array
    """(6,) joint limits in radians."""
    upper: Array


def find_character_legs(character: Character) -> tuple[CharacterLeg, ...]:
    """Return the left and the right leg of a person."""
    return tuple(_leg(character, side) for side in ("left", "right"))


def _leg(character: Character, side: str) -> CharacterLeg:
    skeleton = character.skeleton
    thigh, shank, foot = (character.body(f"{side}_{part}") for part in LEG_PARTS[:3])
    columns = tuple(c for joint in (thigh, shank, foot) for c in skeleton.columns(joint, "turn"))
    axes = np.array([skeleton.dofs[c].axis for c in columns])
    straight = [skeleton.offsets[joint][:2] for joint in (shank, foot)]
    if len(columns) != 6 or np.abs(axes[3:5, 1]).min() < 0.999 or abs(axes[5, 0]) < 0.999 or np.abs(straight).max():
        raise InputError(
            f"the {side} leg does not consist of hip, knee and ankle joints with the expected axes",
            fix="fit a person with `Character.from_motion`",
        )
    return CharacterLeg(
        columns,
        skeleton.offsets[thigh],
        quat.to_matrix(skeleton.rests[thigh]),
        axes[:3],
        -float(skeleton.offsets[shank][2]),
        -float(skeleton.offsets[foot][2]),
        float(axes[5, 0]),
        skeleton.lower[list(columns)],
        skeleton.upper[list(columns)],
    )


@dataclass(frozen=True, eq=False)
class PelvisFrame:
    """Position and rotation matrix of a pelvis or a foot."""

    place: ca.SX
    turn: ca.SX


def keep_feet_in_place(
    legs: tuple[CharacterLeg, ...], clip: ca.SX, there: PelvisFrame, moved: ca.SX, hips_of: ca.Function, max_drop: float
) -> ca.SX:
    """Return the coordinates of a pose with the clip's feet and a root that deviates by `moved` (6,).

    `clip` has the clip's coordinates, `there` its pelvis. If a leg is too short, the pelvis is lowered by at most
    `max_drop` metres; if that is not enough, the deviation of the root is reduced.
    """
    feet = [_foot(leg, there, clip) for leg in legs]
    fade = ca.exp(-ca.sumsqr(moved) / _STAYED**2)

    def shifted(share: ca.SX) -> tuple[PelvisFrame, ca.SX]:
        place, turn = hips_of(clip[:6] + share * moved)
        hips = PelvisFrame(place, turn)
        drops = [_drop(leg, hips, there, foot, fade) for leg, foot in zip(legs, feet, strict=True)]
        return hips, ca.fmax(ca.fmax(*drops), 0.0)

    # As the pelvis comes near `max_drop`, it sinks and deviates by less than needed.
    _, needed = shifted(ca.SX(1.0))
    begin = _NEAR_LIMIT * max_drop
    allowed = soften_reach(needed, begin, max_drop)
    low, low_drop, high, high_drop = ca.SX(0.0), ca.SX(0.0), ca.SX(1.0), needed
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        _, drop = shifted(middle)
        reached = drop <= allowed
        low, low_drop = ca.if_else(reached, middle, low), ca.if_else(reached, drop, low_drop)
        high, high_drop = ca.if_else(reached, high, middle), ca.if_else(reached, high_drop, drop)
    part = ca.fmin((allowed - low_drop) / ca.fmax(high_drop - low_drop, 1e-9), 1.0)
    share = ca.if_else(needed <= begin, 1.0, low + part * (high - low))
    hips, drop = shifted(share)
    drop = ca.if_else(ca.sumsqr(moved) > 0.0, drop, 0.0)
    hips = PelvisFrame(hips.place - ca.vertcat(0.0, 0.0, drop), hips.turn)
    pose = ca.SX(clip)
    pose[:6] = clip[:6] + share * moved
    pose[2] -= drop
    for leg, foot in zip(legs, feet, strict=True):
        columns = list(leg.columns)
        near = clip[columns]
        wish, own = _angles(leg, hips, foot, near), _angles(leg, there, foot, near)
        # A knee that bends backward in the clip bends forward as soon as the hips move.
        keep = ca.if_else(near[3] < 0.0, ca.exp(-(((wish[3] - own[3]) / _BENT) ** 2)), 0.0)
        angles = ca.fmin(ca.fmax(wish + keep * (near - own), leg.lower), leg.upper)
        pose[columns] = ca.if_else(ca.sumsqr(moved) > 0.0, angles, near)
    return pose


def _foot(leg: CharacterLeg, hips: PelvisFrame, q: ca.SX) -> PelvisFrame:
    """Return the position of the ankle and the rotation of the foot."""
    angles = [q[column] for column in leg.columns]
    place = hips.place + hips.turn @ ca.DM(leg.hip)
    turn = hips.turn @ ca.DM(leg.rest)
    for axis, angle in zip(leg.axes, angles[:3], strict=True):
        turn = turn @ make_rotation(axis, angle)
    place = place - leg.thigh * turn[:, 2]
    turn = turn @ make_rotation(np.array([0.0, 1.0, 0.0]), angles[3])
    place = place - leg.shank * turn[:, 2]
    turn = turn @ make_rotation(np.array([0.0, -1.0, 0.0]), angles[4])
    return PelvisFrame(place, turn @ make_rotation(np.array([leg.roll, 0.0, 0.0]), angles[5]))


def _drop(leg: CharacterLeg, hips: PelvisFrame, there: PelvisFrame, foot: PelvisFrame, fade: ca.SX) -> ca.SX:
    """Return the distance (m) by which the hips must be lowered for a leg that eases out before it is straight.

    In the clip's own pose, and the less the more the hips deviate (`fade`), it may be as straight as in the clip.
    """
    to_foot = foot.place - hips.place - hips.turn @ ca.DM(leg.hip)
    clip = ca.norm_2(there.place + there.turn @ ca.DM(leg.hip) - foot.place)
    soft, straight = (leg_reach(leg.thigh, leg.shank, bend) for bend in (_EASED, MIN_FLEXION))
    loose = soft + ca.fmax(clip - soft, 0.0) * fade
    return hip_drop(ca.vertsplit(to_foot), soften_reach(ca.norm_2(to_foot), loose, ca.fmax(loose, straight)))


def _angles(leg: CharacterLeg, hips: PelvisFrame, foot: PelvisFrame, near: ca.SX) -> ca.SX:
    """Return the six angles that place the foot; of equivalent solutions the one nearest to `near`."""
    seen = foot.turn.T @ (hips.place + hips.turn @ ca.DM(leg.hip) - foot.place)
    # Rolls that differ by half a turn put the hips in the same plane: choose the one of the clip.
    side = ca.if_else(ca.cos(ca.atan2(seen[1], seen[2]) - leg.roll * near[5]) >= 0.0, 1.0, -1.0)
    roll = ca.atan2(side * seen[1], side * seen[2])
    x, z = seen[0], side * ca.sqrt(seen[1] ** 2 + seen[2] ** 2)
    knee = flexion(leg.thigh, leg.shank, ca.sqrt(x**2 + z**2))
    pitch = ca.atan2(x, z) + end_angle(leg.shank, leg.thigh, knee)
    thigh = (
        foot.turn
        @ make_rotation(np.array([1.0, 0.0, 0.0]), -roll)
        @ make_rotation(np.array([0.0, 1.0, 0.0]), pitch - knee)
    )
    return ca.vertcat(_hip_angles(leg, hips.turn.T @ thigh, near), knee, pitch, leg.roll * roll)


def _hip_angles(leg: CharacterLeg, local: ca.SX, near: ca.SX) -> ca.SX:
    """Return three angles about the hip's axes, nearest to `near`; in the frame of the axes they are about x, y, z."""
    seen = ca.DM(leg.axes) @ (ca.DM(leg.rest).T @ local) @ ca.DM(leg.axes).T
    hand = float(np.sign(np.linalg.det(leg.axes)))
    a = hand * ca.atan2(-seen[1, 2], seen[2, 2])
    b = hand * ca.asin(ca.fmin(ca.fmax(seen[0, 2], -1.0), 1.0))
    c = hand * ca.atan2(-seen[0, 1], seen[0, 0])
    one, other = (
        _nearest(angles, near[:3]) for angles in (ca.vertcat(a, b, c), ca.vertcat(a + np.pi, np.pi - b, c + np.pi))
    )
    return ca.if_else(ca.sumsqr(one - near[:3]) <= ca.sumsqr(other - near[:3]), one, other)


def _nearest(angles: ca.SX, near: ca.SX) -> ca.SX:
    return angles - 2.0 * np.pi * ca.floor((angles - near) / (2.0 * np.pi) + 0.5)
