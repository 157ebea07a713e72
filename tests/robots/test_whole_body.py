"""JVRC-1 stands level, and tasks are followed in order."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gambol.body.jacobians import Jacobians
from gambol.errors import InputError
from gambol.robots.biped import Biped
from gambol.robots.biped_file import load_biped
from gambol.robots.descriptions import find_robot
from gambol.robots.whole_body import BodyGoal, SolePose, WholeBody, stand_level


@cache
def jvrc() -> Biped:
    return load_biped()


def find_soles(robot: Biped, q: np.ndarray) -> list[SolePose]:
    jacobians = Jacobians(robot.dynamics)
    jacobians.take(q)
    return [SolePose(*foot.place(jacobians)[:2]) for foot in robot.feet]


def find_center(robot: Biped, q: np.ndarray) -> np.ndarray:
    return robot.dynamics.center_of_mass(q)


def test_jacobians_are_derivatives() -> None:
    robot, jacobians, step = jvrc(), Jacobians(jvrc().dynamics), 1e-6
    q = robot.posture + 0.1 * np.random.default_rng(0).normal(size=len(robot.posture))
    hand = robot.hands[1]
    jacobians.take(q)
    point, center = jacobians.place(hand.joint, hand.point), jacobians.center_jacobian
    for column in range(len(q)):
        moved = q.copy()
        moved[column] += step
        jacobians.take(moved)
        after = jacobians.place(hand.joint, hand.point)
        np.testing.assert_allclose((after.position - point.position) / step, point.jacobian[:3, column], atol=1e-5)
        spin = (after.rotation - point.rotation) / step @ point.rotation.T
        np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], point.jacobian[3:, column], atol=1e-5)
        np.testing.assert_allclose((jacobians.center - find_center(robot, q)) / step, center[:, column], atol=1e-5)


def test_jvrc_stands_level() -> None:
    robot = jvrc()
    assert robot.character.mass == pytest.approx(62.4)
    q = stand_level(robot)
    soles = find_soles(robot, q)
    for sole in soles:
        assert sole.position[2] == pytest.approx(0.0, abs=1e-4)
        np.testing.assert_allclose(sole.rotation, np.eye(3), atol=1e-4)
    np.testing.assert_allclose(find_center(robot, q)[:2], 0.5 * (soles[0].position + soles[1].position)[:2], atol=1e-3)
    dofs = robot.character.skeleton.dofs
    assert all(dof.lower <= angle <= dof.upper for dof, angle in zip(dofs, q, strict=True))


def follow(hand: np.ndarray, center: np.ndarray, ticks: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """The posture after the left hand had a goal, and the goal of the centre of mass."""
    robot = jvrc()
    q = stand_level(robot)
    soles = find_soles(robot, q)
    goal = BodyGoal((soles[0], soles[1]), find_center(robot, q) + center, 0.0, robot.posture, (hand, None))
    body = WholeBody(robot)
    for _ in range(ticks):
        q = body.follow(q, goal, 0.005)
    return q, goal.center


def find_hand(q: np.ndarray) -> np.ndarray:
    jacobians = Jacobians(jvrc().dynamics)
    jacobians.take(q)
    hand = jvrc().hands[0]
    return jacobians.place(hand.joint, hand.point).position


def test_hand_and_centre_of_mass_are_where_they_should_be() -> None:
    goal = np.array([0.35, 0.25, 1.0])
    q, center = follow(goal, np.array([0.02, 0.03, -0.01]))
    np.testing.assert_allclose(find_hand(q), goal, atol=1e-3)
    np.testing.assert_allclose(find_center(jvrc(), q), center, atol=1e-3)


def test_a_hand_out_of_reach_does_not_move_the_centre_of_mass() -> None:
    goal = np.array([1.5, 0.3, 1.0])
    q, center = follow(goal, np.zeros(3))
    assert np.linalg.norm(find_hand(q) - goal) > 0.3
    np.testing.assert_allclose(find_center(jvrc(), q), center, atol=2e-4)
    for sole in find_soles(jvrc(), q):
        assert abs(sole.position[2]) < 1e-4


def test_a_robot_whose_feet_do_not_reach_the_ground(tmp_path: Path) -> None:
    text = find_robot(Path("jvrc1")).read_text()
    sole = next(line for line in text.splitlines() if "right_sole" in line)
    path = tmp_path / "robot.yaml"
    path.write_text(text.replace(sole, sole.replace("-0.1077", "-0.9")))
    robot = load_biped(path)
    with pytest.raises(InputError, match="does not stand"):
        stand_level(robot)
