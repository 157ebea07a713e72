"""The figure of the built-in motions: an adult of 1.75 m, its joints and its masses.

Lengths are fractions of the height after Drillis & Contini (1966) as drawn by Winter, Biomechanics and
Motor Control of Human Movement (4th ed. 2009, fig. 4.1): foot height 0.039, shank 0.246, thigh 0.245, upper
arm 0.186, forearm 0.146, hand 0.108, foot length 0.152, shoulder height 0.818. Masses, their centres and
radii of gyration are those of men in de Leva, Journal of Biomechanics 29 (1996), table 4, the trunk's
rounded to the joints of this figure. Axes: x forward, y left, z up, metres.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import Placement, place_local
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Dof, Skeleton

HEIGHT = 1.75
GRAVITY = 9.81
RATE = 60
"""Frames per second."""

THIGH, SHANK, ANKLE_HEIGHT = 0.245 * HEIGHT, 0.246 * HEIGHT, 0.039 * HEIGHT
HIP = np.array([0.0, 0.088, -0.05])
"""Left hip joint relative to the root, which lies between and above the hips."""
HEEL = np.array([-0.05, 0.0, -ANKLE_HEIGHT])
"""Sole under the heel relative to the ankle of a flat foot."""
BALL_HEIGHT = 0.02
BALL = np.array([0.7 * 0.152 * HEIGHT - 0.05, 0.0, BALL_HEIGHT - ANKLE_HEIGHT])
"""Toe joint relative to the ankle: 0.7 of the length of the foot ahead of the heel."""
TOE = np.array([0.3 * 0.152 * HEIGHT, 0.0, -0.01])
"""Tip of the toes relative to the toe joint."""

_ROOT_HEIGHT = THIGH + SHANK + ANKLE_HEIGHT - HIP[2]
_SHOULDER_HEIGHT = 0.818 * HEIGHT
_UPPER_ARM, _FOREARM, _HAND = 0.186 * HEIGHT, 0.146 * HEIGHT, 0.108 * HEIGHT
_SPINE, _CHEST, _NECK, _HEAD = 1.06, 1.23, 1.48, 1.575


def _joints() -> list[tuple[str, str, tuple[float, ...]]]:
    """Return name, parent and offset of the joints, depth first; names with _end mark ends of bones."""
    rows: list[tuple[str, str, tuple[float, ...]]] = [
        ("Hips", "", (0, 0, _ROOT_HEIGHT)),
        ("Spine", "Hips", (-0.01, 0, _SPINE - _ROOT_HEIGHT)),
        ("Chest", "Spine", (0, 0, _CHEST - _SPINE)),
        ("Neck", "Chest", (0, 0, _NECK - _CHEST)),
        ("Head", "Neck", (0.02, 0, _HEAD - _NECK)),
        ("Head_end", "Head", (0, 0, HEIGHT - _HEAD)),
    ]
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        rows += [
            (f"{side}Shoulder", "Chest", (0.02, 0.03 * sign, _SHOULDER_HEIGHT + 0.01 - _CHEST)),
            (f"{side}Arm", f"{side}Shoulder", (-0.015, 0.155 * sign, -0.01)),
            (f"{side}ForeArm", f"{side}Arm", (0, _UPPER_ARM * sign, 0)),
            (f"{side}Hand", f"{side}ForeArm", (0, _FOREARM * sign, 0)),
            (f"{side}Hand_end", f"{side}Hand", (0, _HAND * sign, 0)),
        ]
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        rows += [
            (f"{side}UpLeg", "Hips", (HIP[0], HIP[1] * sign, HIP[2])),
            (f"{side}Leg", f"{side}UpLeg", (0, 0, -THIGH)),
            (f"{side}Foot", f"{side}Leg", (0, 0, -SHANK)),
            (f"{side}ToeBase", f"{side}Foot", tuple(BALL)),
            (f"{side}ToeBase_end", f"{side}ToeBase", tuple(TOE)),
        ]
    return rows


def _skeleton() -> Skeleton:
    rows = _joints()
    names = tuple(name for name, _, _ in rows)
    ends = frozenset(i for i, name in enumerate(names) if name.endswith("_end"))
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    # BVH's X, Y and Z are the world's y, z and x: positions in that order, turns Z, X, Y. Thighs turn X, Z, Y:
    # a hip at a right angle is a singularity of the other order.
    dofs = [Dof(0, "slide", axis) for axis in (y, z, x)]
    for joint, name in enumerate(names):
        order = (y, x, z) if name.endswith("UpLeg") else (x, y, z)
        dofs += [Dof(joint, "turn", axis) for axis in order if joint not in ends]
    parents = tuple(names.index(parent) if parent else -1 for _, parent, _ in rows)
    return Skeleton(names, parents, np.array([o for _, _, o in rows], float), tuple(dofs), ends=ends)


SKELETON = _skeleton()

_SEGMENTS: tuple[tuple[str, str, float, float, tuple[float, float]], ...] = (
    ("Hips", "Spine", 0.1117, 0.10, (0.07, 0.10)),
    ("Spine", "Chest", 0.1633, 0.50, (0.07, 0.09)),
    ("Chest", "Neck", 0.1596, 0.50, (0.08, 0.11)),
    ("Neck", "Head_end", 0.0694, 0.55, (0.06, 0.05)),
    ("{}Arm", "{}ForeArm", 0.0271, 0.577, (0.02, 0.02)),
    ("{}ForeArm", "{}Hand", 0.0162, 0.457, (0.015, 0.015)),
    ("{}Hand", "{}Hand_end", 0.0061, 0.40, (0.01, 0.02)),
    ("{}UpLeg", "{}Leg", 0.1416, 0.410, (0.05, 0.05)),
    ("{}Leg", "{}Foot", 0.0433, 0.446, (0.03, 0.03)),
    ("{}Foot", "{}ToeBase", 0.0137, 0.44, (0.02, 0.02)),
)
"""Start, end, share of the mass, centre as a fraction of the length, two transverse radii of gyration (m)."""

_LENGTHWISE_GYRATION = 0.3
"""Radius of gyration of a limb about a transverse axis through its centre, relative to its length."""


class _Points(NamedTuple):
    joints: Array
    offsets: Array
    shares: Array


def _mass_points() -> _Points:
    """Return six point masses per segment, with the mass, centre and moments of inertia of the segment."""
    joints: list[int] = []
    offsets: list[Array] = []
    shares: list[float] = []
    rows = [
        (a.format(side), b.format(side), *rest)
        for a, b, *rest in _SEGMENTS
        for side in (("Left", "Right") if "{" in a else ("",))
    ]
    for start, end, share, fraction, (thick, wide) in rows:
        first, last = SKELETON.index(start), SKELETON.index(end)
        bone = np.zeros(3)
        for joint in SKELETON.path_to_root(last):
            if joint == first:
                break
            bone = bone + SKELETON.offsets[joint]
        length = float(np.linalg.norm(bone))
        along = bone / length
        across = np.cross(along, [1.0, 0.0, 0.0] if abs(along[0]) < 0.7 else [0.0, 0.0, 1.0])
        across /= np.linalg.norm(across)
        spreads = (
            (along, max(_LENGTHWISE_GYRATION * length, 0.05 if "{" not in start else 0.0)),
            (across, wide),
            (np.cross(across, along), thick),
        )
        for axis, gyration in spreads:
            for sign in (1.0, -1.0):
                joints.append(first)
                offsets.append(fraction * bone + sign * np.sqrt(3.0) * gyration * axis)
                shares.append(share / 6.0)
    total = np.array(shares)
    return _Points(np.array(joints), np.array(offsets), total / total.sum())


_POINTS = _mass_points()
SHARES = _POINTS.shares
"""Share of the body's mass at each of the points of `mass_points`."""


