"""Three engines on one description, finite differences, and the laws of free flight."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.body.build import make_average_build
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.body.expressions import Expressions
from gambol.body.human import make_human
from gambol.body.mjcf import to_mjcf
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place, point_jacobian
from gambol.motion.skeleton import Skeleton
from tests.motion.bodies import random_skeleton

RNG = np.random.default_rng(11)


def with_mass(skeleton: Skeleton, rng: np.random.Generator) -> Character:
    """Any tree with any masses: nothing in the dynamics may assume a person."""
    order = sorted(skeleton.dofs, key=lambda d: (d.joint, d.kind != "slide"))
    skeleton = replace(skeleton, dofs=tuple(order))
    count = len(skeleton.names)
    roots = rng.normal(size=(count, 3, 3))
    spread = np.einsum("nij,nkj->nik", roots, roots)
    inertias = 0.01 * (np.trace(spread, axis1=1, axis2=2)[:, None, None] * np.eye(3) - spread)
    return Character(skeleton, rng.uniform(0.5, 3.0, count), 0.1 * rng.normal(size=(count, 3)), inertias)


CHARACTERS = {
    "human": make_human(make_average_build(1.75), 80.0),
    "human with toes": make_human(make_average_build(1.6), 60.0, toes=True),
    **{f"creature {s}": with_mass(random_skeleton(np.random.default_rng(s)), RNG) for s in (1, 2, 3)},
}


@pytest.fixture(params=CHARACTERS, ids=str)
def character(request: pytest.FixtureRequest) -> Character:
    return CHARACTERS[request.param]


def random_state(character: Character, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(3, len(character.skeleton.dofs)))


def test_inverse_dynamics_agree_between_engines(character: Character) -> None:
    import mujoco

    dynamics, expressions = Dynamics(character), Expressions(character)
    model = mujoco.MjModel.from_xml_string(to_mjcf(character))
    state = mujoco.MjData(model)
    for seed in range(5):
        q, v, a = random_state(character, seed)
        ours = dynamics.torques(q, v, a)
        scale = np.abs(ours).max()
        np.testing.assert_allclose(np.array(expressions.torques(q, v, a))[:, 0], ours, atol=1e-9 * scale)
        state.qpos[:], state.qvel[:], state.qacc[:] = q, v, a
        mujoco.mj_inverse(model, state)
        np.testing.assert_allclose(state.qfrc_inverse, ours, atol=1e-6 * scale)


def test_kinematics_and_momenta_agree(character: Character) -> None:
    dynamics, expressions = Dynamics(character), Expressions(character)
    q, v, _ = random_state(character)
    np.testing.assert_allclose(
        np.array(expressions.positions(q)).T, place(character.skeleton, q[None]).positions[0], atol=1e-12
    )
    np.testing.assert_allclose(np.array(expressions.center_of_mass(q))[:, 0], dynamics.center_of_mass(q), atol=1e-12)
    momentum = np.concatenate(dynamics.momentum(q, v))
    np.testing.assert_allclose(np.array(expressions.momentum(q, v))[:, 0], momentum, atol=1e-9)
    np.testing.assert_allclose(np.array(expressions.mass_matrix(q)), dynamics.mass_matrix(q), atol=1e-9)
    frames = np.array(expressions.frames(q)).T
    placed = place(character.skeleton, q[None])
    turns = frames[:, :9].reshape(-1, 3, 3).transpose(0, 2, 1)
    np.testing.assert_allclose(turns, quat.to_matrix(placed.rotations[0]), atol=1e-12)
    np.testing.assert_allclose(frames[:, 9:], placed.positions[0], atol=1e-12)


def test_wrenches_on_bodies_are_what_their_jacobians_make_of_them(character: Character) -> None:
    expressions = Expressions(character)
    q, _, _ = random_state(character)
    names, wrenches = character.skeleton.names, np.zeros((len(character.skeleton.names), 6))
    expected = np.zeros(len(q))
    for joint in (0, len(names) // 2, len(names) - 1):
        force = np.array([1.0, -2.0, 3.0]) * (joint + 1)
        wrenches[joint, :3] = force
        expected += point_jacobian(character.skeleton, q[None], joint, np.zeros(3))[0].T @ force
    np.testing.assert_allclose(np.array(expressions.generalised_forces(q, wrenches.T))[:, 0], expected, atol=1e-9)


def test_mass_matrix_is_the_change_of_torque_with_acceleration(character: Character) -> None:
    dynamics = Dynamics(character)
    q, v, a = random_state(character)
    change = dynamics.torques(q, v, a) - dynamics.torques(q, v, 0 * a)
    matrix = dynamics.mass_matrix(q)
    np.testing.assert_allclose(matrix @ a, change, atol=1e-9 * np.abs(change).max())
    assert (np.linalg.eigvalsh(matrix) > 0).all()
    np.testing.assert_allclose(dynamics.acceleration(q, v, dynamics.torques(q, v, a)), a, atol=1e-7)


def test_total_inertia_is_the_sum_over_segments(character: Character) -> None:
    """Each segment's own inertia, and its mass at its distance from the common centre of mass."""
    q = random_state(character)[0]
    placed = place(character.skeleton, q[None])
    turns = quat.to_matrix(placed.rotations[0])
    centers = placed.positions[0] + quat.rotate(placed.rotations[0], character.centers)
    away = centers - character.masses @ centers / character.mass
    expected = np.einsum("nij,njk,nlk->il", turns, character.inertias * (character.masses > 0)[:, None, None], turns)
    for mass, arm in zip(character.masses, away, strict=True):
        expected += mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    np.testing.assert_allclose(Dynamics(character).total_inertia(q), expected, atol=1e-9)


