"""The cost of a latent: derivatives against finite differences, its minimum against SciPy's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from gambol.learn.gaussian import latents
from gambol.learn.gaussian.evidence import compute_posterior
from gambol.learn.gaussian.kernels import RbfKernel
from gambol.learn.gaussian.latents import LatentCost, minimise_latent_cost
from tests.learn.gaussian.differences import differentiate_numerically

RANDOM = np.random.default_rng(0)
LATENTS = RANDOM.normal(size=(25, 3))
ROWS = np.column_stack([np.sin(LATENTS @ RANDOM.normal(size=3)) for _ in range(12)])
POSTERIOR = compute_posterior(RbfKernel(1.0, (0.8,), 100.0), LATENTS, ROWS)
POINT = np.array([0.3, -0.4, 0.2])
UNSEEN = LatentCost(POSTERIOR, 12.0, np.array([0.5, -0.2, 0.1]), 30.0)
SEEN = replace(UNSEEN, target=ROWS[3] + 0.1, prior_precision=1.0)


@pytest.mark.parametrize("cost", [UNSEEN, SEEN], ids=["unknown row", "observed row"])
def test_derivatives(cost: LatentCost) -> None:
    value, gradient, hessian = cost.evaluate(POINT)
    np.testing.assert_allclose(gradient, differentiate_numerically(lambda x: cost.evaluate(x)[0], POINT), rtol=1e-5)
    slopes = differentiate_numerically(lambda x: cost.evaluate(x)[1], POINT)
    np.testing.assert_allclose(hessian, slopes, rtol=1e-5, atol=1e-3)
    variance = POSTERIOR.variance(POINT[None])[0]
    wanted = 6.0 * np.log(variance) + 0.5 * cost.prior_precision * ((POINT - cost.prior_mean) ** 2).sum()
    if cost.target is not None:
        wanted += 0.5 * ((cost.target - POSTERIOR.mean(POINT[None])[0]) ** 2).sum() / variance
    assert value == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize("cost", [UNSEEN, SEEN], ids=["unknown row", "observed row"])
@pytest.mark.parametrize("start", [POINT, LATENTS[3], np.full(3, 3.0)])
def test_minimum(cost: LatentCost, start: np.ndarray) -> None:
    found, value = minimise_latent_cost(cost, start)
    assert value <= cost.evaluate(start)[0]
    assert np.abs(cost.evaluate(found)[1]).max() < 1e-2
    peer = minimize(lambda x: cost.evaluate(x)[:2], found + 0.01, jac=True, tol=1e-12)
    np.testing.assert_allclose(found, peer.x, atol=1e-4)


def test_steps_are_no_longer_than_the_quadratic_model_is_good(monkeypatch) -> None:
    """A long step could end in another minimum, and the latent would jump."""
    strong = replace(UNSEEN, prior_mean=np.zeros(3), prior_precision=1e4)
    np.testing.assert_allclose(minimise_latent_cost(strong, np.full(3, 3.0))[0], np.zeros(3), atol=0.01)
    monkeypatch.setattr(latents, "_STEPS", 1)
    found, _ = minimise_latent_cost(strong, np.full(3, 3.0))
    assert np.linalg.norm(found - 3.0) == pytest.approx(0.5 / np.sqrt(0.8))
