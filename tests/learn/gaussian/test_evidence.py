"""Evidence against SciPy's multivariate normal distribution, and its derivatives against finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from gambol.errors import InputError
from gambol.learn.gaussian.evidence import compute_posterior, evaluate_evidence
from gambol.learn.gaussian.kernels import FactorKernel, LinearFactor, RbfKernel
from tests.learn.gaussian.differences import differentiate_numerically

KERNEL = RbfKernel(1.3, (0.7, 0.4), 20.0)
RANDOM = np.random.default_rng(0)
INPUTS, TARGETS = RANDOM.normal(size=(20, 4)), RANDOM.normal(size=(20, 5))
SOME = np.array([1, 4, 7, 9, 16])
STYLES = np.eye(3)[RANDOM.integers(3, size=20)]
GOALS = np.append(np.zeros((1, 2)), RANDOM.normal(size=(19, 2)), axis=0)
FACTORS = FactorKernel(KERNEL, (LinearFactor(3, 0.5), LinearFactor(2, 0.3)))
PRINTED = FactorKernel(KERNEL, (LinearFactor(3, constant=False), LinearFactor(2, 0.3, fixed=True)))
GIVEN = np.hstack([INPUTS, STYLES, GOALS])
CASES = pytest.mark.parametrize(
    ("kernel", "inputs"), [(KERNEL, INPUTS), (FACTORS, GIVEN), (PRINTED, GIVEN)], ids=["rbf", "factors", "printed"]
)


@CASES
def test_exact_evidence_is_a_normal_density(kernel, inputs) -> None:
    covariance = kernel.evaluate(inputs, inputs) + np.eye(20) / kernel.precision
    wanted = multivariate_normal(np.zeros(20), covariance).logpdf(TARGETS.T).sum()
    found = -evaluate_evidence(kernel, inputs, TARGETS).value - 0.5 * TARGETS.size * np.log(2.0 * np.pi)
    assert found == pytest.approx(wanted, rel=1e-8)


@CASES
def test_sparse_evidence_is_the_bound_written_out(kernel, inputs) -> None:
    centres = inputs[SOME]
    across = kernel.evaluate(inputs, centres)
    kept = across @ np.linalg.solve(kernel.evaluate(centres, centres), across.T)
    density = multivariate_normal(np.zeros(20), kept + np.eye(20) / kernel.precision).logpdf(TARGETS.T).sum()
    penalty = 0.5 * 5 * kernel.precision * np.trace(kernel.evaluate(inputs, inputs) - kept)
    found = evaluate_evidence(kernel, inputs, TARGETS, SOME).value + 0.5 * TARGETS.size * np.log(2.0 * np.pi)
    assert found == pytest.approx(penalty - density, rel=1e-6)
    assert found > evaluate_evidence(kernel, inputs, TARGETS).value


@pytest.mark.parametrize("scaled", [False, True])
@CASES
def test_all_inducing_inputs_give_the_exact_evidence(kernel, inputs, scaled: bool) -> None:
    exact = evaluate_evidence(kernel, inputs, TARGETS, scaled=scaled)
    sparse = evaluate_evidence(kernel, inputs, TARGETS, np.arange(20), scaled=scaled)
    assert sparse.value == pytest.approx(exact.value, rel=1e-6)
    np.testing.assert_allclose(sparse.scales, exact.scales, rtol=1e-6)
    np.testing.assert_allclose(sparse.input_gradient, exact.input_gradient, atol=1e-4)
    one, other = compute_posterior(kernel, inputs, TARGETS), compute_posterior(kernel, inputs, TARGETS, np.arange(20))
    fresh = np.random.default_rng(3).normal(size=(7, inputs.shape[1]))
    np.testing.assert_allclose(other.mean(fresh), one.mean(fresh), atol=1e-6)
    np.testing.assert_allclose(other.variance(fresh), one.variance(fresh), atol=1e-6)


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("inducing", [None, SOME])
@CASES
def test_derivatives(kernel, inputs, inducing, scaled: bool) -> None:
    found = evaluate_evidence(kernel, inputs, TARGETS, inducing, scaled=scaled)

    def of_parameters(values: np.ndarray) -> float:
        return evaluate_evidence(kernel.with_parameters(values), inputs, TARGETS, inducing, scaled=scaled).value

    slopes = differentiate_numerically(of_parameters, kernel.parameters)
    np.testing.assert_allclose(found.parameter_gradient, slopes, rtol=1e-6, atol=1e-5)

    def of_inputs(moving: np.ndarray) -> float:
        moved = np.hstack([moving, inputs[:, 4:]])
        return evaluate_evidence(kernel, moved, TARGETS, inducing, scaled=scaled).value

    slopes = differentiate_numerically(of_inputs, INPUTS)
    np.testing.assert_allclose(found.input_gradient, slopes, rtol=1e-5, atol=2e-5)


def test_an_inducing_input_whose_factors_are_0() -> None:
    """Without constants its covariance with every input is 0: it adds nothing, and stops nothing."""
    kernel = FactorKernel(KERNEL, (LinearFactor(2, constant=False),))
    inputs = np.hstack([INPUTS, GOALS])
    with_zero = evaluate_evidence(kernel, inputs, TARGETS, np.append(0, SOME))
    assert with_zero.value == pytest.approx(evaluate_evidence(kernel, inputs, TARGETS, SOME).value, rel=1e-6)
    assert np.isfinite(with_zero.parameter_gradient).all()
    assert np.isfinite(with_zero.input_gradient).all()


def test_scales_are_the_best_ones() -> None:
    """Of L_P written out, for scales a little larger and smaller."""
    found = evaluate_evidence(KERNEL, INPUTS, TARGETS, scaled=True)
    covariance = KERNEL.evaluate(INPUTS, INPUTS) + np.eye(20) / KERNEL.precision
    squares = np.einsum("nk,nk->k", TARGETS, np.linalg.solve(covariance, TARGETS))

    def cost(scales: np.ndarray) -> float:
        half = 2.5 * np.linalg.slogdet(covariance)[1]
        return half - 20 * float(np.log(scales).sum()) + 0.5 * float(scales**2 @ squares)

    assert found.value == pytest.approx(cost(found.scales), rel=1e-8)
    for k in range(5):
        for factor in (0.99, 1.01):
            scales = found.scales.copy()
            scales[k] *= factor
            assert cost(scales) > found.value


def test_equal_inputs_without_noise() -> None:
    value = evaluate_evidence(RbfKernel(1.0, (1.0,), 1e18), np.zeros((3, 2)), np.ones((3, 1))).value
    assert np.isfinite(value)
    with pytest.raises(InputError, match="positive definite"):
        evaluate_evidence(KERNEL, np.full((3, 4), np.nan), np.ones((3, 1)))
    with pytest.raises(InputError, match="covariance of 2 inducing inputs"):
        evaluate_evidence(KERNEL, np.full((3, 4), np.nan), np.ones((3, 1)), np.array([0, 2]))
