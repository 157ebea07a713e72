"""A chain of jumps that is steered (L05 section 4.4.4): feet, flights across joins, and how long a key waits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from gambol.body.character import GRAVITY, Character
from gambol.body.dynamics import Dynamics
from gambol.geometry import quaternions as quat
from gambol.metrics.figures import Band
from gambol.motion.kinematics import place
from gambol.reproduce.claims import OUR_BAR, Claim
from gambol.reproduce.edit.table import solve_pairs
from gambol.spacetime.families.controller import CONTROL_RATE, ControlFrame, Controller
from gambol.stages.speed import find_runs

_KEYS = 20


def run(data: Path) -> Iterator[Claim]:
    """A chain whose keys are pressed at any time."""
    family = solve_pairs(data)[0]
    controller, random = Controller(family), np.random.default_rng(0)
    frames: list[ControlFrame] = []
    lags = []
    for _ in range(_KEYS):
        frames += controller.next(int(random.integers(20, 60)))
        controller.steer(random.uniform(-1.0, 1.0, 2).tolist())
        lags.append(controller.lag)
    told = f"two jumps, 81 members, {_KEYS} random keys, {len(frames) / CONTROL_RATE:.0f} s at {CONTROL_RATE:g} Hz"
    yield from controller_claims(family.character, frames, told)
    text = "some time passes between a key and its jump: worst; of two jumps the next is known"
    told = f"{told}; mean {np.mean(lags):.2f} s"
    longest = 2.0 * float(family.times[..., -1].max())
    yield Claim("controller-lag", "L05", text, max(lags), "s", told, Band(low=0.0, high=longest))


def controller_claims(character: Character, frames: Sequence[ControlFrame], told: str) -> Iterator[Claim]:
    """Feet and flights of a chain."""
    text = "feet glide off their places: worst"
    yield Claim("controller-glide", OUR_BAR, text, 1e3 * measure_glide(character, frames), "mm", told, Band(high=5.0))
    text = "centre of mass off a parabola in flights that join two motions: worst"
    yield Claim(
        "controller-parabola",
        OUR_BAR,
        text,
        1e3 * measure_parabola_error(character, frames),
        "mm",
        told,
        Band(high=5.0),
    )


def measure_glide(character: Character, frames: Sequence[ControlFrame]) -> float:
    """Metres of a held point from its place."""
    placed = place(character.skeleton, np.array([frame.q for frame in frames]))
    worst = 0.0
    for n, frame in enumerate(frames):
        for hold in frame.contacts:
            joint = character.skeleton.index(hold.body)
            points = placed.positions[n, joint] + quat.rotate(placed.rotations[n, joint], hold.points)
            worst = max(worst, float(np.linalg.norm(points - hold.places, axis=1).max()))
    return worst


def measure_parabola_error(character: Character, frames: Sequence[ControlFrame]) -> float:
    """Metres of the centre of mass off the best parabola of a flight."""
    centres = Dynamics(character).center_of_mass(np.array([frame.q for frame in frames]))
    worst = 0.0
    for first, last in find_runs(np.array([frame.airborne for frame in frames])):
        times = np.array([frame.time for frame in frames[first : last + 1]])
        times = times - times[0]
        if len(times) > 2:
            fallen = centres[first : last + 1] + np.outer(0.5 * GRAVITY * times**2, (0.0, 0.0, 1.0))
            line = np.stack((np.ones(len(times)), times), axis=1)
            left = fallen - line @ np.linalg.lstsq(line, fallen, rcond=None)[0]
            worst = max(worst, float(np.linalg.norm(left, axis=1).max()))
    return worst
