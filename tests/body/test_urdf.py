"""URDF as characters: a hand-made robot with known numbers, and JVRC-1 beside Pinocchio's own reader."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from gambol.body.dynamics import Dynamics
from gambol.body.link_shapes import MeshFile
from gambol.body.urdf import read_urdf
from gambol.errors import InputError
from gambol.motion.kinematics import place

ROBOT = """<robot name="two">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"><inertial><origin xyz="0 0 0.1"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="arm"><inertial><origin xyz="0.2 0 0" rpy="0 0 1.5707963267948966"/><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.025"/></inertial>
    <visual><origin xyz="0 0 0.3"/><geometry><mesh filename="package://two/arm.stl" scale="1 2 1"/></geometry>
      <material name="grey"/></visual></link>
  <link name="slider"><inertial><mass value="0.5"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
  <link name="tip"/>
  <link name="follower"><inertial><mass value="0.1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
  <joint name="elbow" type="revolute"><origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/><parent link="base"/>
    <child link="arm"/><axis xyz="0 2 0"/><limit lower="-1" upper="2" velocity="3" effort="40"/></joint>
  <joint name="slide" type="prismatic"><origin xyz="0.4 0 0" rpy="0 0 1.5707963267948966"/><parent link="arm"/>
    <child link="slider"/><axis xyz="1 0 0"/><limit lower="0" upper="0.1" velocity="1" effort="10"/></joint>
  <joint name="end" type="fixed"><origin xyz="0.1 0 0"/><parent link="slider"/><child link="tip"/></joint>
  <joint name="mimic" type="revolute"><parent link="base"/><child link="follower"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="1" velocity="1" effort="1"/><mimic joint="elbow"/></joint>
