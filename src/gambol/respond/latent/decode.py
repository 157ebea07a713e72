"""Poses from features: the pose nearest to the points of a feature vector, with feet that stand where they stand.

YL10 solves for the pose together with its latent position; here the features come first and the pose follows in real
time. The place advances by the velocity of the features. What points do not show follows a linear regression from the
features to the coordinates of the training poses. Heels and balls that are low and slow are locked in place, with
hysteresis; the distance between a locked foot and its features fades after the foot has left the ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.assumptions import TOUCH_SPEED
from gambol.errors import InputError
from gambol.geometry.arrays import Array, check_shapes
from gambol.legs.expressions import SWING_FADE
from gambol.poses.targets import PosePrior
from gambol.respond.latent.features import FRAME_TIME, FeatureLayout, GroundPlace, advance_place
from gambol.respond.latent.points import HEADING

_LEAVE_SPEED = 0.4
"""Speed (m/s) above which a low point of a foot ends to stand; it begins below TOUCH_SPEED."""
_TOUCH_HEIGHT, _LEAVE_HEIGHT = 0.03, 0.04
"""Heights (m) above the lowest decile of the training poses, likewise."""
_FARTHEST = 0.1
"""Distance (m) between a locked point and its features at which the lock opens."""
_LOCK = 30.0
"""Weight of the places of locked points; all other points have 1."""
_REFERENCE = 0.05
"""Metres per radian: 1 degree from the regression counts as 0.9 mm."""
_NOISE = 0.002
"""Standard deviation (m, rad) of the features of a pose, for the regression."""


class PoseBase(NamedTuple):
    """A known pose from which the regression counts."""

    features: Array
    """(n,) of one pose."""
    coordinates: Array
    """(dofs - 3,) that do not depend on place and heading."""


class DecodedPose(NamedTuple):
    """A pose and its standing feet. Points are in the order of `points.FOOT_ENDS`."""

    pose: Array
    """(dofs,)."""
    place: GroundPlace
    """By the velocities of the features alone; locked feet shift the pose from it by millimetres."""
    standing: NDArray[np.bool_]
    """(4,)."""
    anchors: Array
    """(4, 2) metres: where the points should be; those that stand stay there."""
    shift: Array
    """(4, 2) metres from the places of the features to the places of the pose."""


@dataclass(frozen=True, eq=False)
class PoseDecoder:
    """Finds the poses of feature vectors; made by `learn_decoder`."""

    layout: FeatureLayout
    mean: Array
    """(n,) mean features of the training poses, and (dofs - 3,) mean of their free coordinates."""
    mean_coordinates: Array
    regression: Array
    """(n, dofs - 3) from features to coordinates."""
    floor: Array
    """(4,) metres: the lowest decile of the heights of the foot points, and their lowest height."""
    lowest: Array

    def __post_init__(self) -> None:
        size, free = self.layout.pose_size, len(self.layout.free)
        check_shapes(self, mean=(size,), mean_coordinates=(free,), regression=(size, free), floor=(4,), lowest=(4,))

    def start(self, pose: Array, standing: NDArray[np.bool_] | None = None) -> DecodedPose:
        """Return the state at a pose (dofs,), with the points of its feet that stand (4,) locked where they are."""
        points = self.layout.points
        anchors = points.locate(pose[None])[0][0, points.feet, :2]
        stands = np.zeros(4, dtype=bool) if standing is None else standing
        return DecodedPose(pose, self.layout.locate(pose), stands, anchors, np.zeros((4, 2)))

    def regress(self, features: Array, place: GroundPlace, base: PoseBase | None = None) -> Array:
        """Return the pose (dofs,) that a regression gives for the features (n,) of a pose, from the mean or a base."""
        known = PoseBase(self.mean, self.mean_coordinates) if base is None else base
        pose = np.zeros(len(self.layout.character.skeleton.dofs))
        pose[self.layout.free] = known.coordinates + (features - known.features) @ self.regression
        pose[HEADING] = place.heading
        _, centre = self.layout.points.locate(pose[None])
        pose[:2] = [place.x, place.y] - centre[0, :2]
        return pose

    def find_nearest(self, features: Array, place: GroundPlace) -> Array:
        """Return the pose (dofs,) nearest to the features (n,) of one pose, at a place; no foot is locked."""
        reference = self.regress(features, place)
        places = self.locate(features, place)
        solver = self.layout.points.solver
        return solver.solve(reference, places, np.ones(places.shape), PosePrior(reference, _REFERENCE))

    def locate(self, features: Array, place: GroundPlace) -> Array:
        """Return world positions (points, 3) in metres of the features (n,) of one pose."""
        if self.layout.kind == "angles":
            return self.layout.points.locate(self.regress(features, place)[None])[0][0]
        return place.to_world(features.reshape(-1, 3))


def learn_decoder(layout: FeatureLayout, poses: Sequence[Array]) -> PoseDecoder:
    """Learn the decoder from training poses, an array (frames, dofs) per clip."""
    q = np.concatenate(poses)
    features, free = layout.describe(q), q[:, layout.free]
    mean, mean_coordinates = features.mean(axis=0), free.mean(axis=0)
    centred = features - mean
    matrix = centred.T @ centred + len(q) * _NOISE**2 * np.eye(features.shape[1])
    heights = layout.points.locate(q)[0][:, layout.points.feet, 2]
    return PoseDecoder(
        layout,
        mean,
        mean_coordinates,
        np.linalg.solve(matrix, centred.T @ (free - mean_coordinates)),
        np.quantile(heights, 0.1, axis=0),
        heights.min(axis=0),
    )


def decode_pose(decoder: PoseDecoder, state: DecodedPose, features: Array, base: PoseBase | None = None) -> DecodedPose:
    """Return the pose of a feature vector (D,), one frame after a state; `base` is a known pose like it."""
    layout, points = decoder.layout, decoder.layout.points
    parts = layout.split(features)
    if not np.isfinite(features).all():
        raise InputError("the features are not finite numbers")
    place = advance_place(state.place, parts.velocity)
    reference = decoder.regress(parts.now, place, base)
    places = decoder.locate(parts.now, place)
    feet = places[points.feet]
    velocity = (feet - decoder.locate(parts.before, state.place)[points.feet]) / FRAME_TIME
    standing = _find_standing(decoder, state.standing, feet[:, 2], np.linalg.norm(velocity, axis=1))
    stays = standing & state.standing
    shift = np.where(stays[:, None], state.anchors - feet[:, :2], np.exp(-FRAME_TIME / SWING_FADE) * state.shift)
    other = [1, 0, 3, 2]
    # The free end of a foot moves with the end that stands.
    shift = np.where((stays[other] & ~stays)[:, None], shift[other], shift)
    standing &= np.linalg.norm(shift, axis=1) < _FARTHEST
    places[points.feet, :2] += shift
    places[points.feet, 2] = np.maximum(feet[:, 2], decoder.lowest)
    weights = np.ones(places.shape)
    weights[points.feet] = np.where(standing, _LOCK, 1.0)[:, None]
    pose = points.solver.solve(reference, places, weights, PosePrior(reference, _REFERENCE))
    return DecodedPose(pose, place, standing, feet[:, :2] + shift, shift)


def _find_standing(decoder: PoseDecoder, stood: NDArray[np.bool_], heights: Array, speeds: Array) -> NDArray[np.bool_]:
    above = heights - decoder.floor
    speed, height = np.where(stood, _LEAVE_SPEED, TOUCH_SPEED), np.where(stood, _LEAVE_HEIGHT, _TOUCH_HEIGHT)
    return (speeds < speed) & (above < height)
