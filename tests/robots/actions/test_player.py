"""Tests of the player of actions: smooth transitions, phases, plans that change, and the end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from gambol.geometry.arrays import Array
from gambol.robots.actions.model import ActionTask
from gambol.robots.actions.player import PARK, ActionPlayer, ActionState
from gambol.robots.actions.sequence import ActionPlan, PlannedStep, plan_actions, replan_actions
from tests.robots.actions.made import load_body, make_drawer, make_model

TICK = 0.005


def make_player() -> ActionPlayer:
    return ActionPlayer(load_body(), make_model(20, 0.03))


def play(player: ActionPlayer, state: ActionState, plan: ActionPlan, seconds: float) -> tuple[ActionState, Array]:
    """Return the last state and postures (ticks, dofs)."""
    postures = []
    for _ in range(round(seconds / TICK)):
        state, posture = player.advance(state, TICK, plan)
        postures.append(posture)
    return state, np.array(postures)


def measure_jumps(player: ActionPlayer, plans: Sequence[tuple[ActionPlan, float]], tick: float) -> Array:
    """Return the largest changes of angles, rates and accelerations from one tick to the next."""
    state, found = player.start(), [player.start().angles]
    for plan, seconds in plans:
        for _ in range(round(seconds / tick)):
            state, _ = player.advance(state, tick, plan)
            found.append(state.angles)
    angles = np.array([one.place for one in found])
    assert np.gradient(angles, tick, axis=0)[1:-1] == pytest.approx(
        np.array([one.rate for one in found])[1:-1], abs=0.1
    )
    return np.array([np.abs(np.diff(angles, n=order, axis=0)).max() / tick ** (order - 1) for order in (1, 2, 3)])


def check_smooth(player: ActionPlayer, plans: Sequence[tuple[ActionPlan, float]]) -> None:
    """Changes within a tick get smaller with the tick only where there are no jumps."""
    coarse, fine = (measure_jumps(player, plans, tick) for tick in (TICK, TICK / 4.0))
    assert (fine < 0.35 * coarse).all()


def test_angles_rates_and_accelerations_are_continuous() -> None:
    player = make_player()
    plan = plan_actions(make_drawer(1.2), player.model)
    check_smooth(player, [(plan, sum(step.duration for step in plan) + 1.0)])


def test_the_curve_of_the_action_is_followed_after_the_transition() -> None:
    player = make_player()
    plan = plan_actions(make_drawer(1.2), player.model)
    state, _ = play(player, player.start(), plan, plan[0].duration + 0.75 * plan[1].duration)
    assert state.step == 1
    assert state.angles.place == pytest.approx(player.model.evaluate("walk", 0.875, plan[1].task), abs=1e-6)


def test_the_last_posture_of_an_action_is_reached_at_the_end_of_its_step() -> None:
    player = make_player()
    plan = plan_actions(make_drawer(1.2), player.model)
    state, _ = play(player, player.start(), plan, sum(step.duration for step in plan) - TICK)
    state, _ = player.advance(state, TICK, plan)
    assert state.step == len(plan)
    assert state.angles.place == pytest.approx(player.model.evaluate("open", 1.0, plan[-1].task), abs=1e-6)


def test_time_steps_do_not_matter() -> None:
    player = make_player()
    plan = plan_actions(make_drawer(1.2), player.model)
    coarse, fine = player.start(), player.start()
    for _ in range(13):
        coarse, _ = player.advance(coarse, 0.2, plan)
    fine, _ = play(player, fine, plan, 2.6)
    assert (coarse.step, coarse.elapsed) == (fine.step, pytest.approx(fine.elapsed))
    assert coarse.angles.place == pytest.approx(fine.angles.place, abs=1e-3)


def test_a_plan_may_change_in_the_middle_of_a_step() -> None:
    player = make_player()
    plan = plan_actions(make_drawer(1.2), player.model)
    seconds = sum(step.duration for step in plan[:3]) + 0.4
    again = replan_actions(plan, 3, make_drawer(1.5), player.model)
    assert (plan[3].action, again[3].action) == ("approach", "walk")
    check_smooth(player, [(plan, seconds), (again, 1.0)])


def test_the_end_is_held_and_parking_returns() -> None:
    player, columns = make_player(), load_body().columns
    plan = plan_actions(make_drawer(1.2), player.model)
    seconds = sum(step.duration for step in plan)
    _, postures = play(player, player.start(), plan, seconds + 2.0)
    assert np.ptp(postures[-50:], axis=0).max() == 0.0
    parking = (*plan, PlannedStep(PARK, ActionTask(0.0, 3.0)))
    _, postures = play(player, player.start(), parking, seconds + 3.0)
    assert postures[-1] == pytest.approx(load_body().robot.posture)
    speeds = load_body().robot.description.speeds[columns]
    parked = np.diff(postures[round(seconds / TICK) + 1 :, columns], axis=0) / TICK
    assert (np.abs(parked) <= speeds).all()


def test_postures_keep_to_limits_and_leave_the_legs() -> None:
    player, body = make_player(), load_body()
    plan = plan_actions(make_drawer(1.2), player.model)
    _, postures = play(player, player.start(), plan, 5.0)
    assert (postures[:, body.columns] >= body.lower).all()
    assert (postures[:, body.columns] <= body.upper).all()
    others = [column for column in range(postures.shape[1]) if column not in body.columns]
    assert (postures[:, others] == body.robot.posture[others]).all()
