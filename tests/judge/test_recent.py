"""The last seconds of a motion that goes on are kept at even times, and judged."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.judge.recent import RecentFrames
from tests.judge.test_stances import STANCE, clip, slide


def test_only_the_last_seconds_are_kept_and_judged() -> None:
    slid = slide("walk", 0.12, *STANCE)
    recent = RecentFrames(slid[:1], seconds=1.0)
    assert not recent.judge().judged
    for q in slid.q[: round(1.2 / slid.frame_time)]:
        recent.add(q)
    assert len(recent.motion) == round(1.0 / slid.frame_time) + 1
    np.testing.assert_array_equal(recent.motion.q[-1], q)
    found = recent.judge()
    assert not found.accepted
    assert found.findings[0].start == pytest.approx(STANCE[0] - 0.2, abs=0.08)
    for q in slid.q[round(1.2 / slid.frame_time) :]:
        recent.add(q)
    assert recent.judge().findings == ()


def test_uneven_frames_are_sampled_at_even_times() -> None:
    walk = clip("walk")
    recent = RecentFrames(walk[::2], seconds=1.0)
    rng, at = np.random.default_rng(3), 0.0
    while at < 2.0:
        seconds = float(rng.uniform(0.005, 0.06))
        at += seconds
        recent.add(walk.q[0] + at, seconds)
    steps = np.diff(recent.motion.q[:, 0])
    np.testing.assert_allclose(steps, 2.0 * walk.frame_time, atol=1e-9)
