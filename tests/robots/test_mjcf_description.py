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


def write(tmp_path: Path, text: str = HUMANOID) -> Path:
    path = tmp_path / "made.xml"
    path.write_text(text)
    return path


def with_mesh(tmp_path: Path, file: str, extra: str = "") -> Path:
    """The humanoid with a mesh on its trunk that is only drawn."""
    assets = f'<asset><mesh name="box" file="{file}"/>{extra}</asset><worldbody>'
    text = HUMANOID.replace("<worldbody>", assets).replace("</body></worldbody>", MESH.format("box"))
    return write(tmp_path, text)


def test_bodies_and_centre_of_mass_are_where_mujoco_has_them(tmp_path: Path) -> None:
    turned = HUMANOID.replace('name="left_forearm"', 'name="left_forearm" euler="0.3 0.2 0.1"')
    path = write(tmp_path, turned.replace('name="left_elbow"', 'name="left_elbow" type="slide"'))
    character = read_mjcf(path).character
    model = mujoco.MjModel.from_xml_path(str(path))
    data, draw = mujoco.MjData(model), np.random.default_rng(0)
    data.qpos[:] = draw.uniform(-0.5, 0.5, model.nq)
    data.qpos[3:7] /= np.linalg.norm(data.qpos[3:7])
    mujoco.mj_forward(model, data)
    q = np.zeros(len(character.skeleton.dofs))
    q[:3], q[JOINTS] = data.qpos[:3], data.qpos[7:]
    q[3:6] = angles_about(np.eye(3)[::-1], data.qpos[None, 3:7])[0]
    placed = place(character.skeleton, q[None])
    np.testing.assert_allclose(placed.positions[0], data.xpos[1:], atol=1e-12)
    turned = quat.angle(quat.multiply(quat.conjugate(placed.rotations[0]), data.xquat[1:]))
    np.testing.assert_allclose(np.minimum(turned, 2.0 * np.pi - turned), 0.0, atol=1e-7)
    axes, own = data.ximat[1:].reshape(-1, 3, 3), quat.to_matrix(placed.rotations[0])
    np.testing.assert_allclose(
        own @ character.inertias @ own.swapaxes(1, 2),
        axes * model.body_inertia[1:, None] @ axes.swapaxes(1, 2),
        atol=1e-9,
    )
    np.testing.assert_allclose(Dynamics(character).center_of_mass(q), data.subtree_com[0], atol=1e-12)


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
        ("<freejoint/>", "", "the base is fixed; give a robot with a free joint"),
        ("<worldbody>", '<worldbody><body><geom size="1"/></body>', "2 bodies have no parent"),
        ('axis="0 0 1" range="-1 1"', 'axis="0 0 1" pos="0 0 1" range="-1 1"', "beside the origin of its body"),
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
