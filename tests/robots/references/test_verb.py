"""Clips of people as reference motions of JVRC-1: soles, limits, forces, and files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.assumptions import GRAVITY
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import find_runs
from gambol.robots.biped import Biped
from gambol.robots.references import verb
from gambol.robots.references.judgement import judge_reference
from gambol.robots.references.variation import ReferenceVariation
from gambol.robots.references.verb import ReferenceResult, make_reference
from gambol.robots.sole_shapes import find_sole
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import SIDES
from tests.metamorphic.changes import MIRROR, SAME, Change
from tests.robots.test_whole_body import jvrc


@pytest.fixture(scope="module")
def biped() -> Biped:
    return jvrc()


@pytest.fixture(scope="module")
def walk(biped: Biped) -> ReferenceResult:
    return make_reference(gb.load("walk")[:56], biped)


@pytest.fixture(scope="module")
def fast(biped: Biped) -> ReferenceResult:
    return make_reference("walk", biped, fast=True)


def locate_corners(result: ReferenceResult) -> np.ndarray:
    """Corners (frames, 2, 4, 3) of both soles."""
    biped, placed = result.reference.biped, result.motion.placement
    feet = [biped.places[f"{side}_foot"].joint for side in SIDES]
    soles = np.stack([find_sole(biped, side) for side in SIDES])
    return placed.positions[:, feet][:, :, None] + quat.rotate(placed.rotations[:, feet][:, :, None], soles)


@pytest.mark.parametrize("made", ["walk", "fast"])
def test_soles_rest_on_the_ground_and_do_not_slip(made: str, request: pytest.FixtureRequest) -> None:
    result = request.getfixturevalue(made)
    corners = locate_corners(result)
    ground = np.percentile(corners[..., 2].min(axis=(1, 2)), 50)
    assert corners[..., 2].min() > ground - 0.002
    for side in range(2):
        for first, last in find_runs(result.reference.touching[:, side]):
            assert corners[first : last + 1, side, :, 2].min(axis=1).max() < ground + 0.002
            level = np.ptp(corners[first : last + 1, side, :, 2], axis=1) < 0.003
            if level.any():
                flat = corners[first : last + 1, side][level]
                assert np.abs(flat - np.median(flat, axis=0)).max() < 0.002


@pytest.mark.parametrize("made", ["walk", "fast"])
def test_joints_stay_within_limits_and_do_not_jump(made: str, request: pytest.FixtureRequest) -> None:
    motion = request.getfixturevalue(made).motion
    for column, dof in enumerate(motion.skeleton.dofs):
        assert dof.lower - 1e-6 <= motion.q[:, column].min() <= motion.q[:, column].max() <= dof.upper + 1e-6
    assert np.abs(np.diff(motion.q[:, 6:], axis=0)).max() < 0.3


def test_the_ground_carries_it(walk: ReferenceResult) -> None:
    """Missing force below three hundredths of the body weight; on average the ground carries the weight."""
    assert walk.figures["root_residual_body_weights"] < 0.03
    weight = GRAVITY * walk.reference.biped.description.character.mass
    assert walk.reference.forces.forces[..., 2].sum(axis=1).mean() == pytest.approx(weight, rel=0.05)


def test_motors_can_do_it(walk: ReferenceResult, fast: ReferenceResult) -> None:
    """A walk at a person's pace keeps the torques of the motors, which its poses alone exceed."""
    poses = judge_reference(fast.reference).figures
    assert walk.figures["joint_torque_ratio"] <= 1.0 < poses["joint_torque_ratio"]
    assert walk.figures["root_moment_body_weights"] < 0.02 < poses["root_moment_body_weights"]


