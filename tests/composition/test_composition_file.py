"""Scene files: everything they can say, and errors that name the line."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from gambol.composition import library
from gambol.composition.carrying import Carry
from gambol.composition.composition import Action, Composition, Person
from gambol.composition.composition_file import parse_composition, read_composition
from gambol.composition.conditions import Avoid, BodyPart, Hold, Meet, Reach, Tackle
from gambol.errors import InputError

FULL = """people:
  anna:
    begins: standing
    at: [1, -2]
    heading: 90
    share: 2
    energy: walk.json
    actions:
      - {clip: walk, steps: 3, turn: 45, stride: 0.9, pace: 1.1, style: run.json}
      - {clip: clips/own.bvh, start: 0.5, end: 2}
  ben: {clip: run, steps: 4, height: 1.3, mass: 25, delay: 0.2, ends: standing, energy: effort}
conditions:
  - hold: [anna Right Hand, ben left_hand]
    start: 0.5
    end: 1.5
    cost: 3
  - {meet: [anna chest, ben head], at: 1, distance: 0.2, speed: 2, goal of: anna}
  - {tackle: [anna chest, ben pelvis], at: 1.2, arms: false}
  - {avoid: [ben, anna], start: 0.8, end: 1.2, distance: 0.5, goal of: ben}
  - {reach: anna, place: [3, 1], at: 2}
  - {carry: [anna, ben], mass: 12, size: [1, 0.5, 0.2]}
duration: 2.5
sides: true
order: [ben, anna]
"""


def test_everything_that_a_file_can_say_is_read(tmp_path: Path) -> None:
    path = tmp_path / "full.yaml"
    path.write_text(FULL)
    made = read_composition(path)
    own = str(tmp_path / "clips" / "own.bvh")
    actions = (
        Action("walk", None, None, 3, 45.0, 0.9, 1.1, str(tmp_path / "run.json")),
        Action(own, 0.5, 2.0),
    )
    anna = Person("anna", actions, (1.0, -2.0), 90.0, None, None, True, False, 0.0, str(tmp_path / "walk.json"), 2.0)
    ben = Person(
        "ben", (Action("run", steps=4),), height=1.3, mass=25.0, delay=0.2, ends_standing=True, energy="effort"
    )
    chest, pelvis = BodyPart("anna", "chest"), BodyPart("ben", "pelvis")
    conditions = (
        Hold(BodyPart("anna", "right_hand"), BodyPart("ben", "left_hand"), 0.5, 1.5, 3.0),
        Meet(chest, BodyPart("ben", "head"), 1.0, 0.2, 2.0, "anna"),
        Tackle(Meet(chest, pelvis, 1.2), False),
        Avoid(BodyPart("ben", "pelvis", 0.0), BodyPart("anna", "pelvis", 0.0), 0.8, 1.2, 0.5, "ben"),
        Reach(BodyPart("anna", "pelvis", 0.0), (3.0, 1.0), 2.0),
        Carry(("anna", "ben"), 12.0, (1.0, 0.5, 0.2)),
    )
    assert made == Composition("full", (anna, ben), conditions, 2.5, False, ("ben", "anna"), True)


@pytest.mark.parametrize(
    ("wrong", "right", "message"),
    [
        ("steps: 3", "stpes: 3", r"line 9: actions has no key 'stpes'; did you mean 'steps'\?"),
        ("at: [1, -2]", "at: [1]", "line 4: 'at' must be a list of 2 or more"),
        ("begins: standing", "begins: sitting", "line 3: no begins 'sitting'; choose moving, standing"),
        ("ben left_hand]", "ben left_paw]", "line 13: no body 'left_paw'; did you mean"),
        ("ben left_hand]", "carl left_hand]", "line 13: nobody is called 'carl'; one of anna, ben"),
        ("ben left_hand]", "anna left_hand]", "line 13: 'hold' joins two parts of 'anna'"),
        ("{reach: anna, place: [3, 1], at: 2}", "{reach: anna, at: 2}", "line 20: 'reach' needs 'place'"),
        ("- {carry: [anna, ben], mass: 12,", "- {carry: [anna, ben],", "line 21: 'carry' needs 'mass'"),
        ("{clip: run, steps: 4,", "{clip: run, steps: 2.5,", "line 11: 'steps' must be a whole number"),
        ("{clip: run, steps: 4,", "{steps: 4,", "line 11: 'ben' has no clip"),
        ("energy: effort", "energy: lust", "line 11: no energy 'lust'"),
        ("  - hold: [anna", "  - hodl: [anna", "line 13: a condition without its kind"),
        ("duration: 2.5", "duration: 0", "line 22: 'duration' must be at least 0.3"),
        ("order: [ben, anna]", "order: [ben, dora]", "line 24: nobody is called 'dora'"),
        ("people:", "persons:", r"line 1: a scene has no key 'persons'"),
    ],
)
def test_an_error_names_the_line_and_what_would_be_right(tmp_path: Path, wrong: str, right: str, message: str) -> None:
    path = tmp_path / "scene.yaml"
    assert wrong in FULL
    path.write_text(FULL.replace(wrong, right, 1))
    with pytest.raises(InputError, match=message):
        read_composition(path)


@pytest.mark.parametrize("name", library.names())
def test_built_in_scenes_are_read_and_described(name: str) -> None:
    assert read_composition(library.find(name)).people
    assert library.about(name).endswith(".")


SURPRISE = {"tackle": ["anna chest", "ben chest"], "at": 1.0, "goal of": "anna"}
OPPOSED = [{"meet": ["anna chest", "ben head"], "at": 1, "goal of": who} for who in ("anna", "ben")]


@pytest.mark.parametrize(("conditions", "refused"), [([SURPRISE], True), (OPPOSED, True), (OPPOSED[:1], False)])
def test_times_are_found_only_where_nobody_opposes_or_surprises(conditions: list[Any], refused: bool) -> None:
    people = {name: {"clip": "walk", "steps": 2} for name in ("anna", "ben")}
    scene = {"people": people, "conditions": conditions}
    assert not parse_composition(scene, "mine").timing
    with pytest.raises(InputError, match="remove 'timing'") if refused else nullcontext():
        assert parse_composition({**scene, "timing": True}, "mine").timing


def test_a_mapping_is_read_like_a_file() -> None:
    made = parse_composition({"people": {"anna": {"clip": "walk", "steps": 2}}}, "mine")
    assert made == Composition("mine", (Person("anna", (Action("walk", steps=2),)),))
    with pytest.raises(InputError, match="nobody is in the scene"):
        parse_composition({"duration": 2}, "mine")
