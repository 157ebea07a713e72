"""Measure where the knees of a rig bend, and turn legs whose knees point backward.

A knee is a hinge whose axis is fixed to the thigh and points to the left of the body: it flexes about it, and a
negative flexion is a knee that bends backward. The solvers behind recordings limit the flexion of a knee to positive
angles; an overextended knee then comes as a leg that is turned by half a turn for a few frames. Such a leg is turned
back about the line from hip to ankle, so that the foot stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body.measure import require_rig
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import cross, lengths
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import Placement, local_frames
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton
from gambol.stages.feet import SIDES

_PRIOR = 0.02
"""Weight of the axis from hip to hip in that of a knee, as the sine of a flexion: it decides if a leg is straight."""
MAX_TURN = np.radians(110.0)
"""Largest angle between the front of a knee and that of the pelvis, about the line from hip to ankle."""
_SPLIT = 0.3
"""Sine of the angle between a leg and the axis from hip to hip below which, as in a split, a knee has no front."""
_TUCKED = 0.5
"""Distance from hip to ankle, as a share of a leg's length, below which neither has a tucked leg."""


class KneeAngles(NamedTuple):
    """Angles (frames, 2) of the knees in radians, left side first."""

    flexion: Array
    """About the hinge that is fixed to the thigh; negative if the knee bends backward about it."""
    turn: Array
    """From the left of the pelvis to the hinge, about the line from hip to ankle; 0 in a split or a tuck."""


class SeenKnees(NamedTuple):
    """Angles (frames, 2) in radians of knees whose places are seen, left side first."""

    angles: KneeAngles
    sideways: Array
    """From the plane in which the knee bends to the shank; positive to the left of the body."""


class _Legs(NamedTuple):
    """Both legs over time, left side first."""

    thighs: Array
    """(frames, 2, 3) from hip to knee; metres, in the world, as all vectors here."""
    shanks: Array
    """(frames, 2, 3) from knee to ankle."""
    turned: Array
    """(frames, 2, 4) rotations of the thighs."""
    left: Array
    """(frames, 1, 3) unit vector from the right hip to the left one."""


def measure_knees(motion: Motion) -> KneeAngles:
    """Return flexion and turn of both knees."""
    return measure_placed_knees(require_rig(motion).parts, motion.placement)


def measure_placed_knees(parts: Mapping[str, int], placed: Placement) -> KneeAngles:
    """Return flexion and turn of both knees of a placed skeleton; `parts` are those of its rig."""
    legs = _find_legs(parts, placed)
    return _measure(legs, _find_hinges(legs))


def measure_seen_knees(places: Mapping[str, Array], rotations: Mapping[str, Array]) -> SeenKnees:
    """Return angles of both knees from places (frames, 3; m) and rotations (frames, 4) by part of the body."""
    hips, knees, ankles = (
        np.stack([places[f"{side}_{part}"] for side in SIDES], axis=1) for part in ("thigh", "shank", "foot")
    )
    legs = _join_legs(hips, knees, ankles, np.stack([rotations[f"{side}_thigh"] for side in SIDES], axis=1))
    hinges = _find_hinges(legs)
    aside = np.sum(legs.shanks * quat.rotate(legs.turned, hinges), axis=2) / np.maximum(lengths(legs.shanks), 1e-9)
    return SeenKnees(_measure(legs, hinges), np.arcsin(np.clip(aside, -1.0, 1.0)))


def face_knees_forward(motion: Motion) -> Motion:
    """Return the motion with legs turned where their knees point backward; the same motion if none does."""
    parts, turn = require_rig(motion).parts, measure_knees(motion).turn
    away = np.abs(turn) > MAX_TURN
    if not away.any():
        return motion
    back = np.stack([_turn_back(turn[:, side], away[:, side]) for side in range(2)], axis=1)
    local = local_frames(motion.skeleton, motion.q).rotations
    return replace_rotations(motion, swivel_legs(motion.skeleton, parts, local, motion.placement, back))


