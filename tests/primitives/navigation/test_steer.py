"""Steering: limits, symmetry, and independence of the numbering of agents."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.primitives.navigation import scenarios
from gambol.primitives.navigation.floor_plan import FloorPlan
from gambol.primitives.navigation.steer import perceive, prepare_floor, steer
from gambol.primitives.navigation.walk import WalkRecord, compute_clearance, simulate_walk
from gambol.primitives.navigation.walker import AgentStates, WalkerLimits, advance_agents

WALKER = WalkerLimits()


def test_a_lone_agent_walks_straight_to_its_goal() -> None:
    done = simulate_walk(FloorPlan([[1.0, 2.0]], [[7.0, 10.0]]))
    across = (done.position[:, 0] - [1.0, 2.0]) @ np.array([-0.8, 0.6])
    assert np.abs(across).max() < 1e-9
    assert done.detour == pytest.approx(1.0)
    # 10 m less the 0.25 m of arrival, 0.54 s lost in accelerating, and some in braking
    assert 9.75 / 1.3 + 0.5 < done.arrival[0] < 10.0
    assert done.speed[-1, 0] == 0.0


def test_who_looks_away_from_its_goal_turns_about_and_does_not_circle_it() -> None:
    done = simulate_walk(FloorPlan([[0.0, 0.0]], [[-2.0, 0.0]], headings=[0.0]))
    assert np.isfinite(done.arrival).all()
    assert np.abs(np.angle(np.exp(1j * np.diff(done.heading, axis=0)))).sum() < 1.5 * np.pi


def test_two_head_on_pass_each_other_on_the_right_like_images_of_each_other() -> None:
    done = simulate_walk(FloorPlan([[-5.0, 0.0], [5.0, 0.0]], [[5.0, 0.0], [-5.0, 0.0]]))
    assert done.position[:, 0] == pytest.approx(-done.position[:, 1], abs=1e-9)
    middle = done.position[np.argmin(np.linalg.norm(done.position[:, 0] - done.position[:, 1], axis=1)), 0]
    assert -0.6 < middle[1] < -0.28
    assert compute_clearance(done.plan, done.position, WALKER.radius) > 0.0


def test_at_a_crossing_who_comes_from_the_right_goes_first() -> None:
    # Agent 0 walks north, agent 1 comes from the east, its right.
    done = simulate_walk(FloorPlan([[0.0, -5.0], [5.0, 0.0]], [[0.0, 5.0], [-5.0, 0.0]]))
    assert done.arrival[1] < done.arrival[0] - 0.2
    assert compute_clearance(done.plan, done.position, WALKER.radius) > 0.0


def test_a_pole_on_the_way_is_passed_without_stopping() -> None:
    done = simulate_walk(FloorPlan([[-4.0, 0.0]], [[4.0, 0.0]], poles=[[0.0, 0.0, 0.3]]))
    assert compute_clearance(done.plan, done.position, WALKER.radius) > 0.05
    assert done.detour < 1.1
    assert done.speed[90:200].min() > 1.0


@pytest.mark.parametrize("make", [scenarios.make_crossing, scenarios.make_doorway, scenarios.make_circle])
def test_limits_of_turning_speed_and_acceleration_are_kept(make: object) -> None:
    done = simulate_walk(make(3), WALKER)  # type: ignore[operator]
    _within_limits(done, WALKER)


def test_other_limits_are_kept_as_well() -> None:
    slow = WalkerLimits(top_speed=0.8, acceleration=0.6, braking=1.0, turn_walking=0.5, turn_standing=1.0)
    done = simulate_walk(scenarios.make_poles(1), slow)
    assert np.isfinite(done.arrival).all()
    _within_limits(done, slow)


def _within_limits(done: WalkRecord, walker: WalkerLimits) -> None:
    rate = done.fps
    turn = np.abs(np.angle(np.exp(1j * np.diff(done.heading, axis=0)))) * rate
    change = np.diff(done.speed, axis=0) * rate
    assert (turn <= walker.turn_limit(done.speed[:-1]) + 1e-9).all()
    assert done.speed.min() >= 0.0
    assert done.speed.max() <= walker.top_speed + 1e-9
    assert change.max() <= walker.acceleration + 1e-6
    assert change.min() >= -walker.braking - 1e-6
    moved = np.diff(done.position, axis=0) * rate
    along = done.speed[1:, :, None] * np.stack([np.cos(done.heading[1:]), np.sin(done.heading[1:])], axis=-1)
    assert moved == pytest.approx(along, abs=1e-9)


def test_the_same_scene_gives_the_same_walk_and_numbers_do_not_matter() -> None:
    scene = scenarios.make_crossing(2)
    order = np.random.default_rng(0).permutation(len(scene.starts))
    one, again = simulate_walk(scene, seconds=9.0), simulate_walk(scene, seconds=9.0)
    assert (one.position == again.position).all()
    other = simulate_walk(FloorPlan(scene.starts[order], scene.goals[order]), seconds=9.0)
    assert other.position == pytest.approx(one.position[:, order], abs=1e-6)


def test_a_turned_and_moved_scene_gives_a_turned_and_moved_walk() -> None:
    scene = scenarios.make_poles(4)
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])

    def moved(points: np.ndarray) -> np.ndarray:
        return points @ turn + [20.0, -7.0]

    poles = np.column_stack([moved(scene.poles[:, :2]), scene.poles[:, 2]])
    there = simulate_walk(FloorPlan(moved(scene.starts), moved(scene.goals), poles=poles), seconds=8.0)
    assert there.position == pytest.approx(moved(simulate_walk(scene, seconds=8.0).position), abs=1e-6)


def test_bodies_that_came_to_overlap_go_apart() -> None:
    scene = FloorPlan([[0.0, 0.0], [2.0, 0.0]], [[4.0, 0.0], [-4.0, 0.0]])
    course, zero = prepare_floor(scene, WALKER), np.zeros(2)
    state = AgentStates(np.array([[0.0, 0.0], [0.4, 0.0]]), np.array([0.0, np.pi]), zero, zero, zero)
    for _ in range(600):
        before = np.linalg.norm(state.position[0] - state.position[1])
        state = advance_agents(state, steer(course, state, perceive(course, state), 1.0 / 60.0), 1.0 / 60.0)
        assert np.linalg.norm(state.position[0] - state.position[1]) > min(before, 2.0 * WALKER.clear_radius) - 1e-9
    assert np.linalg.norm(state.position[0] - state.position[1]) > 2.0 * WALKER.radius


def test_nothing_wild_that_is_wanted_makes_discs_collide() -> None:
    # Room to stop is kept whatever the heading dynamics want: here, noise at full strength in a tight crowd.
    rng = np.random.default_rng(5)
    scene = FloorPlan(
        rng.permutation(np.stack(np.meshgrid(*[np.arange(5) * 0.8] * 2), -1).reshape(-1, 2)), np.zeros((25, 2))
    )
    course, state = prepare_floor(scene, WALKER), scene.state
    places = [state.position]
    for frame in range(600):
        if frame % 6 == 0:
            seen = perceive(course, state)
            noise = rng.normal(0.0, 4.0, (2, 25))
            seen = replace(seen, avoidance=noise[0], target=seen.target + noise[1], speed_share=np.ones(25))
        state = advance_agents(state, steer(course, state, seen, 1.0 / 60.0), 1.0 / 60.0)
        places.append(state.position)
    assert compute_clearance(scene, np.array(places), WALKER.clear_radius) > -1e-9
    assert np.linalg.norm(places[-1] - places[0], axis=1).max() > 1.0
