"""Judgements of reference motions: each fault that is put into a good one is found, and named; files of others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.body.character import GRAVITY
from gambol.body.robot_description import JOINTS
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.vectors import UP
from gambol.motion.kinematics import place
from gambol.robots.biped import Biped, find_biped
from gambol.robots.references.files import read_reference
from gambol.robots.references.judgement import ReferenceJudgement, judge_reference
from gambol.robots.references.reference import ReferenceMotion
from gambol.robots.references.verb import make_reference
from gambol.robots.robot import load_robot


@pytest.fixture(scope="module")
def biped() -> Biped:
    return find_biped(load_robot().description)


@pytest.fixture(scope="module")
def good(biped: Biped) -> ReferenceMotion:
    return make_reference(gb.load("walk")[:100], biped, fast=True).reference


def judge_changed(reference: ReferenceMotion, q: np.ndarray) -> ReferenceJudgement:
    return judge_reference(replace(reference, motion=replace(reference.motion, q=q)))


def find_column(biped: Biped, joint: str) -> int:
    return next(n for n, dof in enumerate(biped.skeleton.dofs) if biped.skeleton.names[dof.joint] == joint)


def test_slides_floats_and_sinking_are_measured_in_millimetres(good: ReferenceMotion) -> None:
    before = judge_reference(good).values
    q = good.motion.q.copy()
    q[:, 2] += 0.007
    assert judge_changed(good, q).values["float"] == pytest.approx(before["float"] + 7.0, abs=0.2)
    q[:, 2] -= 0.015
    assert judge_changed(good, q).values["penetration"] == pytest.approx(8.0, abs=0.5)
    slid = good.motion.q.copy()
    slid[:, 0] += 0.1 * good.motion.times
    stance = max(last - first + 1 for side in range(2) for first, last in find_flat(good, side))
    assert judge_changed(good, slid).values["largest slips"] > 0.4 * 100.0 * stance * good.motion.frame_time
    tilted = good.motion.q.copy()
    tilted[:, 4] += np.radians(5.0)
    assert judge_changed(good, tilted).values["sole tilt"] == pytest.approx(5.0, abs=0.5)


def find_flat(reference: ReferenceMotion, side: int) -> list[tuple[int, int]]:
    from gambol.stages.speed import find_runs

    return find_runs(reference.flat[:, side])


def test_limits_are_named_with_joint_and_frame(biped: Biped, good: ReferenceMotion) -> None:
    column = find_column(biped, "R_KNEE")
    q = good.motion.q.copy()
    q[20, column] = biped.skeleton.dofs[column].upper + np.radians(3.0)
    found = judge_changed(good, q)
    assert found.values["beyond joint limits"] == pytest.approx(3.0)
    assert any(note.startswith("joint limit: R_KNEE in frame 20 3 degrees beyond it") for note in found.notes)
    assert found.values["one-frame jumps"] > 0
    assert found.values["joint speed"] > 1.0
    assert any(note.startswith("joint speed: R_KNEE in frame") for note in found.notes)
    assert not found.passes
    assert "beyond joint limits" in found.verdict


def test_a_body_that_is_carried_has_a_residual_and_a_hand_in_the_trunk_is_found(
    biped: Biped, good: ReferenceMotion
) -> None:
    floating = replace(good, ground=good.ground - 0.5)
    assert judge_reference(floating).values["root residual"] > 0.9
    assert judge_reference(good).values["root moment"] > 0.05, "poses alone would fall over"
    q = good.motion.q.copy()
    for joint, angle in (("L_SHOULDER_R", -0.4), ("L_SHOULDER_Y", -0.8), ("L_ELBOW_P", -1.6)):
        q[:, find_column(biped, joint)] = angle
    assert judge_changed(good, q).values["self-collision"] > 50.0


def test_a_robot_that_bows_into_the_ground_has_links_below_it(good: ReferenceMotion) -> None:
    assert good.motion.q[:, 2].min() > 0.5
    assert judge_changed(good, good.motion.q).values["links below the ground"] == 0.0
    q = good.motion.q.copy()
    q[:25, 2] -= 0.7  # a quarter of the frames: hands are below, and so are knees
    assert judge_changed(good, q).values["links below the ground"] == pytest.approx(100.0 * 25 / len(q))


def test_torque_beyond_a_limit_is_measured_as_its_share(biped: Biped, good: ReferenceMotion) -> None:
    """An arm that is held out: what gravity needs at the shoulder, by the weights of the links below it."""
    column = find_column(biped, "L_SHOULDER_R")
    q = np.repeat(good.motion.q[:1], 12, axis=0)
    q[:, column] = np.radians(80.0)
    still = replace(good, motion=replace(good.motion, q=q), **{k: v[:12] for k, v in find_fields(good).items()})
    character, skeleton = biped.description.character, biped.skeleton
    joint = skeleton.dofs[column].joint
    below = [n for n in range(len(skeleton.names)) if joint in skeleton.path_to_root(n)]
    placed = place(skeleton, q[:1])
    centres = placed.positions[0, below] + quat.rotate(placed.rotations[0, below], character.centers[below])
    arms = centres - placed.positions[0, joint]
    moment = np.cross(arms, GRAVITY * character.masses[below, None] * UP).sum(axis=0)
    axis = quat.rotate(placed.rotations[0, joint], skeleton.dofs[column].axis)
    needed = abs(float(moment @ axis))
    weak = biped.description.torques.copy()
    weak[column] = 0.5 * needed
    weaker = replace(still, biped=replace(biped, description=replace(biped.description, torques=weak)))
    found = judge_reference(weaker)
    assert found.values["joint torque"] == pytest.approx(2.0, rel=1e-3)
    assert any(note.startswith("joint torque: L_SHOULDER_R in frame") for note in found.notes)


def find_fields(reference: ReferenceMotion) -> dict[str, np.ndarray]:
    return {name: getattr(reference, name) for name in ("touching", "flat", "ground")}


def test_files_come_back_and_tables_of_others_are_judged(biped: Biped, good: ReferenceMotion, tmp_path: Path) -> None:
    good.save(tmp_path / "walk.npz")
    again = read_reference(tmp_path / "walk.npz", biped)
    np.testing.assert_allclose(again.motion.q[:, JOINTS], good.motion.q[:, JOINTS])
    np.testing.assert_allclose(again.motion.placement.positions, good.motion.placement.positions, atol=1e-9)
    np.testing.assert_array_equal(again.flat, good.flat)
    assert judge_reference(again).values["slip"] == pytest.approx(judge_reference(good).values["slip"], abs=1e-6)
    good.save_table(tmp_path / "walk.csv")
    table = read_reference(tmp_path / "walk.csv", biped, 50.0)
    assert table.motion.frame_time == 0.02
    np.testing.assert_allclose(table.motion.placement.positions, good.motion.placement.positions, atol=1e-6)
    agree = (table.touching == good.touching).mean()
    assert agree > 0.8, "contacts that a table does not have are found"


def test_joints_are_matched_by_name(biped: Biped, good: ReferenceMotion, tmp_path: Path) -> None:
    values = good.arrays()
    order = np.random.default_rng(3).permutation(len(values["joint_names"]))
    kept = {"fps": values["fps"], "root_pos": values["root_pos"], "root_rot": np.roll(values["root_rot"], -1, axis=1)}
    shuffled = {"joint_names": values["joint_names"][order], "dof_pos": values["joint_pos"][:, order]}
    np.savez(tmp_path / "other.npz", **kept, **shuffled)
    again = read_reference(tmp_path / "other.npz", biped)
    np.testing.assert_allclose(again.motion.q, good.motion.q, atol=1e-9)
    np.savez(tmp_path / "short.npz", **kept, dof_pos=values["joint_pos"][:, 1:])
    with pytest.raises(InputError, match="not a reference motion of this robot"):
        read_reference(tmp_path / "short.npz", biped)
    (tmp_path / "text.csv").write_text("a,b\n")
    with pytest.raises(InputError, match="not a reference motion"):
        read_reference(tmp_path / "text.csv", biped)


def test_the_command_says_which_limit_is_exceeded(gambol, good: ReferenceMotion, tmp_path: Path) -> None:
    good.save(tmp_path / "walk.npz")
    code, out, _ = gambol("check", tmp_path / "walk.npz", "--robot", "jvrc1", "--json", tmp_path / "facts.json")
    assert code == 1, "a motion without physics needs forces that nobody has"
    assert "OUTSIDE root residual" in out
    assert "joint torque: " in out
    assert '"root residual"' in (tmp_path / "facts.json").read_text()
    code, _, err = gambol("check", tmp_path / "walk.npz", "--robot", "jvrc1", "--mass", "60")
    assert (code, "are for clips of people" in err) == (2, True)
