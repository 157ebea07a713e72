"""Edited trials: hands meet where they should, bodies stay possible, styles differ as claimed, seeds repeat."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol_evidence.reproduce.interaction.edited_trials import (
    GRID,
    SHIFTED,
    TRIAL_RATE,
    TrialSpread,
    make_edited_trials,
    make_noise,
)
from gambol_evidence.reproduce.interaction.styles import EMOTION_EDITS
from gambol_evidence.reproduce.interaction.upper_body import find_upper_body
from tests.evidence.reproduce.interaction.pairs import (
    CELLS,
    make_high_five,
    make_some_trials,
    make_standing_high_five,
    measure_clearance,
    measure_flexion,
    track,
)

KINDS = [(walking, spread) for spread in (TrialSpread(), SHIFTED) for walking in (False, True)]


@pytest.mark.parametrize(("walking", "spread"), KINDS)
def test_hands_meet_in_their_cell(data: Path, walking: bool, spread: TrialSpread) -> None:
    source = make_high_five(data) if walking else make_standing_high_five(data)
    for one in make_some_trials(data, walking, spread):
        assert one.trial.gap < 1e-3
        assert np.abs(one.trial.place - source.place - GRID[one.cell]).max() < spread.place + 1e-3


@pytest.mark.parametrize(("walking", "spread"), KINDS)
def test_elbows_stay_within_limits(data: Path, walking: bool, spread: TrialSpread) -> None:
    people = [person for one in make_some_trials(data, walking, spread) for person in one.trial.people]
    flexions = np.concatenate([measure_flexion(person, side) for person in people for side in ("left", "right")])
    assert flexions.min() > 0.0
    assert flexions.max() < np.radians(155.0)


@pytest.mark.parametrize("walking", [False, True])
def test_hands_stay_outside_bodies(data: Path, walking: bool) -> None:
    for one in make_some_trials(data, walking):
        trunks = [(track(person, "pelvis"), track(person, "neck")) for person in one.trial.people]
        hands = [one.trial.frame.to_world(path) for path in one.trial.paths]
        assert min(measure_clearance(hands[n], *trunks[n]) for n in range(2)) > 0.14
        assert min(measure_clearance(hands[n], *trunks[1 - n]) for n in range(2)) > 0.25


def test_hands_move_without_jumps(data: Path) -> None:
    """The recorded impact has 105 m/s² between frames at 30 frames per second."""
    for one in make_some_trials(data, False):
        for path in one.trial.paths:
            assert np.linalg.norm(np.diff(path, 2, axis=0), axis=1).max() * TRIAL_RATE**2 < 140.0


def test_standing_people_stay_and_end_as_they_begin(data: Path) -> None:
    for one in make_some_trials(data, False):
        for person in one.trial.people:
            for part in ("pelvis", "left_foot", "right_foot", "left_toes", "right_toes"):
                assert np.ptp(track(person, part), axis=0).max() < 1e-6
            np.testing.assert_allclose(
                person.placement.positions[0], person.placement.positions[-1], atol=1e-6, err_msg=one.style
            )


def test_walking_people_make_the_recorded_steps(data: Path) -> None:
    source = make_high_five(data)
    for one in make_some_trials(data, True):
        for person, recorded in zip(one.trial.people, source.people, strict=True):
            for part in ("pelvis", "left_foot", "right_foot"):
                path, steps = track(person, part), track(recorded, part)
                np.testing.assert_allclose(path[one.trial.contact], steps[source.contact], atol=1e-6)
                far = max(np.linalg.norm(steps - place, axis=1).min() for place in path)
                assert far < 0.02  # half of the largest distance between recorded frames


def test_every_cell_has_every_style(data: Path) -> None:
    trials = make_some_trials(data, False)
    assert {(one.cell, one.style) for one in trials} == {(n, style) for n in CELLS for style in EMOTION_EDITS}
    assert len(trials) == 4 * len(CELLS)
    for one in trials:
        assert one.trial.style == ({} if one.style == "neutral" else {one.style: 1.0})
        assert one.intensity == 0.0 if one.style == "neutral" else 0.6 <= one.intensity <= 1.4
        assert one.trial.frame_time == pytest.approx(1.0 / 30.0)


@pytest.mark.parametrize("walking", [False, True])
def test_anger_is_fastest_and_sadness_slowest(data: Path, walking: bool) -> None:
    speeds, durations = {}, {}
    for style in EMOTION_EDITS:
        trials = [one.trial for one in make_some_trials(data, walking) if one.style == style]
        paths = [path for trial in trials for path in trial.paths]
        speeds[style] = np.mean([np.linalg.norm(np.diff(path, axis=0), axis=1).max() for path in paths])
        durations[style] = np.mean([len(trial) for trial in trials])
    assert sorted(speeds, key=lambda style: -speeds[style]) == ["angry", "happy", "neutral", "sad"]
    assert sorted(durations, key=lambda style: durations[style]) == ["angry", "happy", "neutral", "sad"]


def test_seeds_repeat(data: Path) -> None:
    pair, first = make_high_five(data), make_some_trials(data, True)
    again = make_edited_trials(pair, 3, walking=True, repetitions=1, cells=(7,))  # whatever other cells are made
    other = make_edited_trials(pair, 4, walking=True, repetitions=1, cells=(7,))
    for one, same, another in zip([one for one in first if one.cell == 7], again, other, strict=True):
        np.testing.assert_array_equal(one.trial.people[0].q, same.trial.people[0].q)
        assert np.abs(one.trial.place - another.trial.place).max() > 1e-3


def test_noise_is_smooth_and_the_same_at_both_ends(data: Path) -> None:
    body = find_upper_body(make_high_five(data).people[0])
    noise = make_noise(90, body, 0.1, np.random.default_rng(0))
    assert noise.shape == (90, len(body.rest), 3)
    np.testing.assert_allclose(noise[0], noise[-1], atol=1e-12)
    assert 0.05 < np.abs(noise).max() <= 0.2
    assert np.abs(np.diff(noise, 2, axis=0)).max() < 1e-3
    assert not noise[:, [body.parts[part] for part in ("pelvis", "left_thigh", "right_foot")]].any()
