"""Frozen bodies and loads weigh what they weigh."""

from __future__ import annotations

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.build import make_average_build
from gambol.body.dynamics import Dynamics
from gambol.body.human import make_human
from gambol.body.lumped import add_loads, lump_bodies
from gambol.motion.kinematics import point_jacobian
from gambol.motion.pushes import Load

LEGS = [f"{side}_{part}" for side in ("left", "right") for part in ("thigh", "shank", "foot")]


def test_with_legs_at_rest_both_bodies_need_the_same_torques() -> None:
    whole = make_human(make_average_build(1.8), 80.0)
    upper = lump_bodies(whole, LEGS)
    assert len(upper.skeleton.dofs) == 30
    names = whole.skeleton.names
    kept = [c for c, d in enumerate(whole.skeleton.dofs) if names[d.joint] not in LEGS]
    q, v, a = 0.4 * np.random.default_rng(0).normal(size=(3, 20, 42))
    for values in (q, v, a):
        values[:, [c for c in range(42) if c not in kept]] = 0.0
    ours = Dynamics(upper).torques(q[:, kept], v[:, kept], a[:, kept])
    np.testing.assert_allclose(ours, Dynamics(whole).torques(q, v, a)[:, kept], atol=1e-9)


def test_a_load_is_a_point_mass() -> None:
    plain = make_human(make_average_build(1.8), 80.0)
    point = np.array([0.02, 0.0, -0.1])
    heavy = add_loads(plain, [Load("left_hand", 3.0, tuple(point))])
    np.testing.assert_allclose(heavy.mass, 83.0)
    still = np.zeros((1, 42))
    added = Dynamics(heavy).torques(still, still, still) - Dynamics(plain).torques(still, still, still)
    np.testing.assert_allclose(added[0, 2], 3.0 * GRAVITY)
    q, v = 0.5 * np.random.default_rng(1).normal(size=(2, 5, 42))
    momentum = [Dynamics(c).momentum(q, v).linear for c in (plain, heavy)]
    velocity = np.einsum("fcd,fd->fc", point_jacobian(plain.skeleton, q, plain.body("left_hand"), point), v)
    np.testing.assert_allclose(momentum[1] - momentum[0], 3.0 * velocity, atol=1e-9)
