"""`gambol bench style` measures what it says."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from gambol.styles.learning import LearningMoment
from gambol_evidence.bench import style


def test_times_are_those_of_the_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    def spend(seconds: float) -> None:
        nonlocal now
        now += seconds

    solved = SimpleNamespace(q=np.zeros((3, 2)), solution=SimpleNamespace(state=None))
    start = SimpleNamespace(make_uniform=lambda: np.ones((2, 6)))
    scene = SimpleNamespace(with_reference=lambda _: scene)

    def learn(_: object) -> SimpleNamespace:
        spend(0.05)
        return SimpleNamespace(moments=(LearningMoment(8.0, 2.0), LearningMoment(2.0, 1.0)))

    for name, value in (
        ("load", lambda _: None),
        ("prepare_clip", lambda *_: (None, ())),
        ("draft_task", lambda *_: None),
        ("make_scene", lambda *_, **__: scene),
        ("fit_scene", lambda _: spend(0.01) or solved),
        ("find_start", lambda _: start),
        ("generate_motion", lambda *_, **__: spend(0.02) or solved),
        ("learn_parameters", learn),
        ("perf_counter", lambda: now),
    ):
        monkeypatch.setattr(style, name, value)
    rows = {row.id: row for row in style.run()}
    assert rows["fitting"].value == pytest.approx(0.01)
    assert [rows[name].value for name in ("synthesis", "synthesis-warm")] == pytest.approx([0.02, 0.02])
    assert rows["learning"].value == pytest.approx(0.05)
    assert rows["learning"].ratio == pytest.approx(4 * 3600.0 / rows["learning"].value)
    assert rows["learned"].value == 2.0
