"""Footprints on level ground, what is on the ground when, and the path of a swinging sole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.geometry.polygons import find_hull
from gambol.geometry.vectors import rotate_plane, unit_vectors

CORNERS = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]])
"""Of a sole, in half lengths and widths."""


class Footprint(NamedTuple):
    """Where a sole is on the ground."""

    side: int
    """0: left, 1: right."""
    x: float
    y: float
    """Of the middle of the sole (m)."""
    heading: float
    """Radians."""

    @property
    def place(self) -> Array:
        """(3,) x, y and heading."""
        return np.array([self.x, self.y, self.heading])

    @property
    def rotation(self) -> Array:
        """(2, 2) from the axes of the sole to the world."""
        return rotate_plane(self.heading)


class Support(NamedTuple):
    """What is on the ground for some samples."""

    samples: int
    footprints: tuple[Footprint, ...]
    """One or two that are known; none: the next step, which is to be planned."""


class Swing(NamedTuple):
    """(3,) x, y and heading of a sole in the air, with their rates, and the rates of these."""

    place: Array
    rate: Array
    acceleration: Array

    @classmethod
    def lift(cls, footprint: Footprint) -> Swing:
        """Return the state of a sole that leaves the ground."""
        return cls(footprint.place, np.zeros(3), np.zeros(3))

    def approach(self, goal: Array, remaining: float, seconds: float) -> Swing:
        """Return the state after some seconds on the polynomial of degree 5 that rests at a goal in time."""
        if remaining <= seconds:
            return Swing(goal, np.zeros(3), np.zeros(3))
        position, rate, acceleration = self
        way, first, second = goal - position, rate * remaining, acceleration * remaining**2
        cubic = 10.0 * way - 6.0 * first - 1.5 * second
        quartic = -15.0 * way + 8.0 * first + 1.5 * second
        quintic = 6.0 * way - 3.0 * first - 0.5 * second
        s = seconds / remaining
        return Swing(
            position + s * first + s**2 * second / 2.0 + s**3 * cubic + s**4 * quartic + s**5 * quintic,
            (first + s * second + 3.0 * s**2 * cubic + 4.0 * s**3 * quartic + 5.0 * s**4 * quintic) / remaining,
            (second + 6.0 * s * cubic + 12.0 * s**2 * quartic + 20.0 * s**3 * quintic) / remaining**2,
        )


def find_support_polygon(footprints: Sequence[Footprint], half: Array) -> tuple[Array, Array]:
    """Return normals (edges, 2) and limits (edges,) of the convex hull of soles with half lengths and widths (2,)."""
    corners = np.vstack([foot.place[:2] + (CORNERS * half) @ foot.rotation.T for foot in footprints])
    hull = find_hull(corners)
    normals = unit_vectors((np.roll(hull, -1, axis=0) - hull) @ rotate_plane(0.5 * np.pi))
    return normals, np.sum(normals * hull, axis=1)
