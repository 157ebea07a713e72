"""Both legs of many bodies at once: where they are, and how hip and knee bring ankles to their goals in closed form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.geometry import quaternions as quat
from gambol.geometry.quaternions import Array
from gambol.geometry.vectors import cross, lengths
from gambol.primitives.layout import Layout
from gambol.stages.feet import SIDES

_STRAIGHT = 0.998
"""Share of its length to which a leg may be stretched."""


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


class Limbs(NamedTuple):
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


def placed(legs: Legs, rotations: Array, places: Array) -> Limbs:
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
    return Limbs(hips, knees, ankles, root, thighs, shanks, feet)


def drops(ways: Array, reach: Array) -> Array:
    """Metres (n, 2) by which hips must come down, or may go up, for ankles on ways (n, 2, 3) to be in reach (2,)."""
    return -ways[..., 2] - np.sqrt(np.maximum(reach**2 - ways[..., 0] ** 2 - ways[..., 1] ** 2, 0.0))


def straight(legs: Legs) -> Array:
    """Metres (2,) from hip to ankle of legs as straight as they may be."""
    return _STRAIGHT * (lengths(legs.bones[:, 1]) + lengths(legs.bones[:, 2]))


def lowered(limbs: Limbs, drop: Array) -> Limbs:
    down = np.zeros((len(drop), 1, 3))
    down[:, 0, 2] = drop
    return limbs._replace(hips=limbs.hips - down, knees=limbs.knees - down, ankles=limbs.ankles - down)


def reached(legs: Legs, limbs: Limbs, rotations: Array, goals: Array, feet: Array) -> Array:
    """Rotations with ankles at goals (n, 2, 3), or as near as straight legs come, and feet (n, 2, 3, 3) as given."""
    upper, lower = lengths(legs.bones[:, 1]), lengths(legs.bones[:, 2])
    thigh, shank, way = limbs.knees - limbs.hips, limbs.ankles - limbs.knees, goals - limbs.hips
    far = lengths(way)
    reach = np.clip(far, 1.001 * np.abs(upper - lower), straight(legs))
    was = np.minimum(lengths(limbs.ankles - limbs.hips), straight(legs))
    opening = _knee(upper, lower, was) - _knee(upper, lower, reach)
    # A straight leg does not say how it bends: the mean pose does.
    axis = cross(thigh, shank) / (upper * lower)[..., None] + 0.02 * (limbs.thighs @ legs.bend[..., None])[..., 0]
    bent = _matrices(quat.about_axis(axis / lengths(axis)[..., None], opening))
    along = thigh + (bent @ shank[..., None])[..., 0]
    swing = _matrices(quat.arc(along, way))
    thighs = swing @ limbs.thighs
    shanks = swing @ bent @ limbs.shanks
    wanted = (thighs, shanks, feet)
    bases = (limbs.root @ legs.between[:, 0], thighs @ legs.between[:, 1], shanks @ legs.between[:, 2])
    local = [base.swapaxes(-1, -2) @ turned for base, turned in zip(bases, wanted, strict=True)]
    out = rotations.copy()
    out[:, legs.joints] = _quaternions(np.stack(local, axis=2))
    return out


def _knee(upper: Array, lower: Array, reach: Array) -> Array:
    """Radians inside the knee when the ankle is `reach` from the hip."""
    return np.arccos(np.clip((upper**2 + lower**2 - reach**2) / (2.0 * upper * lower), -1.0, 1.0))


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
