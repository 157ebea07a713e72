"""MJCF as characters, beside MuJoCo's own kinematics and bounding boxes; files that cannot be read."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh

from gambol.body.dynamics import Dynamics
from gambol.body.link_shapes import MeshArrays
from gambol.body.robot_description import JOINTS
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about
from gambol.motion.kinematics import place
from gambol.robots.mjcf_description import read_mjcf
from gambol.robots.skin import load_skin
from tests.robots.mjcf import HUMANOID

MESH = '<geom type="mesh" mesh="{0}" contype="0" conaffinity="0" pos="0.1 0 0.2" euler="0 0 0.5"/></body></worldbody>'

DOUBLE = """<body name="one"><freejoint/><geom size="1"/><body><joint/><geom size="1"/></body></body>"""


def write(tmp_path: Path, text: str = HUMANOID) -> Path:
    path = tmp_path / "made.xml"
    path.write_text(text)
    return path


def with_mesh(tmp_path: Path, file: str, extra: str = "") -> Path:
    """The humanoid with a mesh on its trunk that is only drawn."""
    assets = f'<asset><mesh name="box" file="{file}"/>{extra}</asset><worldbody>'
    text = HUMANOID.replace("<worldbody>", assets).replace("</body></worldbody>", MESH.format("box"))
    return write(tmp_path, text)


ELBOW, HIP = 'name="left_elbow"', 'name="left_hip_roll"'
TABLE = """<body name="table" pos="3 0 0"><geom type="box" size="1 1 0.1" mass="9"/></body>
<body name="ball" pos="2 0 1"><freejoint/><geom size="0.1"/></body><body name="mark" mocap="true"/>
<body name="trunk\""""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (ELBOW, f'{ELBOW} type="slide"'),
        (ELBOW, f'{ELBOW} pos="0.1 0.02 -0.03"'),
        ('name="left_knee"', 'name="left_knee" pos="0.04 0 0.06"'),
        (HIP, f'{HIP} pos="0 0.05 0.02"'),  # between two that are at the origin
        (HIP, f'{HIP} type="slide"'),  # after a hinge
        ('axis="0 0 1"', 'axis="0 0 1" pos="0.1 0 0"'),
        ('<body name="trunk"', TABLE),
    ],
)
def test_bodies_and_centre_of_mass_are_where_mujoco_has_them(tmp_path: Path, old: str, new: str) -> None:
    assert old in HUMANOID
    turned = HUMANOID.replace('name="left_forearm"', 'name="left_forearm" euler="0.3 0.2 0.1"')
    turned = turned.replace('name="left_thigh"', 'name="left_thigh" euler="0.1 0.3 -0.2"')
    path = write(tmp_path, turned.replace(old, new))
    found, model = read_mjcf(path), mujoco.MjModel.from_xml_path(str(path))
    character, bodies = found.character, [model.body(name).id for name in found.links]
    data, draw = mujoco.MjData(model), np.random.default_rng(0)
    base, angles = model.joint(model.body("trunk").jntadr[0]), [model.joint(name) for name in found.joint_names]
    assert len(angles) == model.njnt - (model.jnt_type == mujoco.mjtJoint.mjJNT_FREE).sum()
    data.qpos[:] = draw.uniform(-0.5, 0.5, model.nq)
    start = base.qposadr[0]
    data.qpos[start + 3 : start + 7] /= np.linalg.norm(data.qpos[start + 3 : start + 7])
    mujoco.mj_forward(model, data)
    q = np.zeros(len(character.skeleton.dofs))
    q[:3], q[JOINTS] = data.qpos[start : start + 3], [data.qpos[joint.qposadr[0]] for joint in angles]
    q[3:6] = angles_about(np.eye(3)[::-1], data.qpos[None, start + 3 : start + 7])[0]
    placed, links = place(character.skeleton, q[None]), list(found.links.values())
    np.testing.assert_allclose(placed.positions[0, links], data.xpos[bodies], atol=1e-12)
    turned_by = quat.angle(quat.multiply(quat.conjugate(placed.rotations[0, links]), data.xquat[bodies]))
    np.testing.assert_allclose(np.minimum(turned_by, 2.0 * np.pi - turned_by), 0.0, atol=1e-7)
    heavy = [n for n, mass in enumerate(character.masses) if mass > 0.0]
    axes, own = data.ximat[bodies].reshape(-1, 3, 3), quat.to_matrix(placed.rotations[0, heavy])
    np.testing.assert_allclose(
        own @ character.inertias[heavy] @ own.swapaxes(1, 2),
        axes * model.body_inertia[bodies, None] @ axes.swapaxes(1, 2),
        atol=1e-9,
    )
    np.testing.assert_allclose(Dynamics(character).center_of_mass(q), data.subtree_com[bodies[0]], atol=1e-12)
    for shape in (*found.visuals, *found.collisions):
        center = placed.positions[0, shape.joint] + quat.rotate(placed.rotations[0, shape.joint], shape.position)
        assert np.linalg.norm(data.geom_xpos - center, axis=1).min() < 1e-12


