"""Extend a clip without end: its coordinates in place, and its travel separately.

A clip with a cycle repeats the closed cycle. One without is played forwards and backwards, slowing down at the turning
points; a blend from the end to the beginning would make standing feet slide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.geometry.angles import whole_turns
from gambol.geometry.arrays import Array
from gambol.geometry.filters import low_pass
from gambol.motion.cycles import close_cycle, find_cycle
from gambol.motion.motion import Motion

_TURNING = 0.5
"""Seconds over which playback reverses."""
_FOLLOW = 0.5
"""Cut-off frequency (Hz) of the travel of a clip without a cycle."""


@dataclass(frozen=True, eq=False)
class EndlessClip:
    """One period of a character's coordinates; the first frame follows the last."""

    cycle: slice | None
    """Frames of the clip that repeat; None for a clip that plays forwards and backwards."""
    poses: Array
    """(frames, dofs) relative to `places`."""
    places: Array
    """(frames, 3) metres, smooth travel along the ground."""
    turned: Array
    """(dofs,) full turns added to the coordinates per period."""
    travel: Array
    """(3,) metres per period."""

    def __len__(self) -> int:
        return len(self.poses)

    def at(self, frames: ArrayLike) -> Array:
        """Return world coordinates (..., dofs) of frames (...), which may exceed the period."""
        rounds, rest = np.divmod(np.asarray(frames, dtype=int), len(self))
        out = self.poses[rest] + rounds[..., None] * self.turned
        out[..., :3] += self.places[rest] + rounds[..., None] * self.travel
        return out

    def target(self, frame: int) -> Array:
        """Return the coordinates (dofs,) of a frame relative to `place`."""
        rounds, rest = divmod(frame, len(self))
        return self.poses[rest] + rounds * self.turned

    def place(self, frame: int) -> Array:
        """Return the place (3,) on the ground in a frame."""
        rounds, rest = divmod(frame, len(self))
        return self.places[rest] + rounds * self.travel


def make_endless(fitted: Fit, cycle: slice | None = None) -> EndlessClip:
    """Extend the clip of a fitted character without end, by the cycle that closes best or by a given one."""
    try:
        cycle = find_cycle(fitted.source) if cycle is None else cycle
    except InputError:
        return _back_and_forth(fitted.motion)
    before, after = fitted.motion.q[cycle.start], fitted.motion.q[cycle.stop]
    travel = (after - before)[:3] * [1.0, 1.0, 0.0]
    turned = whole_turns(after - before)
    turned[:3] = 0.0
    poses = close_cycle(fitted.motion, cycle, in_place=True).q.copy()
    poses[:, :2] -= poses[:, :2].mean(axis=0)
    return EndlessClip(cycle, poses, np.linspace(0.0, travel, len(poses), endpoint=False), turned, travel)


def _back_and_forth(motion: Motion) -> EndlessClip:
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
