"""Clips whose frame rate is wrong, found by their flights."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.assumptions import GRAVITY
from gambol.errors import InputError
from gambol.geometry.arrays import find_runs
from gambol.io import samples
from gambol.spacetime.edits.draft import draft_edit
from gambol.spacetime.edits.edit import Change, Edit
from gambol.spacetime.edits.time_map import map_times
from gambol.spacetime.edits.verb import prepare_clip

JUMP = samples.jump()


def test_a_jump_at_half_or_twice_its_rate_is_edited_as_at_its_own() -> None:
    own, notes = prepare_clip(JUMP)
    assert not any("fall" in note for note in notes)
    assert own.frame_time == JUMP.frame_time
    fast, notes = prepare_clip(replace(JUMP, frame_time=0.5 * JUMP.frame_time))
    assert any("frame rate corrected from 120 to 60" in note for note in notes)
    assert fast.frame_time == pytest.approx(JUMP.frame_time)
    assert [(part.name, part.first, part.last) for part in fast.parts] == [
        (part.name, part.first, part.last) for part in own.parts
    ]
    far = Edit("far", (Change("ground 2", forward=0.3),))
    np.testing.assert_allclose(
        draft_edit(fast, far, 30.0).reference.q, draft_edit(own, far, 30.0).reference.q, atol=1e-9
    )


def test_given_flights_are_in_seconds_of_the_clip_that_is_calibrated() -> None:
    fast = replace(JUMP, frame_time=0.5 * JUMP.frame_time)
    given = {"flights": [{"start": 66 * fast.frame_time, "end": 94 * fast.frame_time}]}
    clip, _ = prepare_clip(fast, contacts=given)
    assert clip.frame_time == pytest.approx(JUMP.frame_time, rel=0.06)
    assert list(find_runs(clip.contacts.flight)) == [(66, 93)]


def test_the_estimate_can_be_taken_as_gravity_or_ignored() -> None:
    fast = replace(JUMP, frame_time=0.5 * JUMP.frame_time)
    own = prepare_clip(JUMP)[0].gravity_estimate
    assert own is not None
    heavy, notes = prepare_clip(fast, calibrate="gravity")
    assert any("gravity of the clip" in note for note in notes)
    assert heavy.frame_time == fast.frame_time
    assert heavy.gravity == pytest.approx(4.0 * own.value, rel=0.1)
    recorded = map_times(heavy, Edit("nothing"))
    assert recorded.is_recorded
    np.testing.assert_array_equal(recorded.gravity, heavy.gravity)
    moon = map_times(heavy, Edit("moon", gravity=1.62))
    n = [stage.name for stage in heavy.stages].index("flight 1")
    slower = np.diff(moon.times)[n] / np.diff(recorded.times)[n]
    assert slower == pytest.approx(heavy.gravity / 1.62)
    as_stated, notes = prepare_clip(fast, calibrate="off")
    assert any("frame rate or scale are wrong" in note for note in notes)
    assert (as_stated.frame_time, as_stated.gravity) == (fast.frame_time, GRAVITY)
    with pytest.raises(InputError, match="calibrate 'both'"):
        gb.edit(JUMP, gravity=5.0, calibrate="both")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="calibrate 'gravity'"):
        gb.family(JUMP, "line", calibrate="gravity")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["run/143_03", "jump_hop_leap/75_09"])
def test_recordings_at_twice_their_rate_are_corrected(data: Path, name: str) -> None:
    clip = gb.load(data / "cmu_bvh" / f"{name}.bvh")
    made, _ = prepare_clip(clip)
    assert 1.0 / made.frame_time == pytest.approx(60.0, rel=1e-4)
    assert made.gravity_estimate is not None
    assert not made.gravity_estimate.is_off


@pytest.mark.parametrize("name", ["run/16_41", "run/09_01", "jump_hop_leap/13_11", "sports/124_05"])
def test_recordings_at_their_rate_stay_as_they_are(data: Path, name: str) -> None:
    clip = gb.load(data / "cmu_bvh" / f"{name}.bvh")
    made, _ = prepare_clip(clip)
    assert made.gravity_estimate is not None
    assert made.frame_time == clip.frame_time
