"""L_P and its derivatives: finite differences, its formula written out, and GPy."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.learn.gaussian.back import BackConstrainedCost
from gambol.learn.gaussian.evidence import evaluate_evidence
from gambol.learn.gaussian.kernels import FactorKernel, LinearFactor, RbfKernel
from tests.learn.gaussian.differences import differentiate_numerically

ROWS = np.random.default_rng(0).normal(size=(14, 6)) * [1.0, 2.0, 0.5, 1.0, 1.0, 3.0]
HYPER = np.log([1.3, 0.7, 20.0, 1.5, 0.3])
SOME = np.array([1, 4, 6, 9, 12])


def make_unknowns(count: int) -> np.ndarray:
    return np.append(HYPER, np.random.default_rng(1).normal(size=2 * count))


@pytest.mark.parametrize("inducing", [None, SOME])
def test_derivatives(inducing) -> None:
    cost = BackConstrainedCost.from_rows(ROWS, inducing, 0.3)
    unknowns = make_unknowns(len(cost.centres))
    slopes = differentiate_numerically(lambda values: cost(values)[0], unknowns)
    np.testing.assert_allclose(cost(unknowns)[1], slopes, rtol=1e-5, atol=1e-4)


FACTORS = FactorKernel(RbfKernel(), (LinearFactor(2, constant=False), LinearFactor(1)))
GIVEN = np.random.default_rng(2).normal(size=(14, 3))
PHASES = np.column_stack([np.cos(np.arange(14.0)), np.sin(np.arange(14.0))])
FACTOR_HYPER = np.log([1.3, 0.7, 0.4, 20.0, 1.5, 0.3])


@pytest.mark.parametrize("inducing", [None, SOME])
def test_derivatives_with_factors(inducing) -> None:
    seen = np.hstack([ROWS, PHASES])
    cost = BackConstrainedCost.from_rows(ROWS, inducing, 0.3, FACTORS, GIVEN, seen)
    unknowns = np.append(FACTOR_HYPER, np.random.default_rng(1).normal(size=2 * len(cost.centres)))
    slopes = differentiate_numerically(lambda values: cost(values)[0], unknowns)
    np.testing.assert_allclose(cost(unknowns)[1], slopes, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("inducing", [None, SOME])
def test_columns_without_scales(inducing) -> None:
    """Columns have the scale 1, and the cost is that of the scaled one for its own best scales."""
    cost = BackConstrainedCost.from_rows(ROWS, inducing, 0.3, scaled=False)
    unknowns = make_unknowns(len(cost.centres))
    slopes = differentiate_numerically(lambda values: cost(values)[0], unknowns)
    np.testing.assert_allclose(cost(unknowns)[1], slopes, rtol=1e-5, atol=1e-4)
    kernel, back, weights = cost.unpack(unknowns)
    latents = back.evaluate(ROWS, cost.centres) @ weights
    scales = evaluate_evidence(kernel, latents, ROWS, inducing, scaled=True).scales
    best = BackConstrainedCost.from_rows(ROWS * scales, inducing, 0.3, scaled=False, seen=ROWS)
    wanted = BackConstrainedCost.from_rows(ROWS, inducing, 0.3)(unknowns)[0] + 14 * np.log(scales).sum()
    assert best(unknowns)[0] == pytest.approx(wanted, rel=1e-9)


def test_the_cost_with_factors_written_out() -> None:
    """Latents depend on rows and phases; the covariance is multiplied by the factors; their scales have no prior."""
    alpha, gamma, scale, beta, back_alpha, back_gamma = np.exp(FACTOR_HYPER)
    seen = np.hstack([ROWS, PHASES])
    cost = BackConstrainedCost.from_rows(ROWS, None, 0.3, FACTORS, GIVEN, seen)
    unknowns = np.append(FACTOR_HYPER, np.random.default_rng(1).normal(size=28))
    apart = ((seen[:, None] - seen) ** 2).sum(axis=-1)
    latents = back_alpha * np.exp(-0.5 * back_gamma * apart) @ cost.unpack(unknowns)[2]
    covariance = alpha * np.exp(-0.5 * gamma * ((latents[:, None] - latents) ** 2).sum(axis=-1))
    covariance *= (GIVEN[:, :2] @ GIVEN[:, :2].T) * (1.0 + scale * GIVEN[:, 2:] @ GIVEN[:, 2:].T)
    covariance += np.eye(14) / beta
    squares = np.diagonal(ROWS.T @ np.linalg.solve(covariance, ROWS))
    wanted = 3.0 * np.linalg.slogdet(covariance)[1] + 7.0 * np.log(squares / 14).sum() + 42.0
    wanted += 0.5 * np.trace(latents @ latents.T) + np.log(beta * alpha * gamma * back_alpha * back_gamma)
    assert cost(unknowns)[0] == pytest.approx(wanted, rel=1e-8)


def test_the_cost_is_the_printed_one() -> None:
    alpha, gamma, beta, back_alpha, back_gamma = np.exp(HYPER)
    apart = ((ROWS[:, None] - ROWS) ** 2).sum(axis=-1)
    cost, unknowns = BackConstrainedCost.from_rows(ROWS, None, 0.3), make_unknowns(14)
    latents = back_alpha * np.exp(-0.5 * back_gamma * apart) @ cost.unpack(unknowns)[2]
    covariance = alpha * np.exp(-0.5 * gamma * ((latents[:, None] - latents) ** 2).sum(axis=-1)) + np.eye(14) / beta
    squares = np.diagonal(ROWS.T @ np.linalg.solve(covariance, ROWS))
    scales = np.sqrt(14 / squares)
    wanted = 3.0 * np.linalg.slogdet(covariance)[1] - 14 * np.log(scales).sum()
    wanted += 0.5 * np.trace(np.linalg.solve(covariance, (ROWS * scales**2) @ ROWS.T))
    wanted += 0.5 * np.trace(latents @ latents.T) + np.log(beta * alpha * gamma * back_alpha * back_gamma)
    assert cost(unknowns)[0] == pytest.approx(wanted, rel=1e-8)


def test_the_same_numbers_as_gpy() -> None:
    """GPy has no scales and no priors: scaled rows go in, and the derivatives of the priors are subtracted."""
    GPy = pytest.importorskip("GPy", reason="GPy is not installed: pip install 'gambol-evidence[bench]'")
    cost, unknowns = BackConstrainedCost.from_rows(ROWS, None, 0.3), make_unknowns(14)
    alpha, gamma, beta, back_alpha, back_gamma = np.exp(HYPER)
    weights = cost.unpack(unknowns)[2]
    latents = back_alpha * np.exp(-0.5 * back_gamma * cost.distances) @ weights
    covariance = alpha * np.exp(-0.5 * gamma * ((latents[:, None] - latents) ** 2).sum(axis=-1)) + np.eye(14) / beta
    scales = np.sqrt(14 / np.diagonal(ROWS.T @ np.linalg.solve(covariance, ROWS)))

    # The back kernel takes distances of unscaled rows, GPy's that of its data: widths per column undo the scales.
    back = GPy.kern.RBF(6, back_alpha, scales / np.sqrt(back_gamma), ARD=True)
    mapping = GPy.mappings.Kernel(6, 2, ROWS * scales, back)
    mapping.A[:] = weights
    kernel = GPy.kern.RBF(2, alpha, 1.0 / np.sqrt(gamma))
    peer = GPy.models.BCGPLVM(ROWS * scales, 2, kernel=kernel, mapping=mapping)
    peer.likelihood.variance = 1.0 / beta - 1e-8  # which GPy adds
    value, gradient = cost(unknowns)
    priors = 0.5 * float((latents**2).sum()) + HYPER.sum()
    theirs = -float(peer.log_likelihood()) - 0.5 * ROWS.size * np.log(2.0 * np.pi) - 14 * np.log(scales).sum()
    assert value - priors == pytest.approx(theirs, rel=1e-8)
    by_prior = (back_alpha * np.exp(-0.5 * back_gamma * cost.distances)).T @ latents
    ours = gradient[5:].reshape(14, 2) - cost.mixing.T @ by_prior
    np.testing.assert_allclose(ours, -cost.mixing.T @ np.asarray(mapping.A.gradient), rtol=1e-6, atol=1e-6)
    assert gradient[0] - 1.0 == pytest.approx(-alpha * float(kernel.variance.gradient[0]), rel=1e-6)
    assert gradient[2] - 1.0 == pytest.approx(float(peer.likelihood.variance.gradient[0]) / beta, rel=1e-6)
