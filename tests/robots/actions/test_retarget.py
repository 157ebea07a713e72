"""Tests of the upper body, of retargeted gait cycles and of edited reaches."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from gambol import load
from gambol.features.strides import compute_leg_length, find_strides
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import Placement, place, place_local
from gambol.primitives.prototypes import prototypes_of
from gambol.robots.actions.retarget import RobotCycle, Slowdown, find_slowdown, retarget_prototype
from gambol.robots.actions.trials import PULL, DrawerTask, add_opening, add_reach
from gambol.robots.references.kinematic import aim_body
from gambol.robots.references.person import PersonBodies
from gambol.stages.feet import SIDES
from tests.robots.actions.made import load_body

WALK = load("walk")
DRAWER = DrawerTask((0.45, 0.1, 0.95), (0.36, -0.12, 0.92))


@cache
def retarget_walk() -> RobotCycle:
    return retarget_stride().slow_down(Slowdown(0.5, 1.5))


@cache
def retarget_stride() -> RobotCycle:
    return retarget_prototype(prototypes_of(WALK, {"stride": find_strides(WALK)[:1]}), "stride", load_body())


def find_angles(*changes: tuple[str, float]) -> Array:
    """Angles of the parking posture with some changed by joint."""
    body = load_body()
    q, skeleton = body.robot.posture.copy(), body.robot.character.skeleton
    for joint, angle in changes:
        q[skeleton.columns(skeleton.index(joint))] = angle
    return q[body.columns]


def follow(*changes: tuple[str, float]) -> Array:
    """Angles of the robot that follows a person who is the robot itself, with some angles changed by joint."""
    body = load_body()
    robot, q = body.robot, body.place_angles(find_angles(*changes))
    placed = place(robot.skeleton, q[None])
    positions = {part: point.locate(placed) for part, point in robot.places.items()}
    positions["pelvis"] = 0.5 * (positions["left_thigh"] + positions["right_thigh"])
    rotations = {
        part: quat.multiply(placed.rotations[:, joint], quat.conjugate(robot.orient_standing(joint)))
        for part, (joint, _) in robot.places.items()
    }
    targets, _ = aim_body(robot, PersonBodies(positions, rotations), 1.0)
    found: Array = body.solve(targets, body.parked[None], 1e-3)[0]
    return found


def test_the_upper_body_is_trunk_neck_and_arms() -> None:
    body = load_body()
    names, dofs = body.robot.skeleton.names, body.robot.skeleton.dofs
    moved = [names[dofs[column].joint] for column in body.columns]
    assert moved[:6] == ["WAIST_Y", "WAIST_P", "WAIST_R", "NECK_Y", "NECK_R", "NECK_P"]
    assert {name[:2] for name in moved[6:]} == {"L_", "R_"}
    assert len(moved) == 20  # neither legs nor thumbs


def test_a_person_built_as_the_robot_is_matched() -> None:
    changes = (
        *(("WAIST_Y", 0.3), ("WAIST_P", 0.2), ("L_SHOULDER_P", -0.9), ("L_SHOULDER_R", 0.5), ("L_SHOULDER_Y", -0.4)),
        *(("L_ELBOW_P", -1.2), ("R_SHOULDER_P", 0.4), ("R_ELBOW_P", -0.7), ("NECK_P", 0.1)),
    )
    assert np.degrees(np.abs(follow(*changes) - find_angles(*changes))).max() < 1.0


def test_limits_are_kept_where_a_person_is_beyond() -> None:
    body, found = load_body(), follow(("L_ELBOW_P", 0.6))  # bent backwards
    assert (found >= body.lower).all()
    assert (found <= body.upper).all()
    skeleton = body.robot.skeleton
    assert found[body.columns.index(skeleton.columns(skeleton.index("L_ELBOW_P"))[0])] > -0.2


def test_hands_get_where_they_should() -> None:
    body = load_body()
    start, goal = find_angles(), np.array([0.45, 0.15, 0.96])
    found = body.solve([body.aim_hand(0, goal)], start[None], 0.005)[0]
    assert body.locate_hands(found)[0] == pytest.approx(goal, abs=1e-3)
    right = list(np.searchsorted(body.columns, body.robot.parts.arms[1].columns))
    assert found[right] == pytest.approx(start[right], abs=0.02)


def test_a_hand_is_located_from_where_the_robot_would_stand() -> None:
    body = load_body()
    height = body.robot.dynamics.center_of_mass(body.robot.posture[None])[0, 2]
    raised = find_angles(("L_SHOULDER_P", -1.2), ("R_SHOULDER_P", -1.2))
    for angles in (find_angles(), raised):
        q = body.place_angles(angles)
        q[:3] -= body.robot.dynamics.center_of_mass(q[None])[0] - [0.0, 0.0, height]
        placed = place(body.robot.character.skeleton, q[None])
        hand = body.robot.hands[0]
        where = placed.positions[0, hand.joint] + quat.rotate(placed.rotations[0, hand.joint], hand.point)
        assert body.locate_hands(angles)[0] == pytest.approx(where, abs=1e-9)


def test_arms_swing_against_legs() -> None:
    body, cycle = load_body(), retarget_walk()
    half = len(cycle.angles) // 2
    for phase, ahead in ((0, 0), (half, 1)):  # strikes of the right foot, then of the left
        hands = body.locate_hands(cycle.angles[phase])
        assert hands[ahead][0] > hands[1 - ahead][0] + 0.1
    assert (cycle.angles[0] == cycle.angles[-1]).all()
    assert np.ptp(cycle.path[:, 1]) < 0.15


def test_the_trunk_moves_about_the_parking_posture() -> None:
    body, trunk = load_body(), slice(0, 3)  # yaw, pitch, roll
    found = retarget_walk().angles[:-1, trunk]
    assert found.mean(axis=0) == pytest.approx(find_angles()[trunk], abs=0.02)
    assert body.columns[trunk] == body.robot.trunk
    assert np.ptp(found[:, 0]) > 0.02


def test_the_head_stays_level() -> None:
    body = load_body()
    robot, head = body.robot, body.robot.places["head"].joint
    turned = place(robot.skeleton, body.place_angles(retarget_walk().angles)).rotations[:, head]
    assert np.degrees(quat.angle(quat.multiply(turned, quat.conjugate(robot.orient_standing(head))))).max() < 1.0


def test_arms_swing_as_far_as_those_of_the_person() -> None:
    robot, cycle = load_body().robot, retarget_walk()
    assert WALK.rig is not None
    stride, parts = find_strides(WALK)[0], WALK.rig.parts
    offsets = np.broadcast_to(WALK.skeleton.offsets, (*stride.rotations.shape[:2], 3))
    person = place_local(WALK.skeleton, Placement(offsets, stride.rotations)).positions
    placed = place(robot.skeleton, load_body().place_angles(cycle.angles))
    for one, other in (("upper_arm", "forearm"), ("forearm", "hand")):
        for side in SIDES:
            bones = person[:, parts[f"{side}_{other}"]] - person[:, parts[f"{side}_{one}"]]
            own = robot.places[f"{side}_{other}"].locate(placed) - robot.places[f"{side}_{one}"].locate(placed)
            theirs, ours = (np.degrees(np.arctan2(each[:, 0], -each[:, 2])) for each in (bones, own))
            assert [ours.min(), ours.max()] == pytest.approx([theirs.min(), theirs.max()], abs=2.0)


def test_paths_are_scaled_by_leg_length() -> None:
    assert WALK.rig is not None
    stride, leg = find_strides(WALK)[0], compute_leg_length(WALK.skeleton, dict(WALK.rig.parts))
    cycle = retarget_stride()
    travelled = np.pi * leg * float(stride.root[:-1, 1].mean())
    assert cycle.length == pytest.approx(travelled * load_body().robot.leg_length / leg, rel=0.03)
    assert cycle.duration == pytest.approx(0.5 * stride.period)


def test_a_slowdown_limits_the_longest_step_and_the_fastest_cycle() -> None:
    cycles = [
        RobotCycle(np.zeros((2, 1)), np.array([[0.0, 0.0], [2.0 * length, 0.0]]), duration)
        for length, duration in ((0.7, 0.5), (0.5, 0.8))
    ]
    slow = [cycle.slow_down(find_slowdown(cycles, 0.5, 0.35)) for cycle in cycles]
    assert [cycle.length for cycle in slow] == pytest.approx([0.35, 0.25])
    assert [cycle.duration for cycle in slow] == pytest.approx([0.7, 1.12])
    assert find_slowdown(slow, 0.5, 0.35) == pytest.approx((1.0, 1.0))


def test_a_reach_leaves_the_swing_and_ends_at_the_handle() -> None:
    body, cycle = load_body(), retarget_walk()
    trial = add_reach(body, cycle, DRAWER, 0.5)
    half = len(cycle.angles) // 2
    assert (trial.angles[: half + 1] == cycle.angles[: half + 1]).all()
    assert body.locate_hands(trial.angles[-1])[0] == pytest.approx(np.array(DRAWER.handle), abs=2e-3)
    changes = np.abs(np.diff(trial.angles, axis=0)).max(axis=1)
    assert changes[half:].max() < 0.25
    assert changes[half] < changes[half:].max()  # begins and ends slowly


def test_an_opening_pulls_with_the_left_hand_and_reaches_with_the_right() -> None:
    body = load_body()
    before = add_reach(body, retarget_walk(), DRAWER, 0.5)
    trial = add_opening(body, before, 2.0)
    assert trial.angles[0] == pytest.approx(before.angles[-1], abs=0.02)
    left, right = body.locate_hands(trial.angles[-1])
    assert left == pytest.approx(np.array(DRAWER.handle) - [PULL, 0.0, 0.0], abs=2e-3)
    assert right == pytest.approx(np.array(DRAWER.item), abs=2e-3)


def test_a_drawer_moves_nearer_for_a_robot_that_walks() -> None:
    moved = DRAWER.move_nearer(0.1)
    assert moved.handle == pytest.approx((0.35, 0.1, 0.95))
    assert moved.item == pytest.approx((0.26, -0.12, 0.92))
