"""`gambol compose`: scenes from files and by name, outputs, reports and errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gambol as gb
from gambol.composition import library

SCENE = """people:
  anna: {clip: walk, steps: 2}
  ben: {clip: walk, steps: 2, at: [0, -0.75], delay: 0.2}
conditions:
  - hold: [anna right_hand, ben left_hand]
"""
ALONE = "conditions:\n  - {reach: anna, place: [9, 0], at: 0.5}\n"


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    path = tmp_path / "pair.yaml"
    path.write_text(SCENE)
    return path


@pytest.mark.slow
def test_a_scene_becomes_two_people_in_one_file(gambol, scene: Path, tmp_path: Path) -> None:
    out, figures, picture = tmp_path / "pair.glb", tmp_path / "pair.json", tmp_path / "pair.png"
    code, printed, told = gambol("compose", scene, "-o", out, "--picture", picture, "--json", figures)
    assert code == 0
    assert len(gb.load_all(out)) == 2
    assert picture.stat().st_size > 10_000
    facts = json.loads(figures.read_text())
    assert [one["name"] for one in facts["motions"]] == ["anna", "ben"]
    assert facts["blocks"][0]["converged"]
    assert facts["figures"]["intersection_m"] < 0.01
    assert "iterations" in told  # the table of blocks
    assert str(out) in printed
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.slow
def test_a_scene_is_played_with_other_clips(gambol, scene: Path, tmp_path: Path) -> None:
    slow = tmp_path / "slow.bvh"
    gb.save(gb.load("walk"), slow)
    out = tmp_path / "pair.json"
    code, _, _ = gambol("compose", scene, "--clip", f"ben={slow}", "--json", out, "--schedule", "together")
    assert code == 0
    assert len(json.loads(out.read_text())["blocks"]) == 1


def test_built_in_scenes_are_listed(gambol) -> None:
    code, printed, _ = gambol("compose", "--list")
    assert code == 0
    assert [line.split()[0] for line in printed.splitlines()] == list(library.names())


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (("steps: 2}", "stpes: 2}"), (), "line 2: anna has no key 'stpes'; did you mean 'steps'?"),
        (("at: [0, -0.75]", "at: [0, 0]"), (), "begins inside"),
        ((SCENE[SCENE.index("  ben") :], ALONE), (), "has no solution"),
        (("", ""), ("--schedule", "sometime"), "no schedule 'sometime'; one of auto, together"),
        (("", ""), ("--clip", "carl=walk"), "nobody is called 'carl'; one of anna, ben"),
        (("", ""), ("--clip", "walk"), "--clip takes NAME=FILE"),
        (("clip: walk", "clip: missing.bvh"), (), "missing.bvh"),
        (("conditions:", "duration: 9\nconditions:"), (), "lasts 1.07 s, and the scene 9 s"),
    ],
)
def test_bad_scenes_get_one_line(gambol, scene: Path, tmp_path: Path, change, options, message: str) -> None:
    scene.write_text(SCENE.replace(*change, 1) if change[0] else SCENE)
    code, _, told = gambol("compose", scene, "-o", tmp_path / "out.glb", *options)
    assert code == 2
    assert message in told
    assert not (tmp_path / "out.glb").exists()


def test_a_scene_needs_a_name_and_an_output(gambol, scene: Path) -> None:
    assert gambol("compose")[0] == 2
    code, _, told = gambol("compose", scene)
    assert code == 2
    assert "add -o FILE" in told
    code, _, told = gambol("compose", "hand-in-hnad", "-o", "out.glb")
    assert code == 2
    assert "hand-in-hand" in told
