"""Claims about drawers that jump away while the robot walks (M17 section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.metrics.figures import Band
from gambol.robots.drawer import Drawer
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.humanoid.setting import FROZEN, HumanoidSetting, draw_world

_JUMPS = 20
_REACHED = 0.015
"""Metres."""


def measure_jumps(setting: HumanoidSetting) -> Iterator[Claim]:
    """Yield the claims."""
    reached, late = 0, []
    for seed in range(FROZEN + 100, FROZEN + 100 + _JUMPS):
        random = np.random.default_rng(seed)
        world = draw_world(random, seed)
        handle = np.array([random.uniform(1.3, 1.8), random.uniform(0.05, 0.2), random.uniform(0.88, 1.05)])
        jump = random.uniform(1.0, 2.5), np.array([random.uniform(0.4, 0.7), 0.0, 0.0])
        one = setting.open_drawer(Drawer(handle, handle + [-0.07, -0.22, -0.05]), world, jump=jump)
        reached += bool(one.run.finished and len(one.misses) == 2 and max(one.misses) <= _REACHED)
        late.append(1e3 * one.late)
    data = f"{_JUMPS} jumps of 0.4 to 0.7 m during the first steps, fresh seeds"
    yield Claim(
        "jumps-reached", OUR_BAR, "drawers that jump away of which both hands reach what they grasp",
        reached, "of 20", data, Band(low=20.0),
    )  # fmt: skip
    yield Claim(
        "jumps-replanned", OUR_BAR, "time from the jump to another plan, longest",
        float(min(max(late), 1e6)), "ms", data, Band(high=100.0),
    )  # fmt: skip
