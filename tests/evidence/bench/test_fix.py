"""The long clip that `gambol bench fix` repairs goes there and back without a jump, and rows say what they time."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.io import samples
from gambol_evidence.bench import fix


def test_a_long_walk_has_no_jump() -> None:
    long = fix.walk_on(12.0)
    assert long.duration == pytest.approx(12.0, abs=0.05)
    steps = np.abs(np.diff(long.q, axis=0)).max(axis=1)
    assert steps.max() <= np.abs(np.diff(samples.walk().q, axis=0)).max() + 1e-12


def test_a_row_compares_with_playing() -> None:
    clip = samples.walk()[:40]
    row = fix._time_repair("walk", clip, ("jitter",))
    assert (row.id, row.unit) == ("walk", "frames/s")
    assert row.peer_value == pytest.approx(1.0 / clip.frame_time)
    assert row.ratio == pytest.approx(row.value * clip.frame_time)
