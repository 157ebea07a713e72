"""Ground truth: every claim but the known failure holds."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from gambol.cli import main

NOT_YET = {"force-PiG_Motion-FlatFoot-One-right"}
"""Its plates read less than the walker's motion asks for, by our body and by Plug-in Gait's (row force-whole-body)."""


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
