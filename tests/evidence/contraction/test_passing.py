"""Headings past an obstacle contract off its direction and diverge straight at it, by the law of navigation."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.contraction.certificate import Verdict
from gambol.errors import InputError
from gambol.primitives.navigation.heading import PRIORITY_SHARE, Obstacles, approach_targets, avoid_collisions
from gambol.primitives.navigation.walker import AgentStates, WalkerLimits
from gambol_evidence.contraction.passing import certify_passing, heading_system, yielding_system
from gambol_evidence.reproduce.crowd.certificates import BESIDE, GOALS

SYSTEMS = {False: heading_system(), True: yielding_system()}
SIDES = [(side, yields) for yields, both in BESIDE.items() for side in both]
WALKER = WalkerLimits()


def _turned(x, goal, pace, course):
    """Radians a second by navigation, and who yields, for walkers with one other each that all but touches them.

    So near its weight is 1. The obstacle lies in the direction of the x axis.
    """
    count, random = len(x), np.random.default_rng(3)
    place = random.uniform(-5.0, 5.0, (count, 2))
    state = AgentStates(place, x, random.uniform(0.0, WALKER.top_speed, count), np.zeros(count), np.zeros(count))
    velocity = pace * WALKER.top_speed * np.exp(1j * course)
    others = Obstacles(np.arange(count), state.place + random.uniform(0.1, 0.4, count), velocity, np.full(count, 0.3))
    target = state.place + random.uniform(2.0, 9.0, count) * np.exp(1j * goal)
    away, slower = avoid_collisions(others, target, np.full(count, 100.0), state, WALKER)
    return approach_targets(target, state, WALKER)[0] + away, slower > 0.0


def _drawn(side, count=4_000):
    low, high = (side[0], GOALS[0], 0.0, -np.pi), (side[1], GOALS[1], 1.0, np.pi)
    return np.random.default_rng(0).uniform(low, high, (count, 4)).T


def _points(x, goal, weight, pace, course, yields):
    return np.stack((x, goal, weight, pace, course)[: 5 if yields else 3], axis=1)


@pytest.mark.parametrize("pace", [0.0, None], ids=["poles", "walkers"])
def test_the_certified_law_is_the_one_that_walkers_follow(pace):
    x, goal, paces, course = _drawn((-1.2, 1.2))
    paces = np.maximum(paces, 0.2) if pace is None else np.zeros_like(x)
    turned, yields = _turned(x, goal, paces, course)
    assert yields.mean() > 0.2 if pace is None else not yields.any()
    # Whoever goes first before someone who moves turns by a share only.
    weight = np.where(yields | (paces == 0.0), 1.0, PRIORITY_SHARE)
    for who in np.unique(yields):
        points = _points(x, goal, weight, paces, course, who)[yields == who]
        np.testing.assert_allclose(SYSTEMS[who].rates_at(points)[:, 0], turned[yields == who], atol=1e-9)


@pytest.mark.parametrize(("side", "yields"), SIDES)
def test_beside_an_obstacle_headings_come_together_at_least_so_fast(side, yields):
    found = certify_passing(side, GOALS, yields=yields)
    assert found.contracting
    x, goal, pace, course = _drawn(side)
    slopes = []
    for weight in (0.0, 0.5, 1.0):
        ends = [
            SYSTEMS[yields].rates_at(_points(x + off, goal, np.full_like(x, weight), pace, course, yields))
            for off in (-1e-6, 1e-6)
        ]
        slopes.append((ends[1] - ends[0]) / 2e-6)
    assert np.max(slopes) <= -found.rate + 1e-6


@pytest.mark.parametrize(("side", "yields"), SIDES)
def test_nearer_to_the_obstacle_they_part(side, yields):
    # The shift makes the sides unequal: what is wide enough on the right is not on the left.
    nearer = tuple(end - 0.15 * np.sign(end) if abs(end) < 1.0 else end for end in side)
    assert not certify_passing(nearer, GOALS, yields=yields).contracting


@pytest.mark.parametrize("yields", [False, True])
def test_straight_at_it_the_state_that_is_shown_parts(yields):
    found = certify_passing((-0.3, 0.3), GOALS, yields=yields)
    assert found.verdict is Verdict.REFUTED
    ends = [
        SYSTEMS[yields].rates_at(found.witness.state[None] + off * np.eye(1, 5 if yields else 3))
        for off in (-1e-6, 1e-6)
    ]
    assert float((ends[1] - ends[0])[0, 0]) / 2e-6 == pytest.approx(found.witness.growth)
    assert found.witness.growth > 10.0


def test_an_obstacle_that_is_far_in_time_does_not_part_headings():
    assert certify_passing((-0.3, 0.3), GOALS, weight=(0.0, 0.05)).contracting


def test_a_goal_behind_is_another_law():
    with pytest.raises(InputError, match="goals behind"):
        certify_passing((0.4, 1.5), GOALS)
