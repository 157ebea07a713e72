"""`--method NAME` has the options of that method, also of one from another package."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from tests.packages import make_package

CODE = '''
from __future__ import annotations
from dataclasses import dataclass, field
from typing import Any, Literal
import gambol as gb

@dataclass(frozen=True)
class Softly:
    """Gives way in all coordinates."""
    share: float
    steps: int = field(default=2, metadata={"help": "How often it is done again."})
    way: Literal["up", "down"] = "up"
    twice: bool = False
    model: gb.Motion | None = None
    anything: Any = None

    def respond(self, task: gb.PushTask) -> gb.PushResponse:
        task.progress(f"{self.share} {self.steps} {self.way} {self.twice} {self.model} {self.anything}", 0, None)
        return gb.NearUnactuated(free=self.steps).respond(task)

class NoMethod:
    pass

@dataclass(frozen=True)
class Taken:
    mass: float = 1.0
    def respond(self, task):
        raise AssertionError
'''
HIT = ("push", "walk", "--body", "head", "--force", 0, 60, 0)


@pytest.fixture
def others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"softly": "Softly", "none": "NoMethod", "missing": "Missing", "taken": "Taken"}
    make_package(tmp_path, monkeypatch, "soft-methods", {"gambol.methods": names}, CODE)


@pytest.mark.usefixtures("others")
def test_a_method_of_another_package_answers_with_its_own_options(gambol, tmp_path: Path) -> None:
    shown = gambol("push", "--method", "softly", "--help")[1]
    for word in ("--share", "--steps", "How often it is done again", "--way", "--twice", "--model", "--loop"):
        assert word in shown
    assert not {"--free", "--like", "--anything", "--no-twice"} & set(shown.split())
    words = ("--method", "softly", "--share", 0.5, "--steps", 4, "--way", "down", "--twice", "--model", "run")
    walk = tmp_path / "walk.bvh"
    gb.save(gb.load("walk")[:100], walk)
    code, _, said = gambol("push", walk, *HIT[2:], *words, "-o", tmp_path / "soft.bvh")
    assert code == 0, said
    assert "0.5 4 down True Motion('run'" in said
    own = gb.push(walk, [gb.Push("head", (0.0, 60.0, 0.0), 1.0)], method=gb.NearUnactuated(free=4))
    np.testing.assert_allclose(gb.load(tmp_path / "soft.bvh").q, own.motion.q, atol=1e-6)


@pytest.mark.usefixtures("others")
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--method", "softly"), "Missing option '--share'"),
        (("--method", "softly", "--share", "half"), "'--share' takes a number"),
        (("--method", "softly", "--share", 1, "--free", 3), "--free is an option of --method near-unactuated"),
        (("--share", 1), "--share is an option of --method softly, not of near-unactuated"),
        (("--method", "none"), "expected a dataclass with a function respond(task)"),
        (("--method", "missing"), "update or uninstall soft-methods"),
        (("--method", "taken"), "the option 'mass' of --method taken is one of the command"),
        (("--method", "walk"), "no method 'walk'; choose one of"),
        (("--method",), "'--method'"),
    ],
)
def test_options_of_a_method_are_checked_in_one_line(gambol, tmp_path: Path, words: tuple[object, ...], says: str):
    code, out, said = gambol(*HIT, "-o", tmp_path / "out.bvh", *words)
    assert (code, out) == (2, "")
    assert says in said.splitlines()[-1]


def test_a_method_of_the_second_package_says_what_to_install(gambol, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gambol.cli.methods.find_plugins", lambda group: ({}, []))
    code, _, said = gambol(*HIT, "--method", "as-printed")
    assert code == 2
    assert said == "gambol: 'as-printed' is a method of gambol-evidence; pip install gambol-evidence\n"


def test_a_name_is_not_a_method_in_python() -> None:
    with pytest.raises(gb.InputError, match=r"'replan' is not a method; pass an object, such as gambol.NearUn"):
        gb.push("walk", [gb.Push("head", (0.0, 1.0, 0.0), 1.0)], method="replan")
    with pytest.raises(gb.InputError, match="Replan does not answer frame by frame"):
        gb.push_map("walk", method=gb.Replan())


def test_another_clips_actuation_changes_what_a_responder_does() -> None:
    task = gb.PushTask(clip=gb.load("walk")[:140])
    responders = [gb.NearUnactuated(free=3, like=like).make_responder(task) for like in (None, "run")]
    own, lent = (one.model.gain_matrices.actuated for one in responders)
    assert np.abs(own - lent).max() > 1e-3
    other = gb.NearUnactuated(free=8, like="run").make_responder(task).model.gain_matrices.actuated
    np.testing.assert_array_equal(responders[1].with_free(8).model.gain_matrices.actuated, other)
