"""Entry points of other packages: what is found, what is refused, and what each problem is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from gambol.errors import InputError
from gambol.plugins import find_plugins, load_plugin
from tests.packages import make_package


def test_names_are_found_and_loaded_where_they_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_package(tmp_path, monkeypatch, "hop-skip", {"gambol.tests": {"hop": "value"}}, "value = 3")
    found, ignored = find_plugins("gambol.tests")
    assert ignored == []
    assert load_plugin(found["hop"], lambda value: value + 1) == 4


def test_a_name_belongs_to_gambol_then_to_the_first_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {"gambol.tests": {"hop": "value", "walk": "value"}}
    for name in ("b-pack", "a-pack"):
        make_package(tmp_path, monkeypatch, name, entries, f"value = '{name}'")
    found, ignored = find_plugins("gambol.tests", {"walk"})
    assert {name: load_plugin(entry, str) for name, entry in found.items()} == {"hop": "a-pack"}
    assert ignored == [
        "'walk' of a-pack is ignored: gambol has one of that name",
        "'hop' of b-pack is ignored: a-pack has one of that name",
        "'walk' of b-pack is ignored: gambol has one of that name",
    ]


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("import a_module_that_is_missing", "ModuleNotFoundError: No module named 'a_module_that_is_missing'"),
        ("other = 3", "AttributeError: .* has no attribute 'value'"),
        ("value = ", "SyntaxError"),
        ("value = 'three'", "ValueError: invalid literal"),
    ],
)
def test_what_cannot_be_loaded_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, problem: str
) -> None:
    make_package(tmp_path, monkeypatch, "hop-skip", {"gambol.tests": {"hop": "value"}}, code)
    message = f"'hop' of hop-skip cannot be loaded: {problem}.*; update or uninstall hop-skip"
    with pytest.raises(InputError, match=message):
        load_plugin(find_plugins("gambol.tests")[0]["hop"], int)
