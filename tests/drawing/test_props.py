"""Boxes, and things that are drawn with a motion: sliced with it, written with it, and in every picture of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.drawing.film import Film
from gambol.drawing.scene import SceneView
from gambol.drawing.server import close_server, open_server
from gambol.geometry.arrays import Array
from gambol.io.gltf.document import Document
from gambol.motion.motion import Motion
from gambol.motion.shapes import build_box, join_meshes
from gambol.motion.skeleton import Dof, Skeleton

GREEN = (0.0, 0.9, 0.0)
LOW, HIGH = np.array([-0.1, -0.2, 0.3]), np.array([0.2, 0.25, 0.5])


def make_motion() -> Motion:
    """A walk beside which a green box rises by 1 cm per frame."""
    walk = gb.load("walk")[:20]
    skeleton = Skeleton(("box",), (-1,), np.zeros((1, 3)), (Dof(0, "slide", (0.0, 0.0, 1.0)),))
    ahead = walk.placement.positions[0, 0] * [1.0, 1.0, 0.0] + [0.3, 0.0, 0.0]
    skin = build_box(ahead + LOW, ahead + HIGH, 0, GREEN)
    box = Motion(skeleton, 0.01 * np.arange(20)[:, None], walk.frame_time, name="box", skin=skin)
    return replace(walk, props=(box,))


def count_green(picture: Array) -> int:
    red, green, blue = np.moveaxis(np.asarray(picture, float)[..., :3], -1, 0)
    return int(((green > 2.0 * red + 20.0) & (green > 2.0 * blue + 20.0)).sum())


def read_picture(file: Path) -> Array:
    from PIL import Image

    return np.asarray(Image.open(file).convert("RGB"))


def test_boxes_are_closed_and_face_outwards() -> None:
    box = build_box(LOW, HIGH, 3, GREEN)
    a, b, c = np.moveaxis(box.vertices[box.faces], 1, 0)
    volume = float(np.einsum("fc,fc->", a, np.cross(b, c))) / 6.0
    assert volume == pytest.approx(np.prod(HIGH - LOW))
    normals = np.cross(b - a, c - a)
    assert (np.einsum("fc,fc->f", normals, box.normals[box.faces[:, 0]]) > 0.0).all()
    assert np.linalg.norm(b - a, axis=1).max() < 0.12
    assert set(box.joints[:, 0]) == {3}
    two = join_meshes([box, build_box(HIGH, HIGH + 1.0, 1, GREEN)])
    assert two.vertices[two.faces[len(box.faces) :]].min() == HIGH.min()


def test_props_are_sliced_with_their_motion() -> None:
    part = make_motion()[4:12:2]
    np.testing.assert_allclose(part.props[0].q[:, 0], [0.04, 0.06, 0.08, 0.1])
    assert part.props[0].frame_time == part.frame_time


def test_a_glb_holds_props_that_are_not_read_as_characters(tmp_path: Path) -> None:
    motion, file = make_motion(), tmp_path / "scene.glb"
    gb.save(motion, file)
    names = [mesh["name"] for mesh in Document(file).json["meshes"]]
    assert names == [motion.name, "box"]
    assert len(gb.load_all(file)) == 1
    assert gb.load(file).name == motion.name


def test_pictures_and_films_show_props(tmp_path: Path) -> None:
    motion = make_motion()
    bare = replace(motion, props=())
    for options in ({"poses": 2}, {"moments": 2}):
        counts = []
        for shown in (motion, bare):
            gb.render(shown, tmp_path / "picture.png", **options)
            counts.append(count_green(read_picture(tmp_path / "picture.png")))
        assert counts[0] > 300
        assert counts[1] == 0
    pictures = list(Film([motion]))
    rows = [np.flatnonzero((picture[..., 1] > 2.0 * picture[..., 0] + 20.0).any(axis=1)).min() for picture in pictures]
    assert rows[-1] < rows[0] - 5  # it rises


def test_the_scene_shows_props_where_they_are() -> None:
    server = open_server("127.0.0.1", 0)
    try:
        view = SceneView(server, make_motion())
        view.show(0.0, follow=False)
        first = np.array(view._props[0][0].figure._handles[0].position)  # type: ignore[union-attr]
        view.show(10 * view.figures[0].motion.frame_time, follow=False)
        last = np.array(view._props[0][0].figure._handles[0].position)  # type: ignore[union-attr]
    finally:
        close_server(server)
    np.testing.assert_allclose(np.subtract(last, first), [0.0, 0.0, 0.1], atol=1e-6)
