"""Claims about pushes while walking: 8 directions, 6 phases of a step, both feet, with and without step adaptation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gambol.metrics.figures import Band
from gambol.robots.execution import execute
from gambol.robots.pattern import Gait
from gambol.robots.simulation import Simulation
from gambol.robots.walker import Walker, WalkingState
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.humanoid.gaits import SteadyGait
from gambol_evidence.reproduce.humanoid.setting import HumanoidSetting

_GAIT = Gait(np.array([0.25, 0.0]), samples=7)
_PUSHED = 2
"""Number of the step from which on the robot is pushed: 2 and 3 have different support feet."""
_AFTER = 4
_SECONDS = 0.1
_PHASES = np.arange(6) / 6.0
_DIRECTIONS = np.arange(8) * np.pi / 4.0
_AHEAD, _ASIDE = 15.0, 10.0
"""Impulses (N s); diagonal ones are on the ellipse between."""
_STRONGER = 1.5
"""Strength of pushes, relative to these, for which steps have to be adapted."""


def survives(walker: Walker, direction: float, phase: float, step: int, strength: float = 1.0) -> bool:
    """Return whether a robot that is pushed keeps walking and then stands."""
    planner = SteadyGait(walker, _GAIT, step + _AFTER)
    impulse = strength * np.array([_AHEAD * np.cos(direction), _ASIDE * np.sin(direction), 0.0])
    chest, pushed = walker.robot.parts.chest, [np.inf]

    def push(simulation: Simulation, state: WalkingState) -> None:
        share = 1.0 - state.left / _GAIT.samples + state.ticks * 0.05 / _GAIT.samples
        if planner.step == step and share >= phase and np.isinf(pushed[0]):
            pushed[0] = simulation.time
        acts = pushed[0] <= simulation.time < pushed[0] + _SECONDS
        simulation.push(chest, impulse / _SECONDS if acts else np.zeros(3))

    run = execute(walker, planner, seconds=3.0 + _GAIT.seconds * (step + _AFTER + 2), disturb=push)
    return bool(run.finished and not run.fallen and np.isfinite(pushed[0]))


def measure_push_map(setting: HumanoidSetting) -> Iterator[Claim]:
    """Yield the claims."""
    adaptive, rigid = setting.walker, Walker(setting.robot, adaptive=False)
    adapted = _map_pushes(adaptive)
    data = f"{adapted.size} pushes of 0.1 s on the chest at 0.25 m/s, 6 phases, both feet"
    for name, words, chosen in (
        ("ahead", "of 15 N s ahead and back", [0, 4]),
        ("aside", "of 10 N s to either side", [2, 6]),
        ("diagonal", "in the diagonal directions between", [1, 3, 5, 7]),
    ):
        yield Claim(
            f"push-{name}", OUR_BAR, f"pushes {words} that the robot survives",
            100.0 * float(adapted[chosen].mean()), "%", data, Band(low=100.0),
        )  # fmt: skip
    strong, without = (_map_pushes(walker, _STRONGER) for walker in (adaptive, rigid))
    yield Claim(
        "push-adaptation", OUR_BAR, "more pushes of 1.5 times the strength are survived with adapted steps",
        100.0 * float(strong.mean() - without.mean()), "%",
        f"{data}: {100 * strong.mean():.0f} % with, {100 * without.mean():.0f} % without", Band(low=1.0),
    )  # fmt: skip


def _map_pushes(walker: Walker, strength: float = 1.0) -> NDArray[np.bool_]:
    """Return which pushes (directions, phases, feet) a robot survives."""
    return np.array(
        [
            [[survives(walker, way, phase, _PUSHED + foot, strength) for foot in range(2)] for phase in _PHASES]
            for way in _DIRECTIONS
        ]
    )
