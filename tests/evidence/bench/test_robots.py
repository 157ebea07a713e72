"""`gambol bench robots` measures frames per second, with bars and a robot that is not installed."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gambol.errors import InputError
from gambol_evidence.bench import robots
from gambol_evidence.bench.rows import NOT_INSTALLED


def load(name: str) -> SimpleNamespace:
    if name != "jvrc1":
        raise InputError("the Python package is not installed")
    return SimpleNamespace()


def test_rates_are_relative_to_the_peer_and_the_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robots, "load_biped", load)
    monkeypatch.setattr(robots, "make_reference", lambda *_, fast: SimpleNamespace(motion=range(200 if fast else 50)))
    monkeypatch.setattr(robots, "process_time", iter(range(0, 100, 2)).__next__)
    rows = {row.id: row for row in robots.run()}
    assert rows["jvrc1-fast"].value == 100.0
    assert rows["jvrc1-fast"].ratio == pytest.approx(100.0 / 166.0)
    assert rows["jvrc1-fast-bar"].ratio == pytest.approx(0.2)
    assert rows["jvrc1-default-bar"].ratio == pytest.approx(25.0 / 30.0)
    assert rows["g1"].note == NOT_INSTALLED
