"""Poses from features: the pose nearest to the points of a feature vector, with feet that stand where they stand.

YL10 solves for the pose together with its latent position; here the features come first and the pose follows in real
time. The place advances by the velocity of the features. What points do not show follows a linear regression from the
features to the coordinates of the training poses. Heels and balls that are low and slow are locked in place, with
hysteresis; the distance between a locked foot and its features fades after the foot has left the ground.

Features of a push are multiplied by its strength, and then they may be those of no pose. So joints stay near those of
the training poses, knees extend as in the normal walk, swinging feet move no faster than in hurried steps, and a leg
that swings passes the other at the least distance of the training poses. Where features of successive frames do not
agree on where a standing foot is, as where a response fades, the body moves instead of the foot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.assumptions import TOUCH_SPEED
from gambol.errors import InputError
from gambol.geometry.arrays import Array, check_shapes
from gambol.geometry.segments import find_nearest_points, measure_gaps
from gambol.legs.expressions import SWING_FADE
from gambol.legs.two_bone import MIN_FLEXION
from gambol.poses.compiled import PoseLimits
from gambol.poses.targets import PosePrior
from gambol.respond.latent.features import FRAME_TIME, FeatureLayout, GroundPlace, advance_place
from gambol.respond.latent.points import FIRST_JOINT_DOF, HEADING, BodyPoints
from gambol.stages.feet import SIDES

_LEAVE_SPEED = 0.4
"""Speed (m/s) above which a low point of a foot ends to stand; it begins below TOUCH_SPEED."""
_TOUCH_HEIGHT, _LEAVE_HEIGHT = 0.03, 0.04
"""Heights (m) above the lowest decile of the training poses, likewise."""
_FARTHEST = 0.1
"""Distance (m) between a locked point and its features at which the lock opens."""
_LOCK = 30.0
"""Weight of the places of locked points; all other points have 1."""
_MARGIN = np.radians(10.0)
"""Angle (rad) by which joints may go beyond those of the training poses: feet that sink or part bend other joints."""
_PAID = 0.07
"""Share of what it owes to standing feet that a body moves in a frame; all at once would undo the push."""
_HURRIED = 1.35
"""Speed of swinging feet relative to the fastest of the normal walk, at most: a step is quickened by a third."""
_LEG_SEGMENTS = (("shank", "heel"), ("heel", "ball"))
"""Points of a leg between which it may not touch the other."""
_AHEAD = 3.0
"""Frames before legs meet in which the one that swings is moved aside."""
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
    owed: Array
    """(4, 2) metres of it that the body should move instead: all but what standing feet slide in the features."""


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
    ranges: Array
    """(2, dofs - 6) least and largest angles (rad) of the joints in training; knees extend as in the normal walk."""
    fastest: float
    """Speed (m/s) over the ground that feet do not exceed."""
    legs_apart: float
    """Least distance (m) of the legs in the training poses."""

    def __post_init__(self) -> None:
        size, free = self.layout.pose_size, len(self.layout.free)
        check_shapes(
            self,
            mean=(size,),
            mean_coordinates=(free,),
            regression=(size, free),
            floor=(4,),
            lowest=(4,),
            ranges=(2, free - 3),
        )

    @cached_property
    def limits(self) -> PoseLimits:
        """Least and largest coordinates of all poses."""
        limits = PoseLimits(*(one.copy() for one in self.layout.points.solver.limits))
        limits.lower[FIRST_JOINT_DOF:], limits.upper[FIRST_JOINT_DOF:] = self.ranges
        return limits

    def start(self, pose: Array, standing: NDArray[np.bool_] | None = None) -> DecodedPose:
        """Return the state at a pose (dofs,), with the points of its feet that stand (4,) locked where they are."""
        points = self.layout.points
        anchors = points.locate(pose[None])[0][0, points.feet, :2]
        stands = np.zeros(4, dtype=bool) if standing is None else standing
        return DecodedPose(pose, self.layout.locate(pose), stands, anchors, np.zeros((4, 2)), np.zeros((4, 2)))

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
        return self.solve(reference, places, np.ones(places.shape))

    def solve(self, reference: Array, places: Array, weights: Array) -> Array:
        """Return the pose (dofs,) nearest to places (points, 3) in metres, near a reference, within the limits."""
        prior = PosePrior(reference, _REFERENCE)
        return self.layout.points.solver.solve(reference, places, weights, prior, self.limits)

    def locate(self, features: Array, place: GroundPlace) -> Array:
        """Return world positions (points, 3) in metres of the features (n,) of one pose."""
        if self.layout.kind == "angles":
            return self.layout.points.locate(self.regress(features, place)[None])[0][0]
        return place.to_world(features.reshape(-1, 3))


def learn_decoder(layout: FeatureLayout, normal: Array, pushed: Sequence[Array] = ()) -> PoseDecoder:
    """Learn the decoder from the poses (frames, dofs) of a loop of the normal walk, and of every pushed example."""
    q = np.concatenate([normal, *pushed])
    features, free = layout.describe(q), q[:, layout.free]
    mean, mean_coordinates = features.mean(axis=0), free.mean(axis=0)
    centred = features - mean
    matrix = centred.T @ centred + len(q) * _NOISE**2 * np.eye(features.shape[1])
    points = layout.points
    places = points.locate(q)[0]
    heights = places[:, points.feet, 2]
    moved = np.diff(places[: len(normal), points.feet, :2], axis=0)
    return PoseDecoder(
        layout,
        mean,
        mean_coordinates,
        np.linalg.solve(matrix, centred.T @ (free - mean_coordinates)),
        np.quantile(heights, 0.1, axis=0),
        heights.min(axis=0),
        _find_ranges(layout, normal, q),
        _HURRIED * float(np.linalg.norm(moved, axis=2).max()) / FRAME_TIME,
        float(measure_gaps(*_find_legs(points, places)).min()),
    )


def _find_ranges(layout: FeatureLayout, normal: Array, q: Array) -> Array:
    character = layout.character
    knees = [c for side in SIDES for c in character.skeleton.columns(character.body(f"{side}_shank"), "turn")]
    least, most = q.min(axis=0) - _MARGIN, q.max(axis=0) + _MARGIN
    least[knees] = np.minimum(normal[:, knees].min(axis=0), MIN_FLEXION)
    within = np.clip((least, most), *layout.points.solver.limits)
    return within[:, FIRST_JOINT_DOF:]


def decode_pose(
    decoder: PoseDecoder, state: DecodedPose, features: Array, base: PoseBase | None = None, steps: Array | None = None
) -> DecodedPose:
    """Return the pose of a feature vector (D,), one frame after a state; `base` is a known pose like it.

    `steps` are features whose feet say which feet stand and how they move then; by default the same.
    """
    layout, points = decoder.layout, decoder.layout.points
    parts = layout.split(features)
    if not np.isfinite(features).all():
        raise InputError("the features are not finite numbers")
    place = advance_place(state.place, parts.velocity)
    places = decoder.locate(parts.now, place)
    moved, heights = _find_steps(decoder, state.place, features if steps is None else steps)
    standing = _find_standing(decoder, state.standing, heights, np.linalg.norm(moved, axis=1) / FRAME_TIME)
    stays = standing & state.standing
    owed = np.zeros((4, 2))
    if stays.any():
        # Where a response fades, the body moves, and not the feet on which it stands.
        owed[stays] = (state.owed + state.anchors - state.shift + moved[:, :2] - places[points.feet, :2])[stays]
        paid = _PAID * owed[stays].mean(axis=0)
        owed[stays] -= paid
        place = place._replace(x=place.x + paid[0], y=place.y + paid[1])
        places[:, :2] += paid
    feet = places[points.feet]
    reference = decoder.regress(parts.now, place, base)
    shift = np.where(stays[:, None], state.anchors - feet[:, :2], np.exp(-FRAME_TIME / SWING_FADE) * state.shift)
    other = [1, 0, 3, 2]
    # The free end of a foot moves with the end that stands.
    shift = np.where((stays[other] & ~stays)[:, None], shift[other], shift)
    standing &= np.linalg.norm(shift, axis=1) < _FARTHEST
    shift += _hold_back(decoder, feet[:, :2] + shift - state.anchors, standing)
    places[points.feet, :2] += shift
    places[points.feet, 2] = np.maximum(feet[:, 2], decoder.lowest)
    weights = np.ones(places.shape)
    weights[points.feet] = np.where(standing, _LOCK, 1.0)[:, None]
    pose = decoder.solve(reference, places, weights)
    away = _part_legs(decoder, state.pose, pose, standing)
    if away.any():
        shift = shift + away
        places[points.feet, :2] += away
        pose = decoder.solve(pose, places, weights)
    return DecodedPose(pose, place, standing, feet[:, :2] + shift, shift, owed)


def _hold_back(decoder: PoseDecoder, moved: Array, standing: NDArray[np.bool_]) -> Array:
    """Return the shift (4, 2) by which feet stay behind that would be too fast if they moved (4, 2) metres."""
    back = np.zeros((4, 2))
    for foot in (slice(0, 2), slice(2, 4)):
        lengths = np.linalg.norm(moved[foot], axis=1)
        end = int(lengths.argmax())  # both ends stay behind alike
        beyond = lengths[end] - decoder.fastest * FRAME_TIME
        if beyond > 0.0 and not standing[foot].any():
            back[foot] = -beyond / lengths[end] * moved[foot][end]
    return back


def _part_legs(decoder: PoseDecoder, before: Array, pose: Array, standing: NDArray[np.bool_]) -> Array:
    """Return how far (4, 2) in metres feet that swing move away from the other leg in this frame, if it is in the way.

    It is where they would be too near within _AHEAD frames if they went on as since the pose before. A leg that swings
    forward passes the other on its own side, one that swings aside passes in front or behind, whichever is nearer.
    """
    points = decoder.layout.points
    free = 1.0 - np.array([standing[:2].any(), standing[2:].any()])
    between = np.subtract(*find_nearest_points(*_find_legs(points, points.locate(np.array([before, pose]))[0])))
    moved, now = between[1] - between[0], between[1]
    waits = -np.sum(now * moved, axis=1) / np.maximum(np.sum(moved**2, axis=1), 1e-9)
    nearest = now + np.clip(waits, -1.0, _AHEAD)[:, None] * moved
    side = np.array([-np.sin(pose[HEADING]), np.cos(pose[HEADING])])
    ahead = np.abs(moved[:, :2] @ side) < np.linalg.norm(moved[:, :2], axis=1) * np.sqrt(0.5)
    level = np.linalg.norm(nearest[:, :2], axis=1)
    aside = np.where(ahead[:, None], side, nearest[:, :2] / np.maximum(level, 1e-9)[:, None])
    # The rest of the distance is that in height.
    needed = np.sqrt(np.maximum(decoder.legs_apart**2 - nearest[:, 2] ** 2, 0.0)) - np.sum(
        nearest[:, :2] * aside, axis=1
    )
    needed = np.where((waits < -1.0) | (np.linalg.norm(nearest, axis=1) > decoder.legs_apart), 0.0, needed)
    worst = int(needed.argmax())
    away = np.zeros((4, 2))
    if needed[worst] > 0.0 and free.any():
        share = needed[worst] / (1.0 + np.clip(waits[worst], 0.0, _AHEAD)) / free.sum()
        away[:2], away[2:] = free[0] * share * aside[worst], -free[1] * share * aside[worst]
    return away


def _find_legs(points: BodyPoints, places: Array) -> tuple[Array, Array]:
    """Return segments (frames, 4, 2, 3) of the left and of the right leg, every one with every one of the other.

    They go from the middle of the shank to the heel, and on to the ball.
    """
    left, right = (
        np.stack([places[:, [points.names.index(f"{side}_{end}") for end in ends]] for ends in _LEG_SEGMENTS], axis=1)
        for side in SIDES
    )
    return left[:, [0, 0, 1, 1]], right[:, [0, 1, 0, 1]]


def _find_steps(decoder: PoseDecoder, place: GroundPlace, features: Array) -> tuple[Array, Array]:
    """Return how far (4, 3) the foot points of features go in their frame, and how high (4,) they are, in metres."""
    parts, feet = decoder.layout.split(features), decoder.layout.points.feet
    now = decoder.locate(parts.now, advance_place(place, parts.velocity))[feet]
    return now - decoder.locate(parts.before, place)[feet], now[:, 2]


def _find_standing(decoder: PoseDecoder, stood: NDArray[np.bool_], heights: Array, speeds: Array) -> NDArray[np.bool_]:
    above = heights - decoder.floor
    speed, height = np.where(stood, _LEAVE_SPEED, TOUCH_SPEED), np.where(stood, _LEAVE_HEIGHT, _TOUCH_HEIGHT)
    return (speeds < speed) & (above < height)
