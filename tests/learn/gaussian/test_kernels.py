"""Kernels against their formula written out, and their derivatives against finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.learn.gaussian.kernels import RbfKernel, squared_distances
from tests.learn.gaussian.differences import differentiate_numerically

KERNEL = RbfKernel(1.7, (0.6, 0.2), 30.0)


@pytest.fixture
def inputs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    return random.normal(size=(5, 4)), random.normal(size=(3, 4)), random.normal(size=(5, 3))


def test_the_kernel_is_a_product_over_groups(inputs) -> None:
    one, other, _ = inputs
    for n, x in enumerate(one):
        for m, y in enumerate(other):
            wanted = 1.7 * np.exp(-0.3 * sum((x[:2] - y[:2]) ** 2)) * np.exp(-0.1 * sum((x[2:] - y[2:]) ** 2))
            assert KERNEL.evaluate(one, other)[n, m] == pytest.approx(wanted, rel=1e-12)


def test_derivatives(inputs) -> None:
    one, other, weights = inputs

    def of_parameters(values: np.ndarray) -> float:
        return float((weights * RbfKernel.from_parameters(values).evaluate(one, other)).sum())

    weighted = weights * KERNEL.evaluate(one, other)
    by_parameters = differentiate_numerically(of_parameters, KERNEL.parameters)
    np.testing.assert_allclose(KERNEL.parameter_gradient(one, other, weighted), by_parameters[:3], rtol=1e-7)
    assert by_parameters[3] == 0.0
    by_inputs = differentiate_numerically(lambda x: (weights * KERNEL.evaluate(x, other)).sum(), one)
    np.testing.assert_allclose(KERNEL.input_gradient(one, other, weighted), by_inputs, atol=1e-8)


def test_parameters_and_back() -> None:
    again = RbfKernel.from_parameters(KERNEL.parameters)
    np.testing.assert_allclose(again.parameters, KERNEL.parameters, rtol=1e-14)
    assert len(again.inverse_widths) == 2


def test_distances_far_from_the_origin() -> None:
    rows = np.random.default_rng(1).normal(size=(6, 3))
    near, far = squared_distances(rows, rows), squared_distances(rows + 1e6, rows + 1e6)
    np.testing.assert_allclose(near, ((rows[:, None] - rows) ** 2).sum(axis=-1), atol=1e-12)
    np.testing.assert_allclose(far, near, atol=1e-8)
    assert far.min() >= 0.0


@pytest.mark.parametrize("values", [(0.0, (1.0,), 1.0), (1.0, (), 1.0), (1.0, (-1.0,), 1.0), (1.0, (1.0,), np.nan)])
def test_impossible_kernels(values) -> None:
    with pytest.raises(InputError, match="above 0"):
        RbfKernel(*values)


def test_columns_that_do_not_divide() -> None:
    with pytest.raises(InputError, match="multiple of 2"):
        KERNEL.evaluate(np.zeros((2, 3)), np.zeros((2, 3)))
