"""Feet that stay where they stand, for many walkers at once, frame by frame.

Blended and steered steps move the feet on the floor by millimetres to centimetres. A point of a foot, heel or ball, is
anchored where it first touches; while it touches, the ankle is moved so that it stays there, and while both touch the
foot also keeps its direction. What the ankle was moved by fades in the swing that follows. Hip and knee bring the ankle
there in closed form, and the foot keeps its attitude; where a leg is too short the body comes down (`expressions`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.legs.expressions import SWING_FADE, SETTLE_TIME
from gambol.legs.rig import RigLegs, run_legs


class FootLock(NamedTuple):
    """What the feet of n walkers hold on to."""

    feet: Array
    """(n, 24), left and right: whether heel and ball are held, where, what the ankle is moved by, the foot's twist."""
    drop: Array
    """(n,) metres that each body is lowered by."""

    @staticmethod
    def none(count: int) -> FootLock:
        """Nothing held."""
        return FootLock(np.zeros((count, 24)), np.zeros(count))


class RootGoals(NamedTuple):
    """Where roots are to be."""

    places: Array
    """(n, 3) metres: where the way is, and how high the root."""
    headings: Array
    """(n,) radians."""
    sway: Array
    """(n, 2) metres by which the root is ahead of the way and to its left."""


class LockedPose(NamedTuple):
    """Bodies that stand on what they hold, in the world."""

    root: Array
    """(n, 4) rotations of the roots."""
    places: Array
    """(n, 3) metres, of the roots."""
    joints: Array
    """(n, 2, 3, 4) rotations of thighs, shanks and feet in their parents' frames."""


def lock_feet(
    legs: RigLegs, lock: FootLock, rotations: Array, roots: RootGoals, contacts: Array, seconds: float
) -> tuple[FootLock, LockedPose]:
    """What is held now, `seconds` after the last, and how bodies stand then.

    `rotations` (n, joints, 4) are in the parents' frames, the root's seen from the way, and `contacts` (n, 4) the
    shares in which left heel and ball and right heel and ball touch.
    """
    count = len(rotations)
    root, places, joints, feet, drop = run_legs(
        "lock_legs",
        rotations[:, 0],
        roots.places,
        roots.headings[:, None],
        roots.sway,
        rotations[:, legs.joints].reshape(count, 24),
        contacts,
        lock.feet,
        lock.drop[:, None],
        legs.measures,
        np.exp(-seconds / SWING_FADE),
        1.0 - np.exp(-seconds / SETTLE_TIME),
        legs.floor,
    )
    held = FootLock(feet.copy(), drop[:, 0].copy())
    return held, LockedPose(root, places, joints.reshape(count, 2, 3, 4))
