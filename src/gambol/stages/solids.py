"""A rigid body over time: where its points are in a stretch of frames, and how far they scatter there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion

_SKIN = 0.01
"""Metres by which a body is thicker than the box around the points that are given of it."""

_SWEEPS = 40
_BREADTH = 0.2
"""Half the breadth of a bone's body, as a share of its length."""


@dataclass(frozen=True, eq=False)
class Solid:
    """Frames of a rigid body in the world, and some of its points: the body fills the box around them."""

    rotations: Array
    """(frames, 3, 3)."""
    positions: Array
    """(frames, 3) metres."""
    points: Array
    """(n, 3) metres in the body's frame."""

    def __post_init__(self) -> None:
        shapes = (self.rotations.shape[1:], self.positions.shape, self.points.shape[1:])
        if shapes != ((3, 3), (len(self.rotations), 3), (3,)) or len(self.points) == 0:
            raise InputError(
                f"a solid has rotations (frames, 3, 3), positions (frames, 3), points (n, 3), not {shapes}"
            )

    @property
    def frames(self) -> int:
        return len(self.positions)

    @cached_property
    def low(self) -> Array:
        """(3,) corner of the box."""
        return self.points.min(axis=0) - _SKIN

    @cached_property
    def high(self) -> Array:
        """(3,) opposite corner of the box."""
        return self.points.max(axis=0) + _SKIN

    @property
    def middle(self) -> Array:
        return 0.5 * (self.low + self.high)

    @property
    def reach(self) -> float:
        """Metres from the middle of the box to its corners."""
        return 0.5 * float(np.linalg.norm(self.high - self.low))

    def tracks(self, points: Array, first: int, last: int) -> Array:
        """World positions (frames, n, 3) of points (n, 3) over a stretch."""
        frames = slice(first, last + 1)
        return np.einsum("fij,nj->fni", self.rotations[frames], points) + self.positions[frames, None]

    def scatter(self, first: int, last: int) -> Array:
        """(4, 4) quadratic form of (x, 1): mean squared distance of the body's point x from its mean place."""
        return np.einsum("iaib->ab", self.spread(first, last))

    def spread(self, first: int, last: int) -> Array:
        """(3, 4, 3, 4): contracted twice with (x, 1), the covariance in the world of the body's point x."""
        sums, squares = self._sums
        count = last - first + 1
        mean = (sums[last + 1] - sums[first]) / count
        square = (squares[last + 1] - squares[first]) / count
        return square - mean[:, :, None, None] * mean

    @cached_property
    def _sums(self) -> tuple[Array, Array]:
        """Running sums of the frames W (3, 4) and of their products: any stretch is a difference of two."""
        # About the mean, so that squares of far places do not eat up the digits.
        frames = np.concatenate((self.rotations, (self.positions - self.positions.mean(axis=0))[:, :, None]), axis=2)
        squares = np.einsum("fia,fjb->fiajb", frames, frames)
        zeros = [(1, 0)] + [(0, 0)] * 4
        return np.pad(np.cumsum(frames, axis=0), zeros[:3]), np.pad(np.cumsum(squares, axis=0), zeros)


def make_solid(motion: Motion, body: str, points: Array | None = None) -> Solid:
    """A body of a motion: its own joint and those that hang on it, or other points of it, span its box."""
    skeleton = motion.skeleton
    joint = skeleton.index(body)
    if points is None:
        points = np.vstack((np.zeros(3), *(skeleton.offsets[child] for child in skeleton.children[joint])))
    if len(points) < 3:
        points = _with_breadth(points)
    placed = motion.placement
    return Solid(quat.to_matrix(placed.rotations[:, joint]), placed.positions[:, joint], np.asarray(points, float))


def _with_breadth(points: Array) -> Array:
    """One or two points of a bone, and two beside its middle: a body is not a stick."""
    way = points[-1] - points[0]
    length = max(float(np.linalg.norm(way)), _SKIN)
    across = np.cross(way, np.eye(3)[int(np.argmin(np.abs(way)))])
    across = across / np.linalg.norm(across) if np.any(across) else np.eye(3)[1]
    middle = points.mean(axis=0)
    return np.vstack((points, middle + _BREADTH * length * across, middle - _BREADTH * length * across))


def inside_box(point: Array, low: Array, high: Array) -> bool:
    return bool(np.all(point >= low) and np.all(point <= high))


def minimise_in_box(matrix: Array, slope: Array, start: Array, low: Array, high: Array) -> Array:
    """Where x' matrix x + 2 slope' x is least within a box, by descent along one coordinate after the other."""
    point = np.clip(start, low, high)
    if np.array_equal(point, start):
        return point
    for _ in range(_SWEEPS):
        before = point.copy()
        for axis in range(3):
            rest = slope[axis] + matrix[axis] @ point - matrix[axis, axis] * point[axis]
            point[axis] = min(max(-rest / matrix[axis, axis], low[axis]), high[axis])
        if np.abs(point - before).max() < 1e-5:
            break
    return point
