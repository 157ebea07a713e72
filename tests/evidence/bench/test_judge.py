"""`gambol bench judge` measures what it says."""

from __future__ import annotations

from functools import cached_property

import pytest

from gambol_evidence.bench import judge


def test_times_are_those_of_the_verb_and_of_the_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    now, runs = 0.0, 0

    class Made:
        motions = (range(30), range(20))

        @cached_property
        def judgement(self) -> None:
            nonlocal now
            now += 0.02

    def make() -> Made:
        nonlocal now, runs
        runs += 1
        now += 9.0 if runs == 1 else 0.5
        return Made()

    monkeypatch.setattr(judge, "perf_counter", lambda: now)
    monkeypatch.setattr(judge, "_VERBS", {"fix": make})
    rows = {row.id: row for row in judge.run()}
    assert rows["fix-frame"].value == pytest.approx(0.4)
    assert rows["fix-share"].value == pytest.approx(0.04)
    assert rows["fix-share"].ratio == pytest.approx(2.5)
