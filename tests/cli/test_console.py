"""Notes and progress on a terminal; names from files reach it as printable characters only."""

from __future__ import annotations

import hashlib
import io
import itertools
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pygltflib
import pytest
import yaml

import gambol as gb
from gambol.cli import console as console_module
from gambol.cli.console import Console
from gambol.cli.progress_log import ProgressLog
from gambol.clips.result import Result
from gambol.io import samples, save
from gambol.motion.ensemble import as_ensemble
from gambol.motion.motion import Motion, Origin
from tests.motion.bodies import person

HOSTILE = '\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\x7f"\\:'
"""The namespace of a joint, so that it is recognised by what follows."""


def test_a_character_that_is_not_beside_its_model_is_missed(capsys, tmp_path: Path) -> None:
    clip = tmp_path / "walk.glb"
    for content, note in ((None, "without the character of walk.glb"), (b"", "is not the file"), (b"walk", "")):
        if content is not None:
            clip.write_bytes(content)
        digest = hashlib.sha256(b"walk").hexdigest()
        origin = Origin(str(clip) if clip.exists() else clip.name, "gltf", digest=digest)
        result = Result(motions=as_ensemble(replace(gb.load("stand"), origin=origin)))
        Console()._note_missing_characters(result, tmp_path / "out.glb")
        said = capsys.readouterr().err
        assert note in said
        assert bool(note) == bool(said)


class Screen(io.TextIOWrapper):
    """A terminal; like a real one it has a buffer of bytes, which `typer.echo` would write to."""

    def isatty(self) -> bool:
        return True


def test_notes_are_printed_above_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(io.BytesIO(), encoding="utf-8", write_through=True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    console = Console()
    with console.progress() as progress:
        progress("learning", 0, 2)
        console.note("what was found")
        Console(quiet=True).note("nothing")
        progress("learning", 1, 2)
    text = screen.buffer.getvalue().decode()  # type: ignore[attr-defined]
    before, found, after = text.partition("what was found\n")
    assert found
    assert before.endswith("\r\x1b[2K")  # the line of the bar is cleared first
    assert "learning" in after
    assert "nothing" not in text


def test_long_runs_begin_with_an_estimate(capsys: pytest.CaptureFixture[str]) -> None:
    long = Motion(person(), np.zeros((100_000, len(person().dofs))), 1 / 120, "long")
    Console().announce_duration("check", long)
    Console().announce_duration("check", long[:1000])
    Console(quiet=True).announce_duration("push", long)
    assert capsys.readouterr().err == "long: 100000 frames, about 400 s\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A walk whose joints and animation have escape sequences in their names; those of glTF also line breaks."""
    folder = tmp_path_factory.mktemp("hostile")
    bvh, glb = folder / "walk.bvh", folder / "walk.glb"
    walk = samples.walk()[:60]
    save(walk, bvh)
    text = bvh.read_text()
    for name in ("Spine", "Head"):
        assert f" {name}\n" in text
        text = text.replace(f" {name}\n", f" {HOSTILE}{name}\n")
    bvh.write_text(text)
    save(walk, glb)
    document = pygltflib.GLTF2.load(glb)
    for named in (*document.nodes, *document.animations):
        named.name = f"a\r\nb{HOSTILE}{named.name}"
    document.save(glb)
    return {"bvh": bvh, "glb": glb}


@pytest.mark.parametrize("kind", ["bvh", "glb"])
@pytest.mark.parametrize("verb", ["info", "rig", "check", "convert"])
def test_what_is_printed_is_printable(gambol, files: dict[str, Path], kind: str, verb: str, tmp_path: Path) -> None:
    more = (tmp_path / "out.glb",) if verb == "convert" else ()
    code, out, err = gambol(verb, files[kind], *more)
    assert code == 0, err
    assert all(line.isprintable() for text in (out, err) for line in text.split("\n"))
    if verb in ("info", "rig"):
        assert r"\x1b[2J" in out


def test_a_mapping_file_names_hostile_joints_as_they_are(gambol, files: dict[str, Path], tmp_path: Path) -> None:
    mapping = tmp_path / "rig.yaml"
    assert gambol("rig", files["glb"], "-o", mapping)[0] == 0
    text = mapping.read_text()
    assert all(line.isprintable() for line in text.split("\n"))
    names = [name for name in yaml.safe_load(text).values() if name]
    assert len(names) > 10
    assert set(names) <= set(gb.load(files["glb"], rig=mapping).skeleton.names)


def test_every_command_works_under_a_log(gambol, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that reports nothing and takes long is in the log too, from its first second on."""
    clock = itertools.count(0.0, 1000.0)
    monkeypatch.setattr(console_module, "ProgressLog", lambda write: ProgressLog(write, lambda: next(clock)))
    code, _, err = gambol("info", "walk")
    assert code == 0
    assert "preparing (" in err
    assert gambol("info", "walk", "--quiet")[2] == ""
