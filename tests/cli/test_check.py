"""Bodies that cannot be, and clips that show too little of one: one line, exit code 2."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.io import samples, save
from gambol.motion.ensemble import Ensemble
from tests.judge.test_stances import STANCE, shift, slide


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["walk", "--mass", "0"], "mass 0.0 kg is outside"),
        (["walk", "--mass", "-5"], "mass -5.0 kg is outside"),
        (["walk", "--scale", "3"], "correct --scale"),
        (["walk", "--scale", "0.00001"], "correct --scale"),
    ],
)
def test_no_such_person(gambol, words: list[str], says: str) -> None:
    code, out, said = gambol("check", *words)
    assert (code, out) == (2, "")
    assert says in said.splitlines()[-1]


def test_too_few_frames(gambol, tmp_path: Path) -> None:
    for frames in (1, 2):
        save(samples.walk()[:frames], tmp_path / f"{frames}.bvh")
        code, _, said = gambol("check", tmp_path / f"{frames}.bvh")
        assert code == 2
        assert "ten or more are needed" in said.splitlines()[-1]


def test_markers_walk_as_a_person(gambol, data: Path, tmp_path: Path) -> None:
    trial = data / "gait_grf" / "opensim_rajagopal_walk_fullbody" / "markers_walk.trc"
    assert gambol("check", trial)[0] in (0, 1)
    assert gambol("convert", trial, tmp_path / "walk.bvh")[0] == 0
    clip = load(tmp_path / "walk.bvh")
    knee = clip.placement.positions[:, clip.rig.parts["left_shank"]]
    assert 0.35 < np.median(knee[:, 2]) < 0.65
    assert gambol("check", trial, "--fps", "60")[0] == 2


def test_markers_that_vanish(gambol, data: Path, tmp_path: Path) -> None:
    trial = data / "gait_grf" / "opensim_rajagopal_walk_fullbody" / "markers_walk.trc"
    lines = trial.read_text().splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("1\t"))
    half = first + (len(lines) - first) // 2

    def without_legs(line: str) -> str:
        cells = line.split("\t")
        return "\t".join(cells[:2] + [""] * (len(cells) - 2))

    for name, gone, code_expected, says in (
        ("half.trc", half, None, "kept frames 0 to"),
        ("all.trc", first, 2, "never visible together"),
    ):
        path = tmp_path / name
        path.write_text("\n".join(lines[:gone] + [without_legs(line) for line in lines[gone:]]) + "\n")
        code, _, said = gambol("check", path)
        assert code == code_expected or (code_expected is None and code in (0, 1))
        assert says in said


def test_what_cannot_be_measured_is_said_in_words(gambol) -> None:
    _, out, _ = gambol("check", "walk")
    (row,) = [line for line in out.splitlines() if "fall in flight" in line and "spin" not in line]
    assert row.split("fall in flight")[1].strip() == "no complete flight of 0.12 s and ten frames or more"


def test_what_a_viewer_would_not_accept_is_said_first_and_fails(gambol, tmp_path: Path) -> None:
    save(slide("walk", 0.12, *STANCE)[:90], tmp_path / "slid.bvh")
    code, out, _ = gambol("check", tmp_path / "slid.bvh", "--json", tmp_path / "found.json")
    assert code == 1
    assert out.startswith("slid: a viewer would not accept this: right foot slides by 12")
    assert out.splitlines()[0].endswith("; outside their bands: missing force")
    (facts,) = json.loads((tmp_path / "found.json").read_text())
    assert not facts["passes"]


@pytest.mark.parametrize("apart", [0.15, 2.0])
def test_people_of_a_file_are_judged_as_a_scene(gambol, tmp_path: Path, apart: float) -> None:
    first, path = samples.walk()[:45], tmp_path / "pair.glb"
    second = replace(shift(first, np.tile([0.0, apart, 0.0], (45, 1))), name="other")
    save(Ensemble((first, second)), path)
    code, out, _ = gambol("check", path, "--json", tmp_path / "found.json")
    said = out.splitlines()
    facts = json.loads((tmp_path / "found.json").read_text())
    assert [one["name"] for one in facts] == ["pair", "walk", "other"]
    if apart > 1.0:
        assert (code, said[0]) == (0, "pair: a viewer would accept the scene")
    else:
        assert code == 1
        assert said[0].startswith("pair: a viewer would not accept this: walk and other: ")
        assert "overlap by" in said[0]
