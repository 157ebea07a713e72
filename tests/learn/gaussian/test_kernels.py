"""Kernels against their formula written out, and their derivatives against finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.learn.gaussian.kernels import FactorKernel, LinearFactor, RbfKernel, squared_distances
from tests.learn.gaussian.differences import differentiate_numerically

KERNEL = RbfKernel(1.7, (0.6, 0.2), 30.0)
TWO = FactorKernel(KERNEL, (LinearFactor(3, 0.8), LinearFactor(1, 2.5)))
MIXED = FactorKernel(
    KERNEL, (LinearFactor(2, 0.8, constant=False), LinearFactor(1, 2.5), LinearFactor(1, 0.5, fixed=True))
)
KERNELS = pytest.mark.parametrize("kernel", [KERNEL, TWO, MIXED], ids=["rbf", "two factors", "mixed factors"])


@pytest.fixture
def inputs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    return random.normal(size=(5, 4)), random.normal(size=(3, 4)), random.normal(size=(5, 3))


@pytest.fixture
def factor_inputs(inputs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs with four more columns, of which a factor may be 0."""
    one, other, weights = inputs
    random = np.random.default_rng(5)
    given, other_given = random.normal(size=(5, 4)), random.normal(size=(3, 4))
    given[0, :2], other_given[0, :2] = (1.0, 0.0), (0.0, 1.0)
    given[1] = 0.0
    return np.hstack([one, given]), np.hstack([other, other_given]), weights


def test_the_kernel_is_a_product_over_groups(inputs) -> None:
    one, other, _ = inputs
    for n, x in enumerate(one):
        for m, y in enumerate(other):
            wanted = 1.7 * np.exp(-0.3 * sum((x[:2] - y[:2]) ** 2)) * np.exp(-0.1 * sum((x[2:] - y[2:]) ** 2))
            assert KERNEL.evaluate(one, other)[n, m] == pytest.approx(wanted, rel=1e-12)


def test_factors_multiply_the_kernel(factor_inputs) -> None:
    one, other, _ = factor_inputs
    plain = KERNEL.evaluate(one[:, :4], other[:, :4])
    for n, x in enumerate(one):
        for m, y in enumerate(other):
            last = 1.0 + 2.5 * x[7] * y[7]
            wanted = plain[n, m] * (1.0 + 0.8 * x[4:7] @ y[4:7]) * last
            assert TWO.evaluate(one, other)[n, m] == pytest.approx(wanted, rel=1e-10, abs=1e-14)
            wanted = plain[n, m] * 0.8 * (x[4:6] @ y[4:6]) * (1.0 + 2.5 * x[6] * y[6]) * (1.0 + 0.5 * x[7] * y[7])
            assert MIXED.evaluate(one, other)[n, m] == pytest.approx(wanted, rel=1e-10, abs=1e-14)


@KERNELS
def test_derivatives(kernel, factor_inputs) -> None:
    """One input has factors that are orthogonal to the others', so that a factor without constant is 0."""
    one, other, weights = factor_inputs
    if kernel is KERNEL:
        one, other = one[:, :4], other[:, :4]

    def of_parameters(values: np.ndarray) -> float:
        return float((weights * kernel.with_parameters(values).evaluate(one, other)).sum())

    weighted = weights * kernel.evaluate(one, other)
    by_parameters = differentiate_numerically(of_parameters, kernel.parameters)
    found = kernel.parameter_gradient(one, other, weights, weighted)
    np.testing.assert_allclose(found, by_parameters[:-1], rtol=1e-6, atol=1e-8)
    assert by_parameters[-1] == 0.0
    by_inputs = differentiate_numerically(lambda x: (weights * kernel.evaluate(x, other)).sum(), one)
    np.testing.assert_allclose(kernel.input_gradient(one, other, weighted), by_inputs[:, :4], atol=1e-7)


@KERNELS
def test_the_diagonal_and_its_sum(kernel, factor_inputs) -> None:
    inputs = factor_inputs[0][:, : 4 if kernel is KERNEL else 8]
    np.testing.assert_allclose(kernel.diagonal(inputs), np.diagonal(kernel.evaluate(inputs, inputs)), rtol=1e-12)
    slopes = differentiate_numerically(
        lambda values: kernel.with_parameters(values).diagonal(inputs).sum(), kernel.parameters
    )
    np.testing.assert_allclose(kernel.trace_gradient(inputs), slopes[:-1], rtol=1e-6, atol=1e-8)
    assert kernel.trace_gradient(inputs)[0] == pytest.approx(kernel.diagonal(inputs).sum(), rel=1e-14)


@KERNELS
def test_parameters_and_back(kernel) -> None:
    moved = kernel.parameters + np.linspace(0.1, 0.5, len(kernel.parameters))
    again = kernel.with_parameters(moved)
    np.testing.assert_allclose(again.parameters, moved, rtol=1e-14)
    assert again.precision == pytest.approx(30.0 * np.exp(0.5))
    assert len(kernel.parameters) == {KERNEL: 4, TWO: 6, MIXED: 5}[kernel]
    if kernel is MIXED:
        assert [factor.scale for factor in again.factors] == pytest.approx([0.8, np.exp(moved[3]), 0.5])


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


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"columns": 0}, "0 columns"),
        ({"columns": 1.5}, "1.5 columns"),
        ({"columns": 1, "scale": 0.0}, "scale 0.0"),
        ({"columns": 1, "scale": np.inf}, "scale inf"),
    ],
)
def test_impossible_factors(values, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        LinearFactor(**values)
    with pytest.raises(InputError, match="use an RbfKernel"):
        FactorKernel(KERNEL, ())


def test_columns_that_factors_leave() -> None:
    with pytest.raises(InputError, match="4 columns for factors of 4"):
        TWO.evaluate(np.zeros((2, 4)), np.zeros((2, 4)))
    with pytest.raises(InputError, match="1 columns for 2 widths"):
        TWO.evaluate(np.zeros((2, 5)), np.zeros((2, 5)))
