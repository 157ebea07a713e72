"""Navigation (M17 section 2.4, Fig. 2a): walkers among poles, in crossing flows and at doors, beside ORCA (pyrvo)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.primitives.navigation.floor_plan import FloorPlan
from gambol.primitives.navigation.scenarios import make_circle, make_crossing, make_doorway, make_poles
from gambol.primitives.navigation.walk import WALK_FPS, compute_clearance, compute_detour, simulate_walk
from gambol.primitives.navigation.walker import WalkerLimits
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.crowd.orca import is_installed, simulate_orca

CROSSING_SEEDS = 20
_LIMIT = 60.0
"""Seconds within which all must have arrived."""
_OVERLAP = 0.005
"""Overlap (m) of discs from which they collide. Ours keep 0.04 m apart; those of ORCA overlap by up to 2.3 mm."""


@dataclass(frozen=True)
class CrossingOutcome:
    """Outcome of several scenes."""

    collisions: int
    """Scenes in which discs of shoulder radius overlapped each other, a pole or a wall."""
    arrived: float
    """Share of agents that arrived."""
    detour: float
    """Length of the path over that of the straight line, of the agents that arrived."""
    time: float
    """Mean time to the goal (s)."""

    def __str__(self) -> str:
        return f"{self.collisions} collisions, {self.arrived:.1%} arrive, detour {self.detour:.3f}, {self.time:.1f} s"


def draw_crossing(seed: int) -> FloorPlan:
    """Return a doorway, walked through from one side with even seeds and from both with odd ones."""
    return make_doorway(seed, both=bool(seed % 2))


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims about four kinds of scenes: collisions, arrivals, detour and time."""
    yield from crossing_claims("poles", "six agents among five poles", make_poles, (1.10, 12.0), CROSSING_SEEDS)
    yield from crossing_claims(
        "crossing", "two groups of 12 agents that cross at right angles", make_crossing, (1.05, 15.0), CROSSING_SEEDS
    )
    yield from crossing_claims(
        "doorway",
        "12 agents through a door of 1.2 m, from both sides in half of the scenes",
        draw_crossing,
        (1.10, 18.0),
        CROSSING_SEEDS,
    )
    yield from crossing_claims(
        "circle", "12 agents exchange places across a circle", make_circle, (1.10, 14.0), CROSSING_SEEDS // 4
    )


def crossing_claims(
    name: str, words: str, make: Callable[[int], FloorPlan], bars: tuple[float, float], seeds: int
) -> Iterator[Claim]:
    """Yield claims about seeded scenes; the data give the figures of pyrvo if it is installed."""
    ours = cross_with_ours(make, seeds)
    beside = f"pyrvo: {cross_with_orca(make, seeds)}" if is_installed() else "pyrvo is not installed: no comparison"
    text = f"{words}, {seeds} seeds; {beside}"
    figures = (
        ("collisions", "scenes with a collision", ours.collisions, "scenes", Band(0.0, 0.0)),
        ("arrived", "share of agents that arrive", ours.arrived, "of agents", Band(1.0, 1.0)),
        ("detour", "mean length of the path over that of the straight line", ours.detour, "", Band(high=bars[0])),
        ("time", "mean time to the goal", ours.time, "s", Band(high=bars[1])),
    )
    for what, claim, measured, unit, band in figures:
        source = "M17 §2.4, Fig. 2a" if what in ("collisions", "arrived") else OUR_BAR
        yield Claim(f"navigation-{name}-{what}", source, f"{name}: {claim}", float(measured), unit, text, band)


def cross_with_ours(make: Callable[[int], FloorPlan], seeds: int) -> CrossingOutcome:
    """Simulate the scenes with our walkers."""
    walks = [simulate_walk(make(seed), seconds=_LIMIT) for seed in range(seeds)]
    return _outcome([(one.plan, one.position, one.arrival) for one in walks])


def cross_with_orca(make: Callable[[int], FloorPlan], seeds: int) -> CrossingOutcome:
    """Simulate the scenes with ORCA."""
    return _outcome([(scene, *simulate_orca(scene, WalkerLimits(), _LIMIT)) for scene in map(make, range(seeds))])


def _outcome(walks: list[tuple[FloorPlan, Array, Array]]) -> CrossingOutcome:
    radius = WalkerLimits().radius
    arrival = np.concatenate([arrived for _, _, arrived in walks])
    came = np.isfinite(arrival)
    detours = [compute_detour(position, arrived, WALK_FPS) for _, position, arrived in walks]
    return CrossingOutcome(
        sum(compute_clearance(scene, position, radius) < -_OVERLAP for scene, position, _ in walks),
        float(came.mean()),
        float(np.nanmean(detours)),
        float(arrival[came].mean()),
    )
