"""`gambol render --robot`: reference motions with the looks of their robot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

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
