"""Certified rates of crowds beside the rates of simulations: 100 seeded starts on three graphs (M17, section 2.5).

The measured rate is the largest that norm(t) <= norm(0) exp(-rate t) allows at every time of every run, in the norm
of the certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from gambol.contraction.graphs import Graph, all_to_all_graph, grid_graph, ring_graph
from gambol.features.strides import find_strides
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.primitives.crowd.certificates.headings import HeadingDynamics
from gambol.primitives.crowd.certificates.march import certify_crowd
from gambol.primitives.crowd.certificates.phases import PhaseCone, certify_phases, certify_phases_in_cone
from gambol.primitives.crowd.certificates.steps import (
    StepSizeDynamics,
    certify_limited_steps,
    certify_step_sizes,
    certify_step_sizes_in_identity,
)
from gambol.primitives.crowd.control import ControlGains
from gambol.primitives.crowd.march import MarchModel
from gambol.primitives.crowd.profile import SpeedProfile
from gambol.primitives.crowd.scene import MarchAct
from gambol_evidence.contraction.bound import bound_largest_eigenvalue
from gambol_evidence.contraction.passing import certify_passing
from gambol_evidence.contraction.system import System
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.crowd import decay
from gambol_evidence.reproduce.recordings import load_cmu_clip

AGENTS, STARTS, SPEED = 36, 100, 1.3
GRAPHS = (all_to_all_graph(AGENTS), ring_graph(AGENTS), grid_graph(6, 6))
PROFILE_WALK = "35_01"
"""A recorded walk, for the variation of speed over a stride."""
_PULL = 3.0
"""k lambda_2 (1/s) in all graphs, with alpha = 1: certified at 2 in each."""
_SPREADS = (0.3, 0.7, 1.2)
"""rad"""
_STEP = 0.7
"""c lambda_2 (1/m) in all graphs."""
_LIMIT = 0.3
GOALS = (-0.2, 0.2)
"""Directions (rad) of the goal relative to the obstacle."""
BESIDE = {False: ((0.35, 1.2), (-1.2, -0.15)), True: ((0.9, 1.2), (-1.2, -0.7))}
"""Headings (rad) relative to the obstacle for which a side is chosen, by whether a walker yields."""


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    profile, period = load_speed_profile(data)
    yield from _synchronising()
    yield from _stepping(profile, period)
    yield from _turning(profile)
    yield from _once_a_stride(profile, period)
    yield from _by_frequency(profile, period)
    yield from _bounds(profile, period)


def load_speed_profile(data: Path) -> tuple[SpeedProfile, float]:
    """Return the speed profile of a recorded stride and its duration (s)."""
    stride = find_strides(load_cmu_clip(data, PROFILE_WALK))[0]
    return SpeedProfile.of(stride.root[:-1, 1]), stride.period


def draw_oscillators(random: np.random.Generator) -> Array:
    """Draw oscillator states (starts, agents) of all amplitudes; those nearly at rest converge slowest."""
    sizes = 10.0 ** random.uniform(-2.0, 0.3, (STARTS, 1))
    return np.asarray(sizes * (random.normal(size=(STARTS, AGENTS)) + 1j * random.normal(size=(STARTS, AGENTS))))


def _synchronising() -> Iterator[Claim]:
    random = np.random.default_rng(0)
    near = []
    for graph in GRAPHS:
        coupling = _PULL / graph.connectivity
        promised = certify_phases(graph, coupling, 1.0).rate
        shown = decay.simulate_oscillators(graph, coupling, 1.0, draw_oscillators(random), 4.0).rate
        text = f"phases converge at least as fast as certified, {graph.name}"
        yield _kept(f"sync-{_short(graph)}", text, shown, promised, graph)
        if graph is GRAPHS[0]:
            yield _tight("sync-tight", shown, promised)
        for spread in _SPREADS:
            starts = np.exp(1j * random.uniform(-spread, spread, (STARTS, AGENTS)))
            shown = decay.simulate_oscillators(graph, coupling, 1.0, starts, 2.0).rate
            near.append(shown / certify_phases_in_cone(graph, coupling, 1.0, PhaseCone.of(spread)).rate)
    text = "phases within cones of 0.3, 0.7 and 1.2 rad converge as fast as certified: smallest measured/certified"
    about = f"{len(GRAPHS)} graphs, {STARTS} starts each; ratios {np.min(near):.3f} to {np.max(near):.3f}"
    yield Claim("sync-near", OUR_BAR, text, np.min(near), "", about, Band(low=1.0))


def _stepping(profile: SpeedProfile, period: float) -> Iterator[Claim]:
    random = np.random.default_rng(1)
    limited = []
    for graph in GRAPHS:
        walkers = StepSizeDynamics(graph, _STEP / graph.connectivity, SPEED, profile)
        any_phases = random.uniform(0.0, 2.0 * np.pi, (STARTS, AGENTS))
        promised = certify_step_sizes(walkers).rate
        starts = random.normal(size=(STARTS, AGENTS))
        shown = decay.simulate_formation(walkers, np.inf, any_phases, period, starts, 8.0).rate
        text = f"step-size control converges for any phases at least as fast as certified, {graph.name}"
        yield _kept(f"steps-{_short(graph)}", text, shown, promised, graph)
        if graph is GRAPHS[0]:
            yield _tight("steps-tight", shown, promised)
        one_phase = np.repeat(any_phases[:, :1], AGENTS, axis=1)
        starts = random.uniform(-1.0, 1.0, (STARTS, AGENTS))
        shown = decay.simulate_formation(walkers, _LIMIT, one_phase, period, starts, 12.0).rate
        limited.append(shown / certify_limited_steps(walkers, _LIMIT, 1.0).rate)
    text = (
        "step sizes limited to 30 %, from 1 m off: converge at least as fast as certified: smallest measured/certified"
    )
    about = f"ratios {', '.join(f'{ratio:.3g} ({graph.name})' for ratio, graph in zip(limited, GRAPHS, strict=True))}"
    yield Claim("steps-limited", OUR_BAR, text, np.min(limited), "", about, Band(low=1.0))


def _turning(profile: SpeedProfile) -> Iterator[Claim]:
    random, control = np.random.default_rng(2), ControlGains()
    low, high = profile.low * (1.0 - control.step_limit), profile.high * (1.0 + control.step_limit)
    ratios = []
    for graph in (all_to_all_graph(6), ring_graph(AGENTS), grid_graph(6, 6)):
        crowd = HeadingDynamics(graph, control, SPEED, profile)
        for size, angle in ((0.01, 0.01), (1.0, 0.5)):
            a, b, promised = crowd.optimise_weights(size, angle)
            factors = random.uniform(low, high, (STARTS, graph.count))
            factors[: STARTS // 2] = factors[: STARTS // 2].round(0).clip(low, high)
            starts = random.uniform(-1.0, 1.0, (2, STARTS, graph.count)) * np.array([size, angle])[:, None, None]
            shown = decay.simulate_headings(crowd, a, b, factors, starts, 40.0).rate
            ratios.append(
                (shown / promised, f"{shown:.3g} by {promised:.2g} ({graph.count}, {graph.name}, {size:g} m)")
            )
    text = "headings form rows at least as fast as certified: smallest measured/certified"
    about = (
        f"headings that turn with any speeds of the profile and step sizes; {'; '.join(about for _, about in ratios)}"
    )
    yield Claim("rows", OUR_BAR, text, np.min([ratio for ratio, _ in ratios]), "", about, Band(low=1.0))


def _once_a_stride(profile: SpeedProfile, period: float) -> Iterator[Claim]:
    together, off, about = np.zeros(AGENTS), [], []
    for graph in GRAPHS:
        walkers = StepSizeDynamics(graph, 1.0, SPEED, profile)
        predicted = 2.0 / (SPEED * period * graph.spectral_radius)
        found = decay.find_stride_threshold(walkers, period, together, 0)
        off.append(100.0 * abs(found / predicted - 1.0))
        about.append(f"{graph.name}: {found:.4f} per m, predicted {predicted:.4f}")
    apart = np.random.default_rng(3).uniform(0.0, 2.0 * np.pi, AGENTS)
    found = decay.find_stride_threshold(StepSizeDynamics(GRAPHS[2], 1.0, SPEED, profile), period, apart, 0)
    about.append(f"grid with different phases: {found:.4f}, above that for equal phases")
    text = "gain above which step sizes set once per stride diverge: largest error of the prediction"
    yield Claim(
        "stride-threshold", OUR_BAR, text, np.max(off), "%", f"{PROFILE_WALK}; {'; '.join(about)}", Band(high=5.0)
    )


def _by_frequency(profile: SpeedProfile, period: float) -> Iterator[Claim]:
    """Frequency control alone keeps position minus the distance covered by the phase constant."""
    random = np.random.default_rng(4)
    natural, laplacian = 2.0 * np.pi / period, GRAPHS[2].laplacian.toarray()
    start = np.stack((random.uniform(-1.0, 1.0, AGENTS), random.uniform(-1.0, 1.0, AGENTS)))

    def rates(step: float) -> Callable[[float, Array], Array]:
        def both(_: float, state: Array) -> Array:
            theta, z = state
            frequency = natural - 6.0 * (laplacian @ theta) - (1.0 - step) * 2.0 * (laplacian @ z)
            speed = SPEED / natural * profile.at(theta) * frequency
            return np.stack((frequency, speed * (1.0 - step * (laplacian @ z))))

        return both

    left = []
    for step in (0.0, 0.5):
        _, last = list(decay.integrate(rates(step), start, 0.01, 6000))[-1]
        left.append(np.max([np.ptp(last[n]) / np.ptp(start[n]) for n in (0, 1)]))
        if step == 0.0:
            kept = [z - SPEED / natural * profile.integrate(theta) for theta, z in (start, last)]
    about = f"{AGENTS} agents on a grid, 60 s, frequencies that follow both phases and places"
    text = "frequency control alone: larger of the remaining shares of phase and position errors"
    yield Claim("frequency-alone", OUR_BAR, text, 100.0 * left[0], "%", about, Band(low=10.0))
    text = "position minus the distance covered by the phase, which frequency cannot change: largest change"
    drift = float(np.abs(kept[1] - kept[0]).max()) * 1e3
    yield Claim("frequency-invariant", OUR_BAR, text, drift, "mm", about, Band(high=1.0))
    text = "frequency and step-size control: larger of the remaining shares of phase and position errors"
    yield Claim("frequency-and-step", OUR_BAR, text, 100.0 * left[1], "%", about, Band(high=1.0))


def _bounds(profile: SpeedProfile, period: float) -> Iterator[Claim]:
    walkers = StepSizeDynamics(GRAPHS[1], _STEP / GRAPHS[1].connectivity, SPEED, profile)
    witness = certify_step_sizes_in_identity(walkers).witness
    text = "without the Laplacian as metric, differences grow at the witness state, ring: measured/predicted growth"
    shown = decay.measure_growth(walkers, witness.state) if witness is not None else np.nan
    claimed = witness.growth if witness is not None else np.nan
    about = f"{AGENTS} agents; measured {shown:.4g}, predicted {claimed:.4g} 1/s"
    yield Claim("identity-breaks", OUR_BAR, text, shown / claimed, "", about, Band(0.99, 1.01))
    hopf = System(("x", "y"), lambda x, y: ((1 - x * x - y * y) * x - 6 * y, (1 - x * x - y * y) * y + 6 * x))
    box = np.full(2, 1.5)
    found = bound_largest_eigenvalue(0.5 * (hopf.jacobian + hopf.jacobian.T), hopf.symbols, -box, box)
    text = "interval bound of the largest eigenvalue of an oscillator, against the closed form alpha"
    yield Claim("intervals", OUR_BAR, text, found.upper, "alpha", f"{found.boxes} boxes", Band(1.0, 1.02))
    sides = [certify_passing(side, GOALS, yields=yields) for yields, both in BESIDE.items() for side in both]
    text = "headings of walkers that have chosen a side of an obstacle contract: smallest certified rate"
    about = "; ".join(f"{side.name}: {side.region}" for side in sides)
    yield Claim("passing", OUR_BAR, text, min(side.rate for side in sides), "1/s", about, Band(low=0.1))
    troop = MarchModel(ControlGains(), GRAPHS[2], MarchAct().places, profile, SPEED, period)
    promised = certify_crowd(troop.control, troop.graph, profile, SPEED, period).rate
    shown = decay.measure_rate_near_formation(troop, 5)
    text = "default gains, 36 agents on a grid, all levels, near the formation: certified/measured rate"
    about = f"march from 1 cm and 0.01 rad, 5 seeds; measured {shown:.3g}, certified {promised:.3g} 1/s"
    yield Claim("defaults", OUR_BAR, text, promised / shown, "", about, Band(0.2, 1.0))


def _kept(name: str, text: str, shown: float, promised: float, graph: Graph) -> Claim:
    about = f"{STARTS} starts, {AGENTS} agents; measured {shown:.4g}, certified {promised:.4g} 1/s"
    return Claim(name, OUR_BAR, f"{text}: measured/certified rate", shown / promised, "", about, Band(low=1.0))


def _tight(name: str, shown: float, promised: float) -> Claim:
    about = f"all to all; measured {shown:.4g}, certified {promised:.4g} 1/s"
    return Claim(name, OUR_BAR, "certified/measured rate", promised / shown, "", about, Band(low=0.8))


def _short(graph: Graph) -> str:
    return graph.name.split()[0]
