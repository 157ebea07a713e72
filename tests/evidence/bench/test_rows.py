"""A peer that is not installed is named in its row, in text and in JSON."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest

from gambol_evidence.bench import crowd, io
from gambol_evidence.bench.rows import NOT_INSTALLED, Row, benchmark_facts, format_figure


def test_a_row_says_how_it_compares_or_why_not() -> None:
    assert Row("read", 10.0, "ms", "bvhio", 250.0, 25.0).comparison == "bvhio 250, 25.0 times"
    assert Row("read", 10.0, "ms", "bvhio", note=NOT_INSTALLED).comparison == "bvhio: not installed"
    assert Row("read", math.nan, "ms", note="no recording").comparison == "no recording"
    assert Row("read", 10.0, "ms").comparison == ""
    assert (format_figure(math.nan), format_figure(1234.5), format_figure(1.2345)) == ("-", "1,234", "1.23")


def test_json_has_notes_and_no_nan() -> None:
    facts = benchmark_facts("io", [Row("read", math.nan, "ms", "bvhio", note=NOT_INSTALLED)])
    (row,) = json.loads(json.dumps(facts, allow_nan=False))["rows"]
    assert (row["value"], row["peer"], row["peer_value"], row["note"]) == (None, "bvhio", None, NOT_INSTALLED)


def test_peers_that_cannot_be_imported_have_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("pymotion.io.bvh", "bvhio", "fairmotion.data", "pyrvo"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(io, "LENGTHS", (20,))
    monkeypatch.setenv("GAMBOL_DATA", str(tmp_path))
    rows = [row for row in io.run() if row.id == "bvh-read-20"]
    assert {row.peer: row.note for row in rows} == dict.fromkeys(("upc-pymotion", "bvhio", "fairmotion"), NOT_INSTALLED)
    assert crowd._compare_with_orca("march-4", 0.001, None).comparison == "pyrvo, discs: not installed"


def test_recordings_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GAMBOL_DATA", str(tmp_path))
    rows = list(io._recording_rows())
    assert [row.id for row in rows] == ["amc-read", "c3d-read", "trc-read", "mot-read"]
    assert all(math.isnan(row.value) and "GAMBOL_DATA" in row.note for row in rows)
