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
from gambol.primitives.navigation.walk import WALK_RATE, compute_clearance, compute_detour, simulate_walk
from gambol.primitives.navigation.walker import WalkerLimits
from gambol.reproduce.claims import OUR_BAR, Claim
from gambol.reproduce.crowd.orca import is_installed, simulate_orca

CROSSING_SEEDS = 20
_LIMIT = 60.0
"""Seconds within which all must have arrived."""
_OVERLAP = 0.005
"""Metres: discs that overlap by less have touched. Ours keep 0.04 m from each other; ORCA's touch, by up to 2.3 mm."""


@dataclass(frozen=True)
class CrossingOutcome:
    """What became of some scenes."""

    collisions: int
    """Scenes in which discs of shoulder radius overlapped each other, a pole or a wall."""
    arrived: float
    """Share of agents that arrived."""
    detour: float
    """Metres walked over metres of straight lines, of those who arrived."""
    time: float
    """Seconds until they arrived, on average."""

    def __str__(self) -> str:
        return f"{self.collisions} collisions, {self.arrived:.1%} arrive, detour {self.detour:.3f}, {self.time:.1f} s"


def draw_crossing(seed: int) -> FloorPlan:
    """A doorway, from one side with even seeds and from both with odd ones."""
    return make_doorway(seed, both=bool(seed % 2))


def run(data: Path) -> Iterator[Claim]:
    """Rows of four kinds of scenes: who collides, who arrives, how far and how long they walk."""
    yield from crossing_claims("poles", "six agents among five poles", make_poles, (1.10, 12.0), CROSSING_SEEDS)
    yield from crossing_claims(
        "crossing", "two groups of 12 that cross at right angles", make_crossing, (1.05, 15.0), CROSSING_SEEDS
    )
    yield from crossing_claims(
        "doorway",
        "12 through a door of 1.2 m, half of the scenes both ways",
        draw_crossing,
        (1.10, 18.0),
        CROSSING_SEEDS,
    )
    yield from crossing_claims(
        "circle", "12 change places across a circle", make_circle, (1.10, 14.0), CROSSING_SEEDS // 4
    )


def crossing_claims(
    name: str, words: str, make: Callable[[int], FloorPlan], bars: tuple[float, float], seeds: int
) -> Iterator[Claim]:
    """Collisions, arrivals, detour and time of seeded scenes; pyrvo's figures in words, if it is installed."""
    ours = cross_with_ours(make, seeds)
    beside = (
        f"pyrvo: {cross_with_orca(make, seeds)}"
        if is_installed()
        else "pyrvo is not installed, so nothing stands beside it"
    )
    text = f"{words}, {seeds} seeds; {beside}"
    figures = (
        ("collisions", "no collision", ours.collisions, "scenes", Band(0.0, 0.0)),
        ("arrived", "all arrive", ours.arrived, "of agents", Band(1.0, 1.0)),
        ("detour", "way walked over the straight line", ours.detour, "", Band(high=bars[0])),
        ("time", "mean time to the goal", ours.time, "s", Band(high=bars[1])),
    )
    for what, claim, measured, unit, band in figures:
        paper = "M17" if what in ("collisions", "arrived") else OUR_BAR
        yield Claim(f"navigation-{name}-{what}", paper, f"{name}: {claim}", float(measured), unit, text, band)


def cross_with_ours(make: Callable[[int], FloorPlan], seeds: int) -> CrossingOutcome:
    """Our walkers."""
    walks = [simulate_walk(make(seed), seconds=_LIMIT) for seed in range(seeds)]
    return _outcome([(one.plan, one.position, one.arrival) for one in walks])


def cross_with_orca(make: Callable[[int], FloorPlan], seeds: int) -> CrossingOutcome:
    """ORCA's discs in the same scenes."""
    return _outcome([(scene, *simulate_orca(scene, WalkerLimits(), _LIMIT)) for scene in map(make, range(seeds))])


def _outcome(walks: list[tuple[FloorPlan, Array, Array]]) -> CrossingOutcome:
    radius = WalkerLimits().radius
    arrival = np.concatenate([arrived for _, _, arrived in walks])
    came = np.isfinite(arrival)
    detours = [compute_detour(position, arrived, WALK_RATE) for _, position, arrived in walks]
    return CrossingOutcome(
        sum(compute_clearance(scene, position, radius) < -_OVERLAP for scene, position, _ in walks),
        float(came.mean()),
        float(np.nanmean(detours)),
        float(arrival[came].mean()),
    )
