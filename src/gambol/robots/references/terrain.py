"""Heights of the ground below the footholds of a motion: stairs, stepping stones, slopes.

Heights go with the distance along the way, not with the place: a way that crosses itself at two heights is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array

_SAME = 0.02
"""Metres by which footholds on top of each other may differ in height."""


class SoleStance(NamedTuple):
    """A foot that rests."""

    side: str
    first: int
    last: int
    """Frames."""
    nearest: int
    """Frame in which the hips are nearest to it."""


class StancePlace(NamedTuple):
    """Where a stance is on the new way."""

    place: Array
    """(2,) of the middle of the sole (m)."""
    heel: float
    toes: float
    """Metres along the way of the end and the front of the sole."""

    @property
    def middle(self) -> float:
        """Metres along the way."""
        return 0.5 * (self.heel + self.toes)


class Stairs(NamedTuple):
    """Steps of equal heights across the way."""

    edges: Array
    """(steps,) metres along the way at which they begin."""
    rise: float

    def find_heights(self, distances: Array) -> Array:
        """Return the heights of the ground (m) at distances along the way."""
        return np.asarray(self.rise * np.searchsorted(self.edges, distances))


def lay_stairs(footholds: Sequence[StancePlace], rise: float) -> tuple[Stairs, Array]:
    """Return stairs with one step for every foothold that is a sole farther than the one before, and its heights."""
    order = sorted(range(len(footholds)), key=lambda n: footholds[n].heel)
    edges: list[float] = []
    number, toes = np.zeros(len(footholds), dtype=int), footholds[order[0]].toes
    for n in order:
        if footholds[n].heel > toes:
            edges.append(0.5 * (toes + footholds[n].heel))
        toes = max(toes, footholds[n].toes)
        number[n] = len(edges)
    if not edges:
        raise InputError("no step is longer than the sole: there is no room for stairs", fix="use longer strides")
    return Stairs(np.array(edges), rise), rise * number


def lay_stones(footholds: Sequence[StancePlace], most: float, random: np.random.Generator) -> Array:
    """Return random heights (m) up to `most` above or below the ground; a place that is used again keeps its height."""
    heights = random.uniform(-most, most, len(footholds))
    for n, one in enumerate(footholds):
        near = (k for k in range(n) if _overlap(one, footholds[k]))
        heights[n] = heights[next(near, n)]
    return heights


def check_crossings(footholds: Sequence[StancePlace], heights: Array) -> None:
    """Refuse footholds on top of each other at different heights."""
    for n, one in enumerate(footholds):
        for k in range(n):
            if abs(heights[n] - heights[k]) > _SAME and _overlap(one, footholds[k]):
                raise InputError(
                    f"the way crosses itself at two heights, {heights[k]:.2f} and {heights[n]:.2f} m",
                    fix="cut the clip, or leave terrain out",
                )


def _overlap(one: StancePlace, other: StancePlace) -> bool:
    near = 0.5 * min(one.toes - one.heel, other.toes - other.heel)
    return bool(np.linalg.norm(one.place - other.place) < near)
