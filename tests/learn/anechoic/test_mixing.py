"""Weights, delays, their bounds and the convention of sources, against brute force and against what must not change."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.learn.anechoic.bounds import DelayBounds
from gambol.learn.anechoic.convention import apply_convention
from gambol.learn.anechoic.mixing import MixingFit, fit_weights, refine_delays, search_delays, take_better
from gambol.learn.anechoic.window import SignalWindow

WINDOW = SignalWindow(np.arange(40) / 40, 1.0, 5)
OPEN = SignalWindow(np.arange(40) / 40, 1.6, 8)


def _random(shape: tuple[int, ...], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def _sources(window: SignalWindow, count: int = 3, seed: int = 0) -> np.ndarray:
    parts = _random((2, count, window.harmonics), seed)
    return parts[0] + 1j * parts[1]


def _residual(window: SignalWindow, sources: np.ndarray, signal: np.ndarray, delays: np.ndarray) -> float:
    """The least sum of squares that weights leave of one signal (dims,) for delays (sources,)."""
    shown = window.project(window.delay_sources(sources, delays))
    weights = np.linalg.lstsq(shown.T, signal, rcond=None)[0]
    return float(((signal - weights @ shown) ** 2).sum())


@pytest.mark.parametrize("tied", [False, True])
def test_weights_are_least_squares_and_costs_their_residuals(tied):
    sources, signals = _sources(WINDOW), _random((4, 6, WINDOW.basis.shape[1]), 1)
    delays = 0.2 * _random((1 if tied else 4, 6, 3), 2)
    found = fit_weights(WINDOW, sources, signals, delays)
    every = np.broadcast_to(delays, found.weights.shape)
    left = np.array([[_residual(WINDOW, sources, signals[t, c], every[t, c]) for c in range(6)] for t in range(4)])
    np.testing.assert_allclose(found.costs, left.sum(axis=0, keepdims=True) if tied else left, rtol=1e-5)
    for t, c in ((0, 0), (3, 5)):
        shown = WINDOW.project(WINDOW.delay_sources(sources, every[t, c]))
        np.testing.assert_allclose(
            found.weights[t, c], np.linalg.lstsq(shown.T, signals[t, c], rcond=None)[0], rtol=1e-4, atol=1e-4
        )


@pytest.mark.parametrize("mode", ["free", "tied", "band"])
def test_a_search_sets_each_delay_to_the_best_point_of_the_grid(mode):
    """One source after the other, in random order, by trying all points with weights fitted anew."""
    sources, signals = _sources(WINDOW), _random((3, 4, WINDOW.basis.shape[1]), 3)
    start = 0.3 * _random((1 if mode == "tied" else 3, 4, 3), 4)
    centre = 0.4 * _random((1, 4, 3), 5) if mode == "band" else None
    bounds = DelayBounds(True, 0.5, mode == "tied", 0.12 if mode == "band" else np.inf, centre)
    found = search_delays(WINDOW, sources, signals, start, bounds, np.random.default_rng(6))
    expected, grid = start.copy(), bounds.grid(5)
    for source in np.random.default_rng(6).permutation(3):
        for trial in range(len(start)):
            for channel in range(4):
                costs = []
                for delay in grid:
                    tried = expected[trial, channel].copy()
                    tried[source] = delay
                    rows = signals[:, channel] if mode == "tied" else signals[trial : trial + 1, channel]
                    costs.append(sum(_residual(WINDOW, sources, row, tried) for row in rows))
                if centre is not None:
                    apart = grid - centre[0, channel, source]
                    costs = np.where(np.abs(apart - np.round(apart)) > 0.12, np.inf, costs)
                expected[trial, channel, source] = grid[int(np.argmin(costs))]
    np.testing.assert_allclose(found - np.round(found - expected), expected, atol=1e-12)


def test_tied_delays_are_refined_over_all_trials_together():
    random = np.random.default_rng(7)
    sources, bounds = _sources(WINDOW, 2), DelayBounds(True, 0.5, True)
    weights, delays = random.uniform(1.0, 2.0, (3, 5, 2)), random.uniform(-0.5, 0.5, (1, 5, 2))
    signals = (weights[..., None] * WINDOW.project(WINDOW.delay_sources(sources, delays))).sum(axis=2)
    begun = fit_weights(WINDOW, sources, signals, delays + random.uniform(-0.01, 0.01, delays.shape))
    found = refine_delays(WINDOW, sources, signals, begun, bounds, 8)
    assert found.delays.shape == (1, 5, 2)
    np.testing.assert_allclose(found.delays - np.round(found.delays - delays), delays, atol=1e-5)
    once = refine_delays(WINDOW, sources, signals, begun, bounds, 1)
    assert (once.costs < begun.costs).all()
    assert once.costs.sum() < 0.05 * begun.costs.sum()  # Gauss-Newton: close to quadratic


def test_no_step_goes_farther_than_a_quarter_of_the_shortest_wave():
    sources, signals = 1e-3 * _sources(WINDOW, 2), 1e3 * _random((3, 50, WINDOW.basis.shape[1]), 8)
    begun = fit_weights(WINDOW, sources, signals, 0.3 * _random((3, 50, 2), 9))
    found = refine_delays(WINDOW, sources, signals, begun, DelayBounds(True, 0.5, False), 1)
    moved = np.abs(found.delays - begun.delays)
    moved = np.minimum(moved, 1.0 - moved)
    assert moved.max() <= 0.25 / 5 + 1e-12
    assert moved.max() > 0.2 / 5


def test_of_two_fits_each_channel_keeps_its_better_one():
    one = MixingFit(np.zeros((1, 2, 1)), np.zeros((1, 2, 1)), np.array([[1.0, 4.0]]))
    other = MixingFit(np.ones((1, 2, 1)), np.ones((1, 2, 1)), np.array([[2.0, 3.0]]))
    for found in (take_better(one, other), take_better(other, one)):
        np.testing.assert_array_equal(found.costs, [[1.0, 3.0]])
        np.testing.assert_array_equal(found.weights[..., 0], [[0.0, 1.0]])
        np.testing.assert_array_equal(found.delays[..., 0], [[0.0, 1.0]])


@pytest.mark.parametrize("bounds", [DelayBounds(True, 0.5, False), DelayBounds(False, 0.3, False)])
@pytest.mark.parametrize("harmonics", [1, 5, 12])
def test_a_grid_covers_all_delays_with_four_points_per_shortest_wave(bounds, harmonics):
    grid = bounds.grid(harmonics)
    gaps = np.diff(grid)
    np.testing.assert_allclose(gaps, gaps[0])
    assert gaps[0] <= bounds.length / (4 * harmonics) + 1e-12
    assert gaps[0] > 0.7 * bounds.length / (4 * harmonics) or harmonics == 1
    assert grid[0] == -bounds.max_delay
    assert grid[-1] + (gaps[0] if bounds.periodic else 0.0) == pytest.approx(bounds.max_delay)
    drawn = bounds.draw((2000,), np.random.default_rng(0))
    assert 0.95 * bounds.max_delay < np.abs(drawn).max() <= bounds.max_delay
    assert abs(drawn.mean()) < 0.05 * bounds.max_delay


def test_sources_that_are_not_periodic_have_room_for_delays_at_both_ends():
    assert DelayBounds(False, 0.3, False).length == pytest.approx(1.6)
    assert DelayBounds(True, 0.5, False).length == 1.0


def test_a_band_moves_with_its_delays_and_loses_none():
    """The new centre is the mean by squared weights, unless a delay would leave the band."""
    centre = np.array([[[0.49, 0.1]]])
    bounds = DelayBounds(True, 0.5, False, 0.1, centre)
    delays = bounds.clip(centre + np.array([[[0.02, 0.1]], [[0.05, -0.1]], [[0.08, 0.02]]]))
    weights = np.array([[[1.0, 3.0]], [[2.0, 1.0]], [[0.0, 1.0]]])
    moved = bounds.recentre(delays, weights).centre
    assert moved is not None
    apart = moved - np.array([[[0.49 + (0.02 + 4.0 * 0.05) / 5.0, 0.1]]])  # the second band is full: it stays
    np.testing.assert_allclose(apart - np.round(apart), 0.0, atol=1e-12)
    left = delays - moved
    assert np.abs(left - np.round(left)).max() <= 0.1 + 1e-12
    lopsided = bounds.recentre(delays, np.array([[[0.0, 0.0]], [[0.0, 0.0]], [[5.0, 0.0]]])).centre
    assert lopsided is not None
    off = lopsided[0, 0, 0] - 0.49 - 0.08
    assert off - round(off) == pytest.approx(0.0, abs=1e-12)
    assert DelayBounds(True, 0.5, False).recentre(delays, weights).centre is None


def test_points_outside_a_band_are_forbidden_and_the_nearest_never_is():
    grid = np.linspace(-0.5, 0.4, 10)
    for band, allowed in ((0.11, [0, 9]), (0.2, [0, 1, 8, 9]), (0.001, [9])):
        bounds = DelayBounds(True, 0.5, False, band, np.full((1, 1, 1), 0.44))
        closed = bounds.forbidden(grid, 0)
        assert closed is not None
        assert np.flatnonzero(~closed[0, 0]).tolist() == allowed


@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("tied", [True, False])
def test_the_convention_changes_no_signal(periodic, tied):
    window = WINDOW if periodic else OPEN
    bounds = DelayBounds(periodic, 0.5 if periodic else 0.3, tied)
    sources, weights = _sources(window), _random((3, 4, 3), 10) * np.array([0.5, 3.0, 1.0])
    delays = bounds.clip(0.15 * _random((1 if tied else 3, 4, 3), 11))
    weights[:, 2] = 0.0
    after, scaled, moved, centres = apply_convention(window, bounds, sources, weights, delays)
    before = (weights[..., None] * window.delay_sources(sources, np.broadcast_to(delays, weights.shape))).sum(axis=2)
    now = (scaled[..., None] * window.delay_sources(after, moved)).sum(axis=2)
    np.testing.assert_allclose(window.evaluate(now, window.times), window.evaluate(before, window.times), atol=1e-9)
    assert centres is None
    np.testing.assert_allclose(window.evaluate(after, window.times).std(axis=1), 1.0)
    largest = np.abs(scaled).reshape(-1, 3).argmax(axis=0), np.arange(3)
    assert (scaled.reshape(-1, 3)[largest] > 0.0).all()
    assert (moved[:, 2] == 0.0).all()
    if periodic:
        np.testing.assert_allclose(moved.reshape(-1, 3)[largest], 0.0, atol=1e-12)
        assert np.abs(moved).max() <= 0.5
    else:
        used = np.delete(moved, 2, axis=1)
        np.testing.assert_allclose(used.max(axis=(0, 1)), -used.min(axis=(0, 1)), atol=1e-12)


def test_the_centres_of_bands_move_with_their_delays():
    centre = 0.1 * _random((1, 4, 3), 12)
    bounds = DelayBounds(True, 0.5, False, 0.05, centre)
    sources, weights = _sources(WINDOW), _random((3, 4, 3), 13)
    weights[0, 1] = 0.0
    delays = np.repeat(centre, 3, axis=0) + 0.01 * _random((3, 4, 3), 14)
    _, scaled, moved, centres = apply_convention(WINDOW, bounds, sources, weights, delays)
    assert centres is not None
    order = np.argsort(-(weights**2).sum(axis=(0, 1)))
    apart = (moved - centres) - (delays - centre)[..., order]
    apart[0, 1] = 0.0
    np.testing.assert_allclose(apart - np.round(apart), 0.0, atol=1e-12)
    resting = moved[0, 1] - centres[1]
    np.testing.assert_allclose(resting - np.round(resting), 0.0, atol=1e-12)
    assert scaled.shape == weights.shape
