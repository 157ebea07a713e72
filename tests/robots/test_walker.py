"""A robot that walks in the simulation, as planned, and whose filter makes up for its limbs."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from gambol.robots.cart import Cart
from gambol.robots.course import SwingPhase, WalkingCourse
from gambol.robots.dynamic_filter import SAMPLE, DynamicFilter, find_zero_moment_points
from gambol.robots.execution import Orders, Run, execute
from gambol.robots.footprints import Footprint, Swing
from gambol.robots.pattern import PERIOD, PLANNED_SAMPLES, Gait
from gambol.robots.simulation import Simulation, World
from gambol.robots.stabiliser import SensedState
from gambol.robots.walker import TICK, Walker, WalkingState
from tests.robots.test_whole_body import find_soles, jvrc

GAIT = Gait(np.array([0.3, 0.0]), 0.1, 7)


class Steps:
    """Orders some steps."""

    def __init__(self, walker: Walker, count: int) -> None:
        self.walker, self.left, self.ended = walker, count, 0

    def order(self, state: WalkingState, sensed: SensedState) -> Orders:
        if state.support is not None and state.left == 0 and state.ticks == 0:
            self.left -= 1
        standing = self.left == 0 and state.support is None
        self.ended += standing
        return Orders([GAIT] * self.left, self.walker.posture, done=self.ended > 200)


@cache
def walk() -> Run:
    walker = Walker(jvrc())
    return execute(walker, Steps(walker, 4), World(encoder_noise=5e-4, attitude_noise=2e-3, seed=1))


@pytest.mark.slow
def test_it_walks_as_ordered_and_stops() -> None:
    run = walk()
    assert not run.fallen
    feet = [foot for _, foot in run.footprints]
    assert [foot.side for foot in feet] == [0, 1, 0, 1]
    np.testing.assert_allclose(np.diff([time for time, _ in run.footprints]), 0.7, atol=1e-6)
    np.testing.assert_allclose(np.diff([foot.heading for foot in feet]), 0.07, atol=0.01)
    assert 0.75 < feet[-1].x < 0.9
    np.testing.assert_allclose(run.q[-1, :2] - run.commands[-1, :2], 0.0, atol=0.03)
    assert np.abs(np.diff(run.q[-40:], axis=0)).max() < 1e-3
    assert 1.0 < run.peak_force < 1.5


@pytest.mark.slow
def test_feet_do_not_slip_and_swing_above_the_ground() -> None:
    run = walk()
    places = np.array([[sole.position for sole in find_soles(run.robot, q)] for q in run.q[::10]])
    loaded = run.wrenches[::10, :, 2] > 300.0
    for foot in range(2):
        both = loaded[1:, foot] & loaded[:-1, foot]
        slips = np.linalg.norm(np.diff(places[:, foot, :2], axis=0), axis=1)[both]
        assert slips.max() < 0.01
        assert places[:, foot, 2].max() > 0.03


def test_a_step_of_a_walker_depends_on_its_state_alone() -> None:
    walker = Walker(jvrc(), filtered=False)
    state = walker.start()
    sensed = Simulation(jvrc(), state.q).sense()
    for _ in range(30):
        state = walker.step(state, sensed, [GAIT])
    one = walker.step(state, sensed, [GAIT])
    walker.step(walker.start(), sensed, [])
    np.testing.assert_array_equal(walker.step(state, sensed, [GAIT]).q, one.q)


def make_course() -> WalkingCourse:
    """A step ahead on the right foot while the centre of mass stays above it."""
    feet = Footprint(0, -0.15, 0.1, 0.0), Footprint(1, 0.0, -0.1, 0.0)
    swing = SwingPhase(0, 0.1, 0.7, Swing.lift(feet[0]), Footprint(0, 0.15, 0.1, 0.0))
    return WalkingCourse(Cart.rest(np.array([0.0, -0.08])), np.zeros((PLANNED_SAMPLES, 2)), PERIOD, feet, (swing,))


def test_courses_swing_one_foot_and_keep_the_other() -> None:
    course = make_course()
    begin, middle, end = (course.at(time) for time in (0.05, 0.4, 0.8))
    assert begin.carrying == end.carrying == (True, True)
    assert middle.carrying == (False, True)
    assert middle.heights == (pytest.approx(0.05), 0.0)
    lowering = course.at(0.6)
    assert 0.0 < middle.places[0][0] < lowering.places[0][0] == 0.15
    assert lowering.heights[0] > 0.01, "the sole is above its place before it lands"
    assert end.places[0][0] == 0.15
    assert course.feet_at(0.69)[0].x == -0.15
    np.testing.assert_array_equal(middle.places[1], [0.0, -0.1, 0.0])


def test_zero_moment_points_are_those_of_inverse_dynamics() -> None:
    robot = jvrc()
    random = np.random.default_rng(0)
    times = TICK * np.arange(9)[:, None]
    poses = robot.posture + 0.05 * random.normal(size=len(robot.posture)) * np.sin(
        3.0 * times + random.normal(size=len(robot.posture))
    )
    (point,) = find_zero_moment_points(robot, poses[3:6], TICK)
    q, velocity = poses[4], (poses[5] - poses[3]) / (2.0 * TICK)
    acceleration = (poses[5] - 2.0 * poses[4] + poses[3]) / TICK**2
    # Generalised forces of the root: the slides' are the ground's force; the turns' are moments about the root.
    forces = robot.dynamics.torques(q, velocity, acceleration)
    heading, pitch, _ = q[3:6]
    axes = np.array(
        [
            [0.0, 0.0, 1.0],
            [-np.sin(heading), np.cos(heading), 0.0],
            [np.cos(heading) * np.cos(pitch), np.sin(heading) * np.cos(pitch), -np.sin(pitch)],
        ]
    )
    moment, force = np.linalg.solve(axes, forces[3:6]), forces[:3]
    x = q[0] - (moment[1] + q[2] * force[0]) / force[2]
    y = q[1] + (moment[0] - q[2] * force[1]) / force[2]
    np.testing.assert_allclose(point, [x, y], atol=1e-9)


def test_the_filter_makes_up_for_a_swinging_leg() -> None:
    course, height = make_course(), 0.85
    correct = DynamicFilter(jvrc(), height)
    missed = correct.find_missed(correct.preview(jvrc().posture, course, jvrc().posture), course)
    assert np.abs(missed[:, 0]).max() > 0.02
    jerks = correct.correct(jvrc().posture, course, Cart.rest(np.zeros(2)), jvrc().posture)
    cart, left = Cart.rest(np.zeros(2)), []
    for jerk, gap in zip(jerks, missed, strict=True):
        cart = cart.advance(jerk, SAMPLE)
        left.append(gap - cart.find_zero_moment_point(height))
    assert np.abs(left).max() < 0.3 * np.abs(missed).max()
    assert np.abs(cart.position).max() < 0.03


def stand_on_one(error: tuple[float, float], left: int, support: int = 1) -> WalkingState:
    """A walker in the middle of a step of 7 samples, above its foot, whose divergent component lacks an error (m)."""
    walker = Walker(jvrc(), filtered=False)
    state = walker.start()
    course = replace(state.course, cart=Cart.rest(0.9 * state.course.feet[support].place[:2]))
    balance = state.balance._replace(error=np.array(error))
    return state._replace(support=support, left=left, samples=7, course=course, balance=balance)


def plan_step(state: WalkingState, adaptive: bool = True) -> WalkingState:
    walker = Walker(jvrc(), filtered=False, adaptive=adaptive)
    return walker._plan(state, [Gait(np.array([0.2, 0.0]))] * 4, walker.posture)


def test_the_next_step_goes_where_the_body_falls() -> None:
    calm = plan_step(stand_on_one((0.0, 0.0), left=4)).course.swings[0].goal
    for error, axis in (((-0.2, 0.0), 0), ((0.0, -0.1), 1)):  # it is too far ahead, or too far to the left
        pushed = plan_step(stand_on_one(error, left=4)).course.swings[0].goal
        assert pushed.place[axis] - calm.place[axis] > 0.02
        rigid = plan_step(stand_on_one(error, left=4), adaptive=False).course.swings[0].goal
        np.testing.assert_allclose(rigid.place, calm.place, atol=1e-6)


def test_errors_of_the_impact_do_not_move_steps() -> None:
    calm, landing = (plan_step(stand_on_one((x, 0.0), left=6)).course.swings[0].goal for x in (0.0, -0.2))
    np.testing.assert_allclose(landing.place, calm.place, atol=1e-6)


@pytest.mark.parametrize(("support", "outward"), [(0, -0.07), (1, 0.07)])
def test_a_step_waits_for_a_body_that_was_pushed_outward(support: int, outward: float) -> None:
    waiting = plan_step(stand_on_one((0.0, outward), left=2, support=support))
    assert (waiting.left, waiting.samples, waiting.delayed) == (3, 8, 1)
    for state in (
        stand_on_one((0.0, -outward), left=2, support=support),  # it comes to the other foot by itself
        stand_on_one((0.0, outward), left=4, support=support),  # there is time left
        stand_on_one((0.0, outward), left=2, support=support)._replace(delayed=8),  # it has waited
    ):
        assert plan_step(state).left == state.left
    assert plan_step(stand_on_one((0.0, outward), left=2, support=support), adaptive=False).left == 2


def test_a_swinging_sole_is_level_although_the_body_leans() -> None:
    """Commanded relative to a body that is thought upright: turned against the lean, about the foot that stands."""
    walker = Walker(jvrc(), filtered=False)
    soles = walker.start().course.at(0.0).soles
    upright, leaning = walker.posture, walker.posture.copy()
    leaning[4] += 0.1  # ahead
    ahead = soles[0]._replace(position=soles[0].position + [0.2, 0.0, 0.03])
    moved = walker._level_swing((ahead, soles[1]), (False, True), upright, leaning)
    assert moved[1] is soles[1]
    assert moved[0].position[2] > ahead.position[2] + 0.015, "toes of a body that leans ahead are raised"
    assert (moved[0].rotation @ [1.0, 0.0, 0.0])[2] == pytest.approx(np.sin(0.1), abs=1e-6)
    assert walker._level_swing((ahead, soles[1]), (True, True), upright, leaning)[0] is ahead
