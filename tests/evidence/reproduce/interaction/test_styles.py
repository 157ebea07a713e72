"""Style edits change what they say, by as much as they say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.geometry import quaternions as quat
from gambol.interaction.trials import Trial
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol_evidence.reproduce.interaction.styles import EMOTION_EDITS, StyleEdit, apply_posture
from gambol_evidence.reproduce.interaction.upper_body import find_upper_body
from tests.evidence.reproduce.interaction.pairs import make_standing_high_five, measure_flexion, track


def edit_first(trial: Trial, edit: StyleEdit) -> Motion:
    person, hand = trial.people[0], trial.hands[0].side
    rotations = local_frames(person.skeleton, person.q).rotations
    return replace_rotations(person, apply_posture(rotations, find_upper_body(person), edit, hand, trial.phases))


def bow(person: Motion, upper: str, lower: str) -> float:
    """Degrees by which a line between two parts leans to the front in the first frame."""
    line = (track(person, upper) - track(person, lower))[0]
    left = (track(person, "left_thigh") - track(person, "right_thigh"))[0]
    front = np.cross(left, [0.0, 0.0, 1.0])
    return float(np.degrees(np.arctan2(line @ front / np.linalg.norm(front), line[2])))


def test_no_edit_changes_nothing(data: Path) -> None:
    trial = make_standing_high_five(data)
    found = edit_first(trial, EMOTION_EDITS["neutral"])
    np.testing.assert_allclose(found.placement.positions, trial.people[0].placement.positions, atol=1e-9)


def test_intensities_interpolate() -> None:
    angry = EMOTION_EDITS["angry"]
    assert angry.scale(0.0) == StyleEdit()
    assert angry.scale(1.0) == angry
    half = angry.scale(0.5)
    assert half.trunk == pytest.approx(angry.trunk / 2.0)
    assert half.scale(2.0).duration == pytest.approx(angry.duration)


def test_postures_change_by_their_angles(data: Path) -> None:
    trial = make_standing_high_five(data)
    plain = trial.people[0]
    leaned = edit_first(trial, StyleEdit(trunk=10.0))
    assert 4.0 < bow(leaned, "neck", "pelvis") - bow(plain, "neck", "pelvis") < 10.0
    assert bow(leaned, "left_hand", "left_upper_arm") == pytest.approx(
        bow(plain, "left_hand", "left_upper_arm"), abs=1.0
    )
    bowed = edit_first(trial, StyleEdit(head=20.0))
    assert bow(bowed, "head", "neck") - bow(plain, "head", "neck") > 5.0
    raised = edit_first(trial, StyleEdit(shoulders=6.0))
    for side in ("left", "right"):
        assert 0.01 < (track(raised, f"{side}_upper_arm") - track(plain, f"{side}_upper_arm"))[0, 2] < 0.04
        flexed = measure_flexion(edit_first(trial, StyleEdit(elbows=15.0)), side) - measure_flexion(plain, side)
        assert np.degrees(flexed[0]) == pytest.approx(15.0, abs=1.0)


def test_elbows_are_not_stretched_beyond_straight(data: Path) -> None:
    straight = edit_first(make_standing_high_five(data), StyleEdit(elbows=-90.0))
    for side in ("left", "right"):
        assert measure_flexion(straight, side).min() > 0.0


def test_amplitude_scales_rotations_from_rest_but_not_the_touching_arm_at_contact(data: Path) -> None:
    trial = make_standing_high_five(data)
    plain, larger = trial.people[0], edit_first(trial, StyleEdit(amplitude=1.3))
    body = find_upper_body(plain)
    chest, shoulder = body.parts["chest"], body.parts["right_upper_arm"]
    before, after = (
        quat.angle(quat.multiply(quat.conjugate(body.rest), local_frames(one.skeleton, one.q).rotations))
        for one in (plain, larger)
    )
    np.testing.assert_allclose(after[:, chest], 1.3 * before[:, chest], atol=1e-6)
    np.testing.assert_allclose(after[0, shoulder], 1.3 * before[0, shoulder], atol=1e-6)
    np.testing.assert_allclose(after[trial.contact, shoulder], before[trial.contact, shoulder], atol=1e-6)


def test_legs_are_not_edited(data: Path) -> None:
    trial = make_standing_high_five(data)
    moved = replace(trial, people=(edit_first(trial, EMOTION_EDITS["angry"].scale(1.5)), trial.people[1]))
    for part in ("pelvis", "left_shank", "right_foot"):
        np.testing.assert_allclose(track(moved.people[0], part), track(trial.people[0], part), atol=1e-9)
