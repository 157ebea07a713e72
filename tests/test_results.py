"""Figures in the docs are measured: tables are what the script makes of docs/results, and the script can be trusted."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from gambol_evidence.reproduce.claims import read_known_failures
from tests.conftest import REPOSITORY

RESULTS = REPOSITORY / "docs" / "results"


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_tables", REPOSITORY / "scripts" / "make_tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tables_of_the_docs_are_those_of_the_results(script: ModuleType) -> None:
    for page in script.find_pages():
        text = page.read_text()
        assert script.fill_tables(text) == text, f"{page.name}: run scripts/make_tables.py"


def test_pages_end_with_what_was_measured(script: ModuleType) -> None:
    """A page begins with a picture and a command; tables of evidence are in its last section."""
    for page in (REPOSITORY / "docs").glob("*.md"):
        if page.stem not in ("evidence", "reliability"):
            first, _, _ = page.read_text().partition("\n## Measured\n")
            assert "<!-- results:" not in first, page.name


def test_a_table_follows_its_results(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"id": "slide", "claim": "feet stay", "measured": 1.23456, "unit": "mm", "expected": "at most 1",
           "holds": False, "by_construction": ""}  # fmt: skip
    machine = {"cores": 2, "processor": "x", "python": "3.11"}
    facts = {"name": "edit", "date": "2026-01-01", "commit": "abc", "machine": machine, "claims": [row]}
    (tmp_path / "edit.json").write_text(json.dumps(facts))
    monkeypatch.setattr(script, "RESULTS", tmp_path)
    page = "before\n<!-- results: edit sl* -->\nstale\n<!-- end of results -->\nafter"
    filled = script.fill_tables(page)
    assert "| `slide` | feet stay | 1.23 mm | at most 1 | **no** |" in filled
    assert "stale" not in filled
    assert script.fill_tables(filled) == filled
    with pytest.raises(SystemExit, match="no row nothing"):
        script.fill_tables(page.replace("sl*", "nothing"))


def test_headlines_are_ranges_over_rows(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {
            "id": f"{name}-fall",
            "claim": "fall",
            "measured": value,
            "unit": "m/s²",
            "holds": value < 2,
            "by_construction": "",
        }
        for name, value in (("hop", 1.0), ("run", 3.0), ("run-printed", 9.0))
    ]
    (tmp_path / "edit.json").write_text(json.dumps({"name": "edit", "claims": rows}))
    monkeypatch.setattr(script, "RESULTS", tmp_path)
    text = script.make_table("headlines", " edit/*-fall!*-printed-*")
    assert text.splitlines()[-1] == "| fall | 1 to 3 m/s² | 1 of 2 | `gambol reproduce edit` |"
    said = script.make_table("sentences", "\nJumps fall at {edit/*-fall!*-printed-*} more.\nHops: {edit/hop-*}.\n")
    assert said.splitlines()[-2:] == [
        "| Jumps fall at **1 to 3 m/s²** more. | 1 of 2 | `gambol reproduce edit` |",
        "| Hops: **1 m/s²**. | 1 of 1 | `gambol reproduce edit` |",
    ]
    with pytest.raises(SystemExit, match="no figure in"):
        script.make_table("sentences", "Nothing.")


def test_readme_has_a_sentence_for_every_suite_and_no_row_of_another_kind(script: ModuleType) -> None:
    """Each can be read without the source: no ellipsis, no pattern, no name of a row."""
    readme = (REPOSITORY / "README.md").read_text()
    (block,) = (found for found in script.BLOCK.finditer(readme))
    rows = block[0].split("|---|---|---|\n")[1].splitlines()[:-1]
    suites = {file.stem for file in RESULTS.glob("*.json") if "claims" in json.loads(file.read_text())}
    assert {row.split("gambol reproduce ")[1].split("`")[0] for row in rows if "reproduce" in row} == suites
    assert not any("…" in row or "*-" in row or "_" in row for row in rows)


@pytest.mark.parametrize(
    ("texts", "joined"),
    [
        (["feet slide"], "feet slide"),
        (["poles: scenes with a collision", "doors: scenes with a collision"], "… scenes with a collision"),
        (["force under the left foot: error", "force under the right foot: error"], "force under the … foot: error"),
        (["feet slide", "feet"], "feet …"),
    ],
)
def test_claims_with_different_words_are_joined(script: ModuleType, texts: list[str], joined: str) -> None:
    assert script.join_texts(texts) == joined


def test_results_fail_only_where_that_is_known() -> None:
    for file in RESULTS.glob("*.json"):
        facts = json.loads(file.read_text())
        known = read_known_failures().get(facts["name"], {})
        for row in facts.get("claims", []):
            assert row["holds"] or row["by_construction"] or row["id"] in known, f"{facts['name']}: {row['id']}"
