"""Unknown footholds: the places of contacts shift in a plane and turn about its normal together."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP

_MAX_YAW = np.pi / 3.0
"""Radians. The constraints of a foot are written in the axes of its nominal place and become dependent at 90°."""

FREE_SHIFT_COST = 0.02
"""Cost per square metre of the shift of a foothold that is free; it decides only where nothing else does."""


@dataclass(frozen=True, eq=False)
class Foothold:
    """An unknown place, shared by all contacts that refer to it; they keep their positions relative to it."""

    place: Array
    """(3,) metres, world: where the contacts are at their given places."""
    lower: Array = field(default_factory=lambda: np.full(2, -np.inf))
    upper: Array = field(default_factory=lambda: np.full(2, np.inf))
    """(2,) bounds in metres from `place` along the axes of the plane; those of a level plane are the world's x, y."""
    start: Array = field(default_factory=lambda: np.zeros(2))
    """(2,) metres from `place` along the axes at which the search begins."""
    preferred: Array | None = None
    """(3,) metres, world: the place of least cost; None for `place`."""
    weight: float = 1.0
    """Cost per square metre from the preferred place."""
    yaw: float = 0.0
    """Largest turn to either side about the normal (rad), at most 60 degrees."""
    yaw_weight: float = 1.0
    """Cost per square radian."""
    normal: Array = field(default_factory=lambda: UP)

    def __post_init__(self) -> None:
        if not 0.0 <= self.yaw <= _MAX_YAW:
            raise InputError(f"the yaw of a foothold is {np.degrees(self.yaw):.0f} degrees", fix="0 to 60 degrees")
        if not (np.shape(self.lower) == np.shape(self.upper) == (2,) and (self.lower < self.upper).all()):
            raise InputError(
                f"the bounds of a foothold are {self.lower} and {self.upper}", fix="two arrays (2,) with lower < upper"
            )

    @property
    def axes(self) -> Array:
        """(2, 3) unit vectors in the plane, as rows."""
        return find_plane_axes(self.normal)

    def move(self, places: Array, values: Array) -> Array:
        """Return the places (n, 3) of a contact for a shift (2,) along the axes and, if it may turn, a yaw (rad)."""
        moved = places + values[:2] @ self.axes
        if self.yaw:
            flat, across = self.arms(places)
            moved = moved + (np.cos(values[2]) - 1.0) * flat + np.sin(values[2]) * across
        return np.asarray(moved)

    def arms(self, places: Array) -> tuple[Array, Array]:
        """Return the arms (n, 3) of places in the plane, and the same turned by 90 degrees."""
        arms = places - self.place
        return arms - np.outer(arms @ self.normal, self.normal), np.cross(self.normal, arms)


def find_plane_axes(normal: Array) -> Array:
    """Return two unit vectors (2, 3), as rows, in the plane with a normal (3,); x and y for a level one."""
    along = np.array([1.0, 0.0, 0.0]) - normal[0] * normal
    if np.linalg.norm(along) < 0.1:
        along = np.cross((0.0, 1.0, 0.0), normal)
    along = along / np.linalg.norm(along)
    return np.array([along, np.cross(normal, along)])
