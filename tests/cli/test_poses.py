"""`gambol poses`: flights go into a database once, and a person sees what is there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import wait_for


@pytest.fixture
def own(tmp_path: Path, monkeypatch) -> Path:
    """Where the user's database will be, with nothing shipped."""
    from gambol.spacetime import poses

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setattr(poses, "SHIPPED", tmp_path / "shipped.json")
    return tmp_path / "share" / "gambol" / "poses.json"


def test_adding_and_listing(gambol, own: Path) -> None:
    code, out, _ = gambol("poses", "list")
    assert (code, out.count("\n")) == (0, 1)
    assert "no flights yet" in out
    code, out, _ = gambol("poses", "add", "jump", "walk")
    assert code == 0
    assert out.splitlines()[:2] == ["jump: 1 flight, 1 new", "walk: no flight from feet to feet"]
    assert out.splitlines()[2].endswith("1 flight, 0 before")
    code, out, _ = gambol("poses", "add", "jump", "run")
    assert out.splitlines()[0] == "jump: 1 flight, 0 new"
    assert "run: 7 flights, 3 new" in out
    assert out.splitlines()[2].endswith("4 flights, 1 before")
    code, out, _ = gambol("poses", "list")
    rows = out.splitlines()
    assert (code, len(rows)) == (0, 5)
    assert rows[0].split("  ")[0] == "name"
    assert "0.72" in rows[1]
    assert rows[1].endswith("left + right to left + right")
    assert rows[2].endswith(("left to right", "right to left"))
    code, out, _ = gambol("poses", "list", own, "--json", "-")
    assert [row["name"] for row in json.loads(out)] == [row[: len("jump flight 1")].strip() for row in rows[1:]]


def test_a_database_of_ones_own(gambol, own: Path, tmp_path: Path) -> None:
    code, out, _ = gambol("poses", "add", "jump", "--to", tmp_path / "mine.json")
    assert code == 0
    assert not own.exists()
    code, out, _ = gambol("poses", "list", tmp_path / "mine.json")
    assert out.count("\n") == 2


def test_nothing_is_written_where_nothing_flies(gambol, own: Path, tmp_path: Path) -> None:
    code, out, _ = gambol("poses", "add", "stand", "--to", tmp_path / "mine.json")
    assert code == 0
    assert "stand: no flight" in out
    assert not (tmp_path / "mine.json").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("list", "none.json"), "none.json"),
        (("list", "bad.json"), "not JSON"),
        (("add", "none.bvh", "--to", "mine.json"), "none.bvh"),
        (("add", "jump", "--to", "bad.json"), "not JSON"),
        (("add", "jump", "--to", "none/mine.json"), "does not exist"),
        (("add", "jump", "--to", "."), "folder"),
        (("clear",), "clear"),
        (("add",), "CLIP"),
    ],
)
def test_errors_are_one_line(gambol, own: Path, tmp_path: Path, monkeypatch, words: tuple[str, ...], said: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.json").write_text("{")
    code, _, err = gambol("poses", *words)
    assert code == 2
    assert err.count("\n") == 1
    assert said in err
    assert Path("bad.json").read_text() == "{"


def test_what_was_added_before_a_bad_clip_stays(gambol, own: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.bvh").write_text("HIERARCHY")
    code, out, err = gambol("poses", "add", "jump", tmp_path / "bad.bvh")
    assert code == 2
    assert "bad.bvh" in err
    code, out, _ = gambol("poses", "list")
    assert out.count("\n") == 2


def test_a_killed_run_leaves_whole_databases(own: Path) -> None:
    command = [Path(sys.executable).parent / "gambol", "poses", "add", "jump", "run", "jump", "run", "jump"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    assert wait_for(lambda: own.exists() or process.poll() is not None)
    process.kill()
    process.wait()
    assert len(json.loads(own.read_text())["examples"]) >= 1
