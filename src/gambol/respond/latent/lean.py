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

from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_near
from gambol.geometry.arrays import Array
from gambol.respond.latent.features import FRAME_TIME
from gambol.respond.latent.least_squares import PoseGoal, PoseLeastSquares
from gambol.respond.latent.points import HEADING

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


def accumulate_push(drift: PushDrift, force: Array, mass: float) -> PushDrift:
    """Return the drift after one more frame with a force (2 or 3,) in newtons on a body of a mass (kg)."""
    momentum = drift.momentum + FRAME_TIME * force[:2]
    return PushDrift(momentum, drift.displacement + FRAME_TIME / mass * 0.5 * (drift.momentum + momentum))


def lean_pose(solver: PoseLeastSquares, pose: Array, displacement: Array, standing: NDArray[np.bool_]) -> Array:
    """Return a pose (dofs,) whose centre of mass is displaced by (2,) metres along the ground.

    `standing` (4,) says which of `points.FOOT_ENDS` stand; they stay in place.
    """
    distance = float(np.linalg.norm(displacement))
    if distance == 0.0:
        return pose
    points, feet = solver.points, solver.points.feet
    seen, _ = solver.linearise(pose)
    places, centre = seen[:-3].reshape(-1, 3).copy(), seen[-3:].copy()
    goal_centre = centre + np.append(displacement, 0.0)
    reference = pose.copy()
    if standing.any():
        pivot = _find_pivot(places[feet], standing)
        turn = _lean(centre - pivot, np.append(displacement, 0.0) / distance, distance)
        moved = pivot + quat.rotate(turn, places - pivot)
        reference[:3] = pivot + quat.rotate(turn, pose[:3] + points.character.skeleton.offsets[0] - pivot)
        reference[:3] -= points.character.skeleton.offsets[0]
        reference[HEADING : HEADING + 3] = _turn_root(solver, pose, turn)
    else:
        moved = places + np.append(displacement, 0.0)
        reference[:2] += displacement
    weights = np.ones(places.shape)
    held = [foot for foot, stands in zip(feet, standing, strict=True) if stands]
    moved[held], weights[held] = places[held], _HELD
    along = np.array([_HELD, _HELD, 0.0])
    return solver.solve(reference, PoseGoal(moved, weights, reference, _REFERENCE, goal_centre, along))


def _find_pivot(ends: Array, standing: NDArray[np.bool_]) -> Array:
    """Return the middle (3,) of the feet that stand: the mean of their standing ends, then of the feet."""
    feet = [ends[side][standing[side]].mean(axis=0) for side in (slice(0, 2), slice(2, 4)) if standing[side].any()]
    return np.mean(feet, axis=0)


def _lean(arm: Array, direction: Array, distance: float) -> Array:
    """Return the rotation (4,) about a horizontal axis that moves the end of an arm (3,) along a direction (3,).

    The end moves by `distance` metres along it, or as far as the arm reaches.
    """
    along, up = float(arm @ direction), float(arm[2])
    length = np.hypot(along, up)
    angle = np.arcsin(min((along + distance) / length, 1.0)) - np.arctan2(along, up)
    axis = np.cross([0.0, 0.0, 1.0], direction)
    return quat.from_axis_angle(axis, np.array(angle))


def _turn_root(solver: PoseLeastSquares, pose: Array, turn: Array) -> Array:
    """Return the three angles of the root after a world rotation (4,)."""
    skeleton = solver.points.character.skeleton
    columns = skeleton.columns(0, "turn")
    axes = np.array([skeleton.dofs[column].axis for column in columns])
    own = skeleton.rests[0]
    for axis, angle in zip(axes, pose[columns], strict=True):
        own = quat.multiply(own, quat.from_axis_angle(axis, np.array(angle)))
    local = quat.multiply(quat.conjugate(skeleton.rests[0]), quat.multiply(turn, own))
    return angles_near(axes, local[None], pose[columns][None])[0]
