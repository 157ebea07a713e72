"""A push as a displacement that grows while it lasts: the whole body leans about its standing feet.

The deformation of a single frame (`deform`) is a millimetre, and the next prediction of a learned model removes it.
Here the momentum of the push accumulates and moves the centre of mass away from an unpushed walker by the integral of
momentum / mass. The body follows as a rigid lean about the middle of its support: one foot, or between both feet in
double support. Standing feet stay in place; in flight the body is displaced without leaning.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.arrays import Array
from gambol.poses.targets import PosePrior
from gambol.respond.latent.features import FRAME_TIME
from gambol.respond.latent.points import HEADING, BodyPoints

_HELD = 30.0
"""Weight of standing feet and of the centre of mass; the places of all other points have 1."""
_REFERENCE = 0.05
"""Metres per radian of difference from the joint angles before the lean."""


class PushDrift(NamedTuple):
    """What a push has given to the centre of mass since it began, along the ground."""

    momentum: Array
    """(2,) kg m/s, world axes."""
    displacement: Array
    """(2,) metres."""


NO_DRIFT = PushDrift(np.zeros(2), np.zeros(2))


def accumulate_push(drift: PushDrift, force: Array, mass: float, largest: float = np.inf) -> PushDrift:
    """Return the drift after one more frame with a force (2 or 3,) in newtons on a body of a mass (kg).

    The momentum grows to the `largest` (kg m/s) at most.
    """
    given = FRAME_TIME * force[:2]
    given = given * min(1.0, 10.0 * largest / max(float(np.abs(given).max()), 1e-9))  # whose square is finite
    momentum = drift.momentum + given
    momentum = momentum * min(1.0, largest / max(float(np.linalg.norm(momentum)), 1e-9))
    return PushDrift(momentum, drift.displacement + FRAME_TIME / mass * 0.5 * (drift.momentum + momentum))


def lean_pose(points: BodyPoints, pose: Array, displacement: Array, standing: NDArray[np.bool_]) -> Array:
    """Return a pose (dofs,) whose centre of mass is displaced by (2,) metres along the ground.

    `standing` (4,) says which of `points.FOOT_ENDS` stand; they stay in place.
    """
    distance = float(np.linalg.norm(displacement))
    if distance == 0.0:
        return pose
    feet = points.feet
    seen, _ = points.solver.linearise(pose)
    places, centre = seen[:-3].reshape(-1, 3).copy(), seen[-3:].copy()
    along = np.append(displacement, 0.0)
    reference = pose.copy()
    if standing.any():
        pivot = _find_pivot(places[feet], standing)
        angle, axis = _find_lean(centre - pivot, along)
        turn = _rotate_about(axis, angle)
        moved = pivot + (places - pivot) @ turn.T
        root = pose[:3] + points.character.skeleton.offsets[0] - pivot
        reference[:3] += turn @ root - root
        reference[HEADING : HEADING + 3] += np.linalg.solve(_root_axes(points, pose).T, angle * axis)
    else:
        moved = places + along
        reference[:2] += displacement
    weights = np.vstack((np.ones(places.shape), [_HELD, _HELD, 0.0]))
    held = [foot for foot, stands in zip(feet, standing, strict=True) if stands]
    moved[held], weights[held] = places[held], _HELD
    positions = np.vstack((moved, centre + along))
    return points.solver.solve(reference, positions, weights, PosePrior(reference, _REFERENCE))


def _find_pivot(ends: Array, standing: NDArray[np.bool_]) -> Array:
    """Return the middle (3,) of the feet that stand: the mean of their standing ends, then of the feet."""
    feet = [ends[side][standing[side]].mean(axis=0) for side in (slice(0, 2), slice(2, 4)) if standing[side].any()]
    return np.mean(feet, axis=0)


def _find_lean(arm: Array, along: Array) -> tuple[float, Array]:
    """Return angle (rad) and horizontal axis (3,) of the rotation that moves the end of an arm (3,) by (3,) metres.

    The end moves by that distance over the ground, or as far as the arm reaches.
    """
    distance = float(np.linalg.norm(along))
    behind, up = float(arm @ along) / distance, float(arm[2])
    angle = np.arcsin(min((behind + distance) / np.hypot(behind, up), 1.0)) - np.arctan2(behind, up)
    return float(angle), np.array([-along[1], along[0], 0.0]) / distance


def _rotate_about(axis: Array, angle: float) -> Array:
    """Return the rotation matrix (3, 3) of an angle about a unit axis."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross


def _root_axes(points: BodyPoints, pose: Array) -> Array:
    """Return the world axes (3, 3), one per row, about which the coordinates of the root turn it."""
    turned, axes = np.eye(3), []
    for column in range(HEADING, HEADING + 3):
        own = np.array(points.character.skeleton.dofs[column].axis)
        axes.append(turned @ own)
        turned = turned @ _rotate_about(own, pose[column])
    return np.array(axes)
