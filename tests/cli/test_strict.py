"""What a viewer would not accept is said in the first line; with --strict it gives exit code 1."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import gambol as gb
from gambol.cli.console import Console
from gambol.judge import stances
from tests.judge.test_stances import STANCE, slide


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    """A second of a walk."""
    path = tmp_path / "walk.bvh"
    gb.Result(motions=gb.Ensemble((gb.load("walk")[:60:2],))).save(path)
    return path


def test_a_refused_result_is_written_and_said_first(
    gambol, walk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("fix", walk, "-o", tmp_path / "fixed.bvh", "--strict", "--overwrite", "--json", tmp_path / "found.json")
    code, _, said = gambol(*words)
    assert code == 0
    assert "a viewer" not in said
    monkeypatch.setattr(stances, "FOOT_SLIDE", replace(stances.FOOT_SLIDE, limit=0.02))
    code, out, said = gambol(*words)
    assert code == 1
    assert str(tmp_path / "fixed.bvh") in out
    lines = said.splitlines()
    first = next(n for n, line in enumerate(lines) if "a viewer would not accept this: " in line)
    assert first < next(n for n, line in enumerate(lines) if "before" in line and "after" in line)
    assert len([line for line in lines if "seen: " in line]) <= 3
    facts = json.loads((tmp_path / "found.json").read_text())
    assert facts["judgement"]["accepted"] is False
    assert facts["figures"]["findings_count"] == len(facts["judgement"]["findings"])
    assert gambol(*(word for word in words if word != "--strict"))[0] == 0


def test_check_lists_what_is_seen(gambol, tmp_path: Path) -> None:
    path = tmp_path / "slid.bvh"
    gb.Result(motions=gb.Ensemble((slide("walk", 0.12, *STANCE),))).save(path)
    _, out, _ = gambol("check", path)
    seen = [line for line in out.splitlines() if line.startswith("  seen")]
    assert any("right foot slides by" in line for line in seen)
    code, out, _ = gambol("check", "walk")
    assert code == 0
    assert "seen" not in out


def test_a_converted_clip_is_judged_as_it_is(gambol, tmp_path: Path) -> None:
    path, found = tmp_path / "slid.bvh", tmp_path / "found.json"
    gb.Result(motions=gb.Ensemble((slide("walk", 0.12, *STANCE),))).save(path)
    code, out, said = gambol("convert", path, tmp_path / "slid.glb", "--json", found, "--strict")
    assert code == 1
    assert out.splitlines() == [str(tmp_path / "slid.glb"), str(found)]
    assert "slid.glb: a viewer would not accept this: right foot slides by 12" in said
    (facts,) = json.loads(found.read_text())
    assert facts["file"] == str(tmp_path / "slid.glb")
    assert facts["figures"]["foot_slide_cm"] == pytest.approx(12.2, abs=0.1)
    (folder := tmp_path / "clips").mkdir()
    path.rename(folder / "slid.bvh")
    gb.Result(motions=gb.Ensemble((gb.load("walk")[:60],))).save(folder / "walk.bvh")
    code, out, _ = gambol("convert", folder, tmp_path / "out", "--json", "-")
    assert code == 0
    assert [one["judgement"]["accepted"] for one in json.loads(out)] == [False, True]


def test_a_refused_result_is_named_before_lines_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Lines of the result go where the verdict goes if JSON is on standard output."""
    result = gb.Result(motions=gb.Ensemble((slide("walk", 0.12, *STANCE),)))
    Console(json=Path("-")).deliver(result, None, "solved", lines=("misses by 3 cm",))
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("a viewer would not accept this: ")
    assert said[1] == "solved"
    assert said[-1] == "misses by 3 cm"
