"""Claims about 50 runs to drawers that the robot did not know, in worlds that it did not know; a third of them jump."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.body.jacobians import Jacobians
from gambol.errors import InputError
from gambol.metrics.figures import Band
from gambol.robots.drawer import Drawer, DrawerPlanner
from gambol.robots.walker import Walker
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.humanoid.feet import measure_margins, measure_soles, rehearse
from gambol_evidence.reproduce.humanoid.setting import (
    FROZEN,
    LEARNED_WALKS,
    SECONDS,
    DrawerRun,
    HumanoidSetting,
    draw_drawer,
    draw_world,
)

_TRIALS = 50
_MARGINS = 10
"""Drawers for which the planned zero moment point is computed."""
_REFUSED = (
    (1.5, 0.1, 1.7), (1.5, 0.1, 0.3), (0.5, 0.1, 0.95), (-1.0, 0.1, 0.95), (1.5, 0.1, 1.3), (0.9, 0.0, 0.5),
)  # fmt: skip
"""Handles that are too high, too low, too near or behind the robot (m)."""


def measure_walk_and_reach(setting: HumanoidSetting) -> Iterator[Claim]:
    """Yield the claims."""
    runs = [run_trial(setting, FROZEN + number, jumps=number % 3 == 0) for number in range(_TRIALS)]
    data = f"{_TRIALS} drawers, learned from {', '.join(LEARNED_WALKS)}; friction 0.5 to 1, masses 5 %, noise"
    fallen = sum(one.run.fallen for one in runs)
    yield Claim("falls", OUR_BAR, "runs in which the robot falls", fallen, "runs", data, Band(high=0.0))
    left = sum(not one.run.finished for one in runs)
    yield Claim(
        "unfinished", OUR_BAR, "runs that do not end in the parking posture", left, "runs", data, Band(high=0.0)
    )
    for number, name in enumerate(("handle", "object")):
        found = [1e3 * one.misses[number] if len(one.misses) > number else np.inf for one in runs]
        yield Claim(
            f"miss-{name}", OUR_BAR, f"distance of the hand to the {name} when it grasps, worst run",
            float(min(max(found), 1e6)), "mm", data, Band(high=15.0),
        )  # fmt: skip
    yield Claim(
        "peak-force-runs", "M17 Fig. 11: 800 N for 58 kg", "largest normal force on a foot, worst run",
        max(one.run.peak_force for one in runs), "body weights", data, Band(high=1.41),
    )  # fmt: skip
    slips = np.array([measure_soles(one.run) for one in runs if not one.run.fallen])
    for name, words, value in zip(
        ("slip", "tip"), ("a foot that carries slips", "a corner of a foot that carries rises"), slips.max(axis=0),
        strict=True,
    ):  # fmt: skip
        yield Claim(name, OUR_BAR, f"{words}, worst run", 100.0 * float(value), "cm", data, Band(high=1.0))
    unsolved = sum(one.run.unsolved for one in runs)
    yield Claim("unsolved", OUR_BAR, "plans of steps that were not solved", unsolved, "plans", data, Band(high=0.0))
    yield Claim(
        "overlap", "M17 section 3.2", "share of the left hand's reach that is over when the last foot lands, mean",
        float(np.mean([_measure_overlap(one) for one in runs if one.misses])), "1", data, Band(low=0.5),
    )  # fmt: skip
    yield _measure_margin(setting)
    yield _measure_refusals(setting)


def run_trial(setting: HumanoidSetting, seed: int, *, jumps: bool) -> DrawerRun:
    """Run to a drawer that is drawn with a seed; one that jumps does so in one of the first seconds, mostly away."""
    random = np.random.default_rng(seed)
    world, drawer = draw_world(random, seed), draw_drawer(random)
    way = np.array([random.uniform(-0.1, 0.5), random.uniform(-0.15, 0.15), random.uniform(-0.03, 0.03)])
    low, high = 0.86, 1.07
    way[2] = np.clip(drawer.handle[2] + way[2], low, high) - drawer.handle[2]
    time = random.uniform(0.7, 3.0)
    return setting.open_drawer(drawer, world, jump=(time, way) if jumps else None)


def _measure_overlap(one: DrawerRun) -> float:
    """Return how much of the hand's way relative to the pelvis is over when the last foot before the grasp lands."""
    run = one.run
    hand, jacobians = run.robot.hands[0], Jacobians(run.robot.dynamics)

    def reach(tick: int) -> float:
        jacobians.take(run.q[tick])
        return float(jacobians.place(hand.joint, hand.point).position[0] - run.q[tick, 0])

    landings = [int(np.searchsorted(run.times, time)) for time, _ in run.footprints]
    begin, end = landings[-4], landings[-3]  # the last step; two on the spot follow
    grasp = min(end + 100, len(run.times) - 1)
    start, landed, final = reach(begin), reach(end), reach(grasp)
    return (landed - start) / (final - start)


def _measure_margin(setting: HumanoidSetting) -> Claim:
    """How far planned zero moment points are inside soles, without errors and without balance."""
    walker, worst = Walker(setting.robot, balanced=False), np.inf
    for seed in range(_MARGINS):
        planner = DrawerPlanner(walker, setting.model, draw_drawer(np.random.default_rng(FROZEN + seed)))
        margins = measure_margins(setting.robot, rehearse(walker, planner, SECONDS))
        worst = min(worst, float(np.percentile(margins, 1.0)))
    return Claim(
        "zmp-margin", OUR_BAR, "planned multibody zero moment point inside the soles, 99 % of the time, worst run",
        100.0 * worst, "cm", f"{_MARGINS} drawers", Band(low=1.0),
    )  # fmt: skip


def _measure_refusals(setting: HumanoidSetting) -> Claim:
    """How many drawers out of reach are refused before the first step."""
    refused = 0
    for handle in np.array(_REFUSED):
        try:
            DrawerPlanner(setting.walker, setting.model, Drawer(handle, handle + [-0.07, -0.22, -0.05]))
        except InputError:
            refused += 1
    return Claim(
        "refused", OUR_BAR, "drawers too high, too low, too near or behind that are refused before the first step",
        100.0 * refused / len(_REFUSED), "%", f"{len(_REFUSED)} drawers", Band(low=100.0),
    )  # fmt: skip
