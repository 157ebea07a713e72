"""Every kind of target: residuals against forward kinematics, derivatives against finite differences."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from gambol.contacts.contact import Contact
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.motion.skeleton import Skeleton
from gambol.poses.problem import PoseProblem
from gambol.poses.targets import (
    BodyTarget,
    PosePrior,
    aim_point,
    list_contact_targets,
    measure_targets,
    orient_joint,
    stay_near,
)
from tests.poses.test_problem import FRAMES, make_skeleton

RNG = np.random.default_rng(5)
POINT, BASE = RNG.normal(size=(2, 3))
POSITIONS = RNG.normal(size=(FRAMES, 3))
DIRECTIONS = POSITIONS / np.linalg.norm(POSITIONS, axis=1, keepdims=True)
AXES = np.linalg.qr(RNG.normal(size=(3, 3)))[0][:2]
LEFT, ORIGIN = np.array([0.0, 1.0, 0.0]), np.zeros(3)
SEEN = aim_point(5, POINT, POSITIONS, 0.7, 3, BASE)
MEAN = BodyTarget((2, 3, 6), RNG.normal(size=(3, 3)), np.array([0.5, 0.3, 0.2]), POSITIONS, 0.8)
KINDS: dict[str, BodyTarget] = {
    "point": aim_point(3, POINT, POSITIONS),
    "point with a weight per frame": aim_point(3, POINT, POSITIONS, np.linspace(0.5, 2.0, FRAMES)),
    "point in the same place": aim_point(5, POINT, POSITIONS[0], 0.7),
    "point along some axes": replace(aim_point(3, POINT, POSITIONS, 1.5), axes=AXES),
    "point seen from another": SEEN,
    "point seen from another along some axes": replace(SEEN, axes=AXES),
    "direction": replace(SEEN, position=DIRECTIONS, weight=1.3, unit=True),
    "mean": MEAN,
    "heading": replace(aim_point(0, LEFT, LEFT, 1.2, 0, ORIGIN), axes=np.eye(3)[:2], unit=True),
}


@pytest.fixture(scope="module")
def skeleton() -> Skeleton:
    return make_skeleton()


@pytest.fixture(scope="module")
def poses(skeleton: Skeleton) -> Array:
    return np.random.default_rng(6).normal(scale=0.7, size=(FRAMES, len(skeleton.dofs)))


def locate(skeleton: Skeleton, q: Array, joint: int, point: Array) -> Array:
    placed = place(skeleton, q)
    return placed.positions[:, joint] + quat.rotate(placed.rotations[:, joint], point)


def test_every_field_of_a_target_is_in_the_registry() -> None:
    """Whatever makes a target another one than a point in the world."""
    point = KINDS["point"]
    for field in fields(BodyTarget):
        assert any(str(getattr(each, field.name)) != str(getattr(point, field.name)) for each in KINDS.values()), field


@pytest.mark.parametrize("name", KINDS)
def test_derivatives_are_those_of_finite_differences(name: str, skeleton: Skeleton, poses: Array) -> None:
    residual, jacobian = measure_targets(skeleton, [KINDS[name]], poses)
    steps = 1e-6 * np.eye(poses.shape[1])
    ends = [[measure_targets(skeleton, [KINDS[name]], poses + s * each)[0] for s in (1.0, -1.0)] for each in steps]
    slopes = np.stack([(ahead - behind) / 2e-6 for ahead, behind in ends], axis=2)
    assert jacobian.shape == (*residual.shape, poses.shape[1])
    assert np.abs(slopes).max() > 0.1
    np.testing.assert_allclose(jacobian, slopes, atol=1e-7)


@pytest.mark.parametrize("name", KINDS)
def test_costs_of_poses_are_squares_of_residuals(name: str, skeleton: Skeleton, poses: Array) -> None:
    """Of all frames and of some, beside targets of other kinds."""
    both = [aim_point(6, BASE, POSITIONS, 0.9), KINDS[name], aim_point(2, POINT, POSITIONS, 1.1, 6, BASE)]
    residual, jacobian = measure_targets(skeleton, both, poses)
    weights = np.linspace(0.0, 0.4, poses.shape[1])
    problem = PoseProblem(skeleton, both, PosePrior(0.9 * poses, weights))
    for frames in (slice(0, FRAMES), np.array([4, 1])):
        cost, matrix, gradient = problem.linearise(poses[frames], frames)
        r, slope, away = residual[frames], jacobian[frames], weights * 0.1 * poses[frames]
        np.testing.assert_allclose(cost, np.sum(r**2, axis=1) + np.sum(away**2, axis=1), rtol=1e-9)
        np.testing.assert_allclose(gradient, np.einsum("frd,fr->fd", slope, r) + weights * away, atol=1e-9)
        expected = np.einsum("frd,fre->fde", slope, slope) + np.diag(weights**2)
        np.testing.assert_allclose(matrix, expected, atol=1e-9)


def test_residuals_are_those_of_forward_kinematics(skeleton: Skeleton, poses: Array) -> None:
    three, five = locate(skeleton, poses, 3, POINT), locate(skeleton, poses, 5, POINT)
    apart = five - locate(skeleton, poses, 3, BASE)
    parts = zip(MEAN.joints, MEAN.points, MEAN.shares, strict=True)
    mean = sum(share * locate(skeleton, poses, joint, point) for joint, point, share in parts)
    left = quat.rotate(place(skeleton, poses).rotations[:, 0], (0.0, 1.0, 0.0))
    heading = np.arctan2(-left[:, 0], left[:, 1])
    expected = {
        "point": three - POSITIONS,
        "point with a weight per frame": np.linspace(0.5, 2.0, FRAMES)[:, None] * (three - POSITIONS),
        "point in the same place": 0.7 * (five - POSITIONS[0]),
        "point along some axes": 1.5 * (three - POSITIONS) @ AXES.T,
        "point seen from another": 0.7 * (apart - POSITIONS),
        "point seen from another along some axes": 0.7 * (apart - POSITIONS) @ AXES.T,
        "direction": 1.3 * (apart / np.linalg.norm(apart, axis=1, keepdims=True) - DIRECTIONS),
        "mean": 0.8 * (mean - POSITIONS),
        "heading": 1.2 * np.stack([-np.sin(heading), np.cos(heading) - 1.0], axis=1),
    }
    assert expected.keys() == KINDS.keys()
    for name, residual in expected.items():
        np.testing.assert_allclose(measure_targets(skeleton, [KINDS[name]], poses)[0], residual, atol=1e-12)


def test_a_prior_is_within_limits_and_of_angles_only(skeleton: Skeleton) -> None:
    limited = replace(skeleton, dofs=tuple(replace(dof, lower=-0.5, upper=0.5) for dof in skeleton.dofs))
    q = np.linspace(-1.0, 1.0, len(skeleton.dofs))
    prior = stay_near(limited, q, 0.2)
    np.testing.assert_array_equal(prior.q, np.clip(q, -0.5, 0.5))
    np.testing.assert_array_equal(prior.weights, [0.2 * (dof.kind == "turn") for dof in skeleton.dofs])


def test_an_oriented_joint_meets_its_targets_in_that_orientation_alone(skeleton: Skeleton, poses: Array) -> None:
    orientations = place(skeleton, poses).rotations[:, 5]
    np.testing.assert_allclose(measure_targets(skeleton, orient_joint(5, orientations, 2.0), poses)[0], 0.0, atol=1e-12)
    turned = poses + 0.1 * skeleton.turning
    assert (np.abs(measure_targets(skeleton, orient_joint(5, orientations, 2.0), turned)[0]).max(axis=1) > 0.01).all()


@pytest.mark.parametrize(("points", "rows"), [(1, 3), (2, 5), (4, 6)])
def test_contacts_have_as_many_residuals_as_constraints(points: int, rows: int, skeleton: Skeleton) -> None:
    """At their places they are zero; a shift of the root along any axis is seen."""
    corners = np.array([[0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [0.2, 0.1, 0.0], [0.0, 0.1, 0.0]])[:points]
    q = np.zeros((1, len(skeleton.dofs)))
    places = np.stack([locate(skeleton, q, 5, corner)[0] for corner in corners])
    found = list_contact_targets(skeleton, [Contact("f", corners, places, 0, 0)])
    residual, jacobian = measure_targets(skeleton, found, q)
    assert residual.shape == (1, rows)
    np.testing.assert_allclose(residual, 0.0, atol=1e-12)
    assert np.linalg.matrix_rank(jacobian[0, :, :3]) == 3
