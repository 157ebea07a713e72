"""Formats of other packages, and what archives say that they hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.io.archive import write_archive
from tests.packages import make_package

CODE = """
import numpy as np
import gambol as gb

def read(path):
    if path.stat().st_size > 1000:
        raise RuntimeError("too large")
    walk = gb.load("walk")[:4]
    return [walk, walk]

def write(motion, path):
    path.write_bytes(str(len(motion)).encode())

BOTH = gb.MotionFormat(read=read, write=write)
WRITTEN = gb.MotionFormat(write=write)
NOTHING = 3
"""


@pytest.fixture(autouse=True)
def others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"steps": "BOTH", "out": "WRITTEN", "npz": "BOTH", "bad": "NOTHING", "bvh": "NOTHING"}
    make_package(tmp_path / "site", monkeypatch, "more-formats", {"gambol.formats": names}, CODE)


def test_a_format_of_another_package_is_read_and_written(gambol, tmp_path: Path) -> None:
    file = tmp_path / "two.STEPS"
    file.write_text("anything")
    assert [len(motion) for motion in gb.load_all(file)] == [4, 4]
    assert gb.save(gb.load("walk")[:7], tmp_path / "one.steps") == [tmp_path / "one.steps"]
    assert (tmp_path / "one.steps").read_text() == "7"
    written = gb.save(gb.load_all(file), tmp_path / "several.out")
    assert [path.name for path in written] == ["several_1.out", "several_2.out"]
    code, _, _ = gambol("loop", "walk", "-o", tmp_path / "loop.steps")
    assert code == 0
    assert int((tmp_path / "loop.steps").read_text()) > 50


def test_problems_of_a_format_are_told_in_one_line(tmp_path: Path) -> None:
    for name, says in (
        ("a.out", r"a\.out: format '\.out' can be written, but not read"),
        ("a.steps", r"a\.steps: more-formats failed on this file: RuntimeError: too large; report it"),
        ("a.bad", "TypeError: expected a gambol.MotionFormat; update or uninstall more-formats"),
        ("a.none", r"unknown file format; supported: \.bvh.*\.npz, \.bad, \.out, \.steps"),
    ):
        (tmp_path / name).write_bytes(bytes(2000).replace(b"\0", b"x"))
        with pytest.raises(gb.InputError, match=says):
            gb.load(tmp_path / name)
    with pytest.raises(gb.InputError, match=r"format '\.none' cannot be written; choose one of \.bvh.*\.steps"):
        gb.save(gb.load("walk"), tmp_path / "a.none")


def test_an_archive_is_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_archive(tmp_path / "model.npz", "walker", 1, {"x": 1})
    with pytest.raises(gb.InputError, match=r"holds a walker, not a motion; load it with gambol\.load_model"):
        gb.load(tmp_path / "model.npz")
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    assert len(gb.load_all(tmp_path / "other.npz")) == 2
    monkeypatch.setattr("gambol.io.formats.find_plugins", lambda *_: ({}, []))
    with pytest.raises(gb.InputError, match="not a recorded run, or truncated"):
        gb.load(tmp_path / "other.npz")
