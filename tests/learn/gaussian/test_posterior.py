"""Predictions: derivatives against finite differences, conditioning against the posterior of all data."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.learn.gaussian.evidence import compute_posterior
from gambol.learn.gaussian.kernels import FactorKernel, LinearFactor, RbfKernel
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


@pytest.fixture(params=[None, np.array([0, 3, 6, 9])], ids=["exact", "sparse"])
def with_factors(request) -> GaussianPosterior:
    """Of four columns, three one-hot styles and one further factor."""
    kernel = FactorKernel(RbfKernel(1.3, (0.7, 0.4), 20.0), (LinearFactor(3, 0.9), LinearFactor(1, 2.0)))
    styles, goals = np.eye(3)[np.arange(15) % 3], np.random.default_rng(2).normal(size=(15, 1))
    return compute_posterior(kernel, np.hstack([INPUTS, styles, goals]), TARGETS, request.param)


@pytest.mark.parametrize("factors", [[1.0, 0.0, 0.0, 0.3], [0.2, 0.5, 0.3, -1.5], [0.0, 0.0, 0.0, 0.0]])
def test_given_factors(with_factors, factors) -> None:
    fresh = np.random.default_rng(4).normal(size=(6, 4))
    whole, given = np.hstack([fresh, np.tile(factors, (6, 1))]), with_factors.given(np.array(factors))
    np.testing.assert_allclose(given.mean(fresh), with_factors.mean(whole), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(given.variance(fresh), with_factors.variance(whole), rtol=1e-8)
    found = given.differentiate(POINT)
    slopes = differentiate_numerically(lambda x: with_factors.mean(np.append(x, factors)[None])[0], POINT)
    np.testing.assert_allclose(found.mean_jacobian, slopes, atol=1e-8)
    slopes = differentiate_numerically(lambda x: with_factors.variance(np.append(x, factors)[None])[0], POINT)
    np.testing.assert_allclose(found.variance_gradient, slopes, atol=1e-8)


def test_styles_morph_linearly(with_factors) -> None:
    fresh = np.random.default_rng(4).normal(size=(6, 4))
    one, other = np.array([1.0, 0.0, 0.0, 0.3]), np.array([0.0, 0.0, 1.0, 0.3])
    ends = [with_factors.given(each).mean(fresh) for each in (one, other)]
    for share in (0.25, 0.5):
        between = with_factors.given((1.0 - share) * one + share * other).mean(fresh)
        np.testing.assert_allclose(between, (1.0 - share) * ends[0] + share * ends[1], atol=1e-12)
    assert np.abs(ends[0] - ends[1]).max() > 0.1


def test_factors_are_required_for_derivatives(with_factors, posterior) -> None:
    for each in (with_factors.differentiate, with_factors.expand, with_factors.predict):
        with pytest.raises(InputError, match=r"call given\(factors\)"):
            each(np.zeros(8))
    for factors in (np.zeros(3), np.full(4, np.nan), np.zeros((1, 4))):
        with pytest.raises(InputError, match="use 4 finite numbers"):
            with_factors.given(factors)
    with pytest.raises(InputError, match="has no factors"):
        posterior.given(np.zeros(1))
    kernel = FactorKernel(RbfKernel(), (LinearFactor(1, constant=False),))
    printed = compute_posterior(kernel, INPUTS, TARGETS)
    with pytest.raises(InputError, match="without constant is 0"):
        printed.given(np.zeros(1))


def test_conditioning_adds_observations() -> None:
    kernel = RbfKernel(1.3, (0.7, 0.4), 20.0)
    whole = compute_posterior(kernel, INPUTS, TARGETS)
    added = compute_posterior(kernel, INPUTS[:-2], TARGETS[:-2]).condition(INPUTS[-2:], TARGETS[-2:])
    np.testing.assert_allclose(added.mean(POINT[None]), whole.mean(POINT[None]), rtol=1e-8)
    np.testing.assert_allclose(added.variance(POINT[None]), whole.variance(POINT[None]), rtol=1e-8)
    np.testing.assert_allclose(added.reduction, whole.reduction, atol=1e-6)


def test_conditioning_with_factors() -> None:
    kernel = FactorKernel(RbfKernel(1.3, (0.7,), 20.0), (LinearFactor(1, 0.9),))
    whole = compute_posterior(kernel, INPUTS, TARGETS)
    added = compute_posterior(kernel, INPUTS[:-2], TARGETS[:-2]).condition(INPUTS[-2:], TARGETS[-2:])
    np.testing.assert_allclose(added.mean(POINT[None]), whole.mean(POINT[None]), rtol=1e-8)
    np.testing.assert_allclose(added.variance(POINT[None]), whole.variance(POINT[None]), rtol=1e-8)
