"""What a viewer would not accept is said in the first line; with --strict it gives exit code 1."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import gambol as gb
from gambol.judge import stances
from tests.judge.test_stances import STANCE, slide


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    """A second of a walk."""
    path = tmp_path / "walk.bvh"
    gb.Result(motions=gb.Ensemble((gb.load("walk")[:60],))).save(path)
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
