"""Capsules of a robot: nearest points against a search, boxes with known capsules, and arms that go through a trunk."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from gambol.motion.kinematics import place
from gambol.poses.solve import solve_apart
from gambol.poses.targets import BodyTarget, aim_point
from gambol.robots.biped import Biped
from gambol.robots.capsules import _wrap, find_self_contacts
from gambol.robots.references.separation import SeparatedPoses
from tests.robots.test_whole_body import jvrc


@pytest.fixture(scope="module")
def biped() -> Biped:
    return jvrc()


def test_a_long_box_gets_one_capsule_and_a_wide_one_two() -> None:
    corners = np.array(np.meshgrid([-1.0, 1.0], [-1.0, 1.0], [-1.0, 1.0])).reshape(3, -1).T
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    ((axis, radius),) = _wrap(corners * [0.05, 0.3, 0.055] @ turn.T + [1.0, 2.0, 3.0])
    assert radius == pytest.approx(0.05, abs=1e-6)
    np.testing.assert_allclose(axis.mean(axis=0), [1.0, 2.0, 3.0], atol=1e-6)
    np.testing.assert_allclose(np.abs((axis[1] - axis[0]) @ turn[:, 1]), 0.5, atol=1e-6)
    wide = _wrap(corners * [0.1, 0.3, 0.2])
    assert [round(radius, 6) for _, radius in wide] == [0.1, 0.1]
    np.testing.assert_allclose(np.linalg.norm(np.subtract(*(axis.mean(axis=0) for axis, _ in wide))), 0.2, atol=1e-6)


def bring_arm_into_trunk(biped: Biped) -> np.ndarray:
    """The standing posture (1, dofs) with the left arm turned towards the body."""
    names = [biped.skeleton.names[dof.joint] for dof in biped.skeleton.dofs]
    q = biped.bent[None].copy()
    q[0, names.index("L_SHOULDER_R")] = -0.4
    q[0, names.index("L_SHOULDER_Y")] = -0.8
    q[0, names.index("L_ELBOW_P")] = -1.6
    return q


def test_standing_is_free_and_an_arm_in_the_trunk_is_not(biped: Biped) -> None:
    contacts = find_self_contacts(biped)
    assert len(contacts.pairs) > 50
    assert contacts.find_nearest(biped.standing).depth.max() < 0.0
    inside = contacts.find_nearest(place(biped.skeleton, bring_arm_into_trunk(biped)))
    assert inside.depth.max() > 0.02
    worst = contacts.joints[contacts.pairs[inside.depth[0].argmax()]]
    named = {biped.skeleton.names[joint] for joint in worst}
    assert any(name.startswith("L_") for name in named)


def test_slopes_of_depth_agree_with_finite_differences(biped: Biped) -> None:
    q = bring_arm_into_trunk(biped)
    hand = biped.places["left_hand"]
    targets = [aim_point(hand.joint, hand.point, np.array([[0.3, 0.2, 1.0]]), 0.1)]
    problem = SeparatedPoses(biped, targets, q, q)
    frames = np.arange(1)
    _, _, gradient = problem.linearise(q, frames)
    moving = np.abs(gradient[0]) > 1e-9
    assert moving.sum() >= 4
    for column in np.flatnonzero(moving):
        step = np.zeros_like(q)
        step[0, column] = 1e-6
        ahead, behind = (problem.linearise(q + sign * step, frames)[0][0] for sign in (1.0, -1.0))
        assert (ahead - behind) / 2e-6 == pytest.approx(2.0 * gradient[0, column], rel=1e-3, abs=1e-6)


def test_an_arm_in_the_trunk_is_brought_out(biped: Biped) -> None:
    q, contacts = bring_arm_into_trunk(biped), find_self_contacts(biped)
    apart = SeparatedPoses(biped, list(hold_limbs(biped, q)), q, q)
    found = solve_apart(apart, q)
    assert contacts.find_nearest(place(biped.skeleton, q)).depth.max() > 0.02
    assert contacts.find_nearest(place(biped.skeleton, found)).depth.max() < 0.0


def hold_limbs(biped: Biped, q: np.ndarray) -> Iterator[BodyTarget]:
    """Targets that keep feet and hands where they are, hands weakly."""
    placed = place(biped.skeleton, q)
    for part, weight in (("left_foot", 10.0), ("right_foot", 10.0), ("left_hand", 0.1), ("right_hand", 0.1)):
        joint = biped.places[part].joint
        yield aim_point(joint, np.zeros(3), placed.positions[:, joint], weight)
