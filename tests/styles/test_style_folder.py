"""Styles of many clips: files, what is done already, and what cannot be learned from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.fit.load import load
from gambol.io.models import as_model
from gambol.motion.motion import Motion
from gambol.styles import style_folder
from gambol.styles.style import PhysicalStyle, name_joints
from gambol.styles.style_folder import learn_each_style
from tests.terms.bodies import monopod

NAMES = name_joints(monopod().skeleton)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the clips that were learned from: learning itself is tested elsewhere."""
    names: list[str] = []

    def learn(motion: Motion, **_: Any) -> SimpleNamespace:
        names.append(motion.name)
        if motion.name == "stopped":
            raise KeyboardInterrupt
        if motion.name == "short":
            raise InputError("0.10 s are too short")
        values = np.ones((4, 7))
        return SimpleNamespace(model=PhysicalStyle(motion.name, NAMES, values, values, motion.name))

    monkeypatch.setattr(style_folder, "learn_style", learn)
    return names


def clips(*names: str) -> list[Motion]:
    stand = load("stand")
    return [replace(stand, name=name, origin=replace(stand.origin, file=f"{name}.bvh")) for name in names]


def test_every_clip_has_its_file_and_what_is_refused_is_said(asked: list[str], tmp_path: Path) -> None:
    made = learn_each_style(*clips("a", "short", "b"), folder=tmp_path / "new")
    assert sorted(made.files) == ["a", "b"]
    assert made.refused == {"short": "0.10 s are too short"}
    assert as_model(made.files["b"], PhysicalStyle).name == "b"


def test_a_run_that_was_stopped_goes_on(asked: list[str], tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        learn_each_style(*clips("a", "b", "stopped", "c"), folder=tmp_path)
    before = (tmp_path / "a.json").read_bytes()
    asked.clear()
    made = learn_each_style(*clips("a", "b", "c"), folder=tmp_path)
    assert asked == ["c"]
    assert sorted(made.files) == ["a", "b", "c"]
    assert (tmp_path / "a.json").read_bytes() == before


def test_two_clips_of_one_name_are_refused(asked: list[str], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="two clips are called 'a'"):
        learn_each_style(*clips("a", "a"), folder=tmp_path)


def test_a_style_of_another_clip_is_not_taken(asked: list[str], tmp_path: Path) -> None:
    learn_each_style(*clips("a"), folder=tmp_path)
    (tmp_path / "b.json").write_bytes((tmp_path / "a.json").read_bytes())
    with pytest.raises(InputError, match="this is the style of a"):
        learn_each_style(*clips("b"), folder=tmp_path)
