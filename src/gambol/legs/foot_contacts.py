"""Where heels, balls and hands come to rest in a clip, and the ground below them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gambol.geometry.arrays import Array
from gambol.stages.feet import BodyPoint


@dataclass(frozen=True, eq=False)
class FootContact:
    """A heel, a ball or a hand that stays in one place."""

    point: BodyPoint
    first: int
    last: int
    place: Array
    """(3,) metres"""
    ahead: Array
    """(3,) unit vector over the floor along the foot"""
    held: bool = True
    """Whether it stays; else it pushes and slides."""

    @property
    def frames(self) -> slice:
        """Of the clip."""
        return slice(self.first, self.last + 1)


@dataclass(frozen=True)
class Floor:
    """A plane that is nearly level."""

    height: float
    slope: tuple[float, float] = (0.0, 0.0)

    def at(self, places: Array) -> Array:
        """Heights (...,) under places (..., 2 or 3)."""
        return self.height + places[..., :2] @ np.array(self.slope)


def find_ground_heights(way: Array, rests: Sequence[FootContact], floor: Floor) -> Array:
    """(frames,) heights below the way (frames, 3) of a foot: of the lower of the grounds it came from and goes to."""
    if not rests:
        return floor.at(way)
    before, after = np.full(len(way), np.inf), np.full(len(way), np.inf)
    for rest in sorted(rests, key=lambda r: r.first):
        before[rest.first :] = rest.place[2] - floor.at(rest.place)
    for rest in sorted(rests, key=lambda r: -r.last):
        after[: rest.last + 1] = rest.place[2] - floor.at(rest.place)
    return floor.at(way) + np.minimum(before, after)
