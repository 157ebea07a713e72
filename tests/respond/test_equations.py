"""One frame against an independent computation, and the laws that it must keep."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.body.dynamics import Dynamics
from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place, point_jacobian
from gambol.respond.equations import upper_body
from gambol.respond.model import ResponseModel
from gambol.solve.compiled import Runner


def _step(model: ResponseModel, walk: Fit, off: np.ndarray, rate: np.ndarray, wrenches: np.ndarray, frame: int = 20):
    q = walk.motion.q
    size = len(model.columns)
    springs = model.nominal_springs
    return [
        out[0].copy()
        for out in model.runner(1).run(
            q[frame], q[frame - 1], q[frame + 1], off, rate, springs.stiffness.reshape(1, -1),
            springs.damping.reshape(1, -1), np.zeros(size), wrenches.reshape(1, -1), np.zeros(3), model.frame_time,
        )
    ]  # fmt: skip


def test_a_frame_is_what_pinocchio_makes_of_the_same_equation(model: ResponseModel, walk: Fit) -> None:
    rng = np.random.default_rng(3)
    h, columns, frame = model.frame_time, model.columns, 20
    upper = upper_body(walk.character)
    dynamics = Dynamics(upper)
    off, rate = 0.02 * rng.normal(size=30), 0.2 * rng.normal(size=30)
    wrenches = np.zeros((len(upper.skeleton.names), 6))
    chest = upper.skeleton.names.index("chest")
    force, point = np.array([30.0, -20.0, 10.0]), np.array([0.05, 0.1, 0.2])
    q = walk.motion.q[frame - 1 : frame + 2, columns]
    velocity, acceleration = (q[1] - q[0]) / h, (q[2] - 2.0 * q[1] + q[0]) / h**2
    pose = q[1] + off
    turned = place(upper.skeleton, pose[None]).rotations[0, chest]
    wrenches[chest] = np.concatenate((force, np.cross(quat.rotate(turned, point), force)))
    pushed = point_jacobian(upper.skeleton, pose[None], chest, point)[0].T @ force

    stiffness, damping = model.nominal_springs.stiffness[0], model.nominal_springs.damping[0]
    pull = dynamics.torques(q[1], velocity, acceleration) - dynamics.torques(pose, velocity + rate, acceleration)
    matrix = dynamics.mass_matrix(pose) + h * damping + h**2 * stiffness
    right = h * (pull + pushed - stiffness @ (off + h * rate) - damping @ rate)
    expected = rate + np.linalg.solve(matrix, right)
    new_off, new_rate, _, excess = _step(model, walk, off, rate, wrenches)
    np.testing.assert_allclose(new_rate, expected, atol=1e-9 * np.abs(expected).max())
    np.testing.assert_allclose(new_off, off + h * expected, atol=1e-12)
    np.testing.assert_allclose(excess, 0.0, atol=1e-12)


def test_without_a_push_the_pose_is_the_target_to_the_last_bit(model: ResponseModel, walk: Fit) -> None:
    nothing = np.zeros(30)
    for frame in range(1, 120, 7):
        off, rate, pose, _ = _step(model, walk, nothing, nothing, np.zeros((len(model.upper), 6)), frame)
        np.testing.assert_array_equal(off, nothing)
        np.testing.assert_array_equal(rate, nothing)
        np.testing.assert_array_equal(pose, walk.motion.q[frame + 1])


@pytest.mark.parametrize("h", [1 / 240, 1 / 60, 1 / 15])
def test_springs_alone_never_add_energy(model: ResponseModel, h: float) -> None:
    """The stability argument: for M, K, D as they are and any frame, half of (e, M e) + (d, K d) does not grow."""
    rng = np.random.default_rng(0)
    mass = Dynamics(upper_body(model.character)).mass_matrix(np.zeros(30))
    stiffness, damping = model.nominal_springs.stiffness[0], model.nominal_springs.damping[0]
    matrix = mass + h * damping + h**2 * stiffness
    for _ in range(100):
        off, rate = rng.normal(size=30), rng.normal(size=30)
        faster = rate + np.linalg.solve(matrix, -h * (stiffness @ (off + h * rate) + damping @ rate))
        after = off + h * faster
        before = rate @ mass @ rate + off @ stiffness @ off
        assert faster @ mass @ faster + after @ stiffness @ after <= before * (1.0 + 1e-12)


def test_no_force_drives_a_joint_past_its_limit_or_makes_it_infinite(model: ResponseModel, walk: Fit) -> None:
    rng = np.random.default_rng(1)
    lower, upper = model.bounds.lower[6:], model.bounds.upper[6:]
    off, rate = np.zeros(30), np.zeros(30)
    for frame in range(1, 200):
        wrenches = 1e5 * rng.normal(size=(len(model.upper), 6))
        off, rate, pose, excess = _step(model, walk, off, rate, wrenches, frame)
        assert np.isfinite(pose).all()
        assert np.abs(excess).max() > 0.1  # the bounds cut off what such forces ask for, and say so
        reached = pose[model.columns[6:]]
        assert (reached >= lower - 1e-9).all()
        assert (reached <= upper + 1e-9).all()


def test_feet_stay_where_the_clip_has_them(model: ResponseModel, walk: Fit) -> None:
    skeleton = walk.character.skeleton
    soles = [j for j, name in enumerate(skeleton.names) if name.endswith(("heel_tip", "ball_tip"))]
    wrenches = np.zeros((len(model.upper), 6))
    off, rate = np.zeros(30), np.zeros(30)
    for frame in range(1, 100):
        wrenches[0, :3] = [-120.0, 80.0, 0.0] if 10 < frame < 25 else [0.0, 0.0, 0.0]
        off, rate, pose, _ = _step(model, walk, off, rate, wrenches, frame)
        ours = place(skeleton, pose[None]).positions[0, soles]
        clip = walk.motion.placement.positions[frame + 1, soles]
        assert np.linalg.norm(ours - clip, axis=1).max() < 1e-6
        if frame == 24:
            assert np.linalg.norm(off[:2]) > 0.02


def test_a_batch_is_its_members(model: ResponseModel, walk: Fit) -> None:
    rng = np.random.default_rng(2)
    function = model.runner(1)
    batch = Runner(model.function, 3)
    inputs = [np.repeat(held, 3, axis=0) for held in function._inputs]
    for n, frame in enumerate((10, 30, 50)):
        inputs[0][n], inputs[1][n], inputs[2][n] = walk.motion.q[[frame, frame - 1, frame + 1]]
        inputs[3][n], inputs[4][n] = 0.01 * rng.normal(size=(2, 30))
    together = [out.copy() for out in batch.run(*inputs)]
    for n in range(3):
        alone = function.run(*(held[n : n + 1] for held in inputs))
        for one, all_ in zip(alone, together, strict=True):
            np.testing.assert_array_equal(one[0], all_[n])
