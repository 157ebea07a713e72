"""Claims about the generator alone: peak forces by speed, and open loop with and without the dynamic filter."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.metrics.figures import Band
from gambol.robots.execution import Orders, Run, execute
from gambol.robots.pattern import Gait
from gambol.robots.simulation import World
from gambol.robots.stabiliser import SensedState
from gambol.robots.walker import TICK, Walker, WalkingState
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.humanoid.setting import HumanoidSetting

_STEPS = 8
_REST = 0.5
_SPEEDS = (0.1, 0.2, 0.3, 0.4, 0.5)
_DURATIONS = (6, 7)
"""Samples of 0.1 s."""
_GAITS = [
    Gait(np.array(velocity), turning, samples)
    for velocity, turning, samples in (
        ((0.1, 0.0), 0.0, 7), ((0.2, 0.0), 0.0, 7), ((0.3, 0.0), 0.0, 7), ((0.4, 0.0), 0.0, 7), ((0.1, 0.0), 0.0, 6),
        ((0.2, 0.0), 0.0, 6), ((0.3, 0.0), 0.0, 6), ((0.4, 0.0), 0.0, 6), ((0.2, 0.0), 0.2, 7), ((0.2, 0.0), -0.2, 7),
        ((0.2, 0.0), 0.0, 9), ((0.3, 0.0), 0.0, 9),
    )
]  # fmt: skip


class SteadyGait:
    """Orders of steps of one gait, the last one side by side."""

    def __init__(self, walker: Walker, gait: Gait, steps: int = _STEPS) -> None:
        self._walker = walker
        self._gaits = [gait] * steps + [Gait(samples=gait.samples)]
        self.step, self._rested = -1, 0.0
        """Number of the step that is being made; -1 before the first."""

    def order(self, state: WalkingState, _: SensedState) -> Orders:
        """Return what to do in the next tick."""
        if state.ticks == 0 and state.left == 0 and (state.support is not None or state.first is not None):
            self.step += 1
        ended = self.step > 0 and state.support is None
        self._rested += TICK if ended else 0.0
        return Orders(self._gaits[max(self.step, 0) :], self._walker.posture, done=self._rested > _REST)


def walk_steadily(walker: Walker, gait: Gait, world: World = World()) -> Run:
    """Run a robot with a steady gait."""
    return execute(walker, SteadyGait(walker, gait), world, seconds=3.0 + gait.seconds * (_STEPS + 2))


def measure_gaits(setting: HumanoidSetting) -> Iterator[Claim]:
    """Yield the claims."""
    robot = setting.robot
    for speed in _SPEEDS:
        runs = [walk_steadily(setting.walker, Gait(np.array([speed, 0.0]), samples=samples)) for samples in _DURATIONS]
        peak = max(run.peak_force if not run.fallen else np.inf for run in runs)
        yield Claim(
            f"peak-force-{speed:g}", "M17 Fig. 11: 800 N for 58 kg",
            f"largest normal force on a foot at {speed:g} m/s, generator alone, worse of steps of 0.6 and 0.7 s",
            float(min(peak, 1e3)), "body weights", f"{_STEPS} steps", Band(high=1.41 if speed < 0.45 else 1.6),
        )  # fmt: skip
    falls = {
        filtered: sum(walk_steadily(Walker(robot, filtered=filtered, balanced=False), gait).fallen for gait in _GAITS)
        for filtered in (False, True)
    }
    data = f"{len(_GAITS)} gaits of 0.1 to 0.4 m/s, straight and turning, steps of 0.6 to 0.9 s, no noise"
    yield Claim(
        "open-loop-unfiltered", "M17 section 3.4", "falls in open loop without the dynamic filter",
        falls[False], f"of {len(_GAITS)}", data, Band(low=1.0),
    )  # fmt: skip
    yield Claim(
        "open-loop-filtered", "M17 section 3.4", "falls in open loop with the dynamic filter, fewer than without",
        falls[True], f"of {len(_GAITS)}", data, Band(high=max(falls[False] - 1.0, 0.0)),
    )  # fmt: skip
