"""The classifier of windows tells kinds of runs, not single runs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from gambol_evidence.reproduce.interaction.likeness import tell_apart


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Threads of the classifier would wait for each other on a busy machine."""
    with threadpool_limits(1):
        yield


def make_runs(seed: int, pace: float = 1.0) -> list[np.ndarray]:
    """Return 30 noisy waves of a column, each with an offset of its own by which a classifier could know it again."""
    random = np.random.default_rng(seed)
    times = 0.4 * np.pi * np.arange(40.0)[:, None]  # a window begins at the phase at which the last one began
    return [np.sin(pace * times) + random.normal() + random.normal(0.0, 0.02, (len(times), 1)) for _ in range(30)]


def test_runs_of_one_kind_are_not_told_apart() -> None:
    assert 0.35 < tell_apart(make_runs(1), make_runs(2)) < 0.65


def test_another_pace_is_told() -> None:
    assert tell_apart(make_runs(1), make_runs(2, pace=2.0)) > 0.8
