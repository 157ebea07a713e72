"""Equation 5 of YL08: for the reaction time after a push begins, muscles go on with the torque they had."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.body.dynamics import Dynamics
from gambol.fit.rig import Fit
from gambol.motion.kinematics import place, point_jacobian
from gambol.motion.pushes import Push
from gambol.respond.equations import upper_body
from gambol.respond.model import ResponseModel
from gambol.respond.stepping import ResponseState, respond_to_targets, start_response, step_response

FRAME = 20


def _advance(model: ResponseModel, walk: Fit, state: ResponseState, push: Push, torque: np.ndarray, share: float):
    """The rates after one frame, by Pinocchio, if a share of the actuated springs is replaced by a torque (n,)."""
    h, upper = model.frame_time, upper_body(walk.character)
    dynamics, chest = Dynamics(upper), upper.skeleton.names.index("chest")
    q = walk.motion.q[FRAME - 1 : FRAME + 2, model.columns]
    velocity, acceleration = (q[1] - q[0]) / h, (q[2] - 2.0 * q[1] + q[0]) / h**2
    off, rate = state.deviation[0], state.deviation_rate[0]
    pose = q[1] + off
    pushed = point_jacobian(upper.skeleton, pose[None], chest, np.zeros(3))[0].T @ np.array(push.force)
    gains = model.gain_matrices
    stiffness = gains.free_stiffness + (1.0 - share) * gains.actuated_stiffness
    damping = gains.free_damping + (1.0 - share) * gains.actuated_damping
    pull = dynamics.torques(q[1], velocity, acceleration) - dynamics.torques(pose, velocity + rate, acceleration)
    matrix = dynamics.mass_matrix(pose) + h * damping + h**2 * stiffness
    forces = pull + pushed + share * torque - stiffness @ (off + h * rate) - damping @ rate
    return rate + np.linalg.solve(matrix, h * forces)


@pytest.fixture
def deviating(model: ResponseModel, walk: Fit) -> ResponseState:
    """A state off its target, with no push so far, and with the arms out of the trunk's way."""
    rng, q, skeleton = np.random.default_rng(4), walk.motion.q, walk.character.skeleton
    state = start_response(model, q[FRAME], q[FRAME - 1])
    off, rate = 0.005 * rng.normal(size=(1, 30)), 0.05 * rng.normal(size=(1, 30))
    for n, dof in enumerate(skeleton.dofs[column] for column in model.columns):
        if skeleton.names[dof.joint].endswith("upper_arm") and abs(dof.axis[0]) > 0.9:
            off[0, n] += 0.3
    pose = q[FRAME][None].copy()
    pose[:, model.columns] += off
    return replace(state, deviation=off, deviation_rate=rate, pose=pose)


def _spring_torque(model: ResponseModel, state: ResponseState) -> np.ndarray:
    gains = model.gain_matrices
    return -(gains.actuated_stiffness @ state.deviation[0] + gains.actuated_damping @ state.deviation_rate[0])


def _persisting(model: ResponseModel, since: float) -> float:
    """A share that falls from the persistence to 0 within the delay, with no slope at either end."""
    return model.gains.persistence * np.cos(0.5 * np.pi * min(since / model.gains.delay, 1.0)) ** 2


def test_when_a_push_begins_muscles_go_on_with_their_torque(model: ResponseModel, walk: Fit, deviating: ResponseState):
    push = Push("chest", (10.0, 30.0, 5.0), 0.0, 1.0, point=(0.0, 0.0, 0.0))
    torque, share = _spring_torque(model, deviating), _persisting(model, 0.0)
    after, _ = step_response(model, deviating, walk.motion.q[FRAME + 1], [push])
    np.testing.assert_allclose(
        after.deviation_rate[0], _advance(model, walk, deviating, push, torque, share), atol=1e-9
    )
    assert after.time_since_push[0] == pytest.approx(model.frame_time)


