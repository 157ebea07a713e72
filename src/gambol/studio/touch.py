"""Where a mouse touches a figure.

The browser says which shape is meant and along which ray, or at which point, as it saw the figure some moments ago.
The figure has moved since: what it says is brought onto the shape where that is now.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import Placement
from gambol.motion.pushes import check_vector
from gambol.motion.shapes import Segments
from gambol.motion.skeleton import Vector


def carrying_body(character: Character, bodies: Sequence[str], joint: int) -> str:
    """Which of the bodies a joint belongs to: its own, or the nearest one towards the root; else the first."""
    names = [character.skeleton.names[above] for above in character.skeleton.path_to_root(joint)]
    return next((name for name in names if name in bodies), bodies[0])


def nearest_point(segments: Segments, shape: int, placed: Placement, point: Vector) -> Vector:
    """The point itself where it lies in a shape, else about the nearest one of the shape."""
    unit = _Unit(segments, shape, placed)
    inside = unit.place(np.array(check_vector(point, "a point")))
    return unit.back(inside / max(1.0, float(np.linalg.norm(inside))))


def struck_point(segments: Segments, shape: int, placed: Placement, origin: Vector, direction: Vector) -> Vector:
    """Where a ray enters a shape; where it passes by, about the nearest point of the shape."""
    unit = _Unit(segments, shape, placed)
    start, along = (
        unit.place(np.array(check_vector(origin, "a point"))),
        unit.turn(np.array(check_vector(direction, "a direction"))),
    )
    length = np.linalg.norm(along)
    if not (np.isfinite(length) and length > 0.0):
        raise InputError(f"a ray along {list(direction)} has no direction", fix="three numbers that are not all zero")
    along /= length
    middle = start - along * (start @ along)
    off = float(np.linalg.norm(middle))
    return unit.back(middle / off if off >= 1.0 else middle - along * np.sqrt(1.0 - off**2))


class _Unit:
    """A frame in which a shape is a ball of radius 1."""

    def __init__(self, segments: Segments, shape: int, placed: Placement) -> None:
        joint = segments.joints[shape]
        turned = placed.rotations[joint]
        self._center = placed.positions[joint] + quat.rotate(turned, segments.centers[shape])
        self._turn = quat.multiply(turned, segments.rotations[shape])
        self._radii = segments.radii[shape]

    def turn(self, vector: Array) -> Array:
        return quat.rotate(quat.conjugate(self._turn), vector) / self._radii

    def place(self, point: Array) -> Array:
        return self.turn(point - self._center)

    def back(self, point: Array) -> Vector:
        x, y, z = self._center + quat.rotate(self._turn, point * self._radii)
        return float(x), float(y), float(z)
