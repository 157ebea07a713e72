"""Ground truth: every claim but the known failure holds."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from gambol.cli import main
from gambol_evidence.reproduce import ground_truth, plates

NOT_YET = {"force-PiG_Motion-FlatFoot-One-right"}


@pytest.fixture
def fewer_fits(data: Path, tmp_path: Path) -> Path:
    """The recordings with two walks and one run of all those to fit."""
    for name in ("walk/02_01", "walk/35_01", "run/09_01"):
        link = tmp_path / "data" / "cmu_bvh" / f"{name}.bvh"
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(data / "cmu_bvh" / f"{name}.bvh")
    for folder in ("cmu_asf_amc", "gait_grf"):
        (tmp_path / "data" / folder).symlink_to(data / folder)
    return tmp_path / "data"


def test_every_row_but_the_known_ones_holds(fewer_fits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "rows.json"
    words = ["gambol", "reproduce", "ground-truth", "--data", str(fewer_fits), "--json", str(out)]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 0
    rows = json.loads(out.read_text())
    assert rows["name"] == "ground-truth"
    assert {row["id"] for row in rows["claims"] if not row["holds"]} <= NOT_YET
    by_id = {row["id"]: row for row in rows["claims"]}
    assert len(by_id) == len(rows["claims"]) >= 35
    assert (by_id["fit-walk"]["data"], by_id["fit-run"]["data"]) == ("2 clips of walk", "1 clips of run")
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


def test_events_of_no_steps_are_no_evidence(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plates, "_PLATED", ("bmclab/walk1.trc",))
    monkeypatch.setattr(plates, "find_plate_steps", lambda feet, found: [])
    claims = {claim.id: claim for claim in plates._events(data / "gait_grf")}
    assert not claims["events-walk1"].holds
    assert not claims["events-strike"].holds


def test_events_that_come_late_fail(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plates, "_PLATED", ("bmclab/walk1.trc",))
    true = plates.compute_event_errors
    monkeypatch.setattr(plates, "compute_event_errors", lambda *args: true(*args) + 0.06)
    assert not any(c.holds for c in plates._events(data / "gait_grf") if c.id != "events-missed")


def test_an_engine_that_is_missing_is_a_failure(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    monkeypatch.setattr(ground_truth, "_formats", lambda data: iter(()))
    monkeypatch.setattr(ground_truth, "_fits", lambda data: iter(()))
    monkeypatch.setattr(plates, "parts", lambda data: [])
    first, second = ground_truth.run(data)
    assert first.id == "torques-casadi"
    assert not second.computed
    assert "mujoco" in second.data
