"""Find the soles of a robot: the rectangle below the shapes with which its feet touch the ground.

Feet that are not flat on the ground as the robot stands, but on their toes or heels, are pitched until they are.
"""

from __future__ import annotations

import itertools
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gambol.body.jacobians import Jacobians, PlacedPoint
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP, cross, lengths
from gambol.motion.kinematics import Placement
from gambol.stages.feet import SIDES

if TYPE_CHECKING:
    from gambol.robots.biped import Biped

_THICK = 0.01
"""Height (m) above the lowest point of a foot up to which points belong to the sole."""
_PITCHES = np.radians(np.arange(-30.0, 31.0))
"""By which feet are pitched."""
_SMALL = 0.5
"""Share of the largest sole at any pitch below which a sole is an edge of the foot."""
_LENGTH, _WIDTH, _BEHIND, _BELOW = 0.3, 0.13, 0.35, 0.1
"""Of a foot without shapes: length, width, share of the length behind the ankle, and height of the ankle; lengths as
shares of the leg."""


class Foot(NamedTuple):
    """A foot that stands on a rectangle, which has axes ahead, left and up."""

    joint: int
    center: Array
    """(3,) middle of the rectangle in the frame of the joint (m)."""
    half: Array
    """(2,) half of its length and width (m)."""
    rotation: Array
    """(3, 3) from its axes to those of the joint."""

    def place(self, jacobians: Jacobians) -> PlacedPoint:
        """Return the middle of the rectangle, turned as its axes, in a pose."""
        placed = jacobians.place(self.joint, self.center)
        return placed._replace(rotation=placed.rotation @ self.rotation)


def find_foot(biped: Biped, side: str) -> Foot:
    """Return a foot that stands on the rectangle of its file, else on its sole."""
    given = biped.settings.soles
    corners = given[side] if side in given else find_sole(biped, side)
    length, width = corners[2] - corners[0], corners[0] - corners[1]
    ahead, up = length / lengths(length), cross(length, width)
    up = up / lengths(up)
    axes = np.stack((ahead, cross(up, ahead), up), axis=1)
    half = 0.5 * np.array([lengths(length), width @ axes[:, 1]])
    return Foot(biped.places[f"{side}_foot"].joint, 0.5 * (corners[1] + corners[2]), half, axes)


@lru_cache(maxsize=16)
def find_sole(biped: Biped, side: str) -> Array:
    """Return the corners (4, 3) of a sole in the frame of the foot: heel left, heel right, toes left, toes right."""
    if side in biped.soles:
        return biped.soles[side]
    joint = biped.places[f"{side}_foot"].joint
    axes, points = biped.directions, sample_points(biped, joint)
    if not len(points):
        return _express(biped, joint, _estimate(biped, side, *axes))
    local = points @ axes.T
    turn = _find_pitch(local)
    lower, upper = _find_rectangle(quat.rotate(turn, local))
    corners = [(x, y, lower[2]) for x, y in itertools.product((lower[0], upper[0]), (upper[1], lower[1]))]
    return _express(biped, joint, quat.rotate(quat.conjugate(turn), np.array(corners)) @ axes)


def _find_pitch(points: Array) -> Array:
    """Return the rotation (4,) about y that makes a foot flat, none if it is; points (n, 3) are ahead, left and up."""
    turns = quat.from_axis_angle(np.eye(3)[1], np.append(0.0, _PITCHES))
    sizes = [np.ptp(_find_rectangle(quat.rotate(turn, points)), axis=0) for turn in turns]
    areas = np.array([x * y for x, y, _ in sizes])
    return np.asarray(turns[0 if areas[0] > _SMALL * areas.max() else int(areas.argmax())])


def _find_rectangle(points: Array) -> tuple[Array, Array]:
    """Return the least and the largest coordinates of the lowest points (n, 3)."""
    low = points[points[:, 2] < points[:, 2].min() + _THICK]
    return low.min(axis=0), low.max(axis=0)


def level_sole(biped: Biped, side: str) -> Array:
    """Return the corners (4, 3) of a level sole from its middle, facing along x as the robot stands."""
    corners, joint = find_sole(biped, side), biped.places[f"{side}_foot"].joint
    standing = quat.rotate(biped.orient_standing(joint), corners - corners.mean(axis=0))
    return np.asarray(quat.rotate(quat.shortest_arc(find_normals(standing), UP), standing))


def locate_soles(biped: Biped, placed: Placement) -> Array:
    """Return the corners (frames, 2, 4, 3) of the left and the right sole."""
    feet = [biped.places[f"{side}_foot"].joint for side in SIDES]
    soles = np.stack([find_sole(biped, side) for side in SIDES])
    return np.asarray(placed.positions[:, feet, None] + quat.rotate(placed.rotations[:, feet, None], soles))


def find_normals(corners: Array) -> Array:
    """Return the upward unit normals (..., 3) of planes through the corners (..., 4, 3) of soles."""
    normal = cross(corners[..., 2, :] - corners[..., 0, :], corners[..., 0, :] - corners[..., 1, :])
    return np.asarray(normal / lengths(normal)[..., None])


def note_estimates(biped: Biped) -> tuple[str, ...]:
    """Return a note if soles are those of an average foot, as no file gives them and no shape shows them."""
    given = {*biped.soles, *biped.settings.soles}
    feet = [(side, biped.places[f"{side}_foot"].joint) for side in SIDES]
    sides = [side for side, joint in feet if side not in given and not len(sample_points(biped, joint))]
    if not sides:
        return ()
    length, width = 2.0 * find_foot(biped, sides[0]).half
    ankles = f"{' and '.join(sides)} ankle{'s' if len(sides) > 1 else ''}"
    return (f"no shapes below the {ankles}: soles of an average foot are used, {length:.2f} x {width:.2f} m",)


def sample_points(biped: Biped, joint: int) -> Array:
    """Return points (n, 3) of the shapes below a joint as the robot stands, those that touch things if it has any."""
    description = biped.description
    for shapes in (description.collisions, description.visuals):
        found = [
            biped.standing.positions[0, shape.joint] + quat.rotate(biped.standing.rotations[0, shape.joint], points)
            for shape in shapes
            if joint in biped.skeleton.path_to_root(shape.joint) and len(points := shape.sample())
        ]
        if found:
            return np.concatenate(found)
    return np.zeros((0, 3))


def _estimate(biped: Biped, side: str, ahead: Array, left: Array, up: Array) -> Array:
    """Return the corners (4, 3) of the sole of an average foot."""
    leg, ankle = biped.leg_length, biped.locate(f"{side}_foot")
    ends = (-_BEHIND * _LENGTH * leg, (1.0 - _BEHIND) * _LENGTH * leg), (0.5 * _WIDTH * leg, -0.5 * _WIDTH * leg)
    return np.array([ankle + x * ahead + y * left - _BELOW * leg * up for x, y in itertools.product(*ends)])


def _express(biped: Biped, joint: int, points: Array) -> Array:
    turned = quat.conjugate(biped.standing.rotations[0, joint])
    return np.asarray(quat.rotate(turned, points - biped.standing.positions[0, joint]))