@pytest.mark.slow
def test_stairs_are_climbed(biped: Biped) -> None:
    """Soles rest on stairs at the asked heights, and nothing is inside them."""
    result = make_reference(gb.load("walk")[:60], biped, variation=ReferenceVariation(stairs=0.12))
    corners, reference = locate_corners(result), result.reference
    starts = sorted((first, side) for side in range(2) for first, _ in find_runs(reference.flat[:, side]))
    heights = np.array([corners[first, side, :, 2].mean() for first, side in starts])
    np.testing.assert_allclose(np.diff(heights), 0.12, atol=1e-3)
    assert (corners[..., 2] - reference.ground).min() > -2e-3
    assert result.figures["root_residual_body_weights"] < 0.03
    assert result.motion.made["variation"] == {"stairs": 0.12}


def test_it_moves_as_the_person_does(fast: ReferenceResult) -> None:
    """Directions of forearms and shanks of the person and of the robot agree."""
    clip, biped, scale = gb.load("walk"), fast.reference.biped, fast.figures["scale_ratio"]
    seconds = fast.motion.times / scale**0.5
    frames = np.minimum(np.round(seconds / clip.frame_time).astype(int), len(clip) - 1)
    assert clip.rig is not None
    for side, upper, lower in (
        ("left", "forearm", "hand"),
        ("right", "shank", "foot"),
        ("right", "upper_arm", "forearm"),
    ):
        one, other = f"{side}_{upper}", f"{side}_{lower}"
        human = np.diff(clip.placement.positions[frames][:, [clip.rig.parts[one], clip.rig.parts[other]]], axis=1)[:, 0]
        ends = [biped.places[part] for part in (one, other)]
        placed = fast.motion.placement
        robot = np.diff([placed.positions[:, j] + quat.rotate(placed.rotations[:, j], p) for j, p in ends], axis=0)[0]
        cosine = np.sum(human * robot, axis=1) / np.linalg.norm(human, axis=1) / np.linalg.norm(robot, axis=1)
        assert np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))).mean() < 12.0


def test_time_goes_with_the_root_of_size(biped: Biped, fast: ReferenceResult) -> None:
    clip = gb.load("walk")
    assert fast.motion.duration == pytest.approx(clip.duration * fast.figures["scale_ratio"] ** 0.5, abs=0.03)
    kept = make_reference(clip[:40], biped, fast=True, keep_time=True, fps=30.0)
    assert kept.motion.duration == pytest.approx(clip[:40].duration, abs=0.04)
    assert kept.motion.frame_time == pytest.approx(1 / 30)


def test_a_clip_that_is_turned_gives_the_same_poses(biped: Biped, fast: ReferenceResult) -> None:
    change = Change("turned", degrees=70.0, shift=(20.0, -7.0, 0.0))
    other = make_reference(change.apply(gb.load("walk")), biped, fast=True)
    here, there = SAME.undo(fast.motion), change.undo(other.motion)
    for name, places in here.items():
        np.testing.assert_allclose(there[name], places + [*(there[name] - places)[0, :2], 0.0], atol=1e-8)


def test_the_mirror_image_of_a_clip_gives_the_mirror_image(biped: Biped, fast: ReferenceResult) -> None:
    other = make_reference(Change("mirrored", mirrored=True).apply(gb.load("walk")), biped, fast=True)
    for part, opposite in (("left_foot", "right_foot"), ("right_foot", "left_foot"), ("left_hand", "right_hand")):
        here = fast.motion.placement.positions[:, biped.places[part].joint]
        there = other.motion.placement.positions[:, biped.places[opposite].joint]
        np.testing.assert_allclose((there - there[0]) * MIRROR, here - here[0], atol=1e-5)


def test_the_lowest_ground_is_at_zero_however_high_the_clip_is(biped: Biped) -> None:
    """Trackers have their ground there. Stairs that lead down begin there."""
    clip = gb.load("walk")[:60]
    low, high = (Change("raised", shift=(0.0, 0.0, rise)).apply(clip) for rise in (-0.3, 0.5))
    here, there = (make_reference(each, biped, fast=True).reference for each in (low, high))
    assert np.abs(here.ground).max() < 1e-9
    np.testing.assert_allclose(there.motion.q, here.motion.q, atol=1e-6)
    down = make_reference(high, biped, fast=True, variation=ReferenceVariation(stairs=-0.05)).reference
    assert down.ground.max() == pytest.approx(0.0, abs=1e-9)
    assert down.ground.min() < -0.04


