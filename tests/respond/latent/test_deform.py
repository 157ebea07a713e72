"""Deformation by a push against Pinocchio, the laws of impulse, and the printed form."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from gambol.body.dynamics import Dynamics
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.pushes import AppliedForce, Pull
from gambol.respond.latent.deform import Deformer, sum_forces
from gambol.respond.latent.features import FRAME_TIME
from tests.respond.latent.conftest import Looped

NONE = np.zeros(4, dtype=bool)
PUSH = (30.0, 100.0, -10.0)


def pinocchio_force(looped: Looped, pose: Array, body: str, point: Array, force: Array) -> Array:
    """J'f by Pinocchio's Jacobian of the joint that carries a body, at a point in the body's frame."""
    dynamics, skeleton = Dynamics(looped.layout.character), looped.layout.character.skeleton
    joint = skeleton.index(body)
    column = skeleton.columns(joint, "turn")[-1]
    data = dynamics.model.createData()
    index = dynamics.model.getJointId(f"{body}_{column}")
    pin.computeJointJacobians(dynamics.model, data, pose)
    jacobian = pin.getJointJacobian(dynamics.model, data, index, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
    arm = data.oMi[index].rotation @ point
    return jacobian[:3].T @ force + jacobian[3:].T @ np.cross(arm, force)


@pytest.fixture(scope="module")
def deformer(looped: Looped) -> Deformer:
    return Deformer(looped.layout.points)


def test_without_contact_a_push_accelerates_the_free_body(person: Looped) -> None:
    """h² M^-1 J'f, with Pinocchio's mass matrix and Jacobian."""
    deformer, dynamics = Deformer(person.layout.points), Dynamics(person.layout.character)
    now, predicted, force = person.poses[4], person.poses[5], np.array(PUSH)
    for body, point in (("chest", None), ("right_forearm", np.array([0.01, 0.02, -0.1]))):
        push = AppliedForce(body, PUSH, None if point is None else tuple(point))
        total, generalised = sum_forces(deformer.look(now), [push])
        np.testing.assert_allclose(total, force)
        at = person.layout.character.centers[person.layout.character.body(body)] if point is None else point
        oracle = pinocchio_force(person, now, body, at, force)
        np.testing.assert_allclose(generalised, oracle, atol=1e-9)
        expected = FRAME_TIME**2 * np.linalg.solve(dynamics.mass_matrix(now), oracle)
        moved = deformer.deform(predicted, now, generalised, NONE) - predicted
        np.testing.assert_allclose(moved, expected, rtol=1e-5, atol=1e-9)


def test_the_centre_of_mass_moves_by_impulse_over_mass(person: Looped) -> None:
    """The velocity that a force gives in a frame is that of the impulse, wherever it acts: here 1.6 mm per 100 N."""
    deformer, dynamics = Deformer(person.layout.points), Dynamics(person.layout.character)
    pose = person.poses[3]
    for body in ("head", "pelvis", "left_hand"):
        _, generalised = sum_forces(deformer.look(pose), [AppliedForce(body, PUSH)])
        change = deformer.deform(pose, pose, generalised, NONE) - pose
        velocity = dynamics.momentum(pose, change / FRAME_TIME).linear / person.layout.character.mass
        np.testing.assert_allclose(velocity, FRAME_TIME * np.array(PUSH) / person.layout.character.mass, atol=1e-9)


def test_a_standing_foot_slides_in_the_printed_form_and_holds_if_its_contact_has_weight(person: Looped) -> None:
    """The printed contact term, in metres beside newtons, changes nothing: the foot slides as without contact."""
    deformer, points = Deformer(person.layout.points), person.layout.points
    standing = np.array([True, True, False, False])
    for pose in person.poses[::8]:
        _, force = sum_forces(deformer.look(pose), [AppliedForce("pelvis", (0.0, 100.0, 0.0))])

        def slide(moved: Array, pose: Array = pose) -> float:
            after, before = (points.locate(q[None])[0][0, points.feet[:2]] for q in (moved, pose))
            return float(np.linalg.norm(after - before, axis=1).max())

        free = slide(deformer.deform(pose, pose, force, NONE))
        assert 5e-5 < free < 5e-3
        assert slide(deformer.deform(pose, pose, force, standing)) == pytest.approx(free, rel=0.02)
        assert slide(deformer.deform(pose, pose, force, standing, 1e7)) < 0.1 * free


def test_forces_in_body_axes_turn_with_the_body_and_add_up(looped: Looped, deformer: Deformer) -> None:
    view = deformer.look(looped.poses[2])
    turned = tuple(view.turn(view.character.body("chest")) @ np.array(PUSH))
    _, own = sum_forces(view, [AppliedForce("chest", PUSH, axes="body")])
    _, world = sum_forces(view, [AppliedForce("chest", turned)])
    np.testing.assert_allclose(own, world, atol=1e-10)
    total, both = sum_forces(view, [AppliedForce("chest", PUSH), AppliedForce("chest", PUSH)])
    np.testing.assert_allclose(total, 2.0 * np.array(PUSH))
    np.testing.assert_allclose(both, 2.0 * sum_forces(view, [AppliedForce("chest", PUSH)])[1], atol=1e-10)
    with pytest.raises(InputError, match="no body"):
        sum_forces(view, [AppliedForce("tail", PUSH)])
    with pytest.raises(InputError, match="finite"):
        deformer.deform(looped.poses[2], looped.poses[2], np.full(42, np.inf), NONE)


def test_a_hand_pulls_a_point_towards_itself_with_limited_strength(looped: Looped, deformer: Deformer) -> None:
    view = deformer.look(looped.poses[2])
    point, origin = (0.0, 0.1, 0.05), np.array([3.0, 1.0, 0.0])
    held = view.place(view.character.body("chest"), np.array(point))
    for distance, strength, expected in ((0.1, 300.0, 50.0), (2.0, 60.0, 60.0)):
        hand = held - origin + distance * np.array([0.6, 0.8, 0.0])
        total, pulled = sum_forces(view, [Pull("chest", point, tuple(hand), strength)], origin)
        np.testing.assert_allclose(total, expected * np.array([0.6, 0.8, 0.0]), atol=1e-9)
        _, pushed = sum_forces(view, [AppliedForce("chest", tuple(total), point)])
        np.testing.assert_allclose(pulled, pushed, atol=1e-9)
