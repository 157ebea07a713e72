"""Nearest poses: exact derivatives, known minima, joint limits."""

from __future__ import annotations

import numpy as np

from gambol.body.dynamics import Dynamics
from gambol.geometry.arrays import Array
from gambol.poses.compiled import PoseLimits
from gambol.poses.targets import PosePrior
from tests.respond.latent.conftest import Looped


def test_the_jacobian_is_the_derivative_of_points_and_centre_of_mass(person: Looped) -> None:
    solver, pose = person.layout.points.solver, person.poses[5]
    _, jacobian = solver.linearise(pose)
    exact, size = jacobian.copy(), 1e-6
    assert exact.shape == (63, 42)
    for column in range(len(pose)):
        step = np.zeros(len(pose))
        step[column] = size
        after, before = (solver.linearise(pose + sign * step)[0].copy() for sign in (1.0, -1.0))
        np.testing.assert_allclose(exact[:, column], (after - before) / (2.0 * size), atol=1e-8)


def test_a_pose_is_recovered_from_its_points(person: Looped) -> None:
    """From a pose a quarter of a cycle away; only the rotation of the head about its length is not shown by points."""
    poses, points = person.poses, person.layout.points
    there, start = poses[9], poses[2].copy()
    start[:2] = there[:2]
    places = points.locate(there[None])[0][0]
    found = person.layout.points.solver.solve(start, places, np.ones(places.shape), PosePrior(start, 1e-3))
    np.testing.assert_allclose(points.locate(found[None])[0][0], places, atol=1e-4)
    skeleton = person.layout.character.skeleton
    head = skeleton.columns(skeleton.index("head"), "turn")
    seen = [column for column in range(3, len(there)) if column not in head]
    np.testing.assert_allclose(found[seen], there[seen], atol=np.radians(0.5))


def test_weights_decide_between_points_centre_of_mass_and_reference(looped: Looped) -> None:
    pose, solver = looped.poses[0], looped.layout.points.solver
    places = looped.layout.points.locate(pose[None])[0][0]
    nothing = np.zeros(places.shape)
    other = pose + np.radians(3.0) * (np.arange(len(pose)) > 5)
    np.testing.assert_allclose(solver.solve(pose, places, nothing, PosePrior(other, 1.0)), other, atol=1e-6)
    centre = Dynamics(looped.layout.character).center_of_mass(pose) + [0.02, 0.03, 5.0]
    positions = np.vstack((places, centre))
    weights = np.vstack((np.ones(places.shape), [100.0, 100.0, 0.0]))
    solved = solver.solve(pose, positions, weights, PosePrior(pose, 0.05))
    found = Dynamics(looped.layout.character).center_of_mass(solved)
    np.testing.assert_allclose(found[:2], centre[:2], atol=1e-4)
    assert found[2] < centre[2] - 4.9


def test_the_weighted_sum_of_squares_is_least(looped: Looped) -> None:
    """Its derivative along every coordinate is zero, with goals that contradict each other."""
    random, solver = np.random.default_rng(1), looped.layout.points.solver
    pose = looped.poses[0]
    places = looped.layout.points.locate(pose[None])[0][0]
    centre = Dynamics(looped.layout.character).center_of_mass(pose) + 0.03
    positions = np.vstack((places + random.normal(0.0, 0.02, places.shape), centre))
    weights = np.vstack((random.uniform(0.2, 3.0, places.shape), [2.0, 5.0, 0.5]))
    reference = PosePrior(pose + random.normal(0.0, 0.05, pose.shape), 0.3)

    def cost(q: Array) -> float:
        seen, _ = solver.linearise(q)
        return float(
            np.sum((weights.ravel() * (seen - positions.ravel())) ** 2) + np.sum((0.3 * (q - reference.q)) ** 2)
        )

    found = solver.solve(pose, positions, weights, reference)
    steps = 1e-5 * np.eye(len(pose))
    slopes = [np.array([cost(q + step) - cost(q - step) for step in steps]) / 2e-5 for q in (pose, found)]
    assert np.abs(slopes[0]).max() > 0.1
    assert np.abs(slopes[1]).max() < 2e-3


def test_joints_stay_within_their_limits(looped: Looped) -> None:
    """The hands are pulled to the head; joints at their limits would go on, and the others have no slope left."""
    pose, solver, points = looped.poses[0], looped.layout.points.solver, looped.layout.points
    places = points.locate(pose[None])[0][0]
    weights = np.ones(places.shape)
    for side in ("left", "right"):
        places[points.names.index(f"{side}_hand")] += [-0.02, 0.0, 0.1]
        weights[points.names.index(f"{side}_hand")] = 10.0
    limits = PoseLimits(pose - 0.05, pose + 0.05)
    found = solver.solve(pose, places, weights, PosePrior(pose, 0.1), limits)
    low, high = found == limits.lower, found == limits.upper
    assert np.count_nonzero(low | high) > 4
    assert (found >= limits.lower).all()
    assert (found <= limits.upper).all()
    seen, jacobian = solver.linearise(found)
    missing = weights.ravel() ** 2 * (places.ravel() - seen[: places.size])
    slope = jacobian[: places.size].T @ missing + 0.01 * (pose - found)
    assert slope[low].max() < 0.0
    assert slope[high].min() > 0.0
    assert np.abs(slope[~(low | high)]).max() < 0.05 * np.abs(slope).max()
    upper = solver.limits.upper
    outside = pose.copy()
    outside[-3] = upper[-3] + 1.0
    np.testing.assert_array_less(solver.solve(outside, places, 0.0 * weights, PosePrior(pose, 1.0)), upper + 1e-12)
