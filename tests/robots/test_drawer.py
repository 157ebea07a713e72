"""The whole task: walk up to a drawer, open it, reach in, park; and follow a drawer that jumps away."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from gambol import load
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.robots.actions.model import ActionModel, learn_actions
from gambol.robots.actions.trials import OPENING, PULL, make_trials
from gambol.robots.actions.upper_body import UpperBody
from gambol.robots.drawer import Drawer, DrawerPlanner
from gambol.robots.execution import Run, execute
from gambol.robots.simulation import Simulation, World
from gambol.robots.verb import _report
from gambol.robots.walker import TICK, Walker, WalkingState
from tests.robots.test_whole_body import jvrc

pytestmark = pytest.mark.slow


@cache
def learn() -> ActionModel:
    return learn_actions(make_trials([load("walk")], UpperBody(jvrc()), reaches=6))


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
    assert _report(run, planner, {}).notes == ()
    assert "stayed shut" in _report(replace(run, drawer=0.0 * run.drawer), planner, {}).notes[0]
    check_pull(run, planner)
    planned = DrawerPlanner(planner._walker, learn(), make_drawer(1.2)).plan
    assert [step.action for step in planner.plan] == [step.action for step in planned]
    assert planned[-3].action == OPENING
    upper = planner._body.columns
    np.testing.assert_allclose(run.q[-1, upper], planner._walker.posture[upper], atol=np.radians(2.0))


def check_pull(run: Run, planner: DrawerPlanner) -> None:
    """The hand pulls the drawer out as Newton demands, from when it is at the handle, and leaves it open."""
    pulled, force = run.drawer[:, 3], run.grasp_forces
    assert np.abs(pulled[run.times < 3.0]).max() < 1e-4
    assert pulled[-1] == pytest.approx(PULL, abs=0.005)
    assert not force[-1].any()
    grasped = int(np.flatnonzero(force.any(axis=1))[0])
    hand = run.robot.hands[0]
    placed = place(run.robot.character.skeleton, run.q[[grasped]])
    (where,) = placed.positions[:, hand.joint] + quat.rotate(placed.rotations[:, hand.joint], hand.point)
    assert np.linalg.norm(where - planner.drawer.handle) < 0.015
    speed = np.gradient(pulled, TICK)
    first = int(np.flatnonzero(speed > 0.02)[0])
    last = first + int(np.flatnonzero(speed[first:] < 0.02)[0]) - 1
    assert pulled[last] - pulled[first] > 0.1
    # The impulse of the hand is the momentum that the drawer gains, and what damping and friction of the rails take.
    impulse = -TICK * np.trapezoid(force[first : last + 1, 0])
    lost = 20.0 * (pulled[last] - pulled[first]) + 5.0 * TICK * (last - first)
    assert impulse == pytest.approx(2.0 * (speed[last] - speed[first]) + lost, rel=0.02)
    missed, planner.misses = planner.misses, [0.05]
    planner._playing = planner._playing._replace(step=planner._opening)
    assert not planner.pull.grasped
    planner.misses = missed
    assert planner.pull.grasped


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
