"""`gambol bench interaction` measures what it says."""

from __future__ import annotations

import math

import pytest

from gambol_evidence.bench import interaction
from tests.interaction.meetings import make_trials


def test_rates_are_beside_the_paper_and_beside_exact_inference(monkeypatch) -> None:
    monkeypatch.setattr(interaction, "_ITERATIONS", 1)
    monkeypatch.setattr(interaction, "_ROUNDS", 1)
    rows = {row.id: row for row in interaction.measure_reactions(make_trials()[::6])}
    assert list(rows) == ["reactions", "reactions-printed", "direct-sparse", "direct-full"]
    assert all(row.ratio == pytest.approx(row.value / row.peer_value) for row in rows.values())
    assert rows["reactions"].peer_value == 68.0


def test_without_recordings(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("GAMBOL_DATA", str(tmp_path))
    monkeypatch.setattr(interaction, "measure_learning", lambda frames: 1e-3 * frames**1.5)
    rows = {row.id: row for row in interaction.run()}
    assert math.isnan(rows["reactions"].value)
    assert "20_11" in rows["reactions"].note
    assert rows["learn-900"].value == pytest.approx(27.0)
    assert rows["learn-exponent"].value == pytest.approx(1.5)
