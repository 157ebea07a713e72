"""Where a clip differs from another one of the same skeleton and length, such as the clip before an edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.motion.motion import Motion

_SHARE = 0.1
"""Share of the largest difference up to which clips count as the same."""
_LEAST = 1e-3
"""Smallest largest difference (m) that is shown."""
_MARGIN = 0.15
"""Shown on both sides, as a share of the time in which the clips differ."""
_SHORTEST = 1.0
"""Least time (s) that is shown."""
_MOST = 0.8
"""Largest share of a clip in which a difference is one place of it."""


class Difference(NamedTuple):
    """The part of a clip around its largest difference from another one."""

    first: int
    last: int
    """Frames that show it."""
    frame: int
    """The frame of the largest difference."""
    metres: float
    joint: str
    """How far which joint is from its place in the other clip."""

    def choose_frames(self, poses: int) -> NDArray[np.intp]:
        """Return frames of this part, evenly spaced but for that of the largest difference, which is one of them."""
        frames = np.linspace(self.first, self.last, poses).round().astype(np.intp)
        frames[np.abs(frames - self.frame).argmin()] = self.frame
        return np.unique(frames)

    def describe(self, motion: Motion) -> str:
        """Return where the difference is and how large, in words."""
        times = motion.frame_time * np.array([self.frame, self.first, self.last])
        return (
            f"largest difference {100.0 * self.metres:.1f} cm, {self.joint} at {times[0]:.2f} s; "
            f"poses from {times[1]:.2f} to {times[2]:.2f} s of {motion.duration:.2f} s"
        )


def find_difference(motions: Sequence[Motion]) -> Difference | None:
    """Return where the clips differ from the first; None unless they can be compared and differ in one part only."""
    first, others = motions[0], motions[1:]
    shapes = {(len(motion), motion.frame_time, motion.skeleton.names) for motion in motions}
    if not others or len(shapes) > 1:
        return None
    between = np.max(
        [np.linalg.norm(other.placement.positions - first.placement.positions, axis=-1) for other in others], axis=0
    )[:, first.body_joints]
    largest = between.max(axis=1)
    peak = int(largest.argmax())
    differs = np.flatnonzero(largest > _SHARE * largest[peak])
    if largest[peak] < _LEAST or len(differs) > _MOST * len(first):
        return None
    start, end = (int(frame) for frame in differs[[0, -1]])
    more = max(_MARGIN * (end - start), 0.5 * (_SHORTEST / first.frame_time - (end - start)))
    joint = first.skeleton.names[int(np.asarray(first.body_joints)[between[peak].argmax()])]
    shown = max(0, round(start - more)), min(len(first) - 1, round(end + more))
    return Difference(*shown, peak, float(largest[peak]), joint.replace("_", " "))
