"""Claims about drawers that jump away while the robot walks (M17 section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.metrics.figures import Band
from gambol.reproduce.claims import OUR_BAR, Claim
from gambol.reproduce.humanoid.setting import FROZEN, SECONDS, HumanoidSetting, draw_world
from gambol.robots.drawer import Drawer, DrawerPlanner
from gambol.robots.execution import Orders, execute
from gambol.robots.robot import SensedState
from gambol.robots.walker import TICK, WalkingState

_JUMPS = 20
_REACHED = 0.015
"""Metres."""


class _Jumping:
    """A planner whose drawer jumps at a time; notes how many ticks pass until another plan is followed."""

    def __init__(self, planner: DrawerPlanner, time: float, way: float) -> None:
        self.planner, self._time, self._way = planner, time, np.array([way, 0.0, 0.0])
        self._ticks, self._jumped, self._before = 0, 0, planner.plan
        self.late: int | None = None
        """Ticks from the jump to the new plan."""

    def order(self, state: WalkingState, sensed: SensedState) -> Orders:
        """Return what to do in the next tick."""
        self._ticks += 1
        if not self._jumped and self._ticks * TICK >= self._time:
            self._jumped, self._before = self._ticks, self.planner.plan
            self.planner.drawer = self.planner.drawer.move(self._way)
        orders = self.planner.order(state, sensed)
        if self._jumped and self.late is None and len(self.planner.plan) > len(self._before):
            self.late = self._ticks - self._jumped
        return orders


def measure_jumps(setting: HumanoidSetting) -> Iterator[Claim]:
    """Yield the claims."""
    reached, late = 0, []
    for seed in range(FROZEN + 100, FROZEN + 100 + _JUMPS):
        random = np.random.default_rng(seed)
        world = draw_world(random, seed)
        handle = np.array([random.uniform(1.3, 1.8), random.uniform(0.05, 0.2), random.uniform(0.88, 1.05)])
        planner = DrawerPlanner(setting.walker, setting.model, Drawer(handle, handle + [-0.07, -0.22, -0.05]))
        jumping = _Jumping(planner, random.uniform(1.0, 2.5), random.uniform(0.4, 0.7))
        run = execute(setting.walker, jumping, world, seconds=SECONDS)
        reached += bool(not run.fallen and len(planner.misses) == 2 and max(planner.misses) <= _REACHED)
        late.append(np.inf if jumping.late is None else 1e3 * TICK * jumping.late)
    data = f"{_JUMPS} jumps of 0.4 to 0.7 m during the first steps, fresh seeds"
    yield Claim(
        "jumps-reached", OUR_BAR, "drawers that jump away of which both hands reach what they grasp",
        reached, "of 20", data, Band(low=20.0),
    )  # fmt: skip
    yield Claim(
        "jumps-replanned", OUR_BAR, "time from the jump to a plan with more steps, longest",
        float(min(max(late), 1e6)), "ms", data, Band(high=100.0),
    )  # fmt: skip
