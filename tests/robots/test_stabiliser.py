"""Balance: signs of errors, of tilts and of lifts, and what is shared between the feet."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.robots.stabiliser import Balance, SensedState, Stabiliser, WantedBalance
from gambol.robots.walker import TICK
from gambol.robots.whole_body import SolePose, stand_level
from tests.robots.test_whole_body import find_center, find_soles, jvrc

WEIGHT = jvrc().character.mass * GRAVITY


@cache
def make_stabiliser() -> Stabiliser:
    return Stabiliser(jvrc())


def want(support: tuple[bool, bool] = (True, True), aside: float = 0.0) -> WantedBalance:
    """To stand; `aside`: the wanted zero moment point is that far to the left."""
    q = stand_level(jvrc())
    center = find_center(jvrc(), q)
    soles = [SolePose(sole.position, sole.rotation) for sole in find_soles(jvrc(), q)]
    point = center[:2] + [0.0, aside]
    return WantedBalance(center, np.zeros(2), point, (soles[0], soles[1]), support)


def sense(velocity: tuple[float, float] = (0.0, 0.0), forces: tuple[float, float] = (0.5, 0.5)) -> SensedState:
    """A robot that stands and whose root moves, with shares of its weight on its feet."""
    q = stand_level(jvrc())
    wrenches = np.zeros((2, 6))
    wrenches[:, 2] = np.array(forces) * WEIGHT
    return SensedState(q, np.array([*velocity, *np.zeros(len(q) - 2)]), wrenches)


def correct(wanted: WantedBalance, sensed: SensedState, ticks: int = 1) -> Balance:
    balance = Balance.none()
    for _ in range(ticks):
        balance = make_stabiliser().correct(balance, wanted, sensed, TICK)
    return balance


def test_the_error_is_what_the_divergent_component_lacks() -> None:
    omega = np.sqrt(GRAVITY / want().center[2])
    np.testing.assert_allclose(correct(want(), sense()).error, 0.0, atol=1e-9)
    np.testing.assert_allclose(correct(want(), sense((0.1, -0.2))).error, [-0.1 / omega, 0.2 / omega], atol=1e-6)


def test_the_error_of_a_body_behind_its_plan_points_ahead() -> None:
    planned = want()
    ahead = planned._replace(center=planned.center + [0.02, -0.01, 0.0])
    np.testing.assert_allclose(correct(ahead, sense()).error, [0.02, -0.01], atol=1e-9)


def test_a_foot_that_carries_more_turns_more() -> None:
    tilts = correct(want(aside=0.05), sense((0.2, 0.0))).tilts[:, 1]
    share = make_stabiliser()._share(want(aside=0.05))
    assert tilts[0] / tilts[1] == pytest.approx(share[0] / share[1], rel=0.05)


def test_soles_turn_against_a_body_that_falls() -> None:
    """Pitch lowers the toes of a robot that falls ahead; roll lowers the left edge of one that falls to the left."""
    ahead = correct(want(), sense((0.2, 0.0)), ticks=5).tilts
    left = correct(want(), sense((0.0, 0.2)), ticks=5).tilts
    assert (ahead[:, 1] > 0.0).all()
    assert ahead[0, 1] == pytest.approx(ahead[1, 1], abs=1e-6)
    assert left[0, 0] < 0.0


def test_soles_move_as_tilts_and_lifts_say() -> None:
    soles = want().soles
    moved = Balance(np.array([[0.0, 0.1], [0.1, 0.0]]), np.array([0.01, -0.01]), np.zeros(2)).move(soles)
    assert (moved[0].rotation @ [1.0, 0.0, 0.0])[2] == pytest.approx(-0.1, abs=1e-3)  # toes down
    assert (moved[1].rotation @ [0.0, 1.0, 0.0])[2] == pytest.approx(0.1, abs=1e-3)  # left edge up
    for sole, before, lift in zip(moved, soles, (0.01, -0.01), strict=True):
        assert sole.position[2] - before.position[2] == pytest.approx(lift)
        np.testing.assert_allclose(sole.rotation @ sole.rotation.T, np.eye(3), atol=1e-12)


def test_a_foot_that_carries_too_much_is_raised() -> None:
    lifts = correct(want(), sense(forces=(0.8, 0.2)), ticks=5).lifts
    assert lifts[0] > 0.0 > lifts[1]
    assert lifts.sum() == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(correct(want(), sense()).lifts, 0.0, atol=1e-12)


def test_feet_share_the_weight_by_the_zero_moment_point() -> None:
    """More weight is wanted on the foot that is nearer to the point: it sinks."""
    lifts = correct(want(aside=0.05), sense(), ticks=5).lifts
    assert lifts[0] < 0.0 < lifts[1]
    np.testing.assert_allclose(make_stabiliser()._share(want((True, False))), [1.0, 0.0])
    left, right = want().soles
    share = 0.5 + 0.05 / (left.position[1] - right.position[1])
    np.testing.assert_allclose(make_stabiliser()._share(want(aside=0.05)), [share, 1.0 - share], atol=1e-3)


def test_a_foot_in_the_air_returns_to_level() -> None:
    tilted = Balance(np.full((2, 2), 0.1), np.zeros(2), np.zeros(2))
    later = make_stabiliser().correct(tilted, want((True, False)), sense((0.0, 0.0), (1.0, 0.0)), TICK)
    assert (later.tilts[1] > 0.0).all()
    assert (later.tilts[1] < 0.1).all()
