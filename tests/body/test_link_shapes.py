"""Shapes of links: sizes, places, meshes that cannot be read, and the axes of COLLADA files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

from gambol.body.character import Character
from gambol.body.link_shapes import (
    LinkShape,
    MeshFile,
    SimpleShape,
    note_missing_meshes,
    settle_up_axis,
)
from gambol.geometry import quaternions as quat
from gambol.motion.skeleton import Dof, Skeleton

HALF = np.array([0.1, 0.1, 0.3])
VOLUMES = {
    "box": 8.0 * 0.1 * 0.1 * 0.3,
    "ellipsoid": 4.0 / 3.0 * np.pi * 0.1 * 0.1 * 0.3,
    "cylinder": np.pi * 0.1**2 * 0.6,
    "capsule": np.pi * 0.1**2 * 0.4 + 4.0 / 3.0 * np.pi * 0.1**3,
}


@pytest.mark.parametrize("kind", VOLUMES)
def test_simple_shapes_have_their_size_and_volume(kind) -> None:
    mesh = SimpleShape(kind, HALF).load()
    np.testing.assert_allclose(mesh.bounds, [-HALF, HALF], atol=2e-3)
    assert mesh.volume == pytest.approx(VOLUMES[kind], rel=0.06)  # triangles are inside round shapes, none inside out


def test_a_shape_is_placed_in_the_frame_of_its_joint() -> None:
    turn = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.pi / 2)
    shape = LinkShape(3, SimpleShape("box", HALF), np.array([1.0, 2.0, 3.0]), turn)
    points = shape.sample()
    np.testing.assert_allclose(points.mean(axis=0), [1.0, 2.0, 3.0])
    np.testing.assert_allclose(np.ptp(points, axis=0), [0.6, 0.2, 0.2])


def mesh_shape(path: Path) -> LinkShape:
    return LinkShape(0, MeshFile(path, np.ones(3)), np.zeros(3), quat.IDENTITY)


def test_meshes_that_are_missing_or_none_have_no_points(tmp_path: Path) -> None:
    bad = tmp_path / "bad.dae"
    bad.write_text("no mesh")
    trimesh.creation.box().export(tmp_path / "good.stl")
    shapes = [mesh_shape(tmp_path / name) for name in ("bad.dae", "none.stl", "good.stl", "none.unknown")]
    assert [len(shape.sample()) > 0 for shape in shapes] == [False, False, True, False]
    assert note_missing_meshes(shapes) == ("2 of 4 meshes are missing, such as none.stl",)
    assert note_missing_meshes(shapes[2:3]) == ()


def make_link(center: tuple[float, float, float]) -> Character:
    skeleton = Skeleton(("base",), (-1,), np.zeros((1, 3)), (Dof(0, "turn", (0.0, 0.0, 1.0)),))
    return Character(skeleton, np.ones(1), np.array([center]), np.eye(3)[None], "one")


@pytest.mark.parametrize(
    ("axis", "center", "turned"),
    [
        ("Y_UP", (0.0, -0.2, 0.5), True),  # the mesh is meant to stand
        ("Y_UP", (0.0, 0.5, 0.2), False),  # most programs ignore the statement
        ("Y_UP", (0.05, 0.0, 0.0), False),  # both are as near
        ("Z_UP", (0.0, -0.2, 0.5), False),
    ],
)
def test_axes_of_a_mesh_are_turned_where_the_centre_of_mass_shows_that_it_is_meant(
    tmp_path: Path, axis: str, center: tuple[float, float, float], turned: bool
) -> None:
    path = tmp_path / "long.dae"
    text = trimesh.creation.box((0.1, 1.0, 0.1)).apply_translation((0.0, 0.5, 0.2)).export(file_type="dae").decode()
    before = "<up_axis>Y_UP</up_axis>"
    assert before in text
    path.write_text(text.replace(before, f"<up_axis>{axis}</up_axis>"))
    (shape,) = settle_up_axis([mesh_shape(path)], make_link(center))
    np.testing.assert_allclose(shape.sample().max(axis=0), [0.05, -0.15, 1.0] if turned else [0.05, 1.0, 0.25])


def test_scale_is_that_of_axes_that_were_turned(tmp_path: Path) -> None:
    path = tmp_path / "long.dae"
    path.write_bytes(trimesh.creation.box((0.1, 1.0, 0.1)).export(file_type="dae"))
    shape = mesh_shape(path)
    tall = replace(shape, geometry=MeshFile(path, np.array([1.0, 1.0, 3.0]), y_up=True))
    np.testing.assert_allclose(np.ptp(tall.sample(), axis=0), [0.1, 0.1, 3.0])
