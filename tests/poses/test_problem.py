"""Inverse kinematics of points: derivatives of every kind of target, on a skeleton with every kind of joint."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.motion.skeleton import Dof, Skeleton
from gambol.poses.problem import PoseProblem
from gambol.poses.targets import BodyTarget, aim_point, stay_near

FRAMES = 5
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def make_skeleton() -> Skeleton:
    """A root that moves, a trunk, two arms, one of them with a slide, and a joint without axes."""
    rng = np.random.default_rng(0)
    parents = (-1, 0, 1, 2, 1, 4, 4)
    dofs = [Dof(0, "slide", axis) for axis in (X, Y, Z)] + [Dof(0, "turn", axis) for axis in (Z, Y, X)]
    dofs += [Dof(1, "turn", (0.6, 0.8, 0.0)), Dof(2, "turn", X), Dof(2, "turn", Y), Dof(3, "slide", Z)]
    dofs += [Dof(3, "turn", X), Dof(4, "turn", Z), Dof(4, "turn", X), Dof(6, "turn", Y)]
    rests = rng.normal(size=(len(parents), 4))
    rests /= np.linalg.norm(rests, axis=1, keepdims=True)
    return Skeleton(tuple("abcdefg"), parents, rng.normal(size=(len(parents), 3)), tuple(dofs), rests)


@pytest.fixture(scope="module")
def skeleton() -> Skeleton:
    return make_skeleton()


def make_targets() -> list[BodyTarget]:
    """A place in the world, and places seen from a joint above, from the same joint and from another branch."""
    rng = np.random.default_rng(1)

    def make(joint: int, base: int | None, weight: float | Array) -> BodyTarget:
        seen = () if base is None else (base, rng.normal(size=3))
        return aim_point(joint, rng.normal(size=3), rng.normal(size=(FRAMES, 3)), weight, *seen)

    return [
        make(3, None, rng.uniform(0.5, 2.0, FRAMES)),
        make(5, 1, 0.7),
        make(2, 2, 1.3),
        make(6, 3, 0.9),
        make(0, 6, 1.1),
        make(3, 2, 0.4),
    ]


def find_residuals(skeleton: Skeleton, targets: list[BodyTarget], q: Array) -> Array:
    """Weighted differences from targets (frames, 3 x targets), by forward kinematics."""
    placed = place(skeleton, q)

    def locate(joint: int, point: Array) -> Array:
        return placed.positions[:, joint] + quat.rotate(placed.rotations[:, joint], point)

    rows = []
    for each in targets:
        points = [locate(joint, point) for joint, point in zip(each.joints, each.points, strict=True)]
        away = sum(share * point for share, point in zip(each.shares, points, strict=True)) - each.position
        rows.append(np.reshape(np.broadcast_to(each.weight, FRAMES), (-1, 1)) * away)
    return np.concatenate(rows, axis=1)


def test_matrix_and_gradient_are_those_of_finite_differences(skeleton: Skeleton) -> None:
    """The matrix is that of residuals' derivatives; the start is the pose, so that the prior has no gradient."""
    targets = make_targets()
    q = np.random.default_rng(2).normal(size=(FRAMES, len(skeleton.dofs)))
    step = 1e-5 * np.eye(q.shape[1])
    pairs = [
        (find_residuals(skeleton, targets, q + each), find_residuals(skeleton, targets, q - each)) for each in step
    ]
    jacobian = np.stack([(ahead - behind) / 2e-5 for ahead, behind in pairs], axis=2)
    residuals = find_residuals(skeleton, targets, q)
    cost, matrix, gradient = PoseProblem(skeleton, targets, stay_near(skeleton, q)).linearise(q, slice(0, FRAMES))
    np.testing.assert_allclose(cost, np.sum(residuals**2, axis=1), rtol=1e-12)
    np.testing.assert_allclose(gradient, np.einsum("frd,fr->fd", jacobian, residuals), atol=1e-7)
    np.testing.assert_allclose(matrix, np.einsum("frd,fre->fde", jacobian, jacobian), atol=1e-4)


def test_some_frames_are_linearised_as_in_all_of_them(skeleton: Skeleton) -> None:
    problem = PoseProblem(skeleton, make_targets(), stay_near(skeleton, np.zeros((FRAMES, len(skeleton.dofs)))))
    q = np.random.default_rng(3).normal(size=(FRAMES, len(skeleton.dofs)))
    every = problem.linearise(q, slice(0, FRAMES))
    for frames in (slice(0, None, 2), np.array([4, 1])):
        for some, all_ in zip(problem.linearise(q[frames], frames), every, strict=True):
            np.testing.assert_allclose(some, all_[frames], rtol=1e-12, atol=1e-12)


def test_distance_from_the_guess_costs_angles_only(skeleton: Skeleton) -> None:
    q, guess = np.random.default_rng(4).normal(size=(2, FRAMES, len(skeleton.dofs)))
    turns = np.array([dof.kind == "turn" for dof in skeleton.dofs])
    near, far = (
        PoseProblem(skeleton, make_targets(), stay_near(skeleton, start)).linearise(q, slice(0, FRAMES))
        for start in (q, guess)
    )
    away = 5e-3 * np.where(turns, q - guess, 0.0)
    np.testing.assert_allclose(far[0] - near[0], np.sum(away**2, axis=1), rtol=1e-6)
    np.testing.assert_allclose(far[2] - near[2], 5e-3 * away, atol=1e-12)
