"""Sources, weights and delays together: alternating least squares with fresh random delays in every round.

Alone, alternation stays where the first delays were poor. So in every round each channel (of each trial, where delays
are free) is also searched from new random delays, and keeps them if they leave less. Poor sources are left by hops:
one source of the best model so far is disturbed and all are learned anew, on some of the signals; then on all of them.
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
"""Rounds over which the squares left must fall by the tolerance."""
_SWEEPS, _STEPS = 2, 2
"""Searches on the grid through all sources, and Gauss-Newton steps after them, from a new start: more of either costs
more than another start."""
_RENEWED = 8
"""Trials with free delays that get fresh starts in a round."""
_STARTS = 16
"""Random delays from which new trials are searched, and all trials once more at the end of learning."""
_FEW, _FEW_TRIALS = 128, 12
"""Signals, or trials where delays are tied, that hops are made on: what so many share, all share, and a hop costs a
tenth of a second."""
_GLANCE, _TRIAL, _HOPELESS = 12, 50, 1.3
"""Rounds after which a hop is given up if it leaves so many times the squares of the best, and rounds of one that is
not."""
_ROUGH = 1e-3
"""Tolerance of a hop."""
_DISTURBED = (0.5, 2.0)
"""How much noise is added to the source of a hop, as a share of its size."""
_RETURNS, _SAME = 5, 0.03
"""Hops that end within this share of the best, after which it is taken for the best there is."""


@dataclass(frozen=True)
class SearchEffort:
    """How long to search: hops at most, rounds at most, and the share of squares left that ten rounds must gain."""

    hops: int
    rounds: int
    tolerance: float


@dataclass(frozen=True, eq=False)
class LearnedMixture:
    """Sources (sources, harmonics), how signals are mixed of them, and the squares left after every round."""

    sources: Complex
    mixing: MixingFit
    bounds: DelayBounds
    left: tuple[float, ...]
    converged: bool = False


def learn_mixture(
    window: SignalWindow, signals: Array, count: int, bounds: DelayBounds, effort: SearchEffort, random: np.random.Generator
) -> LearnedMixture:
    """Sources and mixing of signals (trials, channels, dims) in coordinates of the window."""
    few = _some(signals, bounds.tied, random)
    sources = _hopped(window, few, count, bounds, effort.hops, random)
    mixing = fit_mixing(window, sources, signals, bounds, random)
    begun = LearnedMixture(sources, mixing, bounds, ())
    return _finished(window, signals, begun, effort, random)


def _finished(window: SignalWindow, signals: Array, begun: LearnedMixture, effort: SearchEffort, random: np.random.Generator) -> LearnedMixture:
    """Rounds until nothing is gained; then a thorough search in delays, for single signals that are still astray."""
    found = _rounds(window, signals, begun, random, effort.rounds, effort.tolerance)
    mixing = take_better(found.mixing, fit_mixing(window, found.sources, signals, found.bounds, random))
    again = replace(found, mixing=mixing, left=(float(mixing.costs.sum()),))
    last = _rounds(window, signals, again, random, effort.rounds, effort.tolerance)
    return replace(last, left=found.left + last.left)


def relax_to_band(
    window: SignalWindow, signals: Array, tied: LearnedMixture, band: float, effort: SearchEffort, random: np.random.Generator
) -> LearnedMixture:
    """From tied delays to delays within a band of them, which trials share."""
    delays = np.repeat(tied.mixing.delays, len(signals), axis=0)
    bounds = replace(tied.bounds, tied=False, band=band, centre=tied.mixing.delays)
    begun = LearnedMixture(tied.sources, fit_weights(window, tied.sources, signals, delays), bounds, tied.left[-1:])
    found = _finished(window, signals, begun, effort, random)
    return replace(found, left=tied.left + found.left[1:])


def fit_mixing(window: SignalWindow, sources: Complex, signals: Array, bounds: DelayBounds, random: np.random.Generator) -> MixingFit:
    """Weights and delays of new trials, sources as they are, from several random starts."""
    best = _afresh(window, sources, signals, bounds, random)
    for _ in range(_STARTS - 1):
        best = take_better(best, _afresh(window, sources, signals, bounds, random))
    return refine_delays(window, sources, signals, best, bounds, _STEPS)


def _some(signals: Array, tied: bool, random: np.random.Generator) -> Array:
    """Some of the signals that vary: whole trials where delays are tied, else any."""
    if tied:
        varied = np.flatnonzero(signals.any(axis=(1, 2)))
        return signals[np.sort(random.permutation(varied)[:_FEW_TRIALS])]
    rows = signals.reshape(-1, signals.shape[-1])
    varied = np.flatnonzero(rows.any(axis=1))
    return rows[None, np.sort(random.permutation(varied)[:_FEW])]


def _hopped(
    window: SignalWindow, signals: Array, count: int, bounds: DelayBounds, hops: int, random: np.random.Generator
) -> Complex:
    """The sources of the best of many models."""
    best = _tried(window, signals, _noise(window, signals, count, random), bounds, np.inf, random)
    returns = 0
    for _ in range(hops):
        noise = _noise(window, signals, count, random)
        chosen = np.arange(count) == random.integers(count)
        disturbed = best.sources + (chosen * random.uniform(*_DISTURBED))[:, None] * noise
        found = _tried(window, signals, _scaled(window, disturbed), bounds, best.left[-1], random)
        if found.left[-1] < (1.0 - _SAME) * best.left[-1]:
            returns = 0
        elif found.left[-1] < (1.0 + _SAME) * best.left[-1]:
            returns += 1
        best = min(best, found, key=lambda one: one.left[-1])
        if returns == _RETURNS:
            break
    return best.sources


def _tried(
    window: SignalWindow, signals: Array, sources: Complex, bounds: DelayBounds, best: float, random: np.random.Generator
) -> LearnedMixture:
    """Some rounds from given sources; few where they lead nowhere."""
    begun = LearnedMixture(sources, _afresh(window, sources, signals, bounds, random), bounds, ())
    found = _rounds(window, signals, begun, random, _GLANCE, _ROUGH)
    if found.left[-1] > _HOPELESS * best:
        return found
    return _rounds(window, signals, found, random, _TRIAL, _ROUGH)


def _noise(window: SignalWindow, signals: Array, count: int, random: np.random.Generator) -> Complex:
    """Random sources with the signals' own spectrum."""
    coefficients = signals.reshape(-1, signals.shape[-1]) @ np.linalg.pinv(window.wave_coordinates)
    power = (coefficients**2).sum(axis=0).reshape(2, -1).sum(axis=0)
    noise = random.normal(size=(2, count, window.harmonics))
    return _scaled(window, np.sqrt(power / power.sum()) * (noise[0] + 1j * noise[1]))


