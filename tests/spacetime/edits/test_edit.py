"""What an edit may say, and what it may not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.errors import InputError
from gambol.io import samples
from gambol.spacetime.edits.draft import draft_edit
from gambol.spacetime.edits.edit import Change, Edit, parse_edit, read_edit
from gambol.spacetime.edits.parts import EditableClip
from tests.spacetime.edits.conftest import clip_from


def test_an_edit_is_read_from_yaml(tmp_path: Path) -> None:
    file = tmp_path / "far.yaml"
    file.write_text(
        "changes:\n"
        "  - {stage: ground 2, forward: 0.5, turn: -90, about: ground 1, alone: true}\n"
        "  - {stage: flight 1, higher: 0.2, by: gravity, longer: 2}\n"
        "gravity: 1.62\nkeep: height\n"
    )
    ground = Change("ground 2", forward=0.5, turn=-90.0, about="ground 1", alone=True)
    flight = Change("flight 1", higher=0.2, by="gravity", longer=2.0)
    assert read_edit(file) == Edit("far", (ground, flight), 1.62, "height")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "mapping"),
        ([], "mapping"),
        ("forward", "mapping"),
        ({}, "changes nothing"),
        ({"changes": {"stage": "ground 2"}}, "list"),
        ({"changes": ["ground 2"]}, "mapping"),
        ({"changes": [{"forward": 1.0}]}, "without 'stage'"),
        ({"changes": [{"stage": ["ground 2"]}]}, "without 'stage'"),
        ({"changes": [{"stage": 2}]}, "without 'stage'"),
        ({"changes": [{"stage": "ground 2", "sideways": 1}]}, "sideways"),
        ({"changes": [{"stage": "ground 2", "about": 1, "turn": 30}]}, "about"),
        ({"changes": [{"stage": "ground 2", "about": "ground 1"}]}, "does not turn"),
        ({"changes": [{"stage": "ground 2", "alone": "yes"}]}, "alone"),
        ({"changes": [{"stage": "flight 1", "higher": 0.1, "by": "magic"}]}, "magic"),
        ({"changes": [{"stage": "flight 1", "higher": 0.1, "by": ["time"]}]}, "by"),
        ({"changes": [{"stage": "flight 1", "longer": 0}]}, "0.1 to 10"),
        ({"changes": [{"stage": "flight 1", "longer": -1}]}, "0.1 to 10"),
        ({"changes": [{"stage": "a", "up": 0.1}, {"stage": "a", "left": 0.1}]}, "changed twice"),
        ({"gravity": 0}, "gravity"),
        ({"gravity": -9.81}, "gravity"),
        ({"gravity": float("nan")}, "gravity"),
        ({"keep": "calm"}, "calm"),
        ({"keep": {"speed": 1}}, "keep"),
    ],
)
def test_what_makes_no_edit_is_told(content: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_edit(content, "edit")


@pytest.mark.parametrize("name", ["forward", "left", "up", "turn", "higher", "longer"])
@pytest.mark.parametrize("value", [[1.0], {}, "1", None, True, float("nan"), float("inf"), 1e308, 10**400])
def test_numbers_are_numbers(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=name):
        parse_edit({"changes": [{"stage": "ground 2", name: value}]}, "edit")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([Change("ground 7", forward=1.0)], "choose one of ground 1, .*flight 1, ground 2"),
        ([Change("ground 2", turn=30.0, about="ground 7")], "choose one of ground 1, .*flight 1, ground 2"),
        ([Change("ground 2", turn=30.0, about="flight 1")], "no contacts and so no position"),
        ([Change("ground 2", higher=0.2)], "cannot be higher"),
        ([Change("left step 1", higher=0.2)], "cannot be higher"),
        ([Change("left step 1", longer=2.0)], "left step 1"),
        ([Change("flight 1", forward=0.2)], "no contacts to move"),
        ([Change("flight 1", alone=True, turn=10.0)], "no contacts to move"),
        ([Change("flight 1", higher=-5.0)], "cannot be 5.00 m lower"),
    ],
)
def test_what_stages_cannot_do_is_told(jump: EditableClip, changes: list[Change], words: str) -> None:
    with pytest.raises(InputError) as told:
        draft_edit(jump, Edit("edit", tuple(changes)), 30.0)
    assert re.search(words, str(told.value))


def test_a_clip_that_is_all_flight_cannot_be_edited(jump: EditableClip) -> None:
    flight = jump.part("flight 1")
    with pytest.raises(InputError, match="no contact of a foot or hand"):
        clip_from(samples.jump()[flight.first + 2 : flight.last - 1])


def test_too_long_an_edit_is_refused(jump: EditableClip) -> None:
    with pytest.raises(InputError, match="lasts"):
        draft_edit(jump, Edit("edit", (Change("flight 1", longer=10.0),), 0.1), 30.0)


def test_a_share_of_an_edit() -> None:
    edit = Edit("edit", (Change("ground 2", forward=2.0, turn=90.0), Change("flight 1", higher=0.4, longer=4.0)), 1.0)
    half = edit.scale(0.5)
    assert half.changes[0] == Change("ground 2", forward=1.0, turn=45.0)
    assert half.changes[1] == Change("flight 1", higher=0.2, longer=2.0)
    assert half.gravity == pytest.approx(np.sqrt(GRAVITY))
    assert edit.scale(1.0) == edit
    assert edit.scale(0.0).gravity == GRAVITY
    assert not edit.scale(0.0).changes[0].is_move
