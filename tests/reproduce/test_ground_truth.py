"""Rows are computed, bounds decide, and what should hold holds."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from gambol.cli import main
from gambol.metrics.figures import Band
from gambol.reproduce.claims import Claim, report

NOT_YET = {"force-PiG_Motion-FlatFoot-One-right"}
"""Its plates read less than the walker's motion asks for, by our body and by Plug-in Gait's (row force-whole-body)."""


@pytest.mark.parametrize(
    ("low", "high", "measured", "holds", "expected"),
    [
        (-float("inf"), 8.0, 7.9, True, "at most 8"),
        (-float("inf"), 8.0, 8.1, False, "at most 8"),
        (0.85, float("inf"), 0.84, False, "at least 0.85"),
        (1.0, 2.0, 1.5, True, "1 to 2"),
        (1.0, 2.0, float("nan"), False, "1 to 2"),
    ],
)
def test_bounds_decide(low: float, high: float, measured: float, holds: bool, expected: str) -> None:
    claim = Claim("x", "paper", "claim", measured, "mm", "data", Band(low, high))
    assert (claim.holds, str(claim.expected)) == (holds, expected)
    row = report("name", [claim])["claims"][0]
    assert list(row) == ["id", "paper", "claim", "expected", "measured", "unit", "holds", "data"]


def test_every_row_but_the_known_ones_holds(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "rows.json"
    monkeypatch.setattr(sys, "argv", ["gambol", "reproduce", "ground-truth", "--data", str(data), "--json", str(out)])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 0
    rows = json.loads(out.read_text())
    assert rows["name"] == "ground-truth"
    assert {row["id"] for row in rows["claims"] if not row["holds"]} <= NOT_YET
    by_id = {row["id"]: row for row in rows["claims"]}
    assert len(by_id) == len(rows["claims"]) >= 35
    moments = {f"moment-{joint}-{side}" for joint in ("hip", "knee", "ankle") for side in ("left", "right")}
    assert moments | NOT_YET | {"force-Gait-left", "force-Gait-right"} <= set(by_id)
    for name in ("FunctionalWalk", "PiG_Motion3_FF", "sample01__Eb015pr", "walking2", "walk1", "walk2"):
        assert f"{name}: " in by_id["force-no-body"]["data"]


def test_missing_recordings_are_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    monkeypatch.setattr(sys, "argv", ["gambol", "reproduce", "ground-truth", "--data", "nowhere"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    assert "pass --data FOLDER" in capsys.readouterr().err
