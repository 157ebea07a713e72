"""`gambol bench humanoid` measures what it says."""

from __future__ import annotations

import numpy as np
import pytest

from gambol_evidence.bench import humanoid
from tests.robots.actions.made import make_model


def test_percentiles_are_relative_to_the_time_between_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    times = np.linspace(0.0, 0.01, 211)[10:].tolist()
    monkeypatch.setattr(humanoid, "learn_robot_actions", lambda *_: make_model(12))
    monkeypatch.setattr(humanoid, "measure_calls", lambda *_: ([0.0] * 10 + times, [0.0] * 10 + times, 3))
    rows = {row.id: row for row in humanoid.run()}
    assert rows["command-p50"].value == pytest.approx(5.2, abs=0.1)
    assert rows["command-p99"].value == pytest.approx(9.9, abs=0.1)
    assert rows["command-p99"].ratio == pytest.approx(5.0 / 9.9, abs=0.01)
    assert rows["plan-p99"].ratio == pytest.approx(100.0 / 9.9, abs=0.2)
    assert rows["unsolved"].value == 3.0
