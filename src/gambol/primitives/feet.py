"""Feet that stay where they stand, for many walkers at once, frame by frame.

Blended and steered steps move the feet on the floor by millimetres to centimetres. A point of a foot, heel or ball, is
anchored where it first touches; while it touches, the ankle is moved so that it stays there, and while both touch the
foot also keeps its direction. What the ankle was moved by fades in the swing that follows. Hip and knee bring the ankle
there in closed form, and the foot keeps its attitude.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.geometry import quaternions as quat
from gambol.geometry.quaternions import Array
from gambol.geometry.vectors import cross, lengths
from gambol.primitives.layout import Layout
from gambol.stages.feet import SIDES

DOWN = 0.5
"""Share of contact from which a point is held."""
_FADE = 0.08
"""Seconds in which what a foot was moved by fades to a third, in the swing."""
_SINK = 0.03
"""Seconds in which a foot that comes down too high or low is brought to the floor by two thirds."""
_STRAIGHT = 0.998
"""Share of its length to which a leg may be stretched; where a held foot is farther, the body comes down to it."""


class Legs(NamedTuple):
    """Measures of both legs of a rig, by side: bones and what lies between them, in the frames that they hang from."""

    joints: NDArray[np.intp]
    """(2, 3): thigh, shank and foot."""
    bones: Array
    """(2, 3, 3): from the root to the hip, from hip to knee, from knee to ankle."""
    between: Array
    """(2, 3, 3, 3) matrices: how the frames that thigh, shank and foot hang from are turned against the part before."""
    bend: Array
    """(2, 3) the axis about which the knee bends in the mean pose, in the thigh's frame."""
    soles: Array
    """(2, 2, 3) heel and ball in the foot's frame."""
    floor: float
    """Metres at which they touch."""


class Lock(NamedTuple):
    """What the feet of n walkers hold on to."""

    held: NDArray[np.bool_]
    """(n, 2, 2) whether heel and ball of each foot are held."""
    anchors: Array
    """(n, 2, 2, 3) where."""
    moved: Array
    """(n, 2, 3) metres that each ankle is moved by."""
    twist: Array
    """(n, 2) radians about the vertical that each foot is turned by."""
    drop: Array
    """(n,) metres that each body is lowered by."""

    @staticmethod
    def none(count: int) -> Lock:
        """Nothing held."""
        held = np.zeros((count, 2, 2), dtype=bool)
        return Lock(held, np.zeros((count, 2, 2, 3)), np.zeros((count, 2, 3)), np.zeros((count, 2)), np.zeros(count))


class _Limbs(NamedTuple):
    """Both legs of n walkers in the world."""

    hips: Array
    """(n, 2, 3) and on."""
    knees: Array
    ankles: Array
    root: Array
    """(n, 1, 3, 3) and on with (n, 2, 3, 3)."""
    thighs: Array
    shanks: Array
    feet: Array


def legs_of(layout: Layout) -> Legs:
    """The legs of a rig; joints between their parts, as some rigs have, are taken as they are in the mean pose."""
    skeleton, parts = layout.skeleton, layout.rig.parts
    joints = np.array([[parts[f"{side}_{part}"] for part in ("thigh", "shank", "foot")] for side in SIDES])
    bones, between = np.zeros((2, 3, 3)), np.zeros((2, 3, 3, 3))
    for side in range(2):
        above = [0, *joints[side, :2]]
        for part, (joint, base) in enumerate(zip(joints[side], above, strict=True)):
            path = skeleton.path_to_root(int(joint))[1:]
            turned, offset = quat.IDENTITY, skeleton.offsets[joint]
            for step in path[: path.index(int(base))]:
                turned = quat.multiply(layout.reference[step], turned)
                offset = skeleton.offsets[step] + quat.rotate(layout.reference[step], offset)
            bones[side, part], between[side, part] = offset, quat.to_matrix(turned)
    shanks = quat.to_matrix(layout.reference[joints[:, 1]])
    bend = cross(bones[:, 1], (between[:, 1] @ shanks @ bones[:, 2, :, None])[..., 0])
    return Legs(joints, bones, between, bend / lengths(bend)[:, None], layout.soles, layout.floor)


