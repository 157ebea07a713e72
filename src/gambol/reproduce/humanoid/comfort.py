"""Claims about end-state comfort, and about how human-like pelvis and arms move (M17 sections 3.2 and 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.reproduce.claims import OUR_BAR, Claim
from gambol.reproduce.humanoid.gaits import SteadyGait
from gambol.reproduce.humanoid.setting import FROZEN, WALKS, HumanoidSetting
from gambol.robots.actions.pose_fit import UpperBodyFit
from gambol.robots.actions.retarget import find_slowdown, retarget_prototype
from gambol.robots.actions.sequence import ActionPlan, measure_advance, plan_actions, plan_without_preview
from gambol.robots.actions.trials import WALKING, DrawerTask, make_trials
from gambol.robots.execution import Run, execute
from gambol.robots.pattern import PERIOD, Gait

_DRAWERS = 100
_DISTANCES = (1.3, 2.6)


def measure_comfort(setting: HumanoidSetting) -> Iterator[Claim]:
    """Yield the claims."""
    random, spreads = np.random.default_rng(FROZEN), []
    distances = random.uniform(*_DISTANCES, _DRAWERS).tolist()
    for plan in (plan_actions, plan_without_preview):
        ends = [
            distance
            - _measure_way(plan(DrawerTask((distance, 0.12, 0.95), (distance - 0.07, -0.1, 0.9)), setting.model))
            for distance in distances
        ]
        spreads.append(100.0 * float(np.std(ends)))
    yield Claim(
        "comfort", "M17 section 3.2", "spread of the distance at which the robot stops before drawers",
        spreads[0], "cm", f"{_DRAWERS} drawers; a planner that does not look ahead: {spreads[1]:.1f} cm",
        Band(high=0.25 * spreads[1]),
    )  # fmt: skip
    yield from _measure_likeness(setting)


def _measure_way(plan: ActionPlan) -> float:
    return measure_advance([step.length for step in plan[:-1]])


def _measure_likeness(setting: HumanoidSetting) -> Iterator[Claim]:
    """How far arms are from those of the retargeted walks, ours and those of the generator alone."""
