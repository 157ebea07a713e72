"""The meshes of a robot: on their joints, in metres, in the colours of the description."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

import gambol as gb
from gambol.body.link_shapes import LinkShape, MeshFile
from gambol.geometry import quaternions as quat
from gambol.motion.motion import Motion
from gambol.robots.skin import load_skin
from gambol.robots.whole_body import stand_level
from tests.robots.test_whole_body import jvrc


def make_motion() -> Motion:
    return Motion(jvrc().character.skeleton, stand_level(jvrc())[None], 0.1, skin=load_skin(jvrc().description))


def test_soles_are_on_the_ground_and_as_wide_as_the_configuration_has_them() -> None:
    motion = make_motion()
    skin, placed = motion.skin, motion.placement
    assert skin is not None
    followed = skin.joints[:, 0]
    world = placed.positions[0, followed] + quat.rotate(placed.rotations[0, followed], skin.vertices)
    assert abs(world[:, 2].min()) < 1e-3
    assert 1.5 < world[:, 2].max() < 1.8
    for foot in jvrc().feet:  # the mesh of the left one is in centimetres
        own = skin.vertices[followed == foot.joint]
        np.testing.assert_allclose(own[:, :2].max(axis=0) - own[:, :2].min(axis=0), 2.0 * foot.half, atol=1e-3)
    assert skin.faces.max() < len(skin.vertices)
    assert len(np.unique(followed[skin.faces], axis=0)) == len(np.unique(followed))
    np.testing.assert_allclose(np.linalg.norm(skin.normals, axis=1), 1.0, atol=1e-6)


def test_the_skin_is_what_is_drawn_and_written(tmp_path) -> None:
    motion = make_motion()
    with_skin, without = tmp_path / "a.glb", tmp_path / "b.glb"
    gb.save(motion, with_skin)
    gb.save(replace(motion, skin=None), without)
    assert with_skin.stat().st_size > 2 * without.stat().st_size
    one, two = tmp_path / "a.png", tmp_path / "b.png"
    gb.render(motion, one, poses=1)
    gb.render(replace(motion, skin=None), two, poses=1)
    assert one.read_bytes() != two.read_bytes()


def write_ball(path: Path, scale: tuple[float, float, float], subdivisions: int) -> LinkShape:
    trimesh.creation.icosphere(subdivisions, 0.2).export(path)
    return LinkShape(0, MeshFile(path, np.array(scale)), np.zeros(3), quat.IDENTITY, (0.1, 0.2, 0.3))


def test_meshes_that_are_too_fine_are_simplified(tmp_path: Path) -> None:
    ball = write_ball(tmp_path / "ball.stl", (1.0, 1.0, 1.0), 6)
    skin = load_skin(replace(jvrc().description, visuals=(ball,)))
    assert skin is not None
    assert 10_000 < len(skin.faces) <= 40_000  # of 81,920
    np.testing.assert_allclose(np.linalg.norm(skin.vertices, axis=1), 0.2, atol=0.002)
    np.testing.assert_allclose(skin.normals, skin.vertices / 0.2, atol=0.05)
    corners = skin.vertices[skin.faces]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert 0.5 * np.linalg.norm(areas, axis=1).sum() == pytest.approx(4.0 * np.pi * 0.2**2, rel=0.01)
    assert len(skin.colors) == len(skin.joints) == len(skin.vertices)


def test_mirrored_meshes_are_not_inside_out(tmp_path: Path) -> None:
    ball = write_ball(tmp_path / "ball.stl", (1.0, -1.0, 1.0), 2)
    skin = load_skin(replace(jvrc().description, visuals=(ball,)))
    assert skin is not None
    corners = skin.vertices[skin.faces]
    outward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert ((outward * corners.mean(axis=1)).sum(axis=1) > 0.0).all()
    assert ((skin.normals * skin.vertices).sum(axis=1) > 0.0).all()


def test_descriptions_without_shapes_have_no_skin() -> None:
    assert load_skin(replace(jvrc().description, visuals=(), collisions=())) is None