def test_a_robot_without_its_scene_is_read(tmp_path: Path) -> None:
    """Files of robots may name the floor of the scene that includes them, which MuJoCo alone refuses."""
    named = HUMANOID.replace('<geom type="box" size="0.12', '<geom name="foot" type="box" size="0.12', 1)
    path = write(
        tmp_path, named.replace("<actuator>", '<contact><pair geom1="foot" geom2="floor"/></contact><actuator>')
    )
    with pytest.raises(ValueError, match="floor"):
        mujoco.MjModel.from_xml_path(str(path))
    assert len(read_mjcf(path).joint_names) == 18


def test_constraints_are_noted(tmp_path: Path) -> None:
    coupled = '<equality><joint joint1="left_knee" joint2="right_knee"/></equality><actuator>'
    found = read_mjcf(write(tmp_path, HUMANOID.replace("<actuator>", coupled)))
    assert found.notes == ("equality constraints, such as closed chains, are not kept: 1",)


def test_shapes_are_as_large_as_mujoco_says(tmp_path: Path) -> None:
    path = write(tmp_path)
    found, model = read_mjcf(path), mujoco.MjModel.from_xml_path(str(path))
    shapes = {(shape.joint, tuple(shape.position)): shape for shape in (*found.visuals, *found.collisions)}
    geoms = [n for n in range(model.ngeom) if model.geom_bodyid[n] > 0]
    assert len({model.geom_type[n] for n in geoms}) == 5  # of every kind
    assert len(shapes) == len(geoms)
    for n in geoms:
        shape = shapes[model.geom_bodyid[n] - 1, tuple(model.geom_pos[n])]
        size = np.ptp(shape.geometry.load().bounds, axis=0)
        np.testing.assert_allclose(size, 2.0 * model.geom_aabb[n, 3:], rtol=0.01)
        np.testing.assert_allclose(shape.geometry.load().bounds.mean(axis=0), 0.0, atol=1e-9)


def test_only_what_touches_nothing_is_drawn_if_there_is_any(tmp_path: Path) -> None:
    found = read_mjcf(write(tmp_path))
    names = found.character.skeleton.names
    assert {names[shape.joint] for shape in found.visuals} == {"left_arm", "right_arm"}
    assert {shape.color for shape in found.visuals} == {(1.0, 0.0, 0.0)}
    hidden = read_mjcf(write(tmp_path, HUMANOID.replace('rgba="1 0 0 1"', 'rgba="1 0 0 0"')))
    assert hidden.visuals == ()
    solid = read_mjcf(write(tmp_path, HUMANOID.replace('contype="0" conaffinity="0"', "")))
    assert solid.visuals == ()
    skin = load_skin(solid)
    assert skin is not None
    assert set(skin.joints[:, 0]) == set(range(len(names)))


def test_limits_of_torque_are_those_of_motors(tmp_path: Path) -> None:
    found = read_mjcf(write(tmp_path))
    (limited,) = np.flatnonzero(np.isfinite(found.torques[JOINTS]))
    knee = found.character.skeleton.dofs[JOINTS][limited]
    assert found.character.skeleton.names[knee.joint] == "left_shank"
    assert (found.torques[JOINTS][limited], knee.lower, knee.upper) == (90.0, 0.0, 2.5)


