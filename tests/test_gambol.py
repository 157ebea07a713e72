"""The front door: public names, and the same bytes from Python and from the command line."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import gambol as gb
from gambol.clips.result import Result
from tests.conftest import REPOSITORY

CUT = {"start": 0.75, "end": 1.9, "rate": 15.0}
CUT_WORDS = ("--from", 0.75, "--to", 1.9, "--rate", 15)
PLAN = """
rate: 15
axes:
  - {stage: ground 2, forward: [-0.1, 0.1], count: 2}
"""
MARCH = "march: {rows: 2, columns: 2}\nseconds: 0.5\n"


def _push() -> Result:
    return gb.push("walk", [gb.Push("head", (0.0, 60.0, 0.0), 1.0, 0.2)], free=8)


VERBS: dict[str, tuple[tuple[object, ...], str, Callable[[Path], Result]]] = {
    "push": (("walk", "--body", "head", "--force", 0, 60, 0, "--k", 8), ".glb", lambda _: _push()),
    "push-map": (
        ("walk", "--pushes", 16, "--body", "head", "--seed", 3),
        ".html",
        lambda _: gb.push_map("walk", pushes=16, bodies=["head"], seed=3),
    ),
    "loop": (("walk", "--times", 2, "--in-place"), ".bvh", lambda _: gb.loop("walk", times=2, in_place=True)),
    "retarget": (("jump", "--to", "walk"), ".bvh", lambda _: gb.retarget("jump", "walk")),
    "join": (("jump", "jump", "--leave", 2.4), ".bvh", lambda _: gb.join("jump", "jump", leave=2.4)),
    "fix": (("{folder}/short.bvh",), ".bvh", lambda folder: gb.fix(folder / "short.bvh")),
    "sketch": (("broad_jump", "--rate", 15), ".bvh", lambda _: gb.sketch("broad_jump", rate=15.0)),
    "edit": (("jump", "backward", *CUT_WORDS), ".bvh", lambda _: gb.edit("jump", "backward", **CUT)),
    "family": (
        ("jump", "{folder}/plan.yaml", *CUT_WORDS[:4]),
        ".npz",
        lambda folder: gb.family("jump", folder / "plan.yaml", start=0.75, end=1.9),
    ),
    "primitives learn": (
        ("walk", "--sources", 2, "--seed", 1),
        ".npz",
        lambda _: gb.learn_primitives(["walk"], sources=2, seed=1),
    ),
    "crowd": (
        ("{folder}/march.yaml", "--seed", 5),
        ".glb",
        lambda folder: gb.crowd(folder / "march.yaml", seed=5),
    ),
}


@pytest.mark.parametrize("verb", VERBS)
def test_python_and_the_command_line_write_the_same_bytes(gambol, verb: str, tmp_path: Path) -> None:
    words, suffix, call = VERBS[verb]
    (tmp_path / "plan.yaml").write_text(PLAN)
    (tmp_path / "march.yaml").write_text(MARCH)
    gb.save(gb.load("jump")[40:130], tmp_path / "short.bvh")
    by_command, by_python = tmp_path / f"command{suffix}", tmp_path / f"python{suffix}"
    filled = [str(word).format(folder=tmp_path) for word in words]
    code, _, err = gambol(*verb.split(), *filled, "-o", by_command)
    assert code == 0, err
    result = call(tmp_path)
    assert result.save(by_python) == [by_python]
    assert by_command.read_bytes() == by_python.read_bytes()
    assert result.facts()


def test_a_check_and_a_picture_are_the_same_too(gambol, tmp_path: Path) -> None:
    code, _, _ = gambol("check", "jump", "--report", tmp_path / "a.html")
    assert code == 0
    assert gb.check("jump").report(tmp_path / "b.html").read_bytes() == (tmp_path / "a.html").read_bytes()
    assert gambol("render", "walk", "jump", "-o", tmp_path / "a.svg", "--poses", 1)[0] == 0
    gb.render(["walk", "jump"], tmp_path / "b.svg", poses=1)
    a, b = (re.sub(r"<dc:date>.*?</dc:date>", "", (tmp_path / f"{name}.svg").read_text()) for name in "ab")
    assert len(a) == len(b)


def test_every_public_name_is_there_and_documented() -> None:
    text = (REPOSITORY / "docs" / "api.md").read_text()
    listed = set(re.findall(r"^\.\. auto(?:function|class):: gambol\.(\w+)$", text, flags=re.MULTILINE))
    assert listed == set(gb.__all__) - {"__version__", "samples"}
    assert "automodule:: gambol.io.samples" in text
    for name in gb.__all__:
        assert getattr(gb, name).__doc__ or name == "__version__"


def test_type_checkers_see_what_is_there() -> None:
    """The lazy table and the imports for type checkers name the same homes."""
    source = (REPOSITORY / "src" / "gambol" / "__init__.py").read_text()
    declared = {m[1]: m[0] for m in re.findall(r"^    from ([\w.]+) import (\w+) as \2$", source, flags=re.MULTILINE)}
    lazy = dict(gb._HOMES, samples="gambol.io")
    assert declared == lazy


def test_verbs_survive_an_import_of_every_room() -> None:
    """A room must not take the name of a verb: importing gambol.x would then hide the function gambol.x."""
    code = (
        "import gambol, pkgutil\n"
        "names = [m.name for m in pkgutil.iter_modules(gambol.__path__)]\n"
        "print(*(set(names) & set(gambol.__all__)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_result_shows_itself_in_a_notebook() -> None:
    shown = gb.loop("walk")._repr_html_()
    assert shown.startswith("<iframe")
    assert "srcdoc=" in shown
    assert len(shown) > 100_000


def test_a_result_of_several_motions_names_them_all() -> None:
    result = Result(motions=gb.Ensemble((gb.load("walk"), gb.load("jump"))), figures={"x_m": 1.0})
    with pytest.raises(gb.InputError, match=r"use \.motions"):
        _ = result.motion
    assert "walk, jump" in repr(result)
    assert [m["name"] for m in result.facts()["motions"]] == ["walk", "jump"]
