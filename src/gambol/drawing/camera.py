"""Cameras, and the views of a scene that they can be aimed for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from gambol.drawing.shot import View
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import unit_vectors
from gambol.motion.ensemble import Ensemble
from gambol.motion.motion import Motion

_UP = np.array([0.0, 0.0, 1.0])
_TURN = 0.4
"""Angle (rad) from the side of a character to its front, of the three-quarter view."""
_RAISED, _LEVEL, _HIGH = 0.18, 0.08, 0.5
"""Elevation (rad) of the three-quarter view, of side, front and back, and of views of more than two characters."""
_ORBIT = 12.0
"""Seconds of a turn around the characters."""
_STAYS = 0.4
"""Metres below which a motion stays in place."""
_CLOSE = 0.1
"""Least distance (m) between two people for which the camera looks across the line between them."""
_NEAREST = 0.1
"""Least share of the distance to the target at which a point is before the camera."""


@dataclass(frozen=True)
class Camera:
    """A camera that looks along `-toward`; `right` and `up` span the picture. World unit vectors."""

    right: Array
    up: Array
    toward: Array
    target: Array = field(default_factory=lambda: np.zeros(3))
    """The point (m, world) in the middle of the picture."""
    distance: float = np.inf
    """Metres from the target to the camera; infinite for a parallel projection."""

    @classmethod
    def at(cls, side: Array, raise_by: float) -> Camera:
        """Look from a side (horizontal unit vector), from above by an angle (rad) below a right angle."""
        right = np.cross(_UP, side)
        toward = np.cos(raise_by) * side + np.sin(raise_by) * _UP
        return cls(right, np.cross(toward, right), toward)

    @classmethod
    def beside(cls, direction: Array, turn: float = _TURN, raise_by: float = _RAISED) -> Camera:
        """Look at a character that moves along `direction` (horizontal) from its right side, slightly from above."""
        aside = np.array([direction[1], -direction[0], 0.0])
        return cls.at(np.cos(turn) * aside + np.sin(turn) * direction, raise_by)

    def orbit(self, time: float) -> Camera:
        """Return the camera after it has gone around the scene for a time (s)."""
        angle = 2.0 * np.pi * time / _ORBIT
        turn = np.array([[np.cos(angle), np.sin(angle), 0.0], [-np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
        return replace(self, right=self.right @ turn, up=self.up @ turn, toward=self.toward @ turn)

    @property
    def light(self) -> Array:
        """Direction to the light: above, in front of the figures and slightly to the left."""
        light = 0.75 * _UP + 0.45 * self.toward - 0.4 * self.right
        return light / np.linalg.norm(light)

    def depth(self, points: Array) -> Array:
        """Return how much nearer than the target points (..., 3) are, in metres along the line of sight."""
        return (points - self.target) @ self.toward

    def sees(self, points: Array) -> NDArray[np.bool_]:
        """Return which points (..., 3) are before the camera and not next to it."""
        return 1.0 - self.depth(points) / self.distance > _NEAREST

    def project(self, points: Array) -> Array:
        """Return picture coordinates (..., 2) of world points (..., 3), in metres at the target."""
        away = points - self.target
        flat = np.stack((away @ self.right, away @ self.up), axis=-1)
        return flat if np.isinf(self.distance) else flat / (1.0 - self.depth(points) / self.distance)[..., None]


def aim_camera(motions: Ensemble, view: View = "three-quarter") -> Camera:
    """Return a camera for a view of a scene; an orbit starts as the three-quarter view.

    Three-quarter and side look across the direction of travel, or across the line between two people; front and back
    along the direction that the characters face. More than two characters are seen from higher up.
    """
    if view == "top":
        right = choose_direction(motions)
        return Camera(right, np.cross(_UP, right), _UP)
    crowd = len(motions) > 2
    if view in ("three-quarter", "orbit"):
        return Camera.beside(choose_direction(motions), _TURN, _HIGH if crowd else _RAISED)
    level = _HIGH if crowd else _LEVEL
    if view == "side":
        return Camera.beside(choose_direction(motions), 0.0, level)
    facing = _mean_direction([_facing_direction(motion) for motion in motions])
    return Camera.at(facing if view == "front" else -facing, level)


def choose_direction(motions: Ensemble) -> Array:
    """Return the horizontal direction (unit) that a picture shows from left to right.

    It is the direction of travel, for two people the line from one to the other, such that both do not look away.
    """
    if len(motions) == 2:
        one, two = (motion.placement.positions[0, motion.mover] for motion in motions)
        between = (two - one) * [1.0, 1.0, 0.0]
        if np.linalg.norm(between) > _CLOSE:
            between /= np.linalg.norm(between)
            facing = np.mean([_facing_direction(motion) for motion in motions], axis=0)
            return -between if Camera.beside(between, 0.0, 0.0).toward @ facing < -0.5 else between
    return _mean_direction([travel_direction(motion) for motion in motions])


def travel_direction(motion: Motion) -> Array:
    """Return the horizontal direction of travel (unit), or the facing direction if the motion stays in place."""
    path = motion.placement.positions[:, motion.mover] * [1.0, 1.0, 0.0]
    travel = path[-1] - path[0]
    length = float(np.linalg.norm(travel))
    return travel / length if length > _STAYS else _facing_direction(motion)


def _mean_direction(directions: list[Array]) -> Array:
    """Return the mean of unit vectors as one; x if they have nothing in common."""
    mean = np.mean(directions, axis=0)
    length = float(np.linalg.norm(mean))
    return mean / length if length > 0.5 else np.array([1.0, 0.0, 0.0])


def _facing_direction(motion: Motion) -> Array:
    """Return the horizontal direction (unit) that the hips face, on average or else first.

    Of an unknown rig it is the x axis of the root, as robots have it.
    """
    placed = motion.placement
    if motion.rig is None:
        ahead = quat.rotate(placed.rotations[:, 0], np.array([1.0, 0.0, 0.0])) * [1.0, 1.0, 0.0]
    else:
        left, right = (placed.positions[:, motion.rig.parts[f"{side}_thigh"]] for side in ("left", "right"))
        ahead = np.cross(left - right, _UP)
    forward = unit_vectors(ahead)
    mean = forward.mean(axis=0)
    chosen = mean if np.linalg.norm(mean) > 0.5 else forward[0]
    length = float(np.linalg.norm(chosen))
    return chosen / length if length > 1e-6 else np.array([1.0, 0.0, 0.0])