def locked(
    legs: Legs, lock: Lock, rotations: Array, places: Array, contacts: Array, seconds: float
) -> tuple[Lock, Array, Array]:
    """What is held now, and the rotations (n, joints, 4) and places (n, 3) that it takes, `seconds` after the last.

    `rotations` are in the parents' frames, the root's in the world, `places` (n, 3) the root's, `contacts` (n, 4) the
    shares in which left heel and ball and right heel and ball touch.
    """
    limbs = _placed(legs, rotations, places)
    weights = np.maximum(contacts.reshape(-1, 2, 2) - DOWN, 0.0)
    touching = weights > 0.0
    kept = touching & lock.held
    arms = (limbs.feet @ legs.soles.transpose(0, 2, 1)).transpose(0, 1, 3, 2)
    fade = np.exp(-seconds / _FADE)
    swinging = ~touching.any(axis=2)
    twist = np.where(swinging, fade * lock.twist, lock.twist)
    twist = np.where(kept.all(axis=2), _turn(arms, lock.anchors), twist)
    upright = _about_vertical(twist)
    arms = arms @ upright.transpose(0, 1, 3, 2)
    points = limbs.ankles[:, :, None] + arms
    moved = np.where(swinging[..., None], fade * lock.moved, lock.moved)
    shares = np.where(kept, weights, 0.0)
    total = shares.sum(axis=2)
    off = np.einsum("nsp,nspi->nsi", shares, lock.anchors - points) / np.maximum(total, 1e-12)[..., None]
    moved[..., :2] = np.where((total > 0.0)[..., None], off[..., :2], moved[..., :2])
    up = legs.floor - np.where(touching | swinging[..., None], points[..., 2], np.inf).min(axis=2)
    sunk = lock.moved[..., 2] + (up - lock.moved[..., 2]) * (1.0 - np.exp(-seconds / _SINK))
    moved[..., 2] = np.where(swinging, np.maximum(moved[..., 2], up), sunk)
    anchors = np.where(kept[..., None], lock.anchors, points + moved[:, :, None])
    goals = limbs.ankles + moved
    drop = np.maximum(_out_of_reach(legs, goals - limbs.hips, ~swinging), fade * lock.drop)
    turned = _reached(legs, _lowered(limbs, drop), rotations, goals, upright)
    lower = places - np.stack((np.zeros_like(drop), np.zeros_like(drop), drop), axis=1)
    return Lock(touching, anchors, moved, twist, drop), turned, lower


def _out_of_reach(legs: Legs, ways: Array, standing: NDArray[np.bool_]) -> Array:
    """Metres (n,) by which the hips must come down for the feet that stand to be in reach."""
    reach = _STRAIGHT * (lengths(legs.bones[:, 1]) + lengths(legs.bones[:, 2]))
    below = np.sqrt(np.maximum(reach**2 - ways[..., 0] ** 2 - ways[..., 1] ** 2, 0.0))
    return np.where(standing, np.maximum(-ways[..., 2] - below, 0.0), 0.0).max(axis=1)


def _lowered(limbs: _Limbs, drop: Array) -> _Limbs:
    down = np.zeros((len(drop), 1, 3))
    down[:, 0, 2] = drop
    return limbs._replace(hips=limbs.hips - down, knees=limbs.knees - down, ankles=limbs.ankles - down)


def _placed(legs: Legs, rotations: Array, places: Array) -> _Limbs:
    """The legs of walkers with these rotations."""
    local = _matrices(rotations[:, legs.joints])
    root = _matrices(rotations[:, :1])
    turned, where, limbs, joints = root, places[:, None], [], []
    for part in range(3):
        where = where + (turned @ legs.bones[:, part, :, None])[..., 0]
        turned = turned @ legs.between[:, part] @ local[:, :, part]
        joints.append(where)
        limbs.append(turned)
    (hips, knees, ankles), (thighs, shanks, feet) = joints, limbs
    return _Limbs(hips, knees, ankles, root, thighs, shanks, feet)


def _turn(arms: Array, anchors: Array) -> Array:
    """Radians (n, 2) from the direction that feet have to the one that their anchors have, about the vertical."""
    here, there = arms[:, :, 1] - arms[:, :, 0], anchors[:, :, 1] - anchors[:, :, 0]
    across = here[..., 0] * there[..., 1] - here[..., 1] * there[..., 0]
    return np.arctan2(across, here[..., 0] * there[..., 0] + here[..., 1] * there[..., 1])


