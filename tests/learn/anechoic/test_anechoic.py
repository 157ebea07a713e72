"""Windows, bounds, and each half of the alternation against independent solutions."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.learn.anechoic.bounds import DelayBounds
from gambol.learn.anechoic.mixing import fit_weights, refine_delays
from gambol.learn.anechoic.sources import solve_sources
from gambol.learn.anechoic.window import SignalWindow


def some(window: SignalWindow, random: np.random.Generator, count: int = 2) -> np.ndarray:
    parts = random.normal(size=(2, count, window.harmonics))
    return parts[0] + 1j * parts[1]


@pytest.mark.parametrize("length", [1.0, 1.6])
def test_coordinates_hold_delayed_sources(length: float) -> None:
    window, random = SignalWindow(np.arange(40) / 40, length, 5), np.random.default_rng(0)
    sources, delays = some(window, random), np.array([[0.013, -0.21], [0.2, 0.1]])
    turned = window.delay_sources(sources, delays)
    for n, (one, other) in enumerate(delays):
        wanted = [window.evaluate(sources[j : j + 1], window.times - d)[0] for j, d in enumerate((one, other))]
        np.testing.assert_allclose(window.evaluate(turned[n], window.times), wanted, atol=1e-12)
        about = np.array(wanted) - np.mean(wanted, axis=1, keepdims=True)
        np.testing.assert_allclose(window.project(turned[n]) @ window.basis.T, about, atol=1e-6)
    step = 1e-6
    slope = (window.project(window.delay_sources(sources, delays + step)) - window.project(turned)) / step
    np.testing.assert_allclose(window.delay_derivatives(turned), slope, atol=1e-2)


@pytest.mark.parametrize("length", [1.0, 1.6])
def test_sources_are_least_squares(length: float) -> None:
    """Against a dense least-squares problem with every signal's samples written out."""
    window, random = SignalWindow(np.arange(30) / 30, length, 4), np.random.default_rng(1)
    weights, delays = random.normal(size=(2, 9, 2)), random.uniform(-0.2, 0.2, (2, 9, 2))
    signals = random.normal(size=(2, 9, 30))
    signals -= signals.mean(axis=-1, keepdims=True)
    columns = []
    for source in range(2):
        for part in (1.0, 1.0j):
            for harmonic in range(4):
                unit = np.zeros((2, 4), dtype=complex)
                unit[source, harmonic] = part
                seen = (weights[..., None] * window.evaluate(window.delay_sources(unit, delays), window.times)).sum(
                    axis=2
                )
                columns.append((seen - seen.mean(axis=-1, keepdims=True)).ravel())
    best = np.linalg.lstsq(np.array(columns).T, signals.ravel(), rcond=None)[0].reshape(2, 2, 4)
    found = solve_sources(window, window.coordinates(signals), weights, delays)
    np.testing.assert_allclose(found, best[:, 0] + 1j * best[:, 1], rtol=1e-4, atol=1e-5)


def test_gauss_newton_finds_delays_between_the_points_of_a_grid() -> None:
    window, random = SignalWindow(np.arange(64) / 64, 1.0, 6), np.random.default_rng(2)
    bounds, sources = DelayBounds(True, 0.5, False), some(window, random)
    weights, delays = random.uniform(1.0, 2.0, (3, 5, 2)), random.uniform(-0.5, 0.5, (3, 5, 2))
    signals = (weights[..., None] * window.project(window.delay_sources(sources, delays))).sum(axis=2)
    off = delays + random.uniform(-0.01, 0.01, delays.shape)
    found = refine_delays(window, sources, signals, fit_weights(window, sources, signals, off), bounds, 8)
    np.testing.assert_allclose(found.delays - np.round(found.delays - delays), delays, atol=1e-5)
    np.testing.assert_allclose(found.weights, weights, rtol=1e-4)


def test_bounds() -> None:
    ring, line = DelayBounds(True, 0.5, False), DelayBounds(False, 0.2, False)
    assert ring.clip(np.array(0.7)) == pytest.approx(-0.3)
    assert line.clip(np.array(0.7)) == pytest.approx(0.2)
    band = DelayBounds(True, 0.5, False, 0.05, np.full((1, 1, 1), 0.48))
    assert band.clip(np.array([[[-0.49]]])) == pytest.approx(-0.49)
    assert band.clip(np.array([[[0.1]]])) == pytest.approx(0.43)
    assert not band.forbidden(band.grid(8), 0).all()  # type: ignore[union-attr]
