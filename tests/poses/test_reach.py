"""Hands reach their goals within the limits of the elbow, and stay calm where goals are out of reach."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import Placement, local_frames, place_local
from gambol.motion.motion import Motion
from gambol.poses.reach import ELBOW_LIMITS, Arm, HandPoint, find_arm
from gambol_evidence.reproduce.recordings import load_cmu_clip

HAND = HandPoint("right", np.array([0.0, -0.1, 0.0]))


@pytest.fixture(scope="module")
def person(data: Path) -> Motion:
    return load_cmu_clip(data, "21_11")[::8]


def flex(arm: Arm, local: Placement) -> Array:
    """Flexion (frames,) of the elbow in radians."""
    placed = place_local(arm.skeleton, local)
    shoulder, elbow, hand = (placed.positions[:, arm.path[arm.elbow + n]] for n in (-1, 0, 1))
    axis = quat.rotate(placed.rotations[:, arm.path[arm.elbow - 1]], arm.hinge)
    upper, lower = elbow - shoulder, hand - elbow
    return np.arctan2(np.sum(np.cross(upper, lower) * axis, axis=1), np.sum(upper * lower, axis=1))


@pytest.mark.parametrize("shift", [(0.05, 0.0, 0.0), (0.0, -0.1, 0.05), (0.0, 0.0, -0.12)])
def test_hands_reach_their_goals(person: Motion, shift: tuple[float, float, float]) -> None:
    arm, local = find_arm(person, HAND), local_frames(person.skeleton, person.q)
    low = arm.locate(local)[:, 2] < 1.2  # where the arm is not stretched already
    goals = arm.locate(local) + shift
    found = Placement(local.positions, arm.reach(local, goals)[0])
    assert np.linalg.norm(arm.locate(found) - goals, axis=1)[low].max() < 1e-3
    assert flex(arm, found).min() > ELBOW_LIMITS[0] - 0.01


@pytest.mark.parametrize("far", [0.9, 1.5])
def test_goals_out_of_reach_are_approached_without_turning_over(person: Motion, far: float) -> None:
    arm, local = find_arm(person, HAND), local_frames(person.skeleton, person.q)
    shoulder = person.placement.positions[:, arm.path[arm.elbow - 1]]
    goals = shoulder + far * np.array([0.0, 0.0, 1.0])
    found = Placement(local.positions, arm.reach(local, goals)[0])
    before, after = (np.linalg.norm(goals - arm.locate(one), axis=1) for one in (local, found))
    assert (after < before).all()
    trunk = [joint for joint, easy in zip(arm.path, arm.compliance, strict=True) if 0.0 < easy < 0.05]
    turned = quat.angle(quat.multiply(quat.conjugate(local.rotations[:, trunk]), found.rotations[:, trunk]))
    assert np.degrees(turned).max() < 35.0


def test_an_elbow_folds_only_so_far(person: Motion) -> None:
    arm, local = find_arm(person, HAND), local_frames(person.skeleton, person.q)
    goals = person.placement.positions[:, arm.path[arm.elbow - 1]] + [0.02, 0.0, 0.0]
    flexed = flex(arm, Placement(local.positions, arm.reach(local, goals)[0]))
    assert ELBOW_LIMITS[0] < flexed.min()
    assert flexed.max() < ELBOW_LIMITS[1] + 0.01
