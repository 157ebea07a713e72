"""A clip that goes on for ever in one place: the way it covers is told apart, for the floor to move under it.

A clip with a cycle repeats it, closed. One without is played forth and back, slowing down where it turns: feet that
stand do not slide then, as they would in a blend from the end to the beginning.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.geometry.arrays import Array
from gambol.geometry.filters import low_pass
from gambol.motion.cycles import close_cycle, find_cycle
from gambol.motion.motion import Motion

_TURNING = 0.5
"""Seconds in which a clip that is played forth and back turns round."""
_FOLLOW = 0.5
"""Hz up to which the view follows a clip that has no cycle."""


@dataclass(frozen=True, eq=False)
class EndlessClip:
    """One round of coordinates of a character; the first frame follows the last."""

    cycle: slice | None
    """The clip's frames that come round; None where it has no cycle and plays forth and back."""
    poses: Array
    """(frames, dofs) in a place that goes along with the clip."""
    places: Array
    """(frames, 3) where on the ground that place is, in metres."""
    turned: Array
    """(dofs,) whole turns that a round adds to the coordinates."""
    way: Array
    """(3,) metres that a round covers."""

    def __len__(self) -> int:
        return len(self.poses)

    def at(self, frames: ArrayLike) -> Array:
        """Coordinates (..., dofs) in the world, of frames (...) counted on for ever."""
        rounds, rest = np.divmod(np.asarray(frames, dtype=int), len(self))
        out = self.poses[rest] + rounds[..., None] * self.turned
        out[..., :3] += self.places[rest] + rounds[..., None] * self.way
        return out

    def target(self, frame: int) -> Array:
        """The same (dofs,) of one frame, in the place that goes along."""
        rounds, rest = divmod(frame, len(self))
        return self.poses[rest] + rounds * self.turned

    def place(self, frame: int) -> Array:
        """Where on the ground (3,) the clip is in a frame."""
        rounds, rest = divmod(frame, len(self))
        return self.places[rest] + rounds * self.way


def make_endless(fitted: Fit) -> EndlessClip:
    """The clip of a character, without an end."""
    try:
        cycle = find_cycle(fitted.source)
    except InputError:
        return _forth_and_back(fitted.motion)
    before, after = fitted.motion.q[cycle.start], fitted.motion.q[cycle.stop]
    way = (after - before)[:3] * [1.0, 1.0, 0.0]
    turned = 2.0 * np.pi * np.round((after - before) / (2.0 * np.pi))
    turned[:3] = 0.0
    poses = close_cycle(fitted.motion, cycle, in_place=True).q.copy()
    poses[:, :2] -= poses[:, :2].mean(axis=0)
    return EndlessClip(cycle, poses, np.linspace(0.0, way, len(poses), endpoint=False), turned, way)


def _forth_and_back(motion: Motion) -> EndlessClip:
    last = len(motion) - 1
    forth = last - np.abs(last - np.arange(2.0 * last))
    kernel = np.hanning(int(np.clip(_TURNING / motion.frame_time, 1, last)) + 2)
    smooth = np.convolve(np.tile(forth, 3), kernel / kernel.sum(), "same")[2 * last : 4 * last]
    first = np.minimum(smooth.astype(int), last - 1)
    share = (smooth - first)[:, None]
    path = low_pass(motion.q[:, :3], motion.frame_time, _FOLLOW) * [1.0, 1.0, 0.0]
    poses, places = ((1.0 - share) * curve[first] + share * curve[first + 1] for curve in (motion.q, path))
    poses[:, :3] -= places
    return EndlessClip(None, poses, places, np.zeros(motion.q.shape[1]), np.zeros(3))
