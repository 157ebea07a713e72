"""A rigid body over time: positions and scatter of its points in an interval of frames."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion

_SKIN = 0.01
"""Margin (m) of a body's box around its given points."""

_SWEEPS = 40
_BREADTH = 0.2
"""Half the breadth of a bone's body, as a share of its length."""


@dataclass(frozen=True, eq=False)
class Solid:
    """World frames of a rigid body and some of its points; the body fills the box around them."""

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
                f"expected rotations (frames, 3, 3), positions (frames, 3) and points (n, 3), not {shapes}"
            )

    @property
    def frames(self) -> int:
        """Number of frames."""
        return len(self.positions)

    @cached_property
    def low(self) -> Array:
        """Lower corner (3,) of the box."""
        return self.points.min(axis=0) - _SKIN

    @cached_property
    def high(self) -> Array:
        """Upper corner (3,) of the box."""
        return self.points.max(axis=0) + _SKIN

    @property
    def middle(self) -> Array:
        """Middle (3,) of the box."""
        return 0.5 * (self.low + self.high)

    @property
    def reach(self) -> float:
        """Distance (m) from the middle of the box to its corners."""
        return 0.5 * float(np.linalg.norm(self.high - self.low))

    def tracks(self, points: Array, first: int, last: int) -> Array:
        """Return the world positions (frames, n, 3) of points (n, 3) over an interval."""
        frames = slice(first, last + 1)
        return np.einsum("fij,nj->fni", self.rotations[frames], points) + self.positions[frames, None]

    def scatter(self, first: int, last: int) -> Array:
        """Return the quadratic form (4, 4) of (x, 1): mean squared distance of the point x from its mean place."""
        return np.einsum("iaib->ab", self.spread(first, last))

    def spread(self, first: int, last: int) -> Array:
        """Return (3, 4, 3, 4): contracted twice with (x, 1), the covariance in the world of the point x."""
        sums, squares = self._sums
        count = last - first + 1
        mean = (sums[last + 1] - sums[first]) / count
        square = (squares[last + 1] - squares[first]) / count
        return square - mean[:, :, None, None] * mean

    @cached_property
    def _sums(self) -> tuple[Array, Array]:
        """Cumulative sums of the frames W (3, 4) and of their products: an interval is a difference of two."""
        # Relative to the mean, so that squares of large positions do not lose precision.
        frames = np.concatenate((self.rotations, (self.positions - self.positions.mean(axis=0))[:, :, None]), axis=2)
        squares = np.einsum("fia,fjb->fiajb", frames, frames)
        zeros = [(1, 0)] + [(0, 0)] * 4
        return np.pad(np.cumsum(frames, axis=0), zeros[:3]), np.pad(np.cumsum(squares, axis=0), zeros)


def make_solid(motion: Motion, body: str, points: Array | None = None) -> Solid:
    """Return a body of a motion; its box spans the given points, by default its joint and the child joints."""
    skeleton = motion.skeleton
    joint = skeleton.index(body)
    if points is None:
        points = np.vstack((np.zeros(3), *(skeleton.offsets[child] for child in skeleton.children[joint])))
    if len(points) < 3:
        points = _with_breadth(points)
    placed = motion.placement
    return Solid(quat.to_matrix(placed.rotations[:, joint]), placed.positions[:, joint], np.asarray(points, float))


def _with_breadth(points: Array) -> Array:
    """Add two points beside the middle of a bone that is given by one or two points."""
    bone = points[-1] - points[0]
    length = max(float(np.linalg.norm(bone)), _SKIN)
    across = np.cross(bone, np.eye(3)[int(np.argmin(np.abs(bone)))])
    across = across / np.linalg.norm(across) if np.any(across) else np.eye(3)[1]
    middle = points.mean(axis=0)
    return np.vstack((points, middle + _BREADTH * length * across, middle - _BREADTH * length * across))


def inside_box(point: Array, low: Array, high: Array) -> bool:
    """Return whether a point (3,) is inside a box."""
    return bool(np.all(point >= low) and np.all(point <= high))


def minimise_in_box(matrix: Array, slope: Array, start: Array, low: Array, high: Array) -> Array:
    """Minimise x' matrix x + 2 slope' x within a box by coordinate descent; `start` is the unconstrained minimum."""
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
