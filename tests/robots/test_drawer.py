"""The whole task: walk up to a drawer, open it, reach in, park; and follow a drawer that jumps away."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.robots.actions.model import ActionModel
from gambol.robots.actions.trials import OPENING, PULL
from gambol.robots.drawer import Drawer, DrawerPlanner
from gambol.robots.execution import Run, execute
from gambol.robots.simulation import Simulation, World
from gambol.robots.verb import learn_robot_actions
from gambol.robots.walker import Walker, WalkingState
from tests.robots.test_robot import jvrc

pytestmark = pytest.mark.slow


@cache
def learn() -> ActionModel:
    return learn_robot_actions(jvrc(), ("walk",))


def make_drawer(x: float, y: float = 0.12, z: float = 0.95) -> Drawer:
    return Drawer(np.array([x, y, z]), np.array([x - 0.07, y - 0.22, z - 0.05]))


def open_drawer(jump: float) -> tuple[Run, DrawerPlanner]:
    """A run in which the drawer is moved away during the first step."""
    walker = Walker(jvrc(), filtered=False)
    planner = DrawerPlanner(walker, learn(), make_drawer(1.2))

    def disturb(simulation: Simulation, state: WalkingState) -> None:
        if jump and state.support is not None and planner.drawer.handle[0] < 1.21:
            planner.drawer = planner.drawer.move(np.array([jump, 0.0, 0.0]))

    return execute(walker, planner, World(encoder_noise=2e-4, seed=1), disturb=disturb), planner


def test_the_drawer_is_opened_and_the_robot_parks() -> None:
    run, planner = open_drawer(0.0)
    assert not run.fallen
    assert run.times[-1] < 15.0
    assert len(planner.misses) == 2
    assert max(planner.misses) < 0.015
    check_track(run, planner)
    planned = DrawerPlanner(planner._walker, learn(), make_drawer(1.2)).plan
    assert [step.action for step in planner.plan] == [step.action for step in planned]
    assert planned[-3].action == OPENING
    upper = planner._fit.columns
    np.testing.assert_allclose(run.q[-1, upper], planner._walker.posture[upper], atol=np.radians(2.0))


def check_track(run: Run, planner: DrawerPlanner) -> None:
    """The drawer is pulled out from when the hand is at the handle, and stays open."""
    pulled = np.array(planner.track)[:, 3]
    assert pulled[0] == 0.0
    assert pulled[-1] == PULL
    assert np.diff(pulled).min() > -1e-12
    grasped = int(np.flatnonzero(pulled)[0])
    hand = run.robot.hands[0]
    placed = place(run.robot.character.skeleton, run.q[[grasped]])
    (where,) = placed.positions[:, hand.joint] + quat.rotate(placed.rotations[:, hand.joint], hand.point)
    assert np.linalg.norm(where - planner.drawer.handle) < 0.015
    missed, planner.misses = planner.misses, [0.05]
    assert planner.pulled == 0.0
    planner.misses = missed


def test_a_drawer_that_jumps_away_is_reached_with_more_steps() -> None:
    run, planner = open_drawer(0.45)
    assert not run.fallen
    assert max(planner.misses) < 0.015
    assert len(planner.plan) > len(DrawerPlanner(planner._walker, learn(), make_drawer(1.2)).plan)


def test_a_drawer_out_of_reach_is_refused_before_the_first_step() -> None:
    for drawer, message in (
        (make_drawer(1.2, z=1.6), "1.600 m above the floor"),
        (make_drawer(0.4), "too near"),
    ):
        with pytest.raises(InputError, match=message):
            DrawerPlanner(Walker(jvrc(), filtered=False), learn(), drawer)