def _about_vertical(angles: Array) -> Array:
    """Matrices (n, 2, 3, 3)."""
    out = np.zeros((*angles.shape, 3, 3))
    cos, sin = np.cos(angles), np.sin(angles)
    out[..., 0, 0], out[..., 0, 1], out[..., 1, 0], out[..., 1, 1], out[..., 2, 2] = cos, -sin, sin, cos, 1.0
    return out


def _reached(legs: Legs, limbs: _Limbs, rotations: Array, goals: Array, upright: Array) -> Array:
    """Rotations whose ankles are at their goals (n, 2, 3), or as near as straight legs come; feet turned as told."""
    upper, lower = lengths(legs.bones[:, 1]), lengths(legs.bones[:, 2])
    thigh, shank, way = limbs.knees - limbs.hips, limbs.ankles - limbs.knees, goals - limbs.hips
    far = lengths(way)
    reach = np.clip(far, 1.001 * np.abs(upper - lower), _STRAIGHT * (upper + lower))
    was = np.minimum(lengths(limbs.ankles - limbs.hips), _STRAIGHT * (upper + lower))
    opening = _knee(upper, lower, was) - _knee(upper, lower, reach)
    # A straight leg does not say how it bends: the mean pose does.
    axis = cross(thigh, shank) / (upper * lower)[..., None] + 0.02 * (limbs.thighs @ legs.bend[..., None])[..., 0]
    bent = _matrices(_about(axis / lengths(axis)[..., None], opening))
    along = thigh + (bent @ shank[..., None])[..., 0]
    swing = _arc(along / lengths(along)[..., None], way / far[..., None])
    thighs = swing @ limbs.thighs
    shanks = swing @ bent @ limbs.shanks
    feet = upright @ limbs.feet
    wanted = (thighs, shanks, feet)
    bases = (limbs.root @ legs.between[:, 0], thighs @ legs.between[:, 1], shanks @ legs.between[:, 2])
    local = [base.swapaxes(-1, -2) @ turned for base, turned in zip(bases, wanted, strict=True)]
    out = rotations.copy()
    out[:, legs.joints] = _quaternions(np.stack(local, axis=2))
    return out


def _knee(upper: Array, lower: Array, reach: Array) -> Array:
    """Radians inside the knee when the ankle is `reach` from the hip."""
    return np.arccos(np.clip((upper**2 + lower**2 - reach**2) / (2.0 * upper * lower), -1.0, 1.0))


def _about(axes: Array, angles: Array) -> Array:
    half = 0.5 * angles[..., None]
    return np.concatenate((np.cos(half), np.sin(half) * axes), axis=-1)


def _arc(start: Array, end: Array) -> Array:
    """Matrices (..., 3, 3) of the shortest turns from unit vectors to others."""
    double = np.concatenate((1.0 + np.einsum("...i,...i->...", start, end)[..., None], cross(start, end)), axis=-1)
    return _matrices(double / np.sqrt(np.einsum("...i,...i->...", double, double))[..., None])


_LEFT = (np.array([[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]]), np.array(
    [[1.0, -1.0, -1.0, -1.0], [1.0, 1.0, -1.0, 1.0], [1.0, 1.0, 1.0, -1.0], [1.0, -1.0, 1.0, 1.0]]
))  # fmt: skip
"""Places and signs of a quaternion in the matrix that multiplies from the left."""
_RIGHT = (_LEFT[0], np.array(
    [[1.0, 1.0, 1.0, 1.0], [-1.0, 1.0, -1.0, 1.0], [-1.0, 1.0, 1.0, -1.0], [-1.0, -1.0, 1.0, 1.0]]
))  # fmt: skip


def _matrices(quaternions: Array) -> Array:
    """Rotation matrices (..., 3, 3), in few operations: from the left as it is, from the right turned back."""
    return ((quaternions[..., _LEFT[0]] * _LEFT[1]) @ (quaternions[..., _RIGHT[0]] * _RIGHT[1]))[..., 1:, 1:]


def _quaternions(matrices: Array) -> Array:
    """Quaternions (..., 4) of turns that are less than half a turn, as those of legs are."""
    double = np.sqrt(np.maximum(1.0 + np.einsum("...ii->...", matrices), 1e-12))
    skew = matrices[..., (2, 0, 1), (1, 2, 0)] - matrices[..., (1, 2, 0), (2, 0, 1)]
    return np.concatenate((0.5 * double[..., None], skew / (2.0 * double[..., None])), axis=-1)