def _rounds(
    window: SignalWindow, signals: Array, learned: LearnedMixture, random: np.random.Generator, rounds: int, tolerance: float
) -> LearnedMixture:
    left, sources, now, bounds = list(learned.left), learned.sources, learned.mixing, learned.bounds
    floor = np.finfo(float).eps * float((signals**2).sum())
    while len(left) < rounds and not _settled(left, tolerance, floor):
        tried = _scaled(window, solve_sources(window, signals, now.weights, now.delays))
        after = fit_weights(window, tried, signals, now.delays)
        if after.costs.sum() <= now.costs.sum():
            sources, now = tried, after
        now = _renewed(window, sources, signals, refine_delays(window, sources, signals, now, bounds, 1), bounds, random)
        bounds = bounds.recentre(now.delays, now.weights)
        left.append(float(now.costs.sum()))
    return LearnedMixture(sources, now, bounds, tuple(left), _settled(left, tolerance, floor))


def _renewed(
    window: SignalWindow, sources: Complex, signals: Array, now: MixingFit, bounds: DelayBounds, random: np.random.Generator
) -> MixingFit:
    """With the better of what is and a fresh start; of many trials some get one, others in the next rounds."""
    if bounds.tied or len(signals) <= _RENEWED:
        return take_better(now, _afresh(window, sources, signals, bounds, random))
    chosen = np.sort(random.permutation(len(signals))[:_RENEWED])
    fresh = take_better(MixingFit(*(part[chosen] for part in now)), _afresh(window, sources, signals[chosen], bounds, random))
    after = MixingFit(*(part.copy() for part in now))
    for whole, part in zip(after, fresh, strict=True):
        whole[chosen] = part
    return after


def _settled(left: list[float], tolerance: float, floor: float) -> bool:
    return len(left) > _PATIENCE and left[-1] >= (1.0 - tolerance) * left[-1 - _PATIENCE] - floor


def _afresh(window: SignalWindow, sources: Complex, signals: Array, bounds: DelayBounds, random: np.random.Generator) -> MixingFit:
    """From new random delays."""
    shape = (1 if bounds.tied else len(signals), signals.shape[1], len(sources))
    delays = bounds.draw(shape, random)
    for _ in range(_SWEEPS):
        delays = search_delays(window, sources, signals, delays, bounds, random)
    return refine_delays(window, sources, signals, fit_weights(window, sources, signals, delays), bounds, _STEPS)


def _scaled(window: SignalWindow, sources: Complex) -> Complex:
    """Sources whose variance over the window is 1."""
    sizes = np.sqrt((window.project(sources) ** 2).sum(axis=-1) / len(window.times))
    return np.asarray(sources / np.where(sizes > 0.0, sizes, 1.0)[:, None])
