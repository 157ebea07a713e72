"""Poses become rows and come back, on the rig and anywhere in the world."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.interaction.rows import find_person_rows
from gambol.interaction.trials import GroundFrame
from gambol.motion.skeleton import Skeleton
from gambol.poses.reach import HandPoint
from tests.interaction.meetings import make_people, make_trial, make_trials, move_person


@pytest.mark.parametrize("person", [0, 1])
def test_rows_and_back(person: int) -> None:
    trial = make_trials()[2]
    rows = find_person_rows(make_trials(), person)
    encoded = rows.encode(trial.local[person])
    assert encoded.shape == (len(trial), rows.size)
    decoded = rows.decode(encoded)
    np.testing.assert_allclose(decoded.positions, trial.local[person].positions, atol=1e-9)
    same = np.abs((decoded.rotations * trial.local[person].rotations).sum(axis=-1))
    np.testing.assert_allclose(same, 1.0, atol=1e-12)
    np.testing.assert_allclose(rows.encode(decoded), encoded, atol=1e-9)


def test_the_mean_pose_is_the_origin_of_rows() -> None:
    rows = find_person_rows(make_trials(), 0)
    encoded = np.concatenate([rows.encode(trial.local[0]) for trial in make_trials()])
    # The mean of rotations is that of quaternions; rotation vectors up to 60 degrees from it differ a little.
    assert np.abs(encoded[:, 3:].mean(axis=0)).max() < 0.05
    assert np.abs(encoded[:, 3:]).max() > 0.5


@pytest.mark.parametrize(("heading", "shift"), [(0.0, (0.0, 0.0, 0.0)), (2.0, (3.0, -1.0, 0.0))])
@pytest.mark.parametrize("person", [0, 1])
def test_the_motion_comes_back_anywhere(person: int, heading: float, shift: tuple[float, float, float]) -> None:
    trial = make_trial()
    rows = find_person_rows([trial], person)
    frame = GroundFrame(np.array(shift), heading)
    motion = rows.make_motion(rows.decode(rows.encode(trial.local[person])), frame, 0.02, "again")
    moved = move_person(trial.people[person], heading, np.array(shift))
    np.testing.assert_allclose(motion.placement.positions, moved.placement.positions, atol=1e-9)
    apart = np.angle(np.exp(1j * (motion.q - moved.q)))
    apart[:, motion.skeleton.columns(0, "slide")] = 0.0
    assert np.abs(apart).max() < 1e-7
    assert (motion.frame_time, motion.name, motion.rig) == (0.02, "again", moved.rig)


def test_only_joints_that_turn_have_columns() -> None:
    rows = find_person_rows([make_trial()], 0)
    assert not any(rows.arm.skeleton.names[joint].endswith("_end") for joint in rows.joints)
    assert rows.size == 3 + 3 * len(rows.joints) == 3 + 3 * (26 - 5)


def rename(skeleton: Skeleton) -> Skeleton:
    return replace(skeleton, names=("Pelvis", *skeleton.names[1:]))


def test_trials_of_other_rigs_or_hands_are_told() -> None:
    trial = make_trial()
    other = replace(make_people()[0], skeleton=rename(make_people()[0].skeleton), name="other")
    with pytest.raises(InputError, match="'other' is on another rig than 'one'"):
        find_person_rows([trial, replace(trial, people=(other, trial.people[1]))], 0)
    left = replace(trial, hands=(HandPoint("left", np.zeros(3)), trial.hands[1]))
    with pytest.raises(InputError, match="touches with the left hand, 'one' with the right one"):
        find_person_rows([trial, left], 0)
    find_person_rows([trial, left], 1)
