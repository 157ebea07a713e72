"""Make mixtures with known sources, weights and delays, and measure how well a model recovers them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.learn.anechoic.window import Complex, SignalWindow

_GRID = 2000
"""Shifts tried when sources are compared; refined by a parabola."""
_SPECTRUM = 0.75
"""Ratio of the amplitudes of successive harmonics: smooth, but not a sine, whose delay and weight are ambiguous."""

_SIGNIFICANT = 0.1
"""Share of the weights' root mean square below which a weight is negligible and its delay has no meaning."""
_STREAM = 1
"""Second seed: a learner with the same seed must not start from the random numbers of the sources."""


@dataclass(frozen=True, eq=False)
class KnownMixture:
    """A mixture of random smooth sources; weights and delays (in windows) are (trials, channels, sources)."""

    signals: Array
    """(trials, channels, samples), with noise"""
    window: SignalWindow
    sources: Complex
    weights: Array
    delays: Array


class Recovery(NamedTuple):
    """Errors of a learned model: least correlation of a source, delays (windows) and weights (relative, RMS).

    Delays count where the weight is above a tenth of the root mean square of all."""

    correlation: float
    delay: float
    """Median."""
    delay_rms: float
    weight: float


def make_random_mixture(
    trials: int,
    channels: int,
    samples: int,
    count: int,
    *,
    tied: bool,
    noise: float = 0.1,
    harmonics: int = 8,
    max_delay: float | None = None,
    seed: int = 0,
) -> KnownMixture:
    """Make random sources, normal weights and uniform delays; `noise` is relative to the signals (0.1: 20 dB).

    `max_delay` is the largest delay of signals that are not periodic. None: periodic, delays up to half a window.
    """
    random = np.random.default_rng((seed, _STREAM))
    most = 0.5 if max_delay is None else max_delay
    window = SignalWindow(np.arange(samples) / samples, 1.0 if max_delay is None else 1.0 + 2.0 * max_delay, harmonics)
    parts = random.normal(size=(2, count, harmonics)) * _SPECTRUM ** np.arange(harmonics)
    sources = parts[0] + 1j * parts[1]
    sources /= window.evaluate(sources, window.times).std(axis=1)[:, None]
    weights = random.normal(size=(trials, channels, count))
    delays = random.uniform(-most, most, (1 if tied else trials, channels, count))
    delays = np.broadcast_to(delays, weights.shape)
    turned = window.delay_sources(sources, delays)
    clean = (weights[..., None] * window.evaluate(turned, window.times)).sum(axis=2)
    clean = clean + random.normal(size=(trials, channels, 1))
    spread = np.sqrt((clean - clean.mean(axis=-1, keepdims=True)).var())
    return KnownMixture(clean + noise * spread * random.normal(size=clean.shape), window, sources, weights, delays)


def measure_recovery(truth: KnownMixture, sources: Complex, weights: Array, delays: Array) -> Recovery:
    """Measure the errors of a periodic model after the best order, sign and shift of its sources."""
    matches, order = _matches(truth, sources)
    signs, shifts = (np.array([match[n] for match in matches]) for n in (1, 2))
    off = delays[..., order] - shifts - truth.delays
    off -= np.round(off)
    size = truth.weights**2
    significant = off[size > _SIGNIFICANT**2 * size.mean()]
    wrong = signs * weights[..., order] - truth.weights
    return Recovery(
        min(match.correlation for match in matches),
        float(np.median(np.abs(significant))),
        float(np.sqrt((significant**2).mean())),
        float(np.sqrt((wrong**2).sum() / size.sum())),
    )


def align_sources(truth: KnownMixture, sources: Complex) -> Complex:
    """Return learned periodic sources with the order, sign and shift of the true ones."""
    matches, order = _matches(truth, sources)
    waves = np.exp(-2j * np.pi * np.multiply.outer([match.shift for match in matches], 1 + np.arange(sources.shape[1])))
    return np.asarray(np.array([[match.sign] for match in matches]) * sources[order] * waves)


class _Match(NamedTuple):
    correlation: float
    sign: float
    shift: float


def _matches(truth: KnownMixture, sources: Complex) -> tuple[list[_Match], list[int]]:
    """Match every true source with a learned one; return the matches and the indices of the learned sources."""
    count = len(sources)
    found = [[_match_sources(one, other) for other in sources] for one in truth.sources]
    order = max(permutations(range(count)), key=lambda p: sum(found[n][m].correlation for n, m in enumerate(p)))
    return [found[n][m] for n, m in enumerate(order)], list(order)


def _match_sources(one: Complex, other: Complex) -> _Match:
    """Return the shift and sign at which `other`, delayed by the shift, correlates best with `one`."""
    most = min(len(one), len(other))
    product = one[:most] * np.conj(other[:most])
    size = np.linalg.norm(one) * np.linalg.norm(other)
    shifts = np.arange(_GRID) / _GRID
    correlation = (product * np.exp(2j * np.pi * np.multiply.outer(shifts, np.arange(1, most + 1)))).real.sum(
        axis=1
    ) / size
    best = int(np.abs(correlation).argmax())
    before, here, after = np.abs(correlation[[best - 1, best, (best + 1) % _GRID]])
    step = 0.5 * (before - after) / (before - 2.0 * here + after)
    return _Match(float(here), float(np.sign(correlation[best])), float((best + step) / _GRID))
