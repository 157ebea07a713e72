"""`gambol bench style` measures what it says."""

from __future__ import annotations

import time
from types import SimpleNamespace

import numpy as np
import pytest

from gambol.bench import style
from gambol.styles.learning import LearningMoment


def test_times_are_those_of_the_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    solved = SimpleNamespace(q=np.zeros((3, 2)), solution=SimpleNamespace(state=None))
    start = SimpleNamespace(make_uniform=lambda: np.ones((2, 6)))
    scene = SimpleNamespace(with_reference=lambda _: scene)

    def learn(_: object) -> SimpleNamespace:
        time.sleep(0.05)
        return SimpleNamespace(moments=(LearningMoment(8.0, 2.0), LearningMoment(2.0, 1.0)))

    for name, value in (
        ("load", lambda _: None),
        ("prepare_clip", lambda *_: (None, ())),
        ("draft_task", lambda *_: None),
        ("make_scene", lambda *_, **__: scene),
        ("fit_scene", lambda _: solved),
        ("find_start", lambda _: start),
        ("generate_motion", lambda *_, **__: time.sleep(0.02) or solved),
        ("learn_parameters", learn),
    ):
        monkeypatch.setattr(style, name, value)
    rows = {row.id: row for row in style.run()}
    assert rows["fitting"].value < 0.02 < rows["synthesis"].value < 0.05 < rows["learning"].value
    assert rows["learning"].ratio == pytest.approx(4 * 3600.0 / rows["learning"].value)
    assert rows["learned"].value == 2.0
