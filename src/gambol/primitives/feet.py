"""Feet that stay where they stand, for many walkers at once, frame by frame.

Blended and steered steps move the feet on the floor by millimetres to centimetres. A point of a foot, heel or ball, is
anchored where it first touches; while it touches, the ankle is moved so that it stays there, and while both touch the
foot also keeps its direction. What the ankle was moved by fades in the swing that follows. Hip and knee bring the ankle
there in closed form, and the foot keeps its attitude; where a leg is too short the body comes down (`leg_expressions`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gambol.geometry.quaternions import Array
from gambol.primitives.legs import Legs
from gambol.solve.compiled import Runner, compiled


class Lock(NamedTuple):
    """What the feet of n walkers hold on to."""

    feet: Array
    """(n, 24), left and right: whether heel and ball are held, where, what the ankle is moved by, the foot's twist."""
    drop: Array
    """(n,) metres that each body is lowered by."""

    @staticmethod
    def none(count: int) -> Lock:
        """Nothing held."""
        return Lock(np.zeros((count, 24)), np.zeros(count))


def locked(
    legs: Legs, lock: Lock, rotations: Array, places: Array, contacts: Array, seconds: float
) -> tuple[Lock, Array, Array]:
    """What is held now, and the rotations (n, joints, 4) and places (n, 3) that it takes, `seconds` after the last.

    `rotations` are in the parents' frames, the root's in the world, `places` (n, 3) the root's, `contacts` (n, 4) the
    shares in which left heel and ball and right heel and ball touch.
    """
    count, out, lower = len(rotations), rotations.copy(), places.copy()
    turned, feet, drop = _runner(count).run(
        rotations[:, 0],
        places,
        rotations[:, legs.joints].reshape(count, 24),
        contacts,
        lock.feet,
        lock.drop[:, None],
        seconds,
        legs.measures,
        legs.floor,
    )
    out[:, legs.joints] = turned.reshape(count, 2, 3, 4)
    lower[:, 2] -= drop[:, 0]
    return Lock(feet.copy(), drop[:, 0].copy()), out, lower


@lru_cache(maxsize=8)
def _runner(batch: int) -> Runner:
    from gambol.primitives.leg_expressions import held_legs

    return Runner(compiled(held_legs()), batch, shared=(6, 7, 8))
