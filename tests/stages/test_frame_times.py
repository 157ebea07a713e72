"""Frames that show the body early or late are put at even times, and nothing else is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.geometry.arrays import Array
from gambol.io import samples
from gambol.stages.frame_times import find_frame_times, sample_evenly
from gambol_evidence.reproduce.fix.damages import show_unevenly


def _waves(times: Array) -> Array:
    """Return two smooth curves (frames, 2) of frames."""
    return np.stack((np.sin(times / 5.0), np.cos(times / 7.0 + 1.0)), axis=1)


def test_values_at_uneven_times_are_sampled_at_even_ones() -> None:
    times = np.arange(60.0) + np.random.default_rng(1).uniform(-0.3, 0.3, 60)
    np.testing.assert_allclose(sample_evenly(_waves(times), times)[2:-2], _waves(np.arange(60.0))[2:-2], atol=1e-3)


def test_of_frames_at_one_time_one_is_used() -> None:
    """Every fifth frame repeats the one before."""
    times = np.arange(50.0)
    times[5::5] = times[4:-1:5] + 0.05
    found = sample_evenly(_waves(np.round(times)), np.round(times, 1))
    np.testing.assert_allclose(found[5:-5], _waves(np.arange(50.0))[5:-5], atol=0.01)


@pytest.mark.parametrize("every", [1, 2, 4])
@pytest.mark.parametrize("name", ["walk/16_58", "turn/16_13", "jump_hop_leap/118_03", "run/16_37"])
def test_times_of_recordings_are_found(data: Path, name: str, every: int) -> None:
    sound = load(data / f"cmu_bvh/{name}.bvh")[::every]
    assert find_frame_times(sound) is None
    early = np.random.default_rng(7).uniform(-0.36, 0.36, len(sound))
    shown = show_unevenly(sound, np.random.default_rng(7))
    times = find_frame_times(shown)
    assert times is not None
    found = times - np.arange(len(times))
    smooth = np.convolve(early, np.full(9, 1.0 / 9.0), "same")  # over some frames none is early on the whole
    speed = np.linalg.norm(np.gradient(sound.placement.positions, axis=0), axis=2).mean(axis=1) / sound.frame_time
    told = np.flatnonzero(speed > 0.2)[8:-8]
    assert np.corrcoef(found[told], (early - smooth)[told])[0, 1] > 0.7


def test_noise_is_not_taken_for_uneven_frames() -> None:
    walk = samples.walk()
    noise = 0.02 * np.random.default_rng(3).standard_normal(walk.q.shape)
    assert find_frame_times(replace(walk, q=walk.q + noise)) is None


def test_joints_that_drop_between_two_frames_are_not_taken_for_uneven_frames(data: Path) -> None:
    assert find_frame_times(load(data / "cmu_bvh/terrain_stairs/03_02.bvh")) is None


@pytest.mark.parametrize("frames", [1, 5, 15, 16, 17])
def test_a_few_frames_show_no_times(frames: int) -> None:
    assert find_frame_times(samples.walk()[:frames]) is None


def test_a_body_at_rest_shows_no_times() -> None:
    stand = samples.stand()
    assert find_frame_times(replace(stand, q=np.repeat(stand.q[:1], 100, axis=0))) is None
