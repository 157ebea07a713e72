"""Messages are one line of printable characters, whatever files and users give."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from gambol.errors import MAX_MESSAGE, GambolError, InputError, MissingExtra, missing_file_error


@pytest.mark.parametrize(
    "error",
    [
        GambolError("two\nlines\tand\x1b[31m red \u202e \udcff \x00"),
        InputError("x" * 10_000, file=Path("a" * 250), line=3, fix="y" * 10_000),
        InputError("\x07" * 10_000),
        MissingExtra("a\nb", "video"),
    ],
)
def test_messages_are_a_line_of_printable_characters(error: GambolError) -> None:
    text = str(error)
    assert text.isprintable()
    assert 0 < len(text) <= MAX_MESSAGE
    assert len(f"gambol: {text}") <= 300


def test_what_to_do_is_not_cut_off() -> None:
    text = str(InputError("no " + "long " * 100, file="x.bvh", fix="do this"))
    assert text.startswith("x.bvh: no long")
    assert text.endswith("…; do this")


def test_what_was_in_the_way_is_shown() -> None:
    assert str(InputError("no key 'a\x1b'", file=Path("/tmp/x.yaml"), line=2)) == r"x.yaml, line 2: no key 'a\x1b'"


def test_workers_can_send_errors() -> None:
    error = pickle.loads(pickle.dumps(InputError("wrong", file="x.bvh", line=2, fix="right")))
    assert (str(error), error.line, error.fix) == ("x.bvh, line 2: wrong; right", 2, "right")


@pytest.mark.parametrize(
    ("asked", "advice"),
    [
        ("wlak.bvh", "did you mean 'walk.bvh'?"),
        ("walk.fbx", "did you mean 'walk.glb'?"),
        ("Walk.bvhh", "did you mean 'walk.glb'?"),
        ("swim.bvh", "check the path"),
        ("folders.bvh", "check the path"),
    ],
)
def test_the_nearest_file_of_the_folder_is_named(tmp_path: Path, asked: str, advice: str) -> None:
    for name in ("walk.bvh", "walk.glb", "jog.bvh"):
        (tmp_path / name).touch()
    (tmp_path / "folder").mkdir()
    assert str(missing_file_error(tmp_path / asked)) == f"{asked}: no such file; {advice}"


def test_a_built_in_motion_may_be_meant_where_no_folder_is_given(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "did you mean 'jump'?" in str(missing_file_error(Path("jmup"), known=("jump",)))
    assert "there is no folder 'clips'" in str(missing_file_error(Path("clips/jmup"), known=("jump",)))
