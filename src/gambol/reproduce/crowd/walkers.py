"""Whole bodies on the ways that discs were steered along: do path and feet agree, do bodies keep apart (M17 2.4)?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gambol.metrics.figures import Band
from gambol.primitives.bodies import Bodies
from gambol.primitives.crowd.performance import RATE, steered, walker_of
from gambol.primitives.crowd.ways import performed
from gambol.primitives.navigation.scenarios import doorway, poles
from gambol.primitives.navigation.walk import clearance
from gambol.reproduce.claims import Claim
from gambol.reproduce.crowd.marches import WALK, gaits
from gambol.reproduce.judged import ASKED
from gambol.reproduce.slips import fast, slips

SEEDS = 3
_SECONDS = 25.0


def run(data: Path) -> Iterator[Claim]:
    """Rows of six among poles and of twelve at a door."""
    plane = gaits(data)
    bodies, shoulders = Bodies(plane.prototypes), walker_of(plane).radius
    for name, make in (("poles", poles), ("doorway", doorway)):
        off, room, speeds = [], [], []
        for seed in range(SEEDS):
            floor = make(seed)
            _, ways = steered(floor, plane, _SECONDS, seed)
            motions = performed(bodies, ways, 1.0 / RATE)
            hips = np.stack([motion.placement.positions[:, 0, :2] for motion in motions], axis=1)
            off.append(float(np.linalg.norm(hips - ways.places, axis=2).max()))
            room.append(clearance(floor, hips, shoulders))
            for one, motion in enumerate(motions):
                speeds.append(slips(motion, bodies.rows(ways.phases[:, one], ways.blends[:, one]).contacts))
        told = f"walk of {WALK}, {SEEDS} seeds, {floor.name.partition(' ')[0]}"
        text = "path and feet agree: heels and balls while surely held, 99 of 100 below"
        yield Claim(f"{name}-feet", ASKED, text, fast(np.concatenate(speeds)), "m/s", told, Band(high=0.05))
        text = "hips beside the disc that was steered, at most"
        yield Claim(f"{name}-sway", ASKED, text, max(off), "m", told, Band(high=0.1))
        text = f"room between bodies, poles and walls, each with shoulders of {shoulders:g} m around the hips: least"
        yield Claim(f"{name}-bodies-room", ASKED, text, min(room), "m", told, Band(low=0.0))
