"""Motions sampled at other times."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.fit.rig import Fit, fit
from gambol.io import samples
from gambol.spacetime.resampling import resample_at, sample_curves, sample_fit


@pytest.fixture(scope="module")
def fitted() -> Fit:
    clip = samples.walk()[:40]
    return fit(Character.from_motion(clip), clip)


def test_a_cubic_is_sampled_exactly(fitted: Fit) -> None:
    times = fitted.motion.times
    cubic = (times**3 - times)[:, None]
    at = np.array([0.0, 0.101, 0.2])
    np.testing.assert_allclose(sample_curves(fitted.motion, cubic, at)[:, 0], at**3 - at, atol=1e-12)


def test_sampling_at_the_frames_changes_nothing(fitted: Fit) -> None:
    same = sample_fit(fitted, fitted.motion.times, fitted.motion.frame_time)
    np.testing.assert_allclose(same.motion.q, fitted.motion.q, atol=1e-12)
    np.testing.assert_allclose(same.source.q, fitted.source.q, atol=1e-9)


def test_half_a_frame_lies_between(fitted: Fit) -> None:
    step = fitted.source.frame_time
    between = resample_at(fitted.source, np.array([4.5 * step]))
    low, high = np.sort(fitted.source.q[4:6], axis=0)
    assert ((between.q[0] >= low - 1e-3) & (between.q[0] <= high + 1e-3)).all()
