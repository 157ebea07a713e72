"""Tests of limbs, of fits of the upper body, of retargeted gait cycles and of edited reaches."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from gambol import load
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.robots.actions.limbs import find_limbs
from gambol.robots.actions.pose_fit import AnglePrior
from gambol.robots.actions.retarget import RobotCycle, Slowdown, find_slowdown, fit_angles, retarget_strides
from gambol.robots.actions.trials import PULL, DrawerTask, add_opening, add_reach, follow_minimum_jerk
from tests.robots.actions.made import load_fit

DRAWER = DrawerTask((0.45, 0.1, 0.95), (0.36, -0.12, 0.92))


@cache
def retarget_walk() -> RobotCycle:
    return retarget_strides(load("walk"), load_fit())[0].slow_down(Slowdown(0.5, 1.5))


def find_angles(*changes: tuple[str, float]) -> Array:
    """Angles of the parking posture with some changed by joint."""
    fit = load_fit()
    q, skeleton = fit.robot.posture.copy(), fit.robot.character.skeleton
    for joint, angle in changes:
        q[skeleton.columns(skeleton.index(joint))] = angle
    return q[fit.columns]


def test_limbs_are_found_from_the_chains_of_the_hands() -> None:
    robot = load_fit().robot
    names, dofs, limbs = robot.character.skeleton.names, robot.character.skeleton.dofs, find_limbs(robot)
    assert names[limbs.chest] == "WAIST_R"
    assert [names[joint] for joint in limbs.shoulders] == ["L_SHOULDER_P", "R_SHOULDER_P"]
    assert [names[joint] for joint in limbs.elbows] == ["L_ELBOW_P", "R_ELBOW_P"]
    assert [names[dofs[column].joint] for column in (*limbs.trunk, *limbs.neck)] == [
        *("WAIST_Y", "WAIST_P", "WAIST_R"),
        *("NECK_Y", "NECK_R", "NECK_P"),
    ]
    assert {names[dofs[column].joint][:2] for column in limbs.arms[0]} == {"L_"}
    assert len(limbs.columns) == 20  # neither legs nor thumbs
    assert limbs.leg == pytest.approx(0.389 + 0.359, abs=0.005)


def test_directions_within_limits_are_matched() -> None:
    fit = load_fit()
    wanted = find_angles(
        *(("WAIST_Y", 0.3), ("WAIST_P", 0.2), ("L_SHOULDER_P", -0.9), ("L_SHOULDER_R", 0.5), ("L_SHOULDER_Y", -0.4)),
        *(("L_ELBOW_P", -1.2), ("R_SHOULDER_P", 0.4), ("R_ELBOW_P", -0.7), ("NECK_P", 0.1)),
    )
    goals = fit.measure_directions(wanted)
    found = fit_angles(fit, goals[None])[0]
    assert np.degrees(np.arccos(np.minimum((fit.measure_directions(found) * goals).sum(axis=1), 1.0))).max() < 0.5
    assert np.degrees(np.abs(found - wanted)).max() < 1.0


def test_limits_are_kept_where_directions_are_beyond() -> None:
    fit = load_fit()
    goals = fit.measure_directions(find_angles(("L_ELBOW_P", 0.6)))  # bent backwards
    found = fit_angles(fit, np.repeat(goals[None], 3, axis=0))[-1]
    assert (found >= fit.lower - 1e-9).all()
    assert (found <= fit.upper + 1e-9).all()
    elbow = fit.columns.index(fit.robot.character.skeleton.columns(fit.limbs.elbows[0])[0])
    assert found[elbow] > -0.2


def test_hands_get_where_they_should() -> None:
    fit = load_fit()
    start, goal = find_angles(), np.array([0.45, 0.15, 0.96])
    found = fit.fit(start, AnglePrior(start, np.full(len(start), 0.05)), 60, hands={0: goal})
    assert fit.locate_hands(found)[0] == pytest.approx(goal, abs=1e-3)
    right = list(np.searchsorted(fit.columns, fit.limbs.arms[1]))
    assert found[right] == pytest.approx(start[right], abs=0.02)


def test_a_hand_is_located_from_where_the_robot_would_stand() -> None:
    fit = load_fit()
    height = fit.robot.dynamics.center_of_mass(fit.robot.posture[None])[0, 2]
    raised = find_angles(("L_SHOULDER_P", -1.2), ("R_SHOULDER_P", -1.2))
    for angles in (find_angles(), raised):
        q = fit.place_angles(angles)
        q[:3] -= fit.robot.dynamics.center_of_mass(q[None])[0] - [0.0, 0.0, height]
        placed = place(fit.robot.character.skeleton, q[None])
        hand = fit.robot.hands[0]
        where = placed.positions[0, hand.joint] + quat.rotate(placed.rotations[0, hand.joint], hand.point)
        assert fit.locate_hands(angles)[0] == pytest.approx(where, abs=1e-9)


def test_arms_swing_against_legs() -> None:
    fit, cycle = load_fit(), retarget_walk()
    half = len(cycle.angles) // 2
    for phase, ahead in ((0, 0), (half, 1)):  # strikes of the right foot, then of the left
        hands = fit.locate_hands(cycle.angles[phase])
        assert hands[ahead][0] > hands[1 - ahead][0] + 0.1
    assert (cycle.angles[0] == cycle.angles[-1]).all()
    assert np.ptp(cycle.path[:, 1]) < 0.15


def test_the_trunk_moves_about_the_parking_posture() -> None:
    fit, trunk = load_fit(), slice(0, 3)  # yaw, pitch, roll
    found = retarget_walk().angles[:-1, trunk]
    assert found.mean(axis=0) == pytest.approx(find_angles()[trunk], abs=0.02)
    assert fit.columns[trunk] == list(fit.limbs.trunk)
    assert np.ptp(found[:, 0]) > 0.02


def test_paths_are_scaled_by_leg_length() -> None:
    from gambol.features.strides import compute_leg_length, find_strides

    motion = load("walk")
    assert motion.rig is not None
    stride, leg = find_strides(motion)[0], compute_leg_length(motion.skeleton, dict(motion.rig.parts))
    cycle = retarget_strides(motion, load_fit())[0]
    travelled = np.pi * leg * float(stride.root[:-1, 1].mean())
    assert cycle.length == pytest.approx(travelled * load_fit().limbs.leg / leg, rel=0.03)
    assert cycle.duration == pytest.approx(0.5 * stride.period)


def test_a_slowdown_limits_the_longest_step_and_the_fastest_cycle() -> None:
    cycles = [
        RobotCycle(np.zeros((2, 1)), np.array([[0.0, 0.0, 0.0], [2.0 * length, 0.0, 0.0]]), duration)
        for length, duration in ((0.7, 0.5), (0.5, 0.8))
    ]
    slow = [cycle.slow_down(find_slowdown(cycles, 0.5, 0.35)) for cycle in cycles]
    assert [cycle.length for cycle in slow] == pytest.approx([0.35, 0.25])
    assert [cycle.duration for cycle in slow] == pytest.approx([0.7, 1.12])
    assert find_slowdown(slow, 0.5, 0.35) == pytest.approx((1.0, 1.0))


def test_a_reach_leaves_the_swing_and_ends_at_the_handle() -> None:
    fit, cycle = load_fit(), retarget_walk()
    trial = add_reach(fit, cycle, DRAWER, 0.5)
    half = len(cycle.angles) // 2
    assert (trial.angles[: half + 1] == cycle.angles[: half + 1]).all()
    assert fit.locate_hands(trial.angles[-1])[0] == pytest.approx(np.array(DRAWER.handle), abs=2e-3)
    changes = np.abs(np.diff(trial.angles, axis=0)).max(axis=1)
    assert changes[half:].max() < 0.25
    assert changes[half] < changes[half:].max()  # begins and ends slowly


def test_an_opening_pulls_with_the_left_hand_and_reaches_with_the_right() -> None:
    fit = load_fit()
    before = add_reach(fit, retarget_walk(), DRAWER, 0.5)
    trial = add_opening(fit, before, 2.0)
    assert trial.angles[0] == pytest.approx(before.angles[-1], abs=0.02)
    left, right = fit.locate_hands(trial.angles[-1])
    assert left == pytest.approx(np.array(DRAWER.handle) - [PULL, 0.0, 0.0], abs=2e-3)
    assert right == pytest.approx(np.array(DRAWER.item), abs=2e-3)


def test_minimum_jerk_rests_at_both_ends() -> None:
    found = [follow_minimum_jerk(phase, (0.2, 0.6)) for phase in (0.0, 0.2, 0.4, 0.6, 1.0)]
    assert found == pytest.approx([0.0, 0.0, 0.5, 1.0, 1.0])
    assert follow_minimum_jerk(0.21, (0.2, 0.6)) == pytest.approx(10.0 * 0.025**3, rel=0.05)


def test_a_drawer_moves_nearer_for_a_robot_that_walks() -> None:
    moved = DRAWER.move_nearer(0.1)
    assert moved.handle == pytest.approx((0.35, 0.1, 0.95))
    assert moved.item == pytest.approx((0.26, -0.12, 0.92))
