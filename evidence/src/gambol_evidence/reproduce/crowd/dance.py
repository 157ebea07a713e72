"""M17 Fig. 2b: two couples exchange places and return, one passing below the raised arms of the other.

Starts are seeded: positions up to 0.3 m off, headings up to 0.2 rad, any phases; one couple may be two seconds late.
The paper shows a film; measured here are heads below arms, distances of hands, and clearance between dancers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.motion.motion import Motion
from gambol.primitives.bodies import PoseBlender
from gambol.primitives.crowd.dance import (
    PARTNER,
    DanceHall,
    DanceRecord,
    draw_dancers,
    measure_exchanges,
    simulate_dance,
)
from gambol.primitives.crowd.dance_steps import arm_points, head_tops, make_dance_steps
from gambol.primitives.crowd.gaits import GaitPlane
from gambol.primitives.crowd.paths import pose_paths
from gambol.primitives.crowd.performance import CROWD_FPS
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.crowd.marches import MARCH_WALK, load_gaits, measure_slip

SEEDS, SECONDS, LATE = 5, 24.0, 2.0
_ARM = 0.05
"""Half the breadth of an arm (m)."""
_OVER = 0.15
"""Horizontal distance (m) within which an arm is above a head."""
_UP = 0.95
"""Share of a lifted arm from which the arms form a bridge."""


class BodyMeasures(NamedTuple):
    """Distances of the bodies of a dance (m)."""

    head_room: float
    """Smallest height of the underside of arms above heads that pass below."""
    hands: float
    """Mean distance between the hands of a bridge."""
    couples: float
    """Smallest horizontal distance between the hips of dancers of different couples."""
    partners: float
    """Smallest horizontal distance between the hips of partners."""


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    hall, steps = DanceHall(), make_dance_steps(load_gaits(data).prototypes)
    count = float(len(steps.prototypes.names))
    made = f"all made of the walk of {MARCH_WALK}: {', '.join(steps.prototypes.names)}"
    yield Claim(
        "dance-prototypes",
        "M17 §2.4",
        "about ten prototypes",
        count,
        "",
        made,
        Band(8.0, 12.0),
        "we make the prototypes ourselves and count them",
    )
    late = [wait for wait in (0.0, LATE) for _ in range(SEEDS)]
    starts = [draw_dancers(hall, seed) for seed in range(SEEDS)] * 2
    dances = [
        simulate_dance(hall, steps, one, SECONDS, CROWD_FPS, wait) for one, wait in zip(starts, late, strict=True)
    ]
    about = f"walk of {MARCH_WALK}, {SEEDS} seeded starts, each also with a couple {LATE:g} s late, {SECONDS:g} s"
    times = [measure_exchanges(hall, one) for one in dances]
    text = "couples exchange places: smallest number of exchanges"
    yield Claim(
        "dance-exchanges", "M17 §2.4, Fig. 2b", text, float(min(len(one) for one in times)), "", about, Band(low=2.0)
    )
    text = "positions after each of the first two exchanges: largest error"
    off = float(np.max([np.max(one[:2], initial=0.0) if len(one) else np.inf for one in times]))
    yield Claim("dance-places", OUR_BAR, text, off, "m", about, Band(high=0.1))
    bodies = [
        measure_bodies(one, pose_paths(PoseBlender(steps.prototypes), one.paths, 1.0 / CROWD_FPS)) for one in dances
    ]
    for name, text, value, band in (
        ("below", "heads pass below arms: smallest clearance", np.min([b.head_room for b in bodies]), Band(low=0.05)),
        ("hands", "hands of a bridge meet: largest mean distance", np.max([b.hands for b in bodies]), Band(high=0.1)),
        ("couples", "distance between couples: smallest", np.min([b.couples for b in bodies]), Band(low=0.45)),
        ("partners", "distance between partners: smallest", np.min([b.partners for b in bodies]), Band(low=0.4)),
    ):
        yield Claim(f"dance-{name}", OUR_BAR, text, float(value), "m", about, band)
    step = float(np.min([measure_synchrony(one) for one in dances]))
    text = "all are in step at the end, partners mirrored: smallest length of the mean phase vector"
    yield Claim("dance-in-step", OUR_BAR, text, step, "", about, Band(low=0.999))
    slip = float(np.max([measure_slip(GaitPlane(steps.prototypes), one.paths) for one in (dances[0], dances[-1])]))
    text = "slip of heels and balls in contact: 99th percentile"
    yield Claim("dance-slip", OUR_BAR, text, slip, "m/s", f"{about}; the first and the last", Band(high=0.05))


def measure_synchrony(danced: DanceRecord) -> float:
    """Return the length of the mean phase vector at the end, dancers on the right shifted by half a cycle."""
    sides = danced.paths.places[-1, :, 1] > danced.paths.places[-1, PARTNER, 1]
    return float(np.abs(np.exp(1j * (danced.paths.phases[-1] + np.where(sides, 0.0, np.pi))).mean()))


def measure_bodies(danced: DanceRecord, motions: list[Motion]) -> BodyMeasures:
    """Measure the distances of the bodies of a dance."""
    hips = np.stack([motion.placement.positions[:, 0, :2] for motion in motions], axis=1)
    apart = np.linalg.norm(hips[:, :, None] - hips[:, None], axis=-1)
    arms = {side: np.stack([arm_points(motion, side) for motion in motions], axis=1) for side in ("left", "right")}
    crowns = np.stack([head_tops(motion) for motion in motions], axis=1)
    room, gaps = [], []
    for one, partner in enumerate(PARTNER):
        to, heading = hips[:, partner] - hips[:, one], danced.paths.headings[:, one]
        to_right = np.cos(heading) * to[:, 1] < np.sin(heading) * to[:, 0]
        lifted = np.where(to_right[:, None, None], arms["right"][:, one], arms["left"][:, one])
        bridging = danced.bridging[:, one] > 1.0 - _UP
        others = [two for two in range(len(motions)) if two not in (one, partner)]
        room += [_room(lifted[bridging], crowns[bridging, two]) for two in others]
        up = to_right & (danced.bridging[:, one] > _UP)
        gaps.append(np.linalg.norm(arms["right"][up, one, -1] - arms["left"][up, partner, -1], axis=-1))
    return BodyMeasures(
        # Without a head below an arm nobody passed: there is no clearance to measure.
        min(room) if np.isfinite(min(room)) else float("nan"),
        float(np.concatenate(gaps).mean()),
        float(apart[:, :2, 2:].min()),
        float(min(apart[:, 0, 1].min(), apart[:, 2, 3].min())),
    )


def _room(arm: Array, crown: Array) -> float:
    """Return the smallest height of the underside of an arm (frames, points, 3) above a head (frames, 3) below it."""
    over = np.linalg.norm(arm[..., :2] - crown[:, None, :2], axis=-1) < _OVER
    return float(np.where(over, arm[..., 2] - _ARM - crown[:, None, 2], np.inf).min())
