"""Learn sources, weights and delays: alternating least squares with random restarts of delays.

Alternation alone does not leave poor initial delays. In every iteration each channel (of each trial, where delays are
free) is therefore also fitted from new random delays, which are kept if the residual is smaller. Poor sources are left
by basin hopping on a subset of the signals: one source of the best model is disturbed and all are learned again. The
best sources are then refined on all signals.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gambol.geometry.arrays import Array
from gambol.learn.anechoic.bounds import DelayBounds
from gambol.learn.anechoic.mixing import MixingFit, fit_weights, refine_delays, search_delays, take_better
from gambol.learn.anechoic.sources import solve_sources
from gambol.learn.anechoic.window import Complex, SignalWindow

_PATIENCE = 10
"""Iterations over which the residual must fall by the tolerance."""
_SWEEPS, _STEPS = 2, 2
"""Grid searches through all sources and Gauss-Newton steps per random start: more of either costs more than another
start."""
_RESTARTED = 8
"""Trials with free delays that are restarted per iteration."""
_STARTS = 16
"""Random starts for the delays of new trials, and of all trials at the end of learning."""
_FEW, _FEW_TRIALS = 128, 12
"""Signals, or trials where delays are tied, of the subset for hops: enough to share the sources of all, and a hop takes
a tenth of a second."""
_GLANCE, _TRIAL, _HOPELESS = 12, 50, 1.3
"""A hop is abandoned after `_GLANCE` iterations if its residual exceeds `_HOPELESS` times the best, else it runs for
`_TRIAL` iterations."""
_ROUGH = 1e-3
"""Tolerance of a hop."""
_DISTURBED = (0.5, 2.0)
"""Range of the noise added to the source of a hop, relative to its size."""
_RETURNS, _SAME = 5, 0.03
"""The search stops after `_RETURNS` hops that end within this share of the best residual."""


@dataclass(frozen=True)
class SearchEffort:
    """Search effort: most hops, most iterations, and the relative decrease of the residual required per ten
    iterations."""

    hops: int
    iterations: int
    tolerance: float


@dataclass(frozen=True, eq=False)
class LearnedMixture:
    """Sources (sources, harmonics), the mixing of the signals, and the residual (sum of squares) after every
    iteration."""

    sources: Complex
    mixing: MixingFit
    bounds: DelayBounds
    residuals: tuple[float, ...]
    converged: bool = False


def learn_mixture(
    window: SignalWindow,
    signals: Array,
    count: int,
    bounds: DelayBounds,
    effort: SearchEffort,
    random: np.random.Generator,
) -> LearnedMixture:
    """Learn sources and mixing of signals (trials, channels, dims) in coordinates of the window."""
    few = _draw_subset(signals, bounds.tied, random)
    sources = _hop(window, few, count, bounds, effort.hops, random)
    mixing = fit_mixing(window, sources, signals, bounds, random)
    begun = LearnedMixture(sources, mixing, bounds, ())
    return _refine_model(window, signals, begun, effort, random)


def _refine_model(
    window: SignalWindow, signals: Array, begun: LearnedMixture, effort: SearchEffort, random: np.random.Generator
) -> LearnedMixture:
    """Iterate to convergence, search all delays again for signals in poor local minima, and iterate once more."""
    found = _iterate(window, signals, begun, random, effort.iterations, effort.tolerance)
    mixing = take_better(found.mixing, fit_mixing(window, found.sources, signals, found.bounds, random))
    again = replace(found, mixing=mixing, residuals=(float(mixing.costs.sum()),))
    last = _iterate(window, signals, again, random, effort.iterations, effort.tolerance)
    return replace(last, residuals=found.residuals + last.residuals)


def relax_to_band(
    window: SignalWindow,
    signals: Array,
    tied: LearnedMixture,
    band: float,
    effort: SearchEffort,
    random: np.random.Generator,
) -> LearnedMixture:
    """Relax tied delays to delays within a band around them."""
    delays = np.repeat(tied.mixing.delays, len(signals), axis=0)
    bounds = replace(tied.bounds, tied=False, band=band, centre=tied.mixing.delays)
    begun = LearnedMixture(
        tied.sources, fit_weights(window, tied.sources, signals, delays), bounds, tied.residuals[-1:]
    )
    found = _refine_model(window, signals, begun, effort, random)
    return replace(found, residuals=tied.residuals + found.residuals[1:])


def fit_mixing(
    window: SignalWindow, sources: Complex, signals: Array, bounds: DelayBounds, random: np.random.Generator
) -> MixingFit:
    """Fit weights and delays of trials to given sources, from several random starts."""
    best = _fit_from_random(window, sources, signals, bounds, random)
    for _ in range(_STARTS - 1):
        best = take_better(best, _fit_from_random(window, sources, signals, bounds, random))
    return refine_delays(window, sources, signals, best, bounds, _STEPS)


def _draw_subset(signals: Array, tied: bool, random: np.random.Generator) -> Array:
    """Draw a subset of the signals that vary: whole trials where delays are tied, else single signals."""
    if tied:
        varied = np.flatnonzero(signals.any(axis=(1, 2)))
        return signals[np.sort(random.permutation(varied)[:_FEW_TRIALS])]
    rows = signals.reshape(-1, signals.shape[-1])
    varied = np.flatnonzero(rows.any(axis=1))
    return rows[None, np.sort(random.permutation(varied)[:_FEW])]


def _hop(
    window: SignalWindow, signals: Array, count: int, bounds: DelayBounds, hops: int, random: np.random.Generator
) -> Complex:
    """Return the sources of the best model found by basin hopping."""
    best = _try_sources(window, signals, _draw_sources(window, signals, count, random), bounds, np.inf, random)
    returns = 0
    for _ in range(hops):
        noise = _draw_sources(window, signals, count, random)
        chosen = np.arange(count) == random.integers(count)
        disturbed = best.sources + (chosen * random.uniform(*_DISTURBED))[:, None] * noise
        found = _try_sources(window, signals, _normalise(window, disturbed), bounds, best.residuals[-1], random)
        if found.residuals[-1] < (1.0 - _SAME) * best.residuals[-1]:
            returns = 0
        elif found.residuals[-1] < (1.0 + _SAME) * best.residuals[-1]:
            returns += 1
        best = min(best, found, key=lambda one: one.residuals[-1])
        if returns == _RETURNS:
            break
    return best.sources


def _try_sources(
    window: SignalWindow,
    signals: Array,
    sources: Complex,
    bounds: DelayBounds,
    best: float,
    random: np.random.Generator,
) -> LearnedMixture:
    """Iterate from given sources; stop early if they are far worse than the best."""
    begun = LearnedMixture(sources, _fit_from_random(window, sources, signals, bounds, random), bounds, ())
    found = _iterate(window, signals, begun, random, _GLANCE, _ROUGH)
    if found.residuals[-1] > _HOPELESS * best:
        return found
    return _iterate(window, signals, found, random, _TRIAL, _ROUGH)


def _draw_sources(window: SignalWindow, signals: Array, count: int, random: np.random.Generator) -> Complex:
    """Draw random sources with the spectrum of the signals."""
    coefficients = signals.reshape(-1, signals.shape[-1]) @ np.linalg.pinv(window.wave_coordinates)
    power = (coefficients**2).sum(axis=0).reshape(2, -1).sum(axis=0)
    noise = random.normal(size=(2, count, window.harmonics))
    return _normalise(window, np.sqrt(power / power.sum()) * (noise[0] + 1j * noise[1]))


def _iterate(
    window: SignalWindow,
    signals: Array,
    learned: LearnedMixture,
    random: np.random.Generator,
    iterations: int,
    tolerance: float,
) -> LearnedMixture:
    residuals, sources, now, bounds = list(learned.residuals), learned.sources, learned.mixing, learned.bounds
    floor = np.finfo(float).eps * float((signals**2).sum())
    while len(residuals) < iterations and not _converged(residuals, tolerance, floor):
        tried = _normalise(window, solve_sources(window, signals, now.weights, now.delays))
        after = fit_weights(window, tried, signals, now.delays)
        if after.costs.sum() <= now.costs.sum():
            sources, now = tried, after
        now = _restart_some(
            window, sources, signals, refine_delays(window, sources, signals, now, bounds, 1), bounds, random
        )
        bounds = bounds.recentre(now.delays, now.weights)
        residuals.append(float(now.costs.sum()))
    return LearnedMixture(sources, now, bounds, tuple(residuals), _converged(residuals, tolerance, floor))


def _restart_some(
    window: SignalWindow,
    sources: Complex,
    signals: Array,
    now: MixingFit,
    bounds: DelayBounds,
    random: np.random.Generator,
) -> MixingFit:
    """Return the better of the current mixing and a random restart; of many trials only a random few are restarted."""
    if bounds.tied or len(signals) <= _RESTARTED:
        return take_better(now, _fit_from_random(window, sources, signals, bounds, random))
    chosen = np.sort(random.permutation(len(signals))[:_RESTARTED])
    fresh = take_better(
        MixingFit(*(part[chosen] for part in now)), _fit_from_random(window, sources, signals[chosen], bounds, random)
    )
    after = MixingFit(*(part.copy() for part in now))
    for whole, part in zip(after, fresh, strict=True):
        whole[chosen] = part
    return after


def _converged(residuals: list[float], tolerance: float, floor: float) -> bool:
    return len(residuals) > _PATIENCE and residuals[-1] >= (1.0 - tolerance) * residuals[-1 - _PATIENCE] - floor


def _fit_from_random(
    window: SignalWindow, sources: Complex, signals: Array, bounds: DelayBounds, random: np.random.Generator
) -> MixingFit:
    """Fit weights and delays from new random delays."""
    shape = (1 if bounds.tied else len(signals), signals.shape[1], len(sources))
    delays = bounds.draw(shape, random)
    for _ in range(_SWEEPS):
        delays = search_delays(window, sources, signals, delays, bounds, random)
    return refine_delays(window, sources, signals, fit_weights(window, sources, signals, delays), bounds, _STEPS)


def _normalise(window: SignalWindow, sources: Complex) -> Complex:
    """Scale sources to variance 1 over the window."""
    sizes = np.sqrt((window.project(sources) ** 2).sum(axis=-1) / len(window.times))
    return np.asarray(sources / np.where(sizes > 0.0, sizes, 1.0)[:, None])
