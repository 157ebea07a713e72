"""Standing people made of walking ones: on flat feet, facing each other, with hanging arms before and after."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.motion.motion import Motion
from gambol_evidence.reproduce.interaction.upper_body import find_headings
from tests.evidence.reproduce.interaction.pairs import make_high_five, make_standing_high_five, track


def test_hands_meet_half_way(data: Path) -> None:
    trial, recorded = make_standing_high_five(data), make_high_five(data)
    assert trial.gap < 1e-6
    assert trial.place[2] == pytest.approx(recorded.place[2], abs=0.05)
    reaches = [
        np.linalg.norm(trial.frame.to_world(trial.place) - track(person, "right_upper_arm")[trial.contact])
        for person in trial.people
    ]
    assert reaches[0] == pytest.approx(reaches[1], abs=0.05)


def test_people_face_each_other(data: Path) -> None:
    one, two = make_standing_high_five(data).people
    between = (track(two, "pelvis") - track(one, "pelvis"))[0]
    assert 0.7 < np.linalg.norm(between[:2]) < 1.0
    for person, sign in ((one, 1.0), (two, -1.0)):
        off = find_headings(person)[0] - np.arctan2(sign * between[1], sign * between[0])
        assert np.cos(off) > np.cos(np.radians(15.0))


def test_feet_are_flat_and_side_by_side(data: Path) -> None:
    for person, recorded in zip(make_standing_high_five(data).people, make_high_five(data).people, strict=True):
        apart = to_front(person, track(person, "left_foot") - track(person, "right_foot"))
        assert abs(apart[0]) < 0.02
        assert 0.08 < apart[1] < 0.3
        for side in ("left", "right"):
            low = track(recorded, f"{side}_toes")[:, 2].min()
            assert track(person, f"{side}_toes")[0, 2] == pytest.approx(low, abs=0.02)
            knee = track(person, f"{side}_shank") - 0.5 * (
                track(person, f"{side}_thigh") + track(person, f"{side}_foot")
            )
            assert to_front(person, knee)[0] > 0.0
            ankle_to_hip = track(person, f"{side}_thigh") - track(person, f"{side}_foot")
            assert np.linalg.norm(ankle_to_hip[0, :2]) < 0.08


def test_arms_hang_before_and_after(data: Path) -> None:
    for person in make_standing_high_five(data).people:
        for side in ("left", "right"):
            hand = track(person, f"{side}_hand") - track(person, f"{side}_upper_arm")
            for frame in (0, -1):
                assert hand[frame, 2] < -0.4
                assert np.linalg.norm(hand[frame, :2]) < 0.08
        np.testing.assert_allclose(person.q[0], person.q[-1], atol=1e-9)


def to_front(person: Motion, vectors: np.ndarray) -> np.ndarray:
    """The first of vectors (frames, 3) in a frame that faces as the person does."""
    heading = find_headings(person)[0]
    front, left = np.array([np.cos(heading), np.sin(heading)]), np.array([-np.sin(heading), np.cos(heading)])
    return np.array([vectors[0, :2] @ front, vectors[0, :2] @ left, vectors[0, 2]])
