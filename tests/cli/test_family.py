"""`gambol family`: made unless a command is named; bad input is a line and exit code 2."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import LIMIT, wait_for

PLAN = """
fps: 15
axes:
  - {stage: ground 2, forward: [-0.1, 0.1], count: 2}
  - {stage: ground 2, left: [-0.1, 0.1], count: 2}
"""
CUT = ("--start", 0.75, "--end", 1.9)


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "four.yaml"
    path.write_text(PLAN)
    return path


def test_a_family_is_made_and_its_parts_are_gone(gambol, plan: Path, tmp_path: Path) -> None:
    from gambol.io.models import as_model
    from gambol.spacetime.families.family import Family

    output = tmp_path / "four.npz"
    code, out, err = gambol("family", "jump", plan, "-o", output, *CUT)
    assert (code, out) == (0, f"{output}\n")
    assert "4 members of 19 frames" in err
    family = as_model(output, Family)
    assert (family.plan.name, family.plan.shape, family.plan.fps) == ("four", (2, 2), 15.0)
    assert family.solved.all()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["four.npz", "four.yaml"]
    code, _, err = gambol("family", "jump", plan, "-o", output)
    assert code == 2
    assert "--overwrite" in err


def test_a_scheduler_that_does_not_answer_is_one_line_and_leaves_nothing(
    gambol, plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gambol.solve.workers._TIMEOUT", "0.2s")
    words = ("family", "jump", plan, "-o", tmp_path / "four.npz", *CUT, "--scheduler", "tcp://127.0.0.1:9", "-q")
    code, out, err = gambol(*words)
    assert (code, out) == (2, "")
    (line,) = err.splitlines()
    assert "no Dask cluster answers at tcp://127.0.0.1:9" in line
    assert [path.name for path in tmp_path.iterdir()] == ["four.yaml"]


def test_help_shows_the_commands_and_the_way_without(gambol) -> None:
    for words in (["family", "--help"], ["family"]):
        code, out, _ = gambol(*words)
        assert code == 0
        assert "make" in out
        assert "CLIP FAMILY" in out
    code, out, _ = gambol("family", "make", "--help")
    assert code == 0
    assert "--workers" in out


def test_options_may_come_first(gambol, plan: Path, tmp_path: Path) -> None:
    code, _, err = gambol("family", "-o", tmp_path / "x.txt", "jump", plan)
    assert code == 2
    assert "name it .npz" in err


@pytest.mark.parametrize(
    ("text", "words", "told"),
    [
        (PLAN, ("nothing.bvh",), "no such file"),
        (PLAN, ("jump", "--workers", 0), "workers must be 1 to 1024"),
        (PLAN, ("jump", "--start", 9), "no frames from 9"),
        (PLAN.replace("ground 2", "ground 7"), ("jump",), "no stage 'ground 7'"),
        (PLAN.replace("count: 2", "count: 1"), ("jump",), "2 to 1000"),
        ("axes: [", ("jump",), "not YAML"),
        (PLAN.replace("count: 2", "count: 1000"), ("jump",), "members fit"),
    ],
)
def test_bad_input_is_one_line(gambol, tmp_path: Path, monkeypatch, text: str, words, told: str) -> None:
    from gambol.spacetime.families import memory

    monkeypatch.setattr(memory, "available_memory", lambda: 10_000_000)
    path = tmp_path / "plan.yaml"
    path.write_text(text)
    clip, *more = words
    code, out, err = gambol("family", clip, path, "-o", tmp_path / "x.npz", *more)
    assert (code, out) == (2, "")
    assert told in err.splitlines()[-1]
    assert sorted(found.name for found in tmp_path.iterdir()) == ["plan.yaml"]


def test_ctrl_c_stops_with_a_way_to_go_on(plan: Path, tmp_path: Path) -> None:
    plan.write_text(PLAN.replace("count: 2", "count: 10"))
    folder = tmp_path / "x.npz.part"
    words = ["family", "jump", plan, "-o", tmp_path / "x.npz", *CUT, "--workers", 1]
    program = subprocess.Popen(
        [sys.executable, "-c", "from gambol.cli import main; main()", *map(str, words)],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert wait_for(lambda: any(folder.glob("[!.]*.npz")))
    program.send_signal(signal.SIGINT)
    _, err = program.communicate(timeout=LIMIT)
    assert program.returncode == 130
    assert "Traceback" not in err
    assert "the same command continues from there" in err
    assert 1 <= len(list(folder.glob("[!.]*.npz"))) < 100
    assert not (tmp_path / "x.npz").exists()


def test_families_that_come_with_gambol_are_read() -> None:
    from gambol.spacetime.families import library
    from gambol.spacetime.families.plan import read_plan

    shapes = {name: read_plan(library.find(name)).shape for name in library.names()}
    assert shapes == {"circle": (7,), "grid": (3, 3), "line": (5,), "steer": (3, 3, 3, 3)}


def test_a_family_by_a_wrong_name_is_told_the_right_ones(gambol, tmp_path: Path) -> None:
    code, _, said = gambol("family", "jump", "grids", "-o", tmp_path / "a.npz")
    assert code == 2
    assert "no family 'grids'; did you mean 'grid'?" in said
    _, _, said = gambol("family", "jump", "wheel", "-o", tmp_path / "a.npz")
    assert "there are circle, grid, line, steer" in said
