"""Tests of sequences of actions: lengths of steps, added cycles, plans that change, and drawers that are refused."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.robots.actions.sequence import (
    ActionPlan,
    list_gaits,
    measure_advance,
    plan_actions,
    replan_actions,
)
from gambol.robots.actions.trials import DrawerTask
from tests.robots.actions.made import LENGTHS, make_drawer, make_model

MODEL = make_model(4)
NEAREST = 0.45 + 2 * 0.2 + 0.1 + 0.05
"""Comfortable distance and shortest steps, of which the last one counts half."""
FARTHEST = 0.45 + 2 * 0.3 + 0.25 + 0.125


def list_actions(plan: ActionPlan) -> list[str]:
    return [step.action for step in plan]


def find_final_distance(plan: ActionPlan, distance: float) -> float:
    return distance - measure_advance([step.length for step in plan[:-1]])


def test_a_robot_ends_midway_between_the_feet() -> None:
    feet = np.cumsum([0.2, 0.3, 0.1])
    assert measure_advance([0.2, 0.3, 0.1]) == pytest.approx(0.5 * (feet[-1] + feet[-2]))
    assert measure_advance([0.3, 0.1], before=0.2) == pytest.approx(0.5 * (feet[-1] + feet[-2]) - 0.5 * feet[0])
    assert measure_advance([]) == 0.0


@pytest.mark.parametrize("distance", [NEAREST + 1e-6, 1.2, FARTHEST - 1e-6])
def test_three_actions_end_at_the_comfortable_distance(distance: float) -> None:
    plan = plan_actions(make_drawer(distance), MODEL)
    assert list_actions(plan) == ["walk", "walk", "approach", "approach", "open"]
    assert [step.second for step in plan[:-1]] == [False, True, False, True]
    assert find_final_distance(plan, distance) == pytest.approx(MODEL.comfort) == pytest.approx(0.45)
    assert plan[-1].task.drawer is not None
    assert plan[-1].task.drawer.handle == pytest.approx((0.45, 0.1, 1.0))
    for step in plan[:-1]:
        assert LENGTHS[step.action][0] - 1e-9 <= step.length <= LENGTHS[step.action][1] + 1e-9
        assert step.length <= 0.5 * step.duration
        assert step.duration / 0.1 == pytest.approx(round(step.duration / 0.1))


@pytest.mark.parametrize("distance", [FARTHEST + 0.01, 1.9, 3.0])
def test_cycles_are_added_for_drawers_far_away(distance: float) -> None:
    plan = plan_actions(make_drawer(distance), MODEL)
    steps = len(plan) - 1
    assert steps > 4
    assert steps % 2 == 0
    assert list_actions(plan)[-3:] == ["approach", "approach", "open"]
    assert set(list_actions(plan)[:-3]) == {"walk"}
    assert find_final_distance(plan, distance) == pytest.approx(0.45)
    fewer = 0.45 + 0.3 * (steps - 4) + 0.25 + 0.125
    assert distance > fewer  # no cycle too many


def test_the_walker_makes_the_steps_of_a_plan_before_opening() -> None:
    plan = plan_actions(make_drawer(1.2), MODEL)
    gaits = list_gaits(plan[1:])
    assert [gait.velocity[0] * gait.seconds for gait in gaits] == pytest.approx([step.length for step in plan[1:4]])
    assert [gait.seconds for gait in gaits] == pytest.approx([step.duration for step in plan[1:4]])
    assert list_gaits(plan[4:]) == []


def move_aside(distance: float, aside: float) -> DrawerTask:
    return make_drawer(distance).move_nearer(0.0, -aside)


@pytest.mark.parametrize("aside", [-0.9, -0.25, 0.25, 0.9])
def test_a_robot_goes_aside_with_the_foot_on_that_side(aside: float) -> None:
    """As far as hands need it; the last step, in which the hand reaches, closes the stance."""
    plan = plan_actions(move_aside(1.5, aside), MODEL)
    gone = sum(step.aside for step in plan)
    at_end = plan[-1].task.drawer
    assert at_end is not None
    assert np.sign(gone) == np.sign(aside)
    assert abs(gone) < abs(aside)
    assert at_end.handle[1] == pytest.approx(0.1 + aside - gone)
    assert 0.0 <= at_end.handle[1] <= 0.2
    assert find_final_distance(plan, 1.5) == pytest.approx(0.45)
    assert plan[-2].aside == 0.0
    for step in plan:
        assert abs(step.aside) <= 0.08 + 1e-9
        assert step.aside == 0.0 or step.second == (aside < 0.0)
    gaits = list_gaits(plan)
    assert sum(gait.velocity[1] * gait.seconds for gait in gaits) == pytest.approx(gone)
    assert gaits[0].velocity[1] >= 0.0, "the walker begins with the left foot"


def test_nobody_goes_aside_for_a_drawer_that_hands_reach_easily() -> None:
    assert all(step.aside == 0.0 for step in plan_actions(make_drawer(1.5), MODEL))


def test_steps_are_inserted_if_the_drawer_jumps_aside() -> None:
    plan = plan_actions(make_drawer(1.2), MODEL)
    for current in (1, 3):
        ahead = advance_plan(plan, current, 1.2, 0.0)
        again = replan_actions(plan, current, move_aside(ahead, 0.4), MODEL)
        assert len(again) > len(plan)
        assert sum(step.aside for step in again) > 0.25
    kept = replan_actions(plan, 3, move_aside(advance_plan(plan, 3, 1.2, 0.0), 0.09), MODEL)
    assert list_actions(kept) == list_actions(plan), "hands still reach it"


def advance_plan(plan: ActionPlan, current: int, distance: float, jump: float) -> float:
    """Distance of a drawer that has jumped away, from midway between the feet after the current step."""
    return distance + jump - measure_advance([step.length for step in plan[: current + 1]])


@pytest.mark.parametrize("current", [0, 1, 2])
def test_a_small_jump_changes_the_lengths_of_the_steps_left(current: int) -> None:
    plan = plan_actions(make_drawer(1.2), MODEL)
    again = replan_actions(plan, current, make_drawer(advance_plan(plan, current, 1.2, 0.03)), MODEL)
    assert list_actions(again) == list_actions(plan)
    assert [step.second for step in again] == [step.second for step in plan]
    assert again[: current + 1] == plan[: current + 1]
    assert find_final_distance(again, 1.23) == pytest.approx(0.45)


@pytest.mark.parametrize("current", [0, 1, 2, 3])
@pytest.mark.parametrize("jump", [0.3, 1.0])
def test_steps_are_inserted_if_the_drawer_jumps_away(current: int, jump: float) -> None:
    plan = plan_actions(make_drawer(1.3), MODEL)
    again = replan_actions(plan, current, make_drawer(advance_plan(plan, current, 1.3, jump)), MODEL)
    assert len(again) > len(plan)
    assert [step.second for step in again[:-1]] == [bool(n % 2) for n in range(len(again) - 1)]
    assert again[-2].second  # the left hand reaches while the right foot steps
    assert list_actions(again)[-3:] == ["approach", "approach", "open"]
    assert list_actions(again)[current:].count("approach") == 2  # a reach that has begun is broken off
    assert find_final_distance(again, 1.3 + jump) == pytest.approx(0.45)
    assert [step.length for step in again[: current + 1]] == [step.length for step in plan[: current + 1]]


def test_nothing_is_inserted_while_the_handle_stays_within_reach() -> None:
    plan = plan_actions(make_drawer(1.2), MODEL)
    again = replan_actions(plan, 3, make_drawer(0.47), MODEL)
    assert list_actions(again) == list_actions(plan)
    assert again[-1].task.drawer == make_drawer(0.47)


def test_steps_get_shorter_if_the_drawer_comes_nearer() -> None:
    plan = plan_actions(make_drawer(1.2), MODEL)
    again = replan_actions(plan, 1, make_drawer(advance_plan(plan, 1, 1.2, -0.15)), MODEL)
    assert list_actions(again) == list_actions(plan)
    assert find_final_distance(again, 1.05) == pytest.approx(0.45)


@pytest.mark.parametrize(
    ("drawer", "said"),
    [
        (make_drawer(1.2, height=1.6), "1.600 m above the floor; hands reach from 0.8"),
        (make_drawer(1.2, height=0.3), "0.300 m above the floor"),
        (make_drawer(1.2)._replace(item=(1.2, 0.5, 0.98)), "object is -0.400 m to the right of the drawer's handle"),
        (make_drawer(0.7), "0.70 m ahead, too near to walk up to it; start at least 1.00 m away"),
        (make_drawer(float("nan")), "not finite"),
        (make_drawer(1.2)._replace(item=(1.6, -0.1, 0.98)), "object is 0.850 m ahead of where the robot would stand"),
    ],
)
def test_drawers_out_of_reach_are_refused(drawer: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        plan_actions(drawer, MODEL)  # type: ignore[arg-type]


def test_a_drawer_that_comes_too_near_is_refused() -> None:
    plan = plan_actions(make_drawer(1.2), MODEL)
    with pytest.raises(InputError, match=r"0\.20 m ahead, too near to reach for it"):
        replan_actions(plan, 3, make_drawer(0.2), MODEL)
