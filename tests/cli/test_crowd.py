"""`gambol crowd` at the command line."""

from __future__ import annotations

import json

import pytest
from PIL import Image

from gambol import load_all

SMALL = "march: {rows: 2, columns: 2}\nseconds: 1.0\n"


@pytest.fixture
def scene(tmp_path):
    file = tmp_path / "small.yaml"
    file.write_text(SMALL)
    return file


def test_a_march_becomes_a_scene_a_picture_and_figures(gambol, scene, tmp_path) -> None:
    out, picture, figures = (tmp_path / name for name in ("out.glb", "out.png", "out.json"))
    code, printed, told = gambol("crowd", scene, "-o", out, "--picture", picture, "--json", figures)
    assert code == 0, told
    assert printed.split() == [str(out), str(picture), str(figures)]
    assert "in step:" in told
    assert len(load_all(out)) == 4
    assert Image.open(picture).size[0] > 800
    report = json.loads(figures.read_text())
    assert report["agents"] == 4
    assert len(report["in_step"]) == len(report["seconds"]) == 60


def test_it_says_what_must_come_of_it(gambol, scene) -> None:
    code, printed, _ = gambol("crowd", scene, "--certify")
    assert code == 0
    assert "contracting, rate at least" in printed
    code, printed, _ = gambol("crowd", "stampede", "--certify")
    assert code == 0
    assert "broken" in printed


def test_a_clip_of_one_s_own_lends_its_walk(gambol, scene, data, tmp_path) -> None:
    clip = data / "cmu_bvh" / "walk" / "35_01.bvh"
    code, _, told = gambol("crowd", scene, "--walk", clip, "-o", tmp_path / "own.glb")
    assert code == 0, told
    assert "LeftUpLeg" in load_all(tmp_path / "own.glb")[0].skeleton.names


def test_scenes_are_listed(gambol) -> None:
    code, printed, _ = gambol("crowd", "--list")
    assert code == 0
    for name in ("poles", "crossing", "doorway", "march", "stampede"):
        assert name in printed


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "which scene?"),
        (("poles",), "nothing to do"),
        (("hills", "--certify"), "no scene 'hills'"),
        (("none.yaml", "--certify"), "none.yaml"),
        (("poles", "--certify"), "only a march"),
        (("march", "--walk", "stand", "--certify"), "no whole stride"),
        (("march", "--certify", "--model", "none.npz"), "no such file"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_line(gambol, words, told: str) -> None:
    code, _, said = gambol("crowd", *words)
    assert code == 2
    assert told in said
    assert len(said.strip().splitlines()) <= 2