def swivel_legs(skeleton: Skeleton, parts: Mapping[str, int], local: Array, placed: Placement, turns: Array) -> Array:
    """Return rotations (frames, joints, 4) in the parents' frames with legs turned by `turns` (frames, 2) radians.

    Legs turn about the lines from hip to ankle, and the feet stay. `local` are the rotations before.
    """
    legs, local = _find_legs(parts, placed), local.copy()
    line = legs.thighs + legs.shanks
    swivel = quat.from_axis_angle(line / lengths(line)[..., None], turns)
    for side, name in enumerate(SIDES):
        thigh, foot = (parts[f"{name}_{part}"] for part in ("thigh", "foot"))
        pelvis, shank = (placed.rotations[:, skeleton.parents[joint]] for joint in (thigh, foot))
        for joint, base, turned in (
            (thigh, pelvis, quat.multiply(swivel[:, side], placed.rotations[:, thigh])),
            (foot, quat.multiply(swivel[:, side], shank), placed.rotations[:, foot]),
        ):
            local[:, joint] = quat.multiply(quat.conjugate(base), turned)
    return local


def _find_legs(parts: Mapping[str, int], placed: Placement) -> _Legs:
    joints = np.array([[parts[f"{side}_{part}"] for part in ("thigh", "shank", "foot")] for side in SIDES])
    hips, knees, ankles = np.moveaxis(placed.positions[:, joints], 2, 0)
    return _join_legs(hips, knees, ankles, placed.rotations[:, joints[:, 0]])


def _join_legs(hips: Array, knees: Array, ankles: Array, turned: Array) -> _Legs:
    """Return both legs from the places (frames, 2, 3) of their joints and the rotations (frames, 2, 4) of thighs."""
    across = hips[:, :1] - hips[:, 1:]
    left = across / np.maximum(lengths(across), 1e-9)[..., None]
    return _Legs(knees - hips, ankles - knees, turned, left)


def _find_hinges(legs: _Legs) -> Array:
    """Return unit axes (2, 3) in the frames of the thighs: the frames in which a knee is bent decide."""
    # Bones without length have no bend; where the hips are in one place too, there is no axis.
    bend = cross(legs.thighs, legs.shanks) / np.maximum(lengths(legs.thighs) * lengths(legs.shanks), 1e-12)[..., None]
    base = quat.conjugate(legs.turned)
    seen, left = quat.rotate(base, bend), quat.rotate(base, np.broadcast_to(legs.left, bend.shape)).mean(axis=0)
    flexed = np.einsum("nsi,si->ns", seen, left)
    axis = np.mean(flexed[..., None] * seen, axis=0) + _PRIOR**2 * left
    return axis / np.maximum(lengths(axis), 1e-12)[:, None]


def _measure(legs: _Legs, hinges: Array) -> KneeAngles:
    axes = quat.rotate(legs.turned, hinges)
    flexion = np.arctan2(
        np.sum(cross(legs.thighs, legs.shanks) * axes, axis=2), np.sum(legs.thighs * legs.shanks, axis=2)
    )
    line = legs.thighs + legs.shanks
    reach = lengths(line)
    line = line / np.maximum(reach, 1e-9)[..., None]
    behind = cross(np.broadcast_to(legs.left, line.shape), line)
    turn = np.arctan2(-np.sum(behind * axes, axis=2), np.sum(cross(line, behind) * axes, axis=2))
    clear = (lengths(behind) > _SPLIT) & (reach > _TUCKED * (lengths(legs.thighs) + lengths(legs.shanks)))
    return KneeAngles(flexion, np.where(clear, turn, 0.0))


def _turn_back(turn: Array, away: NDArray[np.bool_]) -> Array:
    """Return by how much (frames,) to turn a leg so that it has, where it is away, the turn of the frames around."""
    frames = np.arange(len(turn))
    there = frames[~away]
    target = np.interp(frames, there, turn[~away]) if len(there) else np.zeros(len(turn))
    return np.where(away, target - turn, 0.0)