def test_derivatives_by_finite_differences(character: Character) -> None:
    """Of points, of the centre of mass, of the momenta in time, and of CasADi's torques."""
    dynamics, expressions = Dynamics(character), Expressions(character)
    q, v, a = random_state(character)
    h = 1e-6
    joint, point = len(character.skeleton.names) - 1, np.array([0.1, -0.2, 0.3])
    where = expressions.point(joint, point)
    columns = [np.array(where(q + h * e) - where(q - h * e)) / (2 * h) for e in np.eye(len(q))]
    jacobian = point_jacobian(character.skeleton, q[None], joint, point)[0]
    np.testing.assert_allclose(jacobian, np.hstack(columns), atol=1e-7)

    speed = (dynamics.center_of_mass(q + h * v) - dynamics.center_of_mass(q - h * v)) / (2 * h)
    np.testing.assert_allclose(dynamics.momentum(q, v).linear, character.mass * speed, atol=1e-6)

    def along(t: float) -> np.ndarray:
        return np.concatenate(dynamics.momentum(q + t * v + 0.5 * t**2 * a, v + t * a))

    rate = np.concatenate(dynamics.momentum_rate(q, v, a))
    np.testing.assert_allclose(rate, (along(h) - along(-h)) / (2 * h), atol=1e-5 * max(1.0, np.abs(rate).max()))

    function = expressions.torques
    symbols = [expressions.q, expressions.velocity, expressions.acceleration]
    slope = ca.Function("slope", symbols, [ca.jacobian(function(*symbols), expressions.q)])
    exact = np.array(slope(q, v, a))
    numeric = np.hstack(
        [np.array(function(q + h * e, v, a) - function(q - h * e, v, a)) / (2 * h) for e in np.eye(len(q))]
    )
    np.testing.assert_allclose(exact, numeric, atol=1e-5 * np.abs(exact).max())


def free_flight(dynamics: Dynamics, q: np.ndarray, v: np.ndarray, steps: int, time: float = 0.2) -> tuple:
    """Classical fourth-order Runge-Kutta without any torque."""
    dt = time / steps
    none = np.zeros_like(q)
    for _ in range(steps):
        k1 = v, dynamics.acceleration(q, v, none)
        k2 = v + dt / 2 * k1[1], dynamics.acceleration(q + dt / 2 * k1[0], v + dt / 2 * k1[1], none)
        k3 = v + dt / 2 * k2[1], dynamics.acceleration(q + dt / 2 * k2[0], v + dt / 2 * k2[1], none)
        k4 = v + dt * k3[1], dynamics.acceleration(q + dt * k3[0], v + dt * k3[1], none)
        q = q + dt / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
        v = v + dt / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
    return q, v


def test_free_flight_keeps_its_momenta_at_the_order_of_the_integrator() -> None:
    character = CHARACTERS["human"]
    dynamics = Dynamics(character)
    rng = np.random.default_rng(4)
    q, v = 0.3 * rng.normal(size=42), rng.normal(size=42)
    start = dynamics.momentum(q, v)
    errors = []
    for steps in (50, 100):
        end = dynamics.momentum(*free_flight(dynamics, q, v, steps))
        expected = start.linear + character.mass * np.array([0.0, 0.0, -GRAVITY]) * 0.2
        np.testing.assert_allclose(end.linear, expected, atol=1e-3)
        errors.append(np.abs(end.angular - start.angular).max())
    assert errors[1] < 1e-4
    assert 10.0 < errors[0] / errors[1] < 26.0
