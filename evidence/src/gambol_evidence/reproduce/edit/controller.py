"""Measure a steered chain of jumps (L05 section 4.4.4): planted feet, flights that join two motions, and lag."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, find_runs
from gambol.metrics.figures import Band
from gambol.motion.kinematics import place
from gambol.spacetime.families.controller import CONTROL_FPS, ControlFrame, Controller
from gambol.spacetime.families.family import Family
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.edit.table import solve_pairs

_KEYS, _TRIALS = 20, 5
"""Random directions that a chain is steered in, and chains that are steered once to measure the lag."""
_STEERED = 0.05
"""Difference (m/s) of take-off velocities from which a jump counts as steered."""
_FAMILY = "two jumps (13_11 joined to 13_13), 81 members"


def measure_chain(data: Path) -> Iterator[Claim]:
    """Measure feet and flights of a chain that is steered at random times in random directions."""
    family = solve_pairs(data)[0]
    controller, random = Controller(family), np.random.default_rng(0)
    frames: list[ControlFrame] = []
    for _ in range(_KEYS):
        frames += controller.next(int(random.integers(20, 60)))
        controller.steer(random.uniform(-1.0, 1.0, 2).tolist())
    seconds = len(frames) / CONTROL_FPS
    about = f"{_FAMILY}, {_KEYS} random directions, {seconds:.0f} s at {CONTROL_FPS:g} frames per second"
    yield from controller_claims(family.character, frames, about)


def measure_lag(data: Path) -> Iterator[Claim]:
    """Measure when steering takes effect, at random moments of the chain."""
    family, random = solve_pairs(data)[0], np.random.default_rng(0)
    waits = [find_steered_takeoff(family, int(random.integers(30, 150))) for _ in range(_TRIALS)]
    text = "take-offs from a change of direction to the jump that follows it: the next two directions are fixed"
    about = f"{_FAMILY}, {_TRIALS} random moments, all of them: {', '.join(f'{wait:g}' for wait in waits)}"
    worst = float(max(waits, key=lambda wait: abs(wait - 2.0)))
    yield Claim("controller-lag", "L05 p. 59", text, worst, "take-offs", about, Band(low=2.0, high=2.0))


def controller_claims(character: Character, frames: Sequence[ControlFrame], data: str) -> Iterator[Claim]:
    """Yield claims about feet and flights of a chain."""
    text, glide = "largest distance of a planted foot from its place", 1e3 * measure_glide(character, frames)
    yield Claim("controller-glide", OUR_BAR, text, glide, "mm", data, Band(high=5.0))
    text = "largest distance of the centre of mass from a parabola over a flight and the ground frames next to it"
    error = 1e3 * measure_parabola_error(character, frames)
    yield Claim("controller-parabola", OUR_BAR, text, error, "mm", data, Band(high=5.0))


def measure_glide(character: Character, frames: Sequence[ControlFrame]) -> float:
    """Return the largest distance (m) of a planted point from its place; NaN where nothing is planted."""
    placed = place(character.skeleton, np.array([frame.q for frame in frames]))
    distances = []
    for n, frame in enumerate(frames):
        for hold in frame.contacts:
            joint = character.skeleton.index(hold.body)
            points = placed.positions[n, joint] + quat.rotate(placed.rotations[n, joint], hold.points)
            distances.append(np.linalg.norm(points - hold.places, axis=1).max())
    return float(np.max(distances)) if distances else np.nan


def measure_parabola_error(character: Character, frames: Sequence[ControlFrame]) -> float:
    """Return the largest distance (m) of the centre of mass from the best parabola of a flight; NaN without flights.

    The frames before take-off and after landing are included. Inside a flight the controller puts the centre of mass
    on a parabola; that this parabola continues the motion on the ground is not given.
    """
    centres = Dynamics(character).center_of_mass(np.array([frame.q for frame in frames]))
    times, errors = np.array([frame.time for frame in frames]), []
    for first, last in find_runs(np.array([frame.airborne for frame in frames])):
        if first > 0 and last < len(frames) - 1:
            flown = slice(first - 1, last + 2)
            errors.append(_distance_to_parabola(centres[flown], times[flown] - times[first]))
    return float(np.max(errors)) if errors else np.nan


def _distance_to_parabola(centres: Array, times: Array) -> float:
    raised = centres + np.outer(0.5 * GRAVITY * times**2, (0.0, 0.0, 1.0))
    line = np.stack((np.ones(len(times)), times), axis=1)
    left = raised - line @ np.linalg.lstsq(line, raised, rcond=None)[0]
    return float(np.linalg.norm(left, axis=1).max())


def find_steered_takeoff(family: Family, frame: int) -> float:
    """Count the take-offs after a frame up to the first that steering at that frame changes; infinite if none does."""
    velocities = []
    for direction in ((-1.0, -1.0), (1.0, 1.0)):
        controller = Controller(family)
        controller.next(frame)
        controller.steer(direction)
        velocities.append(measure_takeoffs(family.character, controller.next(round(6.0 * CONTROL_FPS))))
    count = min(map(len, velocities))
    apart = np.linalg.norm(velocities[0][:count] - velocities[1][:count], axis=1)
    steered = np.flatnonzero(apart > _STEERED)
    return float(steered[0] + 1) if len(steered) else np.inf


def measure_takeoffs(character: Character, frames: Sequence[ControlFrame]) -> Array:
    """Return the horizontal velocities (take-offs, 2) of the centre of mass in m/s at the start of every flight."""
    centres = Dynamics(character).center_of_mass(np.array([frame.q for frame in frames]))
    runs = find_runs(np.array([frame.airborne for frame in frames]))
    starts = [first for first, last in runs if first > 0 and last > first]
    return np.array([(centres[n + 1] - centres[n])[:2] * CONTROL_FPS for n in starts]).reshape(-1, 2)
