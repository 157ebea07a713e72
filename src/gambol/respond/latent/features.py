"""Features of a walk: two poses 1/30 s apart in the character's frame, and its velocity over the ground (YL10 3.1).

A feature vector has three parts: the pose now, the pose one frame before, and the velocity between them, multiplied by
a weight. Each pose is seen from its own frame: x and y along and across the heading of the pelvis, from the place of
the centre of mass; z from the ground. The velocity is that of the centre of mass, which a push changes by its impulse
divided by the mass, and which is half as noisy in recordings as that of the pelvis. It is measured along the mean of
the two headings, so that `advance_place` recovers place and heading exactly. All poses are FRAME_TIME apart;
`resample_poses` and `resample_loop` bring clips of any rate there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from gambol.assumptions import POSE_CUTOFF
from gambol.body.character import Character
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.geometry.filters import low_pass
from gambol.respond.endless import EndlessClip
from gambol.respond.latent.points import HEADING, BodyPoints, find_body_points

FRAME_TIME = 1.0 / 30.0
"""Seconds between the two poses of a feature vector, and between feature vectors."""
VELOCITY_WEIGHT = 3.0
FeatureKind = Literal["points", "angles"]
_TURNING = 0.15
"""Metres: turning counts as the speed of a point at this distance from the vertical axis. It is about the radius of
gyration of a person; in radians per second the pelvis would make 95 % of the distances between feature vectors."""
_GROUND = [0, 1, HEADING]
"""Coordinates that a pose seen from its own frame does not have."""


class GroundPlace(NamedTuple):
    """Where a centre of mass is over the ground (x and y in metres), and where the pelvis faces (rad)."""

    x: float
    y: float
    heading: float

    def to_world(self, points: Array) -> Array:
        """Return world positions (..., 3) of points (..., 3) that are seen from this place."""
        c, s = np.cos(self.heading), np.sin(self.heading)
        return points @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) + [self.x, self.y, 0.0]


class FeatureParts(NamedTuple):
    """The parts of feature vectors (..., D)."""

    now: Array
    """(..., n) the pose, see `FeatureLayout.describe`."""
    before: Array
    """(..., n) the pose one frame before."""
    velocity: Array
    """(..., 3) forward and left (m/s), turn (rad/s), without the weight."""


@dataclass(frozen=True, eq=False)
class FeatureLayout:
    """How the poses of a character become feature vectors."""

    character: Character
    kind: FeatureKind = "points"
    """Positions of body points, or joint angles (which the paper tried first and found worse)."""
    velocity_weight: float = VELOCITY_WEIGHT
    """Factor of the velocity: distances between feature vectors are dominated by the many columns of the poses."""

    def __post_init__(self) -> None:
        if self.kind not in get_args(FeatureKind):
            raise InputError(f"unknown features '{self.kind}'", fix=f"choose {' or '.join(get_args(FeatureKind))}")
        if not 0.0 < self.velocity_weight < np.inf:
            raise InputError(f"the weight of the velocity must be positive, not {self.velocity_weight}")

    @cached_property
    def points(self) -> BodyPoints:
        """The points that describe a pose."""
        return find_body_points(self.character)

    @cached_property
    def free(self) -> NDArray[np.intp]:
        """(dofs - 3,) columns of the coordinates that do not depend on place and heading."""
        return np.delete(np.arange(len(self.character.skeleton.dofs)), _GROUND)

    @property
    def pose_size(self) -> int:
        """Number of features of one pose."""
        return 3 * len(self.points) if self.kind == "points" else len(self.free)

    @property
    def size(self) -> int:
        """Number of features."""
        return 2 * self.pose_size + 3

    @property
    def _velocity_scale(self) -> Array:
        return self.velocity_weight * np.array([1.0, 1.0, _TURNING])

    def describe(self, q: Array) -> Array:
        """Return the features (frames, n) of single poses (frames, dofs), seen from their own frames."""
        if self.kind == "angles":
            return q[:, self.free]
        local = q.copy()
        local[:, _GROUND] = 0.0
        positions, centres = self.points.locate(local)
        positions[:, :, :2] -= centres[:, None, :2]
        return positions.reshape(len(q), -1)

    def locate(self, pose: Array) -> GroundPlace:
        """Return the place of a pose (dofs,)."""
        _, centre = self.points.locate(pose[None])
        return GroundPlace(float(centre[0, 0]), float(centre[0, 1]), float(pose[HEADING]))

    def split(self, features: Array) -> FeatureParts:
        """Return the parts of feature vectors (..., D)."""
        n = self.pose_size
        if features.shape[-1] != self.size:
            raise InputError(f"expected {self.size} features, got {features.shape[-1]}")
        return FeatureParts(features[..., :n], features[..., n : 2 * n], features[..., 2 * n :] / self._velocity_scale)

    def join(self, parts: FeatureParts) -> Array:
        """Return feature vectors (..., D) from their parts."""
        return np.concatenate((parts.now, parts.before, self._velocity_scale * parts.velocity), axis=-1)

    def turn(self, features: Array, rate: float) -> Array:
        """Return features (D,) of a body that turns by a rate (rad/s) to the left in addition."""
        return features + rate * self.velocity_weight * _TURNING * (np.arange(self.size) == self.size - 1)


def compute_features(layout: FeatureLayout, q: Array) -> Array:
    """Return the feature vectors (frames - 1, D) of poses (frames, dofs) that are FRAME_TIME apart.

    The first is that of poses 0 (before) and 1 (now).
    """
    if q.ndim != 2 or len(q) < 2:
        raise InputError(f"features need two poses or more, got an array of shape {q.shape}")
    poses = layout.describe(q)
    _, centres = layout.points.locate(q)
    step, turn = np.diff(centres[:, :2], axis=0), np.diff(q[:, HEADING])
    heading = q[:-1, HEADING] + 0.5 * turn
    c, s = np.cos(heading), np.sin(heading)
    moved = np.stack((c * step[:, 0] + s * step[:, 1], c * step[:, 1] - s * step[:, 0], turn), axis=1)
    return layout.join(FeatureParts(poses[1:], poses[:-1], moved / FRAME_TIME))


def compute_loop_features(layout: FeatureLayout, loop: EndlessClip) -> Array:
    """Return the feature vectors (frames, D) of a loop of FRAME_TIME; the first has the last frame before it."""
    return compute_features(layout, loop.at(np.arange(-1, len(loop))))


def advance_place(place: GroundPlace, velocity: Array) -> GroundPlace:
    """Return the place after one frame with a velocity (3,) as in `FeatureParts`."""
    forward, left, turn = FRAME_TIME * velocity
    c, s = np.cos(place.heading + 0.5 * turn), np.sin(place.heading + 0.5 * turn)
    return GroundPlace(place.x + c * forward - s * left, place.y + s * forward + c * left, place.heading + turn)


def resample_poses(q: Array, frame_time: float) -> Array:
    """Return poses (frames, dofs) of a clip of any frame time (s) at multiples of FRAME_TIME from its first frame."""
    count = int(np.floor((len(q) - 1) * frame_time / FRAME_TIME + 1e-6)) + 1
    return _sample(q, frame_time, np.minimum(np.arange(count) * FRAME_TIME / frame_time, len(q) - 1))


def resample_loop(loop: EndlessClip, frame_time: float, rounds: int = 1) -> EndlessClip:
    """Return `rounds` periods of a loop of any frame time (s) as one loop of FRAME_TIME.

    The duration is rounded to whole frames and the travel stays, so the speed changes by up to half a frame per loop.
    """
    period = len(loop)
    count = max(2, round(rounds * period * frame_time / FRAME_TIME))
    frames = period + np.arange(count) * (rounds * period / count)
    travel = rounds * loop.travel
    places = np.linspace(0.0, travel, count, endpoint=False)
    poses = _sample(loop.at(np.arange(-period, (rounds + 1) * period)), frame_time, frames)
    poses[:, :3] -= places
    return EndlessClip(loop.cycle, poses, places, rounds * loop.turned, travel)


def _sample(q: Array, frame_time: float, frames: Array) -> Array:
    """Return coordinates at fractional frames by cubic splines, filtered if their frame time is below FRAME_TIME."""
    from scipy.interpolate import CubicSpline

    smooth = low_pass(q, frame_time, POSE_CUTOFF) if frame_time < FRAME_TIME - 1e-6 else q
    return q[np.rint(frames).astype(int)] if len(q) < 4 else CubicSpline(np.arange(len(q)), smooth)(frames)
