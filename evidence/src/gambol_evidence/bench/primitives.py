"""`gambol bench primitives`: learn anechoic mixtures of synthetic trials, and fit new trials to their sources.

Compared with FastICA on the same signals, with as many sources; it has no delays and explains less.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import Literal

import numpy as np

from gambol.geometry.arrays import Array
from gambol.learn.anechoic import AnechoicMixture
from gambol.learn.anechoic.synthetic import make_random_mixture
from gambol_evidence.bench.rows import Row, measure_seconds

TRIALS, CHANNELS, SAMPLES, SOURCES = 50, 51, 64, 4
"""Synthetic gait cycles of a body with 17 joints."""


def run() -> Iterator[Row]:
    """Yield the rows as they are measured."""
    yield from _time_mixture("tied")
    yield from _time_mixture("free")


def _time_mixture(delays: Literal["free", "tied"]) -> Iterator[Row]:
    signals = make_random_mixture(TRIALS, CHANNELS, SAMPLES, SOURCES, tied=delays == "tied").signals
    begun = perf_counter()
    model = AnechoicMixture(SOURCES, delays=delays).fit(signals)
    took = perf_counter() - begun
    peer, explained = _time_fast_ica(signals)
    name = f"learn-{TRIALS}-{delays}"
    yield Row(name, took, "s", "FastICA", peer, peer / took)
    left, other = 1.0 - model.variance_, 1.0 - explained
    yield Row(f"{name}-unexplained", 100.0 * left, "%", "FastICA", 100.0 * other, other / left)
    yield Row(f"mix-{delays}", TRIALS / measure_seconds(lambda: model.transform(signals), 3), "trials/s")


def _time_fast_ica(signals: Array) -> tuple[float, float]:
    """Return seconds, and the share of variance that as many independent components explain."""
    from sklearn.decomposition import FastICA

    rows = signals.reshape(-1, SAMPLES)
    rows = rows - rows.mean(axis=1, keepdims=True)
    begun = perf_counter()
    model = FastICA(SOURCES, random_state=0).fit(rows)
    took = perf_counter() - begun
    left = rows - model.inverse_transform(model.transform(rows))
    return took, 1.0 - float(np.sum(left**2) / np.sum(rows**2))