@pytest.mark.parametrize("since", [0.02, 0.1, 0.19, 0.5])
def test_a_second_push_carries_over_what_is_left_of_the_torque_of_the_first(
    model: ResponseModel, walk: Fit, deviating: ResponseState, since: float
):
    """The torque when it begins is that of the springs and of the first push, by the share that still persists."""
    push = Push("chest", (10.0, 30.0, 5.0), 0.0, 1.0, point=(0.0, 0.0, 0.0))
    held = model.gain_matrices.actuated_stiffness @ np.random.default_rng(5).normal(size=30) * 0.05
    state = replace(deviating, held_torque=held[None], time_since_push=np.array([since]))
    left = _persisting(model, since)
    torque = (1.0 - left) * _spring_torque(model, state) + left * held
    after, _ = step_response(model, state, walk.motion.q[FRAME + 1], [push])
    expected = _advance(model, walk, state, push, torque, _persisting(model, 0.0))
    np.testing.assert_allclose(after.deviation_rate[0], expected, atol=1e-9)


@pytest.mark.parametrize("since", [0.02, 0.1, 0.19, 0.21])
def test_a_push_that_goes_on_is_no_second_one(model: ResponseModel, walk: Fit, deviating: ResponseState, since: float):
    """Its torque persists as it was when it began, by a share that fades out within the delay."""
    push = Push("chest", (10.0, 30.0, 5.0), 0.0, 1.0, point=(0.0, 0.0, 0.0))
    held = model.gain_matrices.actuated_stiffness @ np.random.default_rng(5).normal(size=30) * 0.05
    loads = np.zeros((1, len(model.upper)))
    loads[0, model.upper.index("chest")] = np.linalg.norm(push.force)
    state = replace(deviating, held_torque=held[None], time_since_push=np.array([since]), push_loads=loads)
    after, _ = step_response(model, state, walk.motion.q[FRAME + 1], [push])
    expected = _advance(model, walk, state, push, held, _persisting(model, since))
    np.testing.assert_allclose(after.deviation_rate[0], expected, atol=1e-9)
    assert after.time_since_push[0] == pytest.approx(since + model.frame_time)


def test_only_a_force_that_grows_by_a_hundredth_of_the_weight_is_a_push(
    model: ResponseModel, walk: Fit, deviating: ResponseState
):
    weight = 9.81 * walk.character.mass
    for force, counts in ((0.0099 * weight, False), (0.0101 * weight, True)):
        after, _ = step_response(
            model, deviating, walk.motion.q[FRAME + 1], [Push("chest", (0.0, force, 0.0), 0.0, 1.0)]
        )
        assert np.isfinite(after.time_since_push[0]) == counts


def test_the_pose_is_that_of_the_deviation(model: ResponseModel, walk: Fit, deviating: ResponseState):
    after, pose = step_response(model, deviating, walk.motion.q[FRAME + 1])
    np.testing.assert_allclose(
        pose[model.columns[6:]], walk.motion.q[FRAME + 1][model.columns[6:]] + after.deviation[0, 6:], atol=1e-12
    )
    feet = [walk.character.skeleton.names.index(f"{side}_foot") for side in ("left", "right")]
    moved, still = (
        place(walk.character.skeleton, one[None]).positions[0, feet] for one in (pose, walk.motion.q[FRAME + 1])
    )
    np.testing.assert_allclose(moved, still, atol=1e-6)


def test_the_legs_react_to_a_hit_at_the_pelvis_as_late_as_other_muscles(model: ResponseModel, walk: Fit) -> None:
    """Half of impulse over mass at least, where springs that act at once leave a third."""
    force, seconds = 70.0, 0.2
    hit = Push("pelvis", (0.0, force, 0.0), 0.4, seconds)
    away = respond_to_targets(model, walk.motion.q, [hit]) - walk.motion.q
    speed = np.diff(away[:, 1]).max() / model.frame_time
    assert 0.45 < speed * walk.character.mass / (force * seconds) < 1.0
    assert np.abs(away[-1]).max() < np.radians(2.0)
