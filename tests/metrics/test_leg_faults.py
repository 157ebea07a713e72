"""Knees that bend backward and legs that jump are counted where they were made, and not in recordings."""

from __future__ import annotations

import numpy as np
import pytest

from gambol import load
from gambol.io import samples
from gambol.metrics.leg_faults import count_backward_knees, count_leg_pops
from gambol.motion.motion import Motion
from tests.legs.bent import change_flexion, find_bends, turn_legs

WALK = samples.walk()


def only(frames: slice, value: float):
    """(frames,) zeros, with a value in degrees in some frames."""
    out = np.zeros(len(WALK))
    out[frames] = np.radians(value)
    return out


def counts(motion: Motion) -> tuple[int, int]:
    return count_backward_knees(motion), count_leg_pops(motion)


def test_a_walk_has_no_faults_at_any_frame_rate() -> None:
    for every in (1, 2, 3, 4):
        assert counts(WALK[::every]) == (0, 0)


def test_knees_bent_back_are_counted_by_leg_and_frame() -> None:
    ramp = np.radians(100.0) * np.clip(1.0 - np.abs(np.arange(len(WALK)) - 60) / 20.0, 0.0, 1.0)
    back = change_flexion(WALK, lambda bend: bend - ramp, ("left",))
    beyond = int((np.radians(-20.0) > find_bends(WALK, "left") - ramp).sum())
    assert beyond > 5
    assert counts(back) == (beyond, 0)
    assert counts(change_flexion(WALK, lambda bend: bend - np.radians(15.0))) == (0, 0)


def test_a_jump_counts_once_and_a_spike_twice() -> None:
    assert counts(change_flexion(WALK, lambda bend: bend + only(slice(50, None), 30.0), ("right",))) == (0, 1)
    assert counts(change_flexion(WALK, lambda bend: bend + only(slice(50, 51), 30.0), ("right",))) == (0, 2)
    assert counts(change_flexion(WALK, lambda bend: bend + only(slice(50, 51), 10.0))) == (0, 0)
    fast = np.radians(8.0) * np.clip(np.arange(len(WALK)) - 50, 0, 10)
    assert counts(change_flexion(WALK, lambda bend: bend + fast)) == (0, 0)


def test_a_leg_that_is_turned_half_around_jumps_twice_and_bends_backward() -> None:
    frames = np.zeros(len(WALK), dtype=bool)
    bent = int(np.argmax(find_bends(WALK, "left")))
    frames[bent - 2 : bent + 3] = True
    assert counts(turn_legs(WALK, "left", frames)) == (5, 2)


@pytest.mark.parametrize("clip", ["walk/07_12", "run/16_45", "sports/10_05", "terrain_stairs/141_09", "dance/05_16"])
def test_recordings_have_none_unless_they_are_broken(data, clip: str) -> None:
    found = counts(load(data / "cmu_bvh" / f"{clip}.bvh"))
    if clip == "dance/05_16":  # a leg of this clip is turned by half a turn in seven places
        assert min(found) > 5
    else:
        assert found == (0, 0)