</robot>"""


RING = """<link name="one"/><link name="other"/>
<joint name="a" type="fixed"><parent link="one"/><child link="other"/></joint>
<joint name="b" type="fixed"><parent link="other"/><child link="one"/></joint>"""
XACRO = "http://www.ros.org/wiki/xacro"


def write(tmp_path: Path, text: str = ROBOT) -> Path:
    path = tmp_path / "urdf" / "two.urdf"
    path.parent.mkdir()
    path.write_text(text)
    return path


def test_joints_links_and_limits(tmp_path: Path) -> None:
    robot = read_urdf(write(tmp_path))
    skeleton = robot.character.skeleton
    assert skeleton.names == ("base", "elbow", "slide", "end", "mimic")
    assert robot.links == {"base": 0, "arm": 1, "slider": 2, "tip": 3, "follower": 4}
    assert [(dof.joint, dof.kind) for dof in skeleton.dofs[6:]] == [(1, "turn"), (2, "slide")]
    assert (skeleton.dofs[6].lower, skeleton.dofs[6].upper) == (-1.0, 2.0)
    np.testing.assert_allclose(robot.speeds[6:], [3.0, 1.0])
    np.testing.assert_allclose(robot.torques, [0, 0, 0, 0, 0, 0, 40, 10])
    np.testing.assert_allclose(robot.character.masses, [2.0, 1.0, 0.5, 0.0, 0.1])


@pytest.mark.parametrize("given", ['velocity="0" effort="0"', 'velocity="-1" effort="-1"', ""])
def test_speeds_and_torques_that_are_not_positive_or_missing_are_not_known(tmp_path: Path, given: str) -> None:
    robot = read_urdf(write(tmp_path, ROBOT.replace('velocity="3" effort="40"', given)))
    np.testing.assert_array_equal(robot.speeds[6:], [np.inf, 1.0])
    np.testing.assert_array_equal(robot.torques[6:], [np.inf, 10.0])
    assert robot.joint_names == ("elbow", "slide")


def test_points_are_where_the_description_has_them(tmp_path: Path) -> None:
    robot = read_urdf(write(tmp_path))
    q = np.zeros((1, 8))
    q[0, 6:] = [np.pi / 2, 0.05]
    positions = place(robot.character.skeleton, q).positions[0]
    # The arm points along the base's y axis, and a positive turn about its own y axis lowers it.
    np.testing.assert_allclose(positions[1], [0.0, 0.0, 0.5], atol=1e-12)
    np.testing.assert_allclose(positions[2], [-0.05, 0.0, 0.1], atol=1e-12)
    np.testing.assert_allclose(positions[3], [-0.15, 0.0, 0.1], atol=1e-12)


def test_a_mass_without_inertia_is_a_small_ball_on_fixed_joints_only(tmp_path: Path) -> None:
    point = '<inertial><mass value="0.1"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'
    path = write(tmp_path, ROBOT.replace('<link name="tip"/>', f'<link name="tip">{point}</link>'))
    character = read_urdf(path).character
    assert character.masses[3] == 0.1
    np.testing.assert_allclose(character.inertias[3], 0.4 * 0.1 * 0.01**2 * np.eye(3))
    path.write_text(
        ROBOT.replace('ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.025"', 'ixx="0" iyy="0" izz="0"')
    )
    found = read_urdf(path)
    assert "inertias that no body can have were corrected: " in found.notes[0]
    assert np.linalg.eigvalsh(found.character.inertias[1])[0] > 0.0


def test_inertias_turn_with_their_origin(tmp_path: Path) -> None:
    character = read_urdf(write(tmp_path)).character
    np.testing.assert_allclose(character.inertias[1], np.diag([0.02, 0.01, 0.025]), atol=1e-12)
    np.testing.assert_allclose(character.centers[1], [0.2, 0.0, 0.0])


def test_meshes_are_found_in_the_package_of_the_description(tmp_path: Path) -> None:
    (tmp_path / "arm.stl").write_bytes(b"")
    (visual,) = read_urdf(write(tmp_path)).visuals
    assert isinstance(visual.geometry, MeshFile)
    assert visual.geometry.path == tmp_path / "arm.stl"
    assert visual.joint == 1
    assert visual.color == (0.5, 0.5, 0.5)
    np.testing.assert_allclose(visual.geometry.scale, [1, 2, 1])
    np.testing.assert_allclose(visual.position, [0, 0, 0.3])


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ('box size="0.1 0.2 0.3"', (0.1, 0.2, 0.3)),
        ('cylinder radius="0.1" length="0.5"', (0.2, 0.2, 0.5)),
        ('sphere radius="0.1"', (0.2, 0.2, 0.2)),
        ('capsule radius="0.1" length="0.5"', (0.2, 0.2, 0.7)),
    ],
)
@pytest.mark.parametrize("kind", ["visual", "collision"])
def test_simple_shapes_are_read(tmp_path: Path, kind: str, shape: str, size: tuple[float, float, float]) -> None:
    element = f'<{kind}><origin xyz="0 0 2"/><geometry><{shape}/></geometry><material name="grey"/></{kind}>'
    robot = read_urdf(write(tmp_path, ROBOT.replace('<link name="tip"/>', f'<link name="tip">{element}</link>')))
    found = (robot.visuals if kind == "visual" else robot.collisions)[-1]
    assert (found.joint, found.color) == (3, (0.5, 0.5, 0.5))
    np.testing.assert_allclose(np.ptp(found.sample(), axis=0), size, rtol=0.01)
    np.testing.assert_allclose(found.sample().mean(axis=0), [0.0, 0.0, 2.0], atol=1e-9)


@pytest.mark.parametrize("geometry", ["<geometry/>", "<geometry><plane/></geometry>", ""])
def test_shapes_that_are_not_known_are_left_out(tmp_path: Path, geometry: str) -> None:
    element = f'<link name="tip"><visual>{geometry}</visual><collision>{geometry}</collision></link>'
    robot = read_urdf(write(tmp_path, ROBOT.replace('<link name="tip"/>', element)))
    assert (len(robot.visuals), len(robot.collisions)) == (1, 0)


def test_missing_meshes_are_noted(tmp_path: Path) -> None:
    assert read_urdf(write(tmp_path)).notes == ("1 of 1 meshes are missing, such as arm.stl",)


def test_a_base_that_is_fixed_to_the_world_is_refused(tmp_path: Path) -> None:
    world = '<link name="world"/><joint name="at" type="{}"><parent link="world"/><child link="base"/></joint></robot>'
    path = write(tmp_path, ROBOT.replace("</robot>", world.format("fixed")))
    with pytest.raises(InputError, match="the base is fixed to 'world'; remove that link"):
        read_urdf(path)
    path.write_text(ROBOT.replace("</robot>", world.format("floating")))
    assert read_urdf(path).character.skeleton.names[:2] == ("world", "at")


def test_jvrc_is_what_pinocchio_reads() -> None:
    jvrc = pytest.importorskip("jvrc_description", reason="pip install 'gambol[robot]'")
    character = read_urdf(Path(jvrc.urdf_path)).character
    model = pin.buildModelFromUrdf(jvrc.urdf_path, pin.JointModelFreeFlyer())
    data, theirs = model.createData(), pin.neutral(model)
    random, ours = np.random.default_rng(0), np.zeros(len(character.skeleton.dofs))
    for column, dof in enumerate(character.skeleton.dofs[6:], start=6):
        ours[column] = random.uniform(-0.5, 0.5)
        theirs[model.joints[model.getJointId(character.skeleton.names[dof.joint])].idx_q] = ours[column]
    dynamics = Dynamics(character)
    assert character.mass == pytest.approx(62.4)
    np.testing.assert_allclose(dynamics.center_of_mass(ours), pin.centerOfMass(model, data, theirs), atol=1e-12)
    pin.ccrba(model, data, theirs, np.zeros(model.nv))
    np.testing.assert_allclose(dynamics.total_inertia(ours), data.Ig.inertia, atol=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<robot", "<rob", "not XML"),
        ('<robot name="two">', "<scene>", "not XML|not 'robot'"),
        ('<link name="tip"/>', "", "'tip', which is missing"),
        ('<link name="tip"/>', '<link name="tip"/><link name="arm"/>', "link 'arm' is described twice; remove"),
        ("</robot>", f"{RING}</robot>", "no joints lead from the root link 'base' to 'one', 'other'; connect"),
        ("<robot", '<?xml version="1.0" encoding="shift_jis"?><robot', "not XML: multi-byte encodings .* UTF-8"),
        ("<robot", '<?xml version="1.0" encoding="klingon"?><robot', "not XML: unknown encoding: klingon"),
        ('value="1"', 'value="one"', "not a number"),
        ('xyz="0 2 0"', 'xyz="0 0 0"', "axis of joint 'elbow' is zero"),
        ('<parent link="slider"/>', '<parent link="nobody"/>', "'nobody', which is missing"),
        ('<child link="tip"/>', '<child link="arm"/>', "two parents"),
        ('<link name="tip"/>', '<link name="tip"/><link name="alone"/>', "2 links have no parent"),
        ('lower="-1" upper="2"', 'lower="2" upper="-1"', "lower limit of joint 'elbow' is above the upper one"),
        ('<robot name="two">', f'<robot name="two" xmlns:xacro="{XACRO}"><xacro:include/>', "expand it: 'xacro robot"),
    ],
)
def test_bad_descriptions(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in ROBOT
    with pytest.raises(InputError, match=message):
        read_urdf(write(tmp_path, ROBOT.replace(old, new)))


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_urdf(tmp_path / "none.urdf")
