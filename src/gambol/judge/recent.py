"""The last seconds of a motion that goes on, as on live pages and in streams, to be judged now and then."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import numpy as np

from gambol.geometry.arrays import Array
from gambol.judge.judgement import Judgement, judge
from gambol.motion.motion import Motion

LIVE_SECONDS, STREAM_SECONDS = 2.0, 60.0
"""What is judged of a live page about once a second, and of a stream when it ends."""
_ROUNDING = 1e-9
"""Seconds."""


class RecentFrames:
    """The last `seconds` of a motion with the skeleton, rig and frame time of another."""

    def __init__(self, like: Motion, seconds: float = STREAM_SECONDS) -> None:
        self._like = like
        self._rows: deque[Array] = deque(maxlen=round(seconds / like.frame_time) + 1)
        self._last, self._due = like.q[0], 0.0

    def add(self, q: Array, seconds: float | None = None) -> None:
        """Add coordinates (dofs,) some seconds after the last ones (default: a frame), sampled at even times."""
        step = self._like.frame_time
        passed = step if seconds is None else seconds
        self._due += passed
        while self._due >= step - _ROUNDING:
            self._due -= step
            self._rows.append(q - min(self._due / passed, 1.0) * (q - self._last))
        self._last = np.array(q)

    @property
    def motion(self) -> Motion:
        """The frames that are kept; the first one of the other motion before there is any."""
        return replace(self._like, q=np.array(self._rows) if self._rows else self._like.q[:1])

    def judge(self) -> Judgement:
        """Return what a viewer would see in them."""
        return judge(self.motion)
