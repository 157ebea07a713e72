"""Fields beside MuJoCo's own kinematics, layouts of other programs there and back, and files that are no references."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from gambol.body.robot_description import JOINTS
from gambol.errors import InputError
from gambol.motion.motion import Motion
from gambol.robots.biped import find_biped
from gambol.robots.mjcf_description import read_mjcf
from gambol.robots.references.files import read_reference
from gambol.robots.references.layouts import LAYOUTS, convert_reference
from gambol.robots.references.reference import ReferenceMotion
from tests.robots.mjcf import HUMANOID

FPS, FRAMES = 200.0, 12
BESIDE = HUMANOID.replace('axis="0 0 1"', 'axis="0 0 1" pos="0.03 0 0.02"').replace(
    'name="left_elbow"', 'name="left_elbow" pos="0 0.01 0.05"'
)
"""Hips and an elbow that turn about points beside the origins of bodies."""
READ_ELSEWHERE = {
    "isaaclab": "fps dof_names body_names dof_positions dof_velocities body_positions body_rotations "
    "body_linear_velocities body_angular_velocities",
    "gmr": "fps root_pos root_rot dof_pos local_body_pos link_body_list joint_names",
    "loco-mujoco": "frequency qpos qvel split_points joint_names njnt jnt_type",
}


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("robot") / "made.xml"
    path.write_text(BESIDE)
    return path


@pytest.fixture(scope="module")
def reference(robot: Path) -> ReferenceMotion:
    """A robot that turns and moves all its joints."""
    biped = find_biped(read_mjcf(robot))
    draw, count = np.random.default_rng(1), len(biped.skeleton.dofs)
    times = np.arange(FRAMES)[:, None] / FPS
    q = draw.uniform(-0.5, 0.5, count) + draw.uniform(-0.3, 0.3, count) * np.sin(
        4.0 * times + draw.uniform(0, 6, count)
    )
    q[:, 2] += 3.0
    motion = Motion(biped.skeleton, q, 1.0 / FPS, "made")
    none = np.zeros((FRAMES, 2), dtype=bool)
    return ReferenceMotion(biped, motion, none, none, np.zeros((FRAMES, 2, 4)))


def test_mujoco_has_the_same_bodies_and_speeds(robot: Path, reference: ReferenceMotion) -> None:
    model, values = mujoco.MjModel.from_xml_path(str(robot)), reference.arrays()
    data = mujoco.MjData(model)
    assert [model.joint(n).name for n in range(1, model.njnt)] == values["joint_names"].tolist()
    assert [model.body(n).name for n in range(1, model.nbody)] == values["body_names"].tolist()
    for frame in range(1, FRAMES - 1):
        data.qpos[:], data.qvel[:] = values["qpos"][frame], values["qvel"][frame]
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(data.xpos[1:], values["body_pos_w"][frame], atol=1e-12)
        speed = np.zeros(model.nv)
        mujoco.mj_differentiatePos(model, speed, 2.0 / FPS, values["qpos"][frame - 1], values["qpos"][frame + 1])
        np.testing.assert_allclose(values["qvel"][frame], speed, atol=2e-3)
        spin = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, model.body("left_foot").id, spin, 0)
        foot = values["body_names"].tolist().index("left_foot")
        np.testing.assert_allclose(values["body_ang_vel_w"][frame, foot], spin[:3], atol=2e-3)
        np.testing.assert_allclose(values["body_lin_vel_w"][frame, foot], spin[3:], atol=2e-3)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_come_back(tmp_path: Path, reference: ReferenceMotion, layout: str) -> None:
    reference.save(tmp_path / "own.npz")
    path = convert_reference(tmp_path / "own.npz", tmp_path / "other.npz", layout)
    fields = dict(np.load(path, allow_pickle=False))
    assert sorted(fields) == sorted(READ_ELSEWHERE[layout].split())
    again = read_reference(path, reference.biped)
    assert again.motion.frame_time == pytest.approx(1.0 / FPS)
    np.testing.assert_allclose(again.motion.q, reference.motion.q, atol=1e-9)


def test_isaac_lab_divides_by_a_number(tmp_path: Path, reference: ReferenceMotion) -> None:
    reference.save(tmp_path / "own.npz")
    fields = np.load(convert_reference(tmp_path / "own.npz", tmp_path / "other.npz", "isaaclab"))
    assert (1.0 / fields["fps"]).shape == ()
    np.testing.assert_array_equal(fields["body_rotations"], reference.arrays()["body_quat_w"])


def test_gmr_has_bodies_in_the_axes_of_the_base(tmp_path: Path, robot: Path, reference: ReferenceMotion) -> None:
    reference.save(tmp_path / "own.npz")
    fields = np.load(convert_reference(tmp_path / "own.npz", tmp_path / "other.npz", "gmr"))
    model = mujoco.MjModel.from_xml_path(str(robot))
    data = mujoco.MjData(model)
    data.qpos[:] = [0, 0, 0, 1, 0, 0, 0, *fields["dof_pos"][3]]
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(fields["local_body_pos"][3], data.xpos[1:], atol=1e-12)


def test_loco_mujoco_has_one_trajectory_of_all_joints(tmp_path: Path, robot: Path, reference: ReferenceMotion) -> None:
    reference.save(tmp_path / "own.npz")
    fields = np.load(convert_reference(tmp_path / "own.npz", tmp_path / "other.npz", "loco-mujoco"))
    model = mujoco.MjModel.from_xml_path(str(robot))
    assert fields["split_points"].tolist() == [0, FRAMES]
    assert (int(fields["njnt"]), fields["jnt_type"].tolist()) == (model.njnt, model.jnt_type.tolist())
    assert fields["joint_names"].tolist() == ["root", *(model.joint(n).name for n in range(1, model.njnt))]


def test_fields_that_others_have_are_read(tmp_path: Path, reference: ReferenceMotion) -> None:
    values = reference.arrays()
    world = np.zeros((FRAMES, 1, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (FRAMES, 1, 1))
    bodies = {
        "body_names": np.array(["world", *values["body_names"]]),
        "body_pos_w": np.concatenate((world[0], values["body_pos_w"]), axis=1),
        "body_quat_w": np.concatenate((world[1], values["body_quat_w"]), axis=1),
    }
    named = {"fps": values["fps"], "joint_names": values["joint_names"]}
    turned = np.roll(values["root_rot"], -1, axis=1)
    for fields in (
        {"qpos": values["qpos"], "fps": np.array(FPS)},
        {"joint_pos": values["joint_pos"], **bodies, **named},
        {"joint_pos": values["qpos"], **bodies, **named},
        {"root_trans_offset": values["root_pos"], "root_rot": turned, "dof": values["joint_pos"], "fps": np.array(FPS)},
    ):
        np.savez_compressed(tmp_path / "other.npz", **fields)
        again = read_reference(tmp_path / "other.npz", reference.biped)
        np.testing.assert_allclose(again.motion.q, reference.motion.q, atol=1e-9)


def test_joints_of_one_body_are_told_apart(tmp_path: Path, reference: ReferenceMotion) -> None:
    """Three hinges of a hip have three names: a file of ours comes back with every angle in its place."""
    reference.save(tmp_path / "own.npz")
    again = read_reference(tmp_path / "own.npz", reference.biped)
    np.testing.assert_allclose(again.motion.q[:, JOINTS], reference.motion.q[:, JOINTS])


def test_what_is_no_reference_is_refused(gambol, tmp_path: Path, reference: ReferenceMotion) -> None:
    reference.save(tmp_path / "own.npz")
    np.savez(tmp_path / "few.npz", fps=50.0)
    with pytest.raises(
        InputError, match=r"not a reference motion: no field 'root_rot'; give an .npz file that 'gambol"
    ):
        convert_reference(tmp_path / "few.npz", tmp_path / "out.npz", "gmr")
    np.savez_compressed(tmp_path / "large.npz", qpos=np.zeros((100_000, 60)), fps=50.0)
    with pytest.raises(InputError, match="overlap or are compressed"):
        read_reference(tmp_path / "large.npz", reference.biped)
    for extra, message in (
        (["own.npz", "out.glb", "--layout", "gmr"], "layouts are of .npz files"),
        (["own.npz", "out.npz", "--layout", "gmr", "--physics"], "--physics is for clips"),
        (["own.npz", "out.npz", "--layout", "phc"], "unknown layout 'phc'; give isaaclab, gmr, loco-mujoco"),
        (["own.npz", "own.npz", "out.npz", "--layout", "gmr"], "one file holds one reference"),
    ):
        code, _, err = gambol("convert", *(tmp_path / x if "." in x else x for x in extra))
        assert (code, message in err) == (2, True), err
    assert not (tmp_path / "out.npz").exists()
    (tmp_path / "many").mkdir()
    (tmp_path / "own.npz").rename(tmp_path / "many" / "own.npz")
    assert gambol("convert", tmp_path / "many", tmp_path / "isaac", "--layout", "isaaclab")[0] == 0
    assert (tmp_path / "isaac" / "own.npz").is_file()
