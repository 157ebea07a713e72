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
    assert gambol("render", out, "-o", tmp_path / "two.png", "--moments", 2)[0] == 0
    assert gambol("render", out, "-o", tmp_path / "two.gif", "--moments", 2)[0] == 2
    assert Image.open(picture).size[0] > 800
    words = ("--size", "128x96", "--film-fps", 10, "--view", "top")
    assert gambol("crowd", scene, "-o", tmp_path / "film.gif", *words)[0] == 0
    with Image.open(tmp_path / "film.gif") as film:
        assert (film.size, film.n_frames) == ((128, 96), 10)
    report = json.loads(figures.read_text())
    assert len(report["motions"]) == 4
    assert len(report["in_step"]) == len(report["seconds"]) == 60


def test_it_says_what_must_come_of_it(gambol, scene) -> None:
    code, printed, _ = gambol("crowd", scene, "--certify")
    assert code == 0
    assert "contracting, rate at least" in printed
    code, printed, _ = gambol("crowd", "stampede", "--certify")
    assert code == 0
    assert "refuted" in printed


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
        ((), "no scene"),
        (("poles",), "no output"),
        (("hills", "--certify"), "no scene 'hills'"),
        (("none.yaml", "--certify"), "none.yaml"),
        (("poles", "--certify"), "only a march"),
        (("poles", "--picture", "x.txt"), "'.txt' is not a picture"),
        (("poles", "-o", "x.txt"), ".txt"),
        (("poles", "--walk", "walk", "--model", "m.npz", "--certify"), "both a walk and a model"),
        (("poles", "--poses", "statues", "-o", "x.glb"), "'tables', 'primitives'"),
        (("march", "--walk", "stand", "--certify"), "no whole stride"),
        (("march", "--certify", "--model", "none.npz"), "no such file"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_line(gambol, words, told: str) -> None:
    code, _, said = gambol("crowd", *words)
    assert code == 2
    assert told in said
    assert len(said.strip().splitlines()) <= 2


def test_nothing_is_written_over(gambol, scene, tmp_path) -> None:
    (tmp_path / "old_2.bvh").write_text("mine")
    code, _, told = gambol("crowd", scene, "-o", tmp_path / "old.bvh")
    assert code == 2
    assert "old_2.bvh: exists already" in told
    assert (tmp_path / "old_2.bvh").read_text() == "mine"
    clip = tmp_path / "mine.glb"
    assert gambol("convert", "walk", clip)[0] == 0
    whole = clip.read_bytes()
    code, _, told = gambol("crowd", scene, "--walk", clip, "-o", clip, "--overwrite")
    assert code == 2
    assert "the same file" in told
    assert clip.read_bytes() == whole


@pytest.mark.parametrize("start", ["{out_of_place: -1}", "{phases: 9}", "{frequencies: 2}"])
def test_starts_that_make_no_sense_are_told(gambol, tmp_path, start: str) -> None:
    file = tmp_path / "odd.yaml"
    file.write_text(f"march: {{rows: 2, columns: 2, start: {start}}}\n")
    code, _, told = gambol("crowd", file, "--certify")
    assert code == 2
    assert "odd.yaml: " in told


def test_who_is_there_already_and_who_cannot_arrive(gambol, tmp_path) -> None:
    file = tmp_path / "still.yaml"
    file.write_text("walk: {agents: [{start: [0, 0], goal: [0, 0]}]}\nseconds: 1.0\n")
    code, _, told = gambol("crowd", file, "--json", tmp_path / "still.json")
    assert code == 0
    assert "nan" not in told
    assert "1 of 1 arrived" in told
