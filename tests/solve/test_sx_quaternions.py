"""Quaternions of CasADi against those of NumPy."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.solve.sx_quaternions import sx_conjugate, sx_exp, sx_multiply, sx_rotate

RANDOM = np.random.default_rng(2)
TURNS = quat.normalise(RANDOM.normal(size=(5, 4)))
OTHERS = quat.normalise(RANDOM.normal(size=(5, 4)))
VECTORS = RANDOM.normal(size=(5, 3))


def call(function: Callable[..., ca.SX], *values: Array) -> Array:
    """The function of every row."""
    symbols = [ca.SX.sym(f"v{n}", value.shape[1]) for n, value in enumerate(values)]
    run = ca.Function("f", symbols, [function(*symbols)])
    return np.array([run(*row).full()[:, 0] for row in zip(*values, strict=True)])


@pytest.mark.parametrize(
    ("ours", "theirs", "values"),
    [
        (sx_multiply, quat.multiply, (TURNS, OTHERS)),
        (sx_conjugate, quat.conjugate, (TURNS,)),
        (sx_rotate, quat.rotate, (TURNS, VECTORS)),
        (sx_exp, quat.exp, (VECTORS,)),
        (sx_exp, quat.exp, (1e-9 * VECTORS,)),
    ],
)
def test_the_same_numbers_as_numpy(ours, theirs, values) -> None:
    np.testing.assert_allclose(call(ours, *values), theirs(*values), atol=1e-14)


def test_a_turn_of_zero_has_derivatives() -> None:
    vector = ca.SX.sym("v", 3)
    slopes = ca.Function("f", [vector], [ca.jacobian(sx_exp(vector), vector)])(np.zeros(3)).full()
    np.testing.assert_allclose(slopes, np.vstack([np.zeros(3), 0.5 * np.eye(3)]), atol=1e-9)
