"""`gambol render`: scenes with their walls, and reference motions with the looks of their robot."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import viser

from gambol.fit.physics import Physics
from gambol.io import samples, save
from gambol.motion.ensemble import Ensemble
from gambol.robots.mjcf_description import read_mjcf
from tests.robots.mjcf import HUMANOID


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A robot, and a motion of it in the fields that trackers read, without names of joints."""
    (tmp_path / "made.xml").write_text(HUMANOID)
    joints = len(read_mjcf(tmp_path / "made.xml").character.skeleton.dofs) - 6
    base = np.tile([0.0, 0.0, 0.97], (4, 1))
    turned = np.tile([1.0, 0.0, 0.0, 0.0], (4, 1))
    np.savez(
        tmp_path / "ref.npz",
        fps=np.array([50.0]),
        joint_pos=np.zeros((4, joints)),
        body_pos_w=base[:, None],
        body_quat_w=turned[:, None],
    )
    return tmp_path


def test_a_reference_of_others_is_drawn_on_its_robot(gambol, folder: Path) -> None:
    from matplotlib.image import imread

    made = folder / "ref.png"
    code, said, _ = gambol("render", folder / "ref.npz", "--robot", folder / "made.xml", "-o", made, "--poses", 1)
    assert (code, said.strip()) == (0, str(made))
    red, green, blue = imread(made)[..., :3].reshape(-1, 3).T
    assert ((red > 2.0 * green) & (red > 2.0 * blue)).mean() > 0.005  # arms are red in the file


def test_missing_meshes_are_noted(gambol, folder: Path) -> None:
    text = HUMANOID.replace("<worldbody>", '<asset><mesh name="m" file="no.stl"/></asset><worldbody>')
    (folder / "made.xml").write_text(text)
    code, _, said = gambol(
        "render", folder / "ref.npz", "--robot", folder / "made.xml", "-o", folder / "a.png", "--poses", 1
    )
    assert code == 0
    assert "made.xml: read without its meshes" in said


@pytest.mark.parametrize(
    ("clip", "robot", "options", "says"),
    [
        ("ref.npz", "jvrc1", [], "18 joints, but the robot has"),
        ("walk", "made.xml", [], "not a reference motion of this robot"),
        ("ref.npz", "none.xml", [], "none.xml: no such file"),
        ("ref.npz", "ref.npz", [], "not the description of a robot; give .urdf, .xml"),
        ("ref.npz", "made.xml", ["--physics"], "leave one of them out"),
    ],
)
def test_a_robot_that_does_not_fit_is_told_in_a_line(
    gambol, folder: Path, clip: str, robot: str, options: list[str], says: str
) -> None:
    given = [path if not (folder / path).suffix else folder / path for path in (clip, robot)]
    code, _, said = gambol("render", given[0], "--robot", given[1], "-o", folder / "a.png", *options)
    assert code == 2
    assert says in said
    assert len(said.splitlines()) == 1
    assert not (folder / "a.png").exists()


def test_given_contacts_are_drawn_with_physics(gambol, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[str]] = []

    def look(motions: object, path: Path, poses: int, found: list[Physics], *_: object) -> None:
        seen.append({one.part for one in found[0].contacts.items})
        path.write_text("")

    def show(*_: object, physics: list[Physics], **__: object) -> SimpleNamespace:
        seen.append({one.part for one in physics[0].contacts.items})
        return SimpleNamespace(url="http://localhost", wait=lambda: None)

    monkeypatch.setattr("gambol.drawing.strip.save_strip", look)
    monkeypatch.setattr("gambol.studio.viewer.Viewer", show)
    save(samples.stand()[:20], tmp_path / "stand.bvh")
    (tmp_path / "contacts.yaml").write_text("contacts: [{part: left_knee, start: 0, end: 0.3}]")
    given = (tmp_path / "stand.bvh", "--contacts", tmp_path / "contacts.yaml")
    for words in (("render", *given, "-o", tmp_path / "a.png"), ("view", *given, "--no-open")):
        code, _, said = gambol(*words)
        assert code == 2
        assert "contacts are drawn with physics" in said
        assert gambol(*words, "--physics")[0] == 0
        assert seen.pop() == {"left_knee"}


@pytest.mark.slow
def test_the_walls_of_a_scene_are_in_pictures_films_and_pages(gambol, tmp_path: Path, monkeypatch) -> None:
    """A wall behind two walkers, in a GLB: grey in a picture and a film, and a box in a page."""
    from PIL import Image

    walk = samples.walk()[:4]
    wall = np.array([[-1.0, 0.7, 2.0, 0.7]])
    grey, boxes = {}, []
    add_box = viser.SceneApi.add_box
    monkeypatch.setattr(
        viser.SceneApi, "add_box", lambda *args, **more: boxes.append(args[1]) or add_box(*args, **more)
    )
    for name, walls in (("open", wall[:0]), ("wall", wall)):
        save(Ensemble((walk, walk), name, walls=walls), tmp_path / f"{name}.glb")
        for kind in (["png", "--moments", 1], ["gif", "--size", "160x100"], ["html"]):
            assert gambol("render", tmp_path / f"{name}.glb", "-o", tmp_path / f"{name}.{kind[0]}", *kind[1:])[0] == 0
        for kind in ("png", "gif"):
            with Image.open(tmp_path / f"{name}.{kind}") as image:
                pixels = np.asarray(image.convert("RGB"), dtype=float)
            grey[name, kind] = float(((np.ptp(pixels, axis=-1) < 12) & (pixels.mean(axis=-1) < 150)).mean())
    for kind in ("png", "gif"):
        assert grey["wall", kind] > 0.1 > 2.0 * grey["open", kind], kind
    assert boxes == ["/wall_0"]
    assert gambol("render", tmp_path / "wall.glb", "-o", tmp_path / "usual.png")[0] == 0
    with Image.open(tmp_path / "usual.png") as usual, Image.open(tmp_path / "wall.png") as one:
        assert usual.size[1] != one.size[1], "a scene with walls is drawn at four moments"
