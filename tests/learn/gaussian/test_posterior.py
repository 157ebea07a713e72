"""Predictions: derivatives against finite differences, conditioning against the posterior of all data."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.learn.gaussian.evidence import compute_posterior
from gambol.learn.gaussian.kernels import RbfKernel
from gambol.learn.gaussian.posterior import GaussianPosterior
from tests.learn.gaussian.differences import differentiate_numerically

RANDOM = np.random.default_rng(0)
INPUTS, TARGETS = RANDOM.normal(size=(15, 4)), RANDOM.normal(size=(15, 3))
POINT = RANDOM.normal(size=4)


@pytest.fixture(params=[None, np.array([0, 3, 6, 9])], ids=["exact", "sparse"])
def posterior(request) -> GaussianPosterior:
    return compute_posterior(RbfKernel(1.3, (0.7, 0.4), 20.0), INPUTS, TARGETS, request.param)


def test_derivatives(posterior) -> None:
    found = posterior.differentiate(POINT)
    np.testing.assert_allclose(found.mean, posterior.mean(POINT[None])[0], rtol=1e-12)
    assert found.variance == pytest.approx(posterior.variance(POINT[None])[0], rel=1e-12)
    slopes = differentiate_numerically(lambda x: posterior.mean(x[None])[0], POINT)
    np.testing.assert_allclose(found.mean_jacobian, slopes, atol=1e-8)
    slopes = differentiate_numerically(lambda x: posterior.variance(x[None])[0], POINT)
    np.testing.assert_allclose(found.variance_gradient, slopes, atol=1e-8)


def test_second_derivatives(posterior) -> None:
    weights = np.random.default_rng(1).normal(size=len(posterior.inputs))
    slopes = differentiate_numerically(lambda x: posterior.expand(x).slopes @ weights, POINT)
    np.testing.assert_allclose(posterior.expand(POINT).curvature(weights), slopes, atol=1e-8)


def test_variance_far_away_and_at_the_data(posterior) -> None:
    kernel = posterior.kernel
    assert posterior.variance(np.full((1, 4), 100.0))[0] == pytest.approx(kernel.amplitude + 1.0 / kernel.precision)
    near = posterior.variance(posterior.inputs)
    assert np.all((near > 1.0 / kernel.precision) & (near < 2.0 / kernel.precision))


def test_conditioning_adds_observations() -> None:
    kernel = RbfKernel(1.3, (0.7, 0.4), 20.0)
    whole = compute_posterior(kernel, INPUTS, TARGETS)
    added = compute_posterior(kernel, INPUTS[:-2], TARGETS[:-2]).condition(INPUTS[-2:], TARGETS[-2:])
    np.testing.assert_allclose(added.mean(POINT[None]), whole.mean(POINT[None]), rtol=1e-8)
    np.testing.assert_allclose(added.variance(POINT[None]), whole.variance(POINT[None]), rtol=1e-8)
    np.testing.assert_allclose(added.reduction, whole.reduction, atol=1e-6)
