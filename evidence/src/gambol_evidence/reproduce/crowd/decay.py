"""Simulate networks from many starts at once and measure how the norms of the certificates decay."""

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
"""Share of the initial norm below which rounding dominates."""
_NEAR = 0.01
"""Distance from the formation (m, rad, share of the step frequency) that counts as near."""
_STRIDES = 120
"""Strides after which a formation has converged or diverged."""


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
    """Yield times and states, the first included."""
    for n in range(count + 1):
        yield n * step, state
        state = runge_kutta(rates, n * step, state, step)


def measure_decay(
    rates: Callable[[float, Array], Array], norm: Callable[[Array], Array], state: Array, step: float, end: float
) -> Decay:
    """Return the norm (times, starts) of the states from 0 to `end` seconds."""
    runs = [(time, norm(now)) for time, now in integrate(rates, state, step, int(np.ceil(end / step)))]
    return Decay(np.array([time for time, _ in runs]), np.array([value for _, value in runs]))


def simulate_oscillators(graph: Graph, coupling: float, relaxation: float, starts: Array, end: float) -> Decay:
    """Simulate differences of Hopf oscillators, complex (starts, agents), in a rotating frame."""
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
    """Simulate sqrt(e' L e) with phases (starts, agents) that advance at constant rate.

    For equal phases e (starts, agents) is the position error of the agents; for different phases, without limits on the
    steps, it is the difference of two crowds with the same phases, which obeys the same equation.
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
    """Simulate sqrt(V) of positions and headings (2, starts, agents); `factors` (starts, agents) are g (1 + s)."""
    control, graph = crowd.control, crowd.graph

    def rates(_: float, state: Array) -> Array:
        places, angles = state
        wanted = control.desired_heading(graph, places.T).T
        return np.stack((crowd.speed * factors * np.sin(angles), -control.heading * np.sin(angles - wanted)))

    def norm(state: Array) -> Array:
        return np.sqrt(crowd.evaluate_lyapunov(a, b, state[0].T, state[1].T))

    return measure_decay(rates, norm, starts, 0.05, end)


def measure_growth(walkers: StepSizeDynamics, shares: Array) -> float:
    """Return the initial growth rate (1/s) of differences in the identity metric, at fixed speed factors (agents,).

    Measured over a short time from the direction that grows fastest.
    """
    laplacian = walkers.graph.laplacian.toarray()
    pulls = -walkers.gain * walkers.speed * shares[:, None] * laplacian
    away = np.eye(walkers.graph.count) - 1.0 / walkers.graph.count
    worst = np.linalg.eigh(0.5 * away @ (pulls + pulls.T) @ away)[1][:, -1]
    step = 1e-3 / float(np.abs(pulls).sum(axis=1).max())
    (_, first), (time, then) = integrate(lambda _, e: pulls @ e, away @ worst, step, 1)
    return float(np.log(np.linalg.norm(away @ then) / np.linalg.norm(first)) / time)


def measure_rate_near_formation(troop: MarchModel, seeds: int) -> float:
    """Return the rate (1/s) at which positions and headings of a march converge, of the slowest seed.

    Measured over the second half of two minutes, when only the slowest mode is left: the same in every metric.
    """
    muster, rates = StartSpread(_NEAR, _NEAR, _NEAR, _NEAR), []
    for seed in range(seeds):
        ranks, norms = troop.draw_start(muster, seed), []
        for _ in range(2):
            for _ in range(1200):
                ranks = troop.advance(ranks, 0.05)
            norms.append(np.linalg.norm((np.std(ranks.progress), np.std(ranks.lateral), np.std(ranks.heading))))
        rates.append(np.log(norms[0] / norms[1]) / 60.0)
    return float(np.min(rates))


def find_stride_threshold(walkers: StepSizeDynamics, period: float, phases: Array, seed: int) -> float:
    """Find by bisection the gain c (1/m) above which a formation corrected once per stride diverges.

    Every agent changes its step size at its own left foot strike (phase 0) and keeps it for a stride.
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
            # Relative to the formation, each agent moves by what its step size adds.
            e, now = e + scale * way * s, then
            s = s.copy()
            s[who] = -walkers.gain * (laplacian @ e)[who]
        e = e - e.mean()
        norms.append(np.linalg.norm(e))
        if norms[-1] > 1e12:
            return True
    half = _STRIDES // 2
    return float(np.log(norms[-1] / norms[half])) > 0.0