@pytest.mark.parametrize(
    ("motors", "torque"),
    [
        ('<motor joint="left_knee" forcerange="-80 90" gear="2"/>', 180.0),
        ('<motor joint="left_knee" ctrlrange="-0.4 0.4" gear="-100"/>', 40.0),
        ('<motor joint="left_knee" ctrlrange="-1 1" gear="60"/>' * 2, 120.0),
        ('<position joint="left_knee" ctrlrange="-1 1" kp="50"/>', np.inf),
        ('<motor tendon="cable" forcerange="-5 5"/>', np.inf),
        ("", np.inf),
    ],
)
def test_torques_of_motors_have_their_gear(tmp_path: Path, motors: str, torque: float) -> None:
    cable = '<tendon><fixed name="cable"><joint joint="left_elbow" coef="1"/></fixed></tendon><actuator>'
    text = HUMANOID.replace('<motor joint="left_knee" forcerange="-80 90"/>', motors).replace("<actuator>", cable)
    found = read_mjcf(write(tmp_path, text))
    largest = dict(zip(found.joint_names, found.torques[JOINTS], strict=True))
    assert largest.pop("left_knee") == torque
    assert set(largest.values()) == {np.inf}


def test_a_mesh_is_where_the_file_has_it(tmp_path: Path) -> None:
    """MuJoCo moves meshes to their centres of mass and principal axes, and the shape back."""
    box = trimesh.creation.box((0.1, 0.2, 0.4)).apply_translation((0.3, 0.0, 0.0))
    box.export(tmp_path / "box.stl")
    found = read_mjcf(with_mesh(tmp_path, "box.stl"))
    shape = next(each for each in found.visuals if isinstance(each.geometry, MeshArrays))
    turn = quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), 0.5)
    expected = np.array([0.1, 0.0, 0.2]) + quat.rotate(turn, np.asarray(box.vertices))
    np.testing.assert_allclose(np.sort(shape.sample(), axis=0), np.sort(expected, axis=0), atol=1e-6)
    assert found.notes == ()


@pytest.mark.parametrize("extra", ["", '<texture name="t" type="2d" file="no.png"/><material name="m" texture="t"/>'])
def test_what_is_missing_is_left_out_with_a_note(tmp_path: Path, extra: str) -> None:
    found = read_mjcf(with_mesh(tmp_path, "nowhere.stl", extra))
    assert found.notes == ("read without its meshes and textures, as some are missing",)
    assert len(found.visuals) == 2
    assert found.character.mass == pytest.approx(read_mjcf(write(tmp_path)).character.mass)


def test_a_mesh_that_is_missing_and_has_the_mass_of_its_body_is_named(tmp_path: Path) -> None:
    path = with_mesh(tmp_path, "nowhere.stl")
    limb = '<body name="tail"><joint axis="0 1 0"/><geom type="mesh" mesh="box"/></body></body></worldbody>'
    path.write_text(path.read_text().replace("</body></worldbody>", limb))
    with pytest.raises(InputError, match=r"nowhere\.stl"):
        read_mjcf(path)


def test_a_mesh_that_is_no_mesh_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "bad.stl").write_bytes(b"no mesh")
    assert read_mjcf(with_mesh(tmp_path, "bad.stl")).notes


def test_a_base_that_begins_turned_stands_upright(tmp_path: Path) -> None:
    """The axes of a base may have y up: the file turns it at the beginning."""
    found = read_mjcf(write(tmp_path, HUMANOID.replace('euler="0 0 0.3"', 'euler="1.5707963267948966 0 0"')))
    np.testing.assert_allclose(found.up, [0.0, 1.0, 0.0], atol=1e-12)
    np.testing.assert_array_equal(found.character.skeleton.rests[0], quat.IDENTITY)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<worldbody>", "<worldbod>", "cannot be read by MuJoCo"),
        ("<worldbody>", '<include file="nowhere.xml"/><worldbody>', "cannot be read by MuJoCo"),
        ("<freejoint/>", "", "the base is fixed; add '<freejoint/>'"),
        ("<worldbody>", f"<worldbody>{DOUBLE}", "2 bodies have a free base and joints: 'one', 'trunk'; give a file"),
        ('name="left_elbow" axis="0 1 0" range="-2 0"', 'name="left_elbow" type="ball"', "turns about all axes"),
        ('mass="20"', 'mass="0"', "cannot be read by MuJoCo"),
        ('mass="20"', 'mass="1e30"', "masses of up to 1e\\+30"),
        ('pos="0 0.25 0.4"', 'pos="0 1e200 0.4"', "lengths of up to 1e\\+200|huge value"),
        ('pos="0 0.25 0.4"', 'pos="0 nan 0.4"', "not finite|Nan"),
    ],
)
def test_bad_descriptions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    assert old in HUMANOID
    with pytest.raises(InputError, match=message):
        read_mjcf(write(tmp_path, HUMANOID.replace(old, new)))
    assert [path.name for path in tmp_path.iterdir()] == ["made.xml"]  # MuJoCo writes no log
