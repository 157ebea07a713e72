"""The printed form minimises what equation 6 of YL08 says, under the constraint of equation 2."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.body.dynamics import Dynamics
from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.motion.pushes import Push
from gambol.respond.actuation import compute_actuation, upper_body_columns
from gambol.respond.printed import respond_to_targets_as_printed

FREE, BEGIN = 3, 6
"""Number of near-unactuated coordinates, and the frame in which the push begins."""
FORCE, POINT = np.array([20.0, 30.0, -10.0]), np.array([0.02, 0.1, 0.05])


def _push(walk: Fit) -> Push:
    h = walk.motion.frame_time
    return Push("chest", tuple(FORCE), BEGIN * h, 3.5 * h, point=tuple(POINT), axes="body")


def _pushed(walk: Fit, pose: np.ndarray) -> np.ndarray:
    """Generalised forces (dofs,) of the push, from the work of its force in a small change of each coordinate."""
    skeleton, small = walk.character.skeleton, 1e-6
    chest = skeleton.names.index("chest")
    steps = small * np.concatenate([np.eye(len(pose)), -np.eye(len(pose)), np.zeros((1, len(pose)))])
    placed = place(skeleton, pose + steps)
    points = placed.positions[:, chest] + quat.rotate(placed.rotations[:, chest], POINT)
    force = quat.rotate(placed.rotations[-1, chest], FORCE)
    return (points[: len(pose)] - points[len(pose) : -1]) @ force / (2.0 * small)


def _torques(walk: Fit, poses: np.ndarray, n: int, new: np.ndarray, pushed: bool) -> np.ndarray:
    """Torques (rows, upper body) in frame n (equation 1), for poses `new` (rows, upper body) of the next frame."""
    h, clip, upper = walk.motion.frame_time, walk.motion.q, upper_body_columns(walk.character)[6:]
    acceleration = np.repeat([(clip[n + 1] - 2.0 * clip[n] + clip[n - 1]) / h**2], len(new), axis=0)
    acceleration[:, upper] = (new - 2.0 * poses[n, upper] + poses[n - 1, upper]) / h**2
    pose, velocity = (np.repeat([one], len(new), axis=0) for one in (poses[n], (poses[n] - poses[n - 1]) / h))
    found = Dynamics(walk.character).torques(pose, velocity, acceleration)
    return (found - _pushed(walk, poses[n]) if pushed else found)[:, upper]


@pytest.mark.parametrize("squared", [True, False])
def test_every_frame_is_the_constrained_minimum_of_the_printed_objective(walk: Fit, squared: bool) -> None:
    """Tracking weighs 200, damping 10 and 30 in the spine, the change of torque 1/30 when the push begins.

    No torque is left along the free directions, and along what they leave open the objective has no slope.
    """
    actuation, h, clip = compute_actuation(walk), walk.motion.frame_time, walk.motion.q
    frames = (2, 4, BEGIN, BEGIN + 4 + round(0.2 / h))
    poses = respond_to_targets_as_printed(
        replace(walk, motion=walk.motion[: frames[-1] + 3]), actuation, [_push(walk)], FREE, squared=squared
    )
    skeleton, upper = walk.character.skeleton, upper_body_columns(walk.character)[6:]
    spine = np.array([skeleton.names[skeleton.dofs[column].joint] in ("spine", "chest") for column in upper])
    actuated, size = actuation.directions[:, :-FREE], len(upper)
    for n in frames:
        new, pushed = poses[n + 1, upper], n == BEGIN
        torque, *moved = _torques(walk, poses, n, new + np.vstack([np.zeros(size), np.eye(size)]), pushed)
        last = _torques(walk, poses, n - 1, poses[None, n, upper], False)[0]
        slopes = (np.array(moved) - torque).T  # torques are linear in the new pose
        assert np.abs(actuation.free(FREE).T @ torque).max() < 1e-6 * np.abs(torque).max()
        damping, change = np.where(spine, 30.0, 10.0) / h, 1.0 / 30.0 / h if pushed else 0.0
        parts = [
            (200.0 * np.eye(size), 200.0 * (new - clip[n + 1, upper])),
            (np.diag(damping), damping * (new - poses[n, upper])),
            (change * actuated.T @ slopes, change * actuated.T @ (torque - last)),
        ]
        open_ways = np.linalg.svd(actuation.free(FREE).T @ slopes)[2][FREE:]
        gradients = [
            open_ways @ map_.T @ part / (1.0 if squared else max(np.linalg.norm(part), 1e-9)) for map_, part in parts
        ]
        slope = np.linalg.norm(np.sum(gradients, axis=0))
        # Sums of norms are minimised by twelve reweightings.
        assert slope < (1e-6 if squared else 1e-3) * sum(np.linalg.norm(one) for one in gradients), n
