"""YAML with lines: values, and errors that say where they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from gambol.errors import InputError
from gambol.io.yaml_entries import YamlEntry, read_yaml_entry

TEXT = """people:
  anna:
    clip: walk
    steps: 4
order:
  - anna
  - {who: ben, when: 2}
"""


@pytest.fixture
def entry(tmp_path: Path) -> YamlEntry:
    path = tmp_path / "scene.yaml"
    path.write_text(TEXT)
    return read_yaml_entry(path, "a scene")


def test_every_value_knows_its_line(entry: YamlEntry) -> None:
    given = entry.read_mapping()
    anna = given["people"].read_mapping()["anna"].read_mapping(("clip", "steps"))
    assert [one.line for one in (given["people"], anna["clip"], anna["steps"], given["order"])] == [1, 3, 4, 5]
    listed = given["order"].read_list(2)
    assert [one.line for one in listed] == [6, 7]
    assert listed[1].read_mapping()["when"].line == 7
    assert anna["steps"].read_number(10.0, 1.0) == 4.0
    assert anna["clip"].read_text() == "walk"


def test_an_unknown_key_names_the_nearest_one_and_its_line(entry: YamlEntry) -> None:
    anna = entry.read_mapping()["people"].read_mapping()["anna"]
    with pytest.raises(InputError, match=r"scene.yaml, line 4: anna has no key 'steps'; did you mean 'stepping'\?"):
        anna.read_mapping(("clip", "stepping"))
    with pytest.raises(InputError, match=r"line 4: .*; keys: clip, heading"):
        anna.read_mapping(("clip", "heading"))


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda given: given["people"].read_list(), "line 1: 'people' must be a list"),
        (lambda given: given["order"].read_mapping(), "line 5: order must be a mapping"),
        (lambda given: given["order"].read_number(), "line 5: 'order' must be a number"),
        (lambda given: given["order"].read_text(), "line 5: 'order' must be words"),
        (lambda given: given["order"].read_flag(), "line 5: 'order' must be true or false"),
        (lambda given: given["order"].read_list(3), "line 5: 'order' must be a list of 3 or more"),
    ],
)
def test_errors_say_what_was_expected_and_where(entry: YamlEntry, read, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(entry.read_mapping())


def test_content_made_in_python_has_no_lines() -> None:
    given = YamlEntry({"people": {"anna": {"steps": -1}}}, "a scene").read_mapping()
    steps = given["people"].read_mapping()["anna"].read_mapping()["steps"]
    with pytest.raises(InputError, match=r"^'steps' must be at least 1, got -1$"):
        steps.read_number(10.0, 1.0)
