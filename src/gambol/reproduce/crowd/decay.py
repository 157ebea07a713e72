"""Networks in simulation, many starts at once: how the norms that certificates speak of shrink."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from gambol.contraction.graphs import Graph
from gambol.geometry.arrays import Array
from gambol.primitives.crowd.certificates.headings import HeadingDynamics
from gambol.primitives.crowd.certificates.steps import StepSizeDynamics
from gambol.primitives.crowd.march import MarchModel, StartSpread
from gambol.primitives.integration import runge_kutta

_SMALLEST = 1e-6
"""Of a norm at the start: below, rounding takes over, and a run has shown what it can."""
_NEAR = 0.01
"""Metres, rad, share of a step frequency: near the formation."""
_STRIDES = 120
"""Strides after which a formation has clearly come together or flown apart."""


@dataclass(frozen=True, eq=False)
class Decay:
    """A norm over time."""

    times: Array
    """(times,) from 0."""
    norms: Array
    """(times, starts)"""

    @property
    def rate(self) -> float:
        """1/s: the largest rho with norm(t) <= norm(0) exp(-rho t) at every time of every run, to a millionth."""
        shares = self.norms[1:] / self.norms[0]
        rates = -np.log(np.maximum(shares, 1e-300)) / self.times[1:, None]
        return float(rates[shares > _SMALLEST].min())


def integrate(
    rates: Callable[[float, Array], Array], state: Array, step: float, count: int
) -> Iterator[tuple[float, Array]]:
    """Times and states, the first included."""
    for n in range(count + 1):
        yield n * step, state
        state = runge_kutta(rates, n * step, state, step)


def measure_decay(
    rates: Callable[[float, Array], Array], norm: Callable[[Array], Array], state: Array, step: float, end: float
) -> Decay:
    """A norm of the states, (starts,), from 0 to `end` seconds."""
    runs = [(time, norm(now)) for time, now in integrate(rates, state, step, int(np.ceil(end / step)))]
    return Decay(np.array([time for time, _ in runs]), np.array([value for _, value in runs]))


def simulate_oscillators(graph: Graph, coupling: float, relaxation: float, starts: Array, end: float) -> Decay:
    """Differences of Hopf oscillators, complex (starts, agents), seen from a frame that turns with them."""
    laplacian = graph.laplacian.toarray()

    def rates(_: float, x: Array) -> Array:
        return relaxation * (1.0 - (x**2).sum(axis=0)) * x - coupling * (x @ laplacian)

    def norm(x: Array) -> Array:
        return np.asarray(np.sqrt(((x - x.mean(axis=2, keepdims=True)) ** 2).sum(axis=(0, 2))))

    begun = np.stack((starts.real, starts.imag))
    return measure_decay(rates, norm, begun, min(1.5 / (coupling * graph.spectral_radius), 0.02), end)


def simulate_formation(
    walkers: StepSizeDynamics, limit: float, phases: Array, period: float, starts: Array, end: float
) -> Decay:
    """sqrt(e' L e), with phases (starts, agents) that run on evenly.

    e (starts, agents) is what agents are out of place where phases agree, and the difference of two crowds of the same
    phases where they do not and no step is limited: it obeys the same equation.
    """
    laplacian = walkers.graph.laplacian.toarray()

    def rates(time: float, e: Array) -> Array:
        shares = walkers.profile.at(phases + 2.0 * np.pi * time / period)
        return walkers.speed * shares * np.clip(-walkers.gain * (e @ laplacian), -limit, limit)

    def norm(e: Array) -> Array:
        return np.asarray(np.sqrt(((e @ laplacian) * e).sum(axis=1)))

    step = min(0.5 / (walkers.gain * walkers.speed * walkers.profile.high * walkers.graph.spectral_radius), 0.02)
    return measure_decay(rates, norm, starts, step, end)


def simulate_headings(crowd: HeadingDynamics, a: float, b: float, factors: Array, starts: Array, end: float) -> Decay:
    """sqrt(V) of places and headings (2, starts, agents); `factors` (starts, agents): g (1 + s), anything it may be."""
    control, graph = crowd.control, crowd.graph

    def rates(_: float, state: Array) -> Array:
        places, angles = state
        wanted = control.desired_heading(graph, places.T).T
        return np.stack((crowd.speed * factors * np.sin(angles), -control.heading * np.sin(angles - wanted)))

    def norm(state: Array) -> Array:
        return np.sqrt(crowd.evaluate_lyapunov(a, b, state[0].T, state[1].T))

    return measure_decay(rates, norm, starts, 0.05, end)


def measure_growth(walkers: StepSizeDynamics, shares: Array) -> float:
    """1/s at which differences of two crowds grow at first, in the identity metric, at fixed shares of speed (agents,).

    Over a short time, from the start out of all that grows fastest.
    """
    laplacian = walkers.graph.laplacian.toarray()
    pulls = -walkers.gain * walkers.speed * shares[:, None] * laplacian
    away = np.eye(walkers.graph.count) - 1.0 / walkers.graph.count
    worst = np.linalg.eigh(0.5 * away @ (pulls + pulls.T) @ away)[1][:, -1]
    step = 1e-3 / float(np.abs(pulls).sum(axis=1).max())
    (_, first), (time, then) = integrate(lambda _, e: pulls @ e, away @ worst, step, 1)
    return float(np.log(np.linalg.norm(away @ then) / np.linalg.norm(first)) / time)


def measure_rate_near_formation(troop: MarchModel, seeds: int) -> float:
    """1/s at which places and headings of a march end up agreeing, by the laws that bodies follow: the slowest seed.

    Over the later half of two minutes, when only the slowest mode is left: the same in every metric.
    """
    muster, rates = StartSpread(_NEAR, _NEAR, _NEAR, _NEAR), []
    for seed in range(seeds):
        ranks, norms = troop.draw_start(muster, seed), []
        for _ in range(2):
            for _ in range(1200):
                ranks = troop.advance(ranks, 0.05)
            norms.append(np.linalg.norm((np.std(ranks.progress), np.std(ranks.lateral), np.std(ranks.heading))))
        rates.append(np.log(norms[0] / norms[1]) / 60.0)
    return float(min(rates))


def find_stride_threshold(walkers: StepSizeDynamics, period: float, phases: Array, seed: int) -> float:
    """The gain c (1/m), by bisection, over which a formation that is corrected once a stride flies apart.

    Every agent changes its step size when its own left foot strikes (phase 0) and walks on with it along the profile.
    """
    start = np.random.default_rng(seed).normal(size=walkers.graph.count)
    low, high = 0.0, 8.0 / (walkers.speed * period * walkers.graph.spectral_radius)
    while high - low > 1e-3 * high:
        middle = 0.5 * (low + high)
        grows = _strides(replace(walkers, gain=middle), period, phases, start)
        low, high = (low, middle) if grows else (middle, high)
    return 0.5 * (low + high)


def _strides(walkers: StepSizeDynamics, period: float, phases: Array, start: Array) -> bool:
    """Whether the disagreement grows over the later half of many strides."""
    laplacian = walkers.graph.laplacian.toarray()
    order = np.argsort(-(phases % (2.0 * np.pi)), kind="stable")
    due = (-phases / (2.0 * np.pi)) % 1.0
    groups = [order[due[order] == share] for share in np.unique(due)]
    instants = np.unique(due)
    travelled = walkers.profile.integrate
    scale = walkers.speed * period / (2.0 * np.pi)
    e, s, norms = start.copy(), np.zeros(walkers.graph.count), []
    now = 0.0
    for stride in range(_STRIDES):
        for instant, who in zip(instants, groups, strict=True):
            then = stride + float(instant)
            way = travelled(phases + 2.0 * np.pi * then) - travelled(phases + 2.0 * np.pi * now)
            # Beyond the formation itself each has gone what its step size adds.
            e, now = e + scale * way * s, then
            s = s.copy()
            s[who] = -walkers.gain * (laplacian @ e)[who]
        e = e - e.mean()
        norms.append(np.linalg.norm(e))
        if norms[-1] > 1e12:
            return True
    half = _STRIDES // 2
    return float(np.log(norms[-1] / norms[half])) > 0.0