def mass_points(placement: Placement) -> Array:
    """Return the positions (frames, points, 3) of the point masses."""
    turned = quat.rotate(placement.rotations[:, _POINTS.joints], _POINTS.offsets)
    return placement.positions[:, _POINTS.joints] + turned


def place_figure(root: Array, rotations: dict[str, Array]) -> Placement:
    """Return world poses of the joints from root positions (frames, 3) and local rotations (frames, 4) by name."""
    shape = (len(root), len(SKELETON.names))
    positions = np.broadcast_to(SKELETON.offsets, (*shape, 3)).copy()
    positions[:, 0] = root
    local = np.broadcast_to(quat.IDENTITY, (*shape, 4)).copy()
    for name, rotation in rotations.items():
        local[:, SKELETON.index(name)] = rotation
    return place_local(SKELETON, Placement(positions, local))


def to_motion(name: str, root: Array, rotations: dict[str, Array]) -> Motion:
    """Return a motion of the figure, with lengths and angles rounded to six decimals of the units of a BVH file."""
    q = np.zeros((len(root), len(SKELETON.dofs)))
    q[:, :3] = np.round(100.0 * (root - SKELETON.offsets[0])[:, [1, 2, 0]], 6) / 100.0
    for joint, rotation in rotations.items():
        columns = SKELETON.columns(SKELETON.index(joint), "turn")
        angles = angles_about([SKELETON.dofs[c].axis for c in columns], rotation)
        q[:, columns] = np.radians(np.round(np.degrees(angles), 6))
    return Motion(SKELETON, q, 1.0 / RATE, name)
