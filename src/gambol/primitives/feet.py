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

from gambol.geometry.quaternions import Array
from gambol.geometry.vectors import lengths
from gambol.primitives.legs import Legs, drops, lowered, placed, reached, straight

DOWN = 0.5
"""Share of contact from which a point is held."""
_FADE = 0.08
"""Seconds in which what a foot was moved by fades to a third, in the swing."""
_SINK = 0.03
"""Seconds in which a foot that comes down too high or low is brought to the floor by two thirds."""
_LIFT, _HIGHEST = 0.4, 0.04
"""Metres that a foot in the air is lifted for every metre that it still has to go, and at most: none is dragged."""


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


def locked(
    legs: Legs, lock: Lock, rotations: Array, places: Array, contacts: Array, seconds: float
) -> tuple[Lock, Array, Array]:
    """What is held now, and the rotations (n, joints, 4) and places (n, 3) that it takes, `seconds` after the last.

    `rotations` are in the parents' frames, the root's in the world, `places` (n, 3) the root's, `contacts` (n, 4) the
    shares in which left heel and ball and right heel and ball touch.
    """
    limbs = placed(legs, rotations, places)
    weights = np.maximum(contacts.reshape(-1, 2, 2) - DOWN, 0.0)
    touching = weights > 0.0
    kept = touching & lock.held
    arms = (limbs.feet @ legs.soles.transpose(0, 2, 1)).transpose(0, 1, 3, 2)
    fade = np.exp(-seconds / _FADE)
    swinging = ~touching.any(axis=2)
    twist = np.where(swinging, fade * lock.twist, lock.twist)
    twist = np.where(kept.all(axis=2), _turn(arms, lock.anchors), twist)
    upright = about_vertical(twist)
    arms = arms @ upright.transpose(0, 1, 3, 2)
    points = limbs.ankles[:, :, None] + arms
    moved = np.where(swinging[..., None], fade * lock.moved, lock.moved)
    shares = np.where(kept, weights, 0.0)
    total = shares.sum(axis=2)
    off = np.einsum("nsp,nspi->nsi", shares, lock.anchors - points) / np.maximum(total, 1e-12)[..., None]
    moved[..., :2] = np.where((total > 0.0)[..., None], off[..., :2], moved[..., :2])
    up = legs.floor - np.where(touching | swinging[..., None], points[..., 2], np.inf).min(axis=2)
    lifted = np.minimum(_LIFT * lengths(moved[..., :2]), _HIGHEST)
    settled = lock.moved[..., 2] + (np.where(swinging, lifted, up) - lock.moved[..., 2]) * (
        1.0 - np.exp(-seconds / _SINK)
    )
    moved[..., 2] = np.where(swinging, np.maximum(settled, up), settled)
    anchors = np.where(kept[..., None], lock.anchors, points + moved[:, :, None])
    goals = limbs.ankles + moved
    needed = np.where(swinging, 0.0, drops(goals - limbs.hips, straight(legs)))
    drop = np.maximum(needed.max(axis=1), fade * lock.drop)
    turned = reached(legs, lowered(limbs, drop), rotations, goals, upright @ limbs.feet)
    lower = places - np.stack((np.zeros_like(drop), np.zeros_like(drop), drop), axis=1)
    return Lock(touching, anchors, moved, twist, drop), turned, lower


def _turn(arms: Array, anchors: Array) -> Array:
    """Radians (n, 2) from the direction that feet have to the one that their anchors have, about the vertical."""
    here, there = arms[:, :, 1] - arms[:, :, 0], anchors[:, :, 1] - anchors[:, :, 0]
    across = here[..., 0] * there[..., 1] - here[..., 1] * there[..., 0]
    return np.arctan2(across, here[..., 0] * there[..., 0] + here[..., 1] * there[..., 1])


def about_vertical(angles: Array) -> Array:
    """Matrices (n, 2, 3, 3)."""
    out = np.zeros((*angles.shape, 3, 3))
    cos, sin = np.cos(angles), np.sin(angles)
    out[..., 0, 0], out[..., 0, 1], out[..., 1, 0], out[..., 1, 1], out[..., 2, 2] = cos, -sin, sin, cos, 1.0
    return out
