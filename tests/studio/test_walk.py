"""A robot that walks on a page: paused, pushed, and led to another place, without a browser and in a real Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.robots.drawer import DrawerPlanner
from gambol.robots.verb import HumanoidTask
from gambol.robots.walker import Walker
from gambol.studio.walk import LiveWalk, WalkingRobot
from tests.robots.test_drawer import learn, make_drawer
from tests.robots.test_whole_body import jvrc
from tests.studio.serving import serve
from tests.waiting import wait_for


def make_task(place: tuple[float, float]) -> HumanoidTask:
    return HumanoidTask(Walker(jvrc(), filtered=False), np.array(place))


def run_until(robot: WalkingRobot, seconds: float) -> None:
    while robot.execution.simulation.time < seconds - 1e-9 and not robot.execution.over:
        robot.advance(1.0)


def test_a_robot_follows_its_goal_and_can_start_again() -> None:
    robot = WalkingRobot(make_task((0.1, 0.0)))
    robot.paused = True
    robot.advance(1.0)
    assert robot.execution.simulation.time == 0.0
    robot.paused = False
    robot.move_goal(np.array([0.3, 0.0, 0.0]))
    run_until(robot, 6.0)
    assert robot.execution.finished
    assert abs(np.mean([foot.x for foot in robot.execution.state.course.feet]) - 0.3) < 0.03
    robot.restart()
    assert robot.execution.simulation.time == 0.0
    np.testing.assert_array_equal(robot.goal, [0.1, 0.0, 0.0])


@pytest.mark.parametrize("goal", [[1e5, 0.0, 0.0], [0.0, -30.0, 0.0], [np.nan, 0.0, 0.0]])
def test_a_goal_that_is_too_far_to_plan_for_is_refused(goal: list[float]) -> None:
    robot = WalkingRobot(make_task((0.1, 0.0)))
    with pytest.raises(InputError, match="more than 20 m away"):
        robot.move_goal(np.array(goal))
    np.testing.assert_array_equal(robot.goal, [0.1, 0.0, 0.0])


def test_pushes_are_seen_from_the_robot_and_end() -> None:
    places = []
    for direction in (None, "left", "back"):
        robot = WalkingRobot(make_task((1.0, 0.0)))
        if direction is not None:
            robot.push(direction)
        run_until(robot, 0.2)
        places.append(robot.execution.simulation.q[:2])
        np.testing.assert_array_equal(robot.execution.simulation.data.xfrc_applied, 0.0)
    assert places[1][1] > places[0][1] + 0.005
    assert places[2][0] < places[0][0] - 0.005


def test_a_drawer_that_is_dragged_away_is_planned_for_until_the_robot_has_stopped() -> None:
    walker = Walker(jvrc(), filtered=False)
    robot = WalkingRobot(HumanoidTask(walker, np.array([1.2, 0.12]), (learn(), make_drawer(1.2))))
    planner = robot.planner
    assert isinstance(planner, DrawerPlanner)
    steps = len(planner.plan)
    run_until(robot, 1.0)
    robot.move_goal(robot.goal + [0.45, 0.0, 0.0])
    run_until(robot, 1.1)
    assert len(planner.plan) > steps
    robot.move_goal(robot.goal + [0.0, 0.0, 1.0])
    run_until(robot, 1.2)
    assert "out of reach" in planner.notes[0]
    robot.move_goal(robot.goal - [0.0, 0.0, 1.0])
    run_until(robot, 1.3)
    assert planner.notes == ()
    planner._playing = planner._playing._replace(step=planner._opening)
    with pytest.raises(InputError, match="has stopped at the drawer"):
        robot.move_goal(robot.goal + [0.1, 0.0, 0.0])


@pytest.fixture
def served(monkeypatch) -> Iterator[LiveWalk]:
    monkeypatch.setattr("gambol.studio.walk.load_skin", lambda _: None)  # 20,000 triangles are slow without a GPU
    shown = LiveWalk(make_task((1.0, 0.0)), port=0)
    shown.pause.value = shown.robot.paused = True
    with serve(shown):
        yield shown


@pytest.mark.browser(scale=0.25)
def test_the_page_shows_the_robot_and_pushes_it(served: LiveWalk, page) -> None:
    page.goto(served.url)
    page.get_by_text("0.0 s: the robot").wait_for()
    page.get_by_role("button", name="left").click()
    assert wait_for(lambda: float(served.robot._force[1]) > 0.0)
    served.do(lambda: setattr(served.robot, "paused", False))
    assert wait_for(lambda: not served.words.content.startswith("0.0 s"))
    served.do(lambda: served.robot.move_goal(np.array([0.5, 0.1, 0.0])))
    assert wait_for(lambda: tuple(served.goal.position) == (0.5, 0.1, 0.0))