def test_a_clip_of_too_few_frames_is_refused(biped: Biped) -> None:
    with pytest.raises(InputError, match=r"'walk' lasts 0\.03\d* s; give at least 0\.04\d* s"):
        make_reference(gb.load("walk")[:3], biped, fast=True)


def slow_down(biped: Biped, share: float) -> Biped:
    """The robot with smaller largest speeds."""
    return replace(biped, description=replace(biped.description, speeds=share * biped.description.speeds))


@pytest.mark.parametrize(("fast", "share"), [(True, 0.5), (False, 0.3)])
def test_joints_keep_below_largest_speeds_that_the_clip_exceeds(biped: Biped, fast: bool, share: float) -> None:
    clip, slower = gb.load("walk")[:35], slow_down(biped, share)
    free, slow = make_reference(clip, slow_down(biped, 9.0), fast=True), make_reference(clip, slower, fast=fast)
    most = {one: float(np.nanmax(np.abs(one.reference.speeds) / slow.reference.biped.description.speeds[6:]))
            for one in (free, slow)}  # fmt: skip
    assert most[free] > 1.3
    assert most[slow] < 1.0


def test_times_without_a_foot_on_the_ground_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    aloft = np.isin(np.arange(100), [*range(20, 24), *range(50, 80)])
    monkeypatch.setattr(verb, "find_unsupported", lambda *_: aloft)
    clip = gb.load("walk")[:100]
    (note,) = verb._list_unsupported(clip, find_foot_contacts(clip), 50.0)
    assert note.startswith("1.0-1.6 s: ")


def test_files_have_what_trackers_read(fast: ReferenceResult, tmp_path: Path) -> None:
    fast.save(tmp_path / "walk.npz")
    with np.load(tmp_path / "walk.npz") as content:
        frames, joints = content["joint_pos"].shape
        assert content["fps"].tolist() == [50.0]
        assert content["body_quat_w"].shape == (frames, len(content["body_names"]), 4)
        assert len(content["joint_names"]) == joints
        step = np.diff(content["body_pos_w"][:, 0], axis=0) * 50.0
        np.testing.assert_allclose(content["body_lin_vel_w"][1:-1, 0], 0.5 * (step[1:] + step[:-1]), atol=1e-9)
    fast.save(tmp_path / "walk.csv")
    table = np.loadtxt(tmp_path / "walk.csv", delimiter=",")
    assert table.shape == (frames, 7 + joints)
    np.testing.assert_allclose(np.linalg.norm(table[:, 3:7], axis=1), 1.0, atol=1e-6)
    assert gb.load(tmp_path / "walk.npz").q.shape == fast.motion.q.shape


def test_the_command(gambol, biped: Biped, tmp_path: Path) -> None:
    robot = tmp_path / "robot.urdf"
    robot.write_text('<robot name="box"><link name="base"/></robot>')
    code, _, err = gambol("retarget", "walk", "--to", robot, "-o", tmp_path / "walk.npz")
    assert code == 2
    assert "masses" in err
    code, _, err = gambol("retarget", "walk", "--to", "jvrc1", "-o", tmp_path / "walk.pkl")
    assert (code, "'.pkl' cannot be written; choose one of .npz, .bvh" in err) == (2, True)
    code, _, err = gambol("retarget", "walk", "--to", "run", "--fast", "-o", tmp_path / "walk.bvh")
    assert (code, "for robots only: fast" in err) == (2, True)
    assert not (tmp_path / "walk.npz").exists()
