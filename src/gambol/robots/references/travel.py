"""Where a motion goes along the ground, and the same way with longer steps and bends.

The way is the path of the hips without the sway of single steps. Whatever moves along it keeps its place beside it and
its heading relative to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import low_pass
from gambol.geometry.vectors import UP, unit_vectors

_CUTOFF = 0.5
"""Hz: steps are faster."""
_MOVING = 0.2
"""Share of the largest speed from which the direction of travel is that of the velocity."""


@dataclass(frozen=True, eq=False)
class Travel:
    """A way (frames) and the one that it becomes."""

    before: Array
    """(frames, 2) metres."""
    after: Array
    """(frames, 2) metres."""
    turned: Array
    """(frames,) by how much the new one has turned to the left of the old one (rad)."""
    distance: Array
    """(frames,) metres along the new one."""
    ahead: Array
    """(frames, 2) its direction."""

    def sample(self, times: Array) -> Travel:
        """Return the ways at other times (in frames, between frames too)."""
        frames = np.arange(len(self.before))
        before, after, ahead = (
            np.stack([np.interp(times, frames, column) for column in each.T], axis=1)
            for each in (self.before, self.after, self.ahead)
        )
        turned, distance = (np.interp(times, frames, each) for each in (self.turned, self.distance))
        return Travel(before, after, turned, distance, unit_vectors(ahead))

    @property
    def headings(self) -> Array:
        """(frames, 4) the turns as quaternions."""
        return quat.from_axis_angle(UP, self.turned)

    def move(self, points: Array) -> Array:
        """Return points (frames, 3) beside the new way."""
        base = np.zeros((len(points), 3))
        base[:, :2] = self.before
        moved = quat.rotate(self.headings, points - base)
        moved[:, :2] += self.after
        return np.asarray(moved)

    def measure(self, points: Array) -> Array:
        """Return how far (frames, n) points (frames, n, 3) are along the new way (m)."""
        aside = points[..., :2] - self.after[:, None]
        return np.asarray(self.distance[:, None] + np.einsum("fnc,fc->fn", aside, self.ahead))


def smooth_way(hips: Array, frame_time: float) -> Array:
    """Return the path (frames, 2) of hips (frames, 3) without the sway of steps."""
    return low_pass(hips[:, :2], frame_time, _CUTOFF)


def bend_way(way: Array, stride: float, turn: float, longer: Sequence[tuple[float, float, float]]) -> Travel:
    """Return a way (frames, 2) with steps `stride` times as long that bends by `turn` (rad) from beginning to end.

    `longer` are pieces, from one frame to another, and by how many metres they become longer.
    """
    steps = np.diff(way, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    along = np.concatenate(([0.0], np.cumsum(lengths)))
    turned = turn * along / max(float(along[-1]), 1e-9)
    factor = np.full(len(steps), stride)
    middle = 0.5 * (along[1:] + along[:-1])
    for first, last, more in longer:
        begin, end = np.interp((first, last), np.arange(len(way)), along)
        share = np.clip((middle - begin) / (end - begin), 0.0, 1.0)
        bump = share**2 * (1.0 - share) ** 2
        factor += more * bump / np.sum(bump * lengths)
    headings = quat.from_axis_angle(UP, 0.5 * (turned[1:] + turned[:-1]))
    moved = quat.rotate(headings, np.pad(factor[:, None] * steps, ((0, 0), (0, 1))))[:, :2]
    after = way[0] + np.concatenate((np.zeros((1, 2)), np.cumsum(moved, axis=0)))
    distance = np.concatenate(([0.0], np.cumsum(factor * lengths)))
    return Travel(way, after, turned, distance, _find_directions(after))


def _find_directions(way: Array) -> Array:
    """Return the directions (frames, 2) of travel; while nothing moves, those from before to after."""
    velocity = np.gradient(way, axis=0)
    speed = np.linalg.norm(velocity, axis=1)
    moving = np.flatnonzero(speed >= max(_MOVING * float(speed.max()), 1e-9))
    if not len(moving):
        return np.tile([1.0, 0.0], (len(way), 1))
    frames = np.arange(len(way))
    units = velocity[moving] / speed[moving, None]
    return unit_vectors(np.stack([np.interp(frames, moving, column) for column in units.T], axis=1))
