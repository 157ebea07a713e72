"""Fit a character to a rig and map its motion back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.body.build import make_average_build
from gambol.body.character import Character
from gambol.body.human import make_human
from gambol.fit.load import load
from gambol.fit.rig import fit
from gambol.fit.rig_mapping import map_to_rig
from gambol.io import samples
from gambol.motion.kinematics import place
from gambol.poses.solve import solve_poses
from gambol.poses.targets import aim_point


def test_inverse_kinematics_finds_a_pose_and_stays_within_limits() -> None:
    character = make_human(make_average_build(1.75), 80.0)
    skeleton = character.skeleton
    lower = np.array([max(d.lower, -0.8) for d in skeleton.dofs])
    upper = np.array([min(d.upper, 0.8) for d in skeleton.dofs])
    ends = np.random.default_rng(0).uniform(0.8 * lower, 0.8 * upper, size=(2, 42))
    true = np.linspace(ends[0], ends[1], 60)
    positions = place(skeleton, true).positions
    targets = [aim_point(j, np.zeros(3), positions[:, j]) for j in range(len(skeleton.names))]
    start = true + 0.3 * np.random.default_rng(1).normal(size=42)
    found = solve_poses(skeleton, targets, start, 0.01, rounds=40)
    off = np.linalg.norm(place(skeleton, found).positions - positions, axis=2)
    assert off.max() < 0.005
    beyond = [aim_point(j, np.zeros(3), positions[:, j] * 3.0) for j in range(len(skeleton.names))]
    stretched = solve_poses(skeleton, beyond, np.zeros_like(true), 0.01)
    assert (stretched >= [d.lower for d in skeleton.dofs]).all()
    assert (stretched <= [d.upper for d in skeleton.dofs]).all()


def test_walks_and_runs_fit_within_millimetres(data: Path) -> None:
    errors = []
    for path in sorted([*(data / "cmu_bvh" / "walk").glob("*.bvh"), *(data / "cmu_bvh" / "run").glob("*.bvh")])[::3]:
        clip = load(path)
        errors.append(fit(Character.from_motion(clip), clip).errors.mean())
    assert max(errors) < 0.008
    assert np.mean(errors) < 0.004


@pytest.mark.parametrize("clip", ["49_06", "87_03", "87_05", "88_05"])
def test_flips_and_cartwheels_fit_without_gimbal_trouble(data: Path, clip: str) -> None:
    motion = load(data / "cmu_bvh" / "acrobatics" / f"{clip}.bvh")
    fitted = fit(Character.from_motion(motion), motion)
    assert fitted.errors.mean() < 0.010
    root = fitted.character.skeleton.columns(0, "turn")
    assert np.abs(np.diff(fitted.motion.q[:, root], axis=0)).max() < np.radians(30)


@pytest.mark.parametrize("name", ["walk", "run", "jump", "stand"])
def test_mapping_an_unchanged_motion_back_changes_nothing(name: str) -> None:
    clip = samples.by_name(name)
    fitted = fit(Character.from_motion(clip), clip)
    np.testing.assert_array_equal(map_to_rig(fitted, fitted.motion.q).q, clip.q)


def test_a_raised_arm_changes_only_the_arm_of_the_rig() -> None:
    clip = samples.walk()
    fitted = fit(Character.from_motion(clip), clip)
    skeleton = fitted.character.skeleton
    arm = skeleton.columns(skeleton.names.index("left_upper_arm"))[0]
    q = fitted.motion.q.copy()
    q[:, arm] += np.linspace(0.0, 1.0, len(q))
    mapped = map_to_rig(fitted, q)
    touched = {
        clip.skeleton.names[d.joint] for c, d in enumerate(clip.skeleton.dofs) if (mapped.q[:, c] != clip.q[:, c]).any()
    }
    assert touched == {"LeftArm"}
    moved = place(skeleton, q).positions - fitted.motion.placement.positions
    hand = clip.rig.parts["left_hand"]
    off = (
        mapped.placement.positions[:, hand]
        - clip.placement.positions[:, hand]
        - moved[:, skeleton.names.index("left_hand")]
    )
    assert np.linalg.norm(off, axis=1).max() < 0.01
    assert np.abs(np.diff(mapped.q, axis=0)).max() < 0.6


def test_a_moved_and_turned_root_carries_the_whole_rig(data: Path) -> None:
    clip = load(data / "cmu_bvh" / "walk" / "07_01.bvh")
    fitted = fit(Character.from_motion(clip), clip)
    q = fitted.motion.q.copy()
    q[:, :3] += [0.5, -0.2, 0.1]
    mapped = map_to_rig(fitted, q)
    np.testing.assert_allclose(
        mapped.placement.positions - clip.placement.positions,
        np.broadcast_to([0.5, -0.2, 0.1], mapped.placement.positions.shape),
        atol=1e-9,
    )
    np.testing.assert_array_equal(mapped.q[:, 3:], clip.q[:, 3:])
