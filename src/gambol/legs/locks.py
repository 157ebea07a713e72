"""Lock feet in place during contacts, for many walkers at once, frame by frame.

Blended and steered steps move the feet on the floor by millimetres to centimetres. A heel or ball is anchored where it
first touches; during the contact the ankle is shifted so that the point stays there, and while both touch, the foot
also keeps its direction. The shift of the ankle fades out in the following swing. Hip and knee place the ankle in
closed form, and the foot keeps its pitch and roll; if a leg is too short, the body is lowered (`expressions`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.legs.expressions import SETTLE_TIME, SWING_FADE
from gambol.legs.rig import RigLegs, run_legs


class FootLock(NamedTuple):
    """The state of the foot locks of n walkers."""

    feet: Array
    """(n, 24), left and right: whether heel and ball are locked, their anchors, the ankle's shift, the foot's twist."""
    drop: Array
    """(n,) metres by which each body is lowered."""

    @staticmethod
    def none(count: int) -> FootLock:
        """Return a state in which no foot is locked."""
        return FootLock(np.zeros((count, 24)), np.zeros(count))


class RootGoals(NamedTuple):
    """Target positions and headings of the roots."""

    places: Array
    """(n, 3) metres: x and y of the path, height of the root."""
    headings: Array
    """(n,) radians."""
    sway: Array
    """(n, 2) metres by which the root is ahead of the path point and to its left."""


class LockedPose(NamedTuple):
    """Poses with locked feet, in the world."""

    root: Array
    """(n, 4) rotations of the roots."""
    places: Array
    """(n, 3) positions of the roots in metres."""
    joints: Array
    """(n, 2, 3, 4) rotations of thighs, shanks and feet in their parents' frames."""


def lock_feet(
    legs: RigLegs, lock: FootLock, rotations: Array, roots: RootGoals, contacts: Array, seconds: float
) -> tuple[FootLock, LockedPose]:
    """Advance the locks by `seconds`; return the new state and the poses.

    `rotations` (n, joints, 4) are in the parents' frames, those of the roots relative to the headings. `contacts`
    (n, 4) are graded contacts of left heel, left ball, right heel, right ball (0 to 1).
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
    state = FootLock(feet.copy(), drop[:, 0].copy())
    return state, LockedPose(root, places, joints.reshape(count, 2, 3, 4))
