"""Speeds of tracks at any frame rate, gaps in them, and runs of frames."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambol.geometry.arrays import find_runs
from gambol.stages.speed import compute_speed, compute_velocity

VELOCITY = np.array([1.0, -2.0, 2.0])


def _straight(rate: float, seconds: float = 1.0) -> np.ndarray:
    return np.outer(np.arange(round(seconds * rate)) / rate, VELOCITY) + [0.3, 0.1, 2.0]


@pytest.mark.parametrize("rate", [60.0, 100.0, 240.0])
def test_a_straight_track_has_one_velocity(rate):
    found = compute_velocity(_straight(rate), 1.0 / rate)
    np.testing.assert_allclose(found, np.tile(VELOCITY, (round(rate), 1)), rtol=1e-4)
    np.testing.assert_allclose(compute_speed(_straight(rate), 1.0 / rate), 3.0, rtol=1e-4)


def test_slow_movement_passes_in_step_and_fast_movement_does_not():
    """At half the cutoff nine tenths are left and nothing is delayed; at three times the cutoff hardly anything is."""
    rate, time = 200.0, np.arange(400) / 200.0
    for frequency, low, high in ((3.0, 0.99, 1.001), (6.0, 0.85, 0.98), (12.0, 0.45, 0.55), (36.0, 0.0, 0.02)):
        track = np.zeros((400, 3))
        track[:, 0] = np.sin(2.0 * np.pi * frequency * time)
        found = compute_velocity(track, 1.0 / rate)[100:300, 0]
        exact = 2.0 * np.pi * frequency * np.cos(2.0 * np.pi * frequency * time)[100:300]
        gain = found @ exact / (exact @ exact)
        assert low <= gain <= high
        assert np.abs(found - gain * exact).max() < 0.03 * np.abs(exact).max()


def test_close_to_the_frame_rate_and_in_short_pieces_nothing_is_filtered():
    track = np.random.default_rng(0).normal(size=(60, 3))
    for piece, step in ((track, 1.0 / 26.0), (track[:9], 0.01)):
        np.testing.assert_allclose(compute_velocity(piece, step), np.gradient(piece, step, axis=0))
    for piece, step in ((track, 1.0 / 27.0), (track[:10], 0.01)):
        assert np.abs(compute_velocity(piece, step) - np.gradient(piece, step, axis=0)).max() > 0.1


def test_gaps_of_a_tenth_of_a_second_are_bridged_and_longer_ones_are_not():
    for missing, bridged in ((9, True), (10, True), (11, False)):
        track = _straight(100.0)
        track[40 : 40 + missing] = np.nan
        speed = compute_speed(track, 0.01)
        seen = np.isfinite(speed)
        assert seen[:40].all()
        assert seen[40 + missing :].all()
        assert seen[40 : 40 + missing].all() == bridged
        np.testing.assert_allclose(speed[seen], 3.0, rtol=1e-4)
    for ends in (slice(0, 5), slice(95, 100)):
        track = _straight(100.0)
        track[ends] = np.nan
        assert np.isnan(compute_speed(track, 0.01)[ends]).all()
    lonely = np.full((9, 3), np.nan)
    lonely[4] = 0.0
    assert np.isnan(compute_speed(lonely, 0.1)).all()


@given(st.lists(st.booleans(), max_size=30))
def test_runs_are_the_longest_intervals_of_true(values):
    mask = np.array(values, dtype=bool)
    runs = list(find_runs(mask))
    again = np.zeros(len(mask), dtype=bool)
    for first, last in runs:
        assert mask[first : last + 1].all()
        assert first == 0 or not mask[first - 1]
        assert last == len(mask) - 1 or not mask[last + 1]
        again[first : last + 1] = True
    np.testing.assert_array_equal(again, mask)
