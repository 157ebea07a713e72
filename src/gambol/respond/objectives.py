"""Additional objectives of a pushed character (YL08, section 5): keep a cup upright, look at something, avoid contact.

An objective is a function from a `PoseView` to an `ObjectiveResidual`: errors, their Jacobian, and the stiffness and
damping that reduce them. Objectives act on actuated coordinates only, walls on all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.pushes import check_vector
from gambol.motion.skeleton import Vector
from gambol.respond.objective import Objective, ObjectiveResidual, PoseView

_UP = np.array([0.0, 0.0, 1.0])


def upright(body: str, axis: Vector, stiffness: float = 4000.0, damping: float = 60.0) -> Objective:
    """Keep an axis of a body, such as a cup's in a hand, pointing up."""
    along = _unit(axis)

    def rows(look: PoseView) -> ObjectiveResidual:
        joint = look.character.body(body)
        tilt = np.cross(look.turn(joint) @ along, _UP)
        return ObjectiveResidual(look.spin(joint)[:2], -tilt[:2], stiffness, damping)

    return rows


def look_at(place: Vector, body: str = "head", axis: Vector = (1.0, 0.0, 0.0), stiffness: float = 200.0) -> Objective:
    """Turn an axis of a body towards a point of the world (m)."""
    along, goal = _unit(axis), np.array(check_vector(place, "a place"))

    def rows(look: PoseView) -> ObjectiveResidual:
        joint = look.character.body(body)
        direction = goal - look.place(joint, np.zeros(3))
        away = np.cross(look.turn(joint) @ along, direction / np.linalg.norm(direction))
        return ObjectiveResidual(look.spin(joint), -away, stiffness, 0.1 * stiffness)

    return rows


_GIVE = 0.002
"""Ratio (s) of a wall's damping to its stiffness; more would hold back what leaves the wall."""
Distance = Callable[[Array], tuple[float, Array]]
"""From a point (3,) to its signed distance from an obstacle (m, negative inside) and the outward normal (3,)."""


@dataclass(frozen=True)
class Obstacle:
    """A capsule, or a sphere where both ends are equal."""

    start: Vector
    end: Vector
    radius: float

    def __call__(self, place: Array) -> tuple[float, Array]:
        """Return the signed distance and the outward normal."""
        first, along = np.array(self.start), np.array(self.end) - np.array(self.start)
        share = np.clip((place - first) @ along / max(along @ along, 1e-12), 0.0, 1.0)
        return _out_of(place - first - share * along, self.radius)


@dataclass(frozen=True)
class Box:
    """An axis-aligned box."""

    low: Vector
    high: Vector

    def __call__(self, place: Array) -> tuple[float, Array]:
        """Return the signed distance and the outward normal."""
        nearest = np.clip(place, self.low, self.high)
        if (nearest != place).any():
            return _out_of(place - nearest, 0.0)
        gaps = np.concatenate((place - np.array(self.low), np.array(self.high) - place))
        side = int(np.argmin(gaps))
        return -float(gaps[side]), np.where(np.arange(3) == side % 3, -1.0 if side < 3 else 1.0, 0.0)


def keep_out(
    body: str,
    obstacle: Distance,
    point: Vector | None = None,
    reach: float = 0.12,
    wish: float = 1500.0,
    wall: float = 2e4,
) -> Objective:
    """Keep a point of a body out of an obstacle: avoid it within `reach` (m), and push it out where it still enters."""

    def rows(look: PoseView) -> ObjectiveResidual:
        joint = look.character.body(body)
        local = look.character.centers[joint] if point is None else np.array(point)
        far, out = obstacle(look.place(joint, local))
        row = (out @ look.velocity(joint, local))[None]
        if far < 0.0:
            return ObjectiveResidual(row, np.array([far]), wall, _GIVE * wall, outside=True)
        near = np.clip(1.0 - far / reach, 0.0, 1.0) ** 2
        return ObjectiveResidual(row, np.array([far - reach]), wish * near, 0.05 * wish * near)

    return rows


def _out_of(way: Array, radius: float) -> tuple[float, Array]:
    length = float(np.linalg.norm(way))
    return length - radius, way / length if length > 1e-9 else _UP


def _unit(axis: Vector) -> Array:
    length = np.linalg.norm(check_vector(axis, "an axis"))
    if length == 0.0:
        raise InputError("an axis needs a direction", fix="three numbers that are not all zero")
    return np.array(axis) / length
