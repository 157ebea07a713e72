"""Costs by JAX against those by NumPy, and what learning finds with them; on a GPU where JAX has one."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from gambol.errors import InputError, MissingExtra
from gambol.learn.gaussian import FactorKernel, GaussianProcess, LinearFactor, RbfKernel, ScaledGplvm
from gambol.learn.gaussian.accelerated import accelerate_back_cost, accelerate_evidence
from gambol.learn.gaussian.back import BackConstrainedCost
from gambol.learn.gaussian.evidence import evaluate_evidence

RBF = RbfKernel(1.3, (0.7, 0.4), 20.0)
MIXED = (LinearFactor(3, 0.8), LinearFactor(1, constant=False), LinearFactor(1, 0.5, fixed=True))
RANDOM = np.random.default_rng(0)
INPUTS = np.hstack([RANDOM.normal(size=(80, 4)), np.eye(3)[np.arange(80) % 3], RANDOM.normal(size=(80, 2))])
TARGETS = np.sin(INPUTS @ RANDOM.normal(size=(9, 6))) + 0.05 * RANDOM.normal(size=(80, 6))
SOME = np.arange(0, 80, 5)
BACKENDS = pytest.mark.parametrize(("backend", "tolerance"), [("jax", 1e-8), ("jax32", 2e-3)])


def assert_near(found: np.ndarray, wanted: np.ndarray, tolerance: float) -> None:
    """Compare relative to the largest number."""
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=tolerance * np.abs(wanted).max())


@pytest.fixture(scope="module")
def jax():
    return pytest.importorskip("jax", reason="JAX is not installed: pip install 'gambol[gpu]'")


@BACKENDS
@pytest.mark.parametrize("kernel", [RBF, FactorKernel(RBF, MIXED)], ids=["rbf", "factors"])
def test_evidence(jax, kernel, backend: str, tolerance: float) -> None:
    inputs = INPUTS[:, : 4 if kernel is RBF else 9]
    value, gradient = accelerate_evidence(backend, kernel, inputs, TARGETS, SOME)(kernel.parameters + 0.1)
    wanted = evaluate_evidence(kernel.with_parameters(kernel.parameters + 0.1), inputs, TARGETS, SOME)
    assert value == pytest.approx(wanted.value, rel=tolerance)
    assert_near(gradient, wanted.parameter_gradient, tolerance)


@BACKENDS
@pytest.mark.parametrize(
    ("factors", "scaled"), [((), True), (MIXED, True), ((), False)], ids=["rbf", "factors", "plain"]
)
def test_back_cost(jax, factors, scaled: bool, backend: str, tolerance: float) -> None:
    rbf = RbfKernel(1.3, (0.7,), 20.0)
    kernel, given = (FactorKernel(rbf, factors), INPUTS[:, 4:]) if factors else (rbf, None)
    seen = np.hstack([TARGETS, INPUTS[:, :1]])
    cost = BackConstrainedCost.from_rows(TARGETS, SOME, 0.3, kernel, given, seen, scaled=scaled)
    unknowns = np.concatenate([kernel.parameters, np.log([1.5, 0.3]), RANDOM.normal(size=2 * len(SOME))])
    value, gradient = accelerate_back_cost(backend, cost)(unknowns)
    wanted, slopes = cost(unknowns)
    assert value == pytest.approx(wanted, rel=tolerance)
    assert_near(gradient, slopes, tolerance)


@BACKENDS
def test_learning(jax, backend: str, tolerance: float) -> None:
    """The same kernel is found, and rows are explained as well."""
    factors = (LinearFactor(3), LinearFactor(2))
    start = FactorKernel(RbfKernel(), factors)
    ours = GaussianProcess(start, n_inducing=16).fit(INPUTS, TARGETS)
    theirs = GaussianProcess(start, n_inducing=16, backend=backend).fit(INPUTS, TARGETS)
    assert theirs.evidence_ == pytest.approx(ours.evidence_, rel=max(tolerance, 1e-5))
    models = [
        ScaledGplvm(2, factors=factors, n_inducing=16, iterations=30, backend=each).fit(TARGETS, given=INPUTS[:, 4:])
        for each in ("numpy", backend)
    ]
    assert models[1].cost_ < models[0].cost_ + 0.02 * abs(models[0].cost_)
    assert models[1].latents_.dtype == np.float64


def test_inducing_inputs_without_a_covariance(jax) -> None:
    for backend in ("jax", "jax32"):
        cost = accelerate_evidence(backend, RBF, np.full((80, 4), np.nan), TARGETS, SOME)
        with pytest.raises(InputError, match="covariance of 16 inducing inputs"):
            cost(RBF.parameters)


def test_without_jax(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(MissingExtra, match=r"gambol\[gpu\]"):
        GaussianProcess(n_inducing=16, backend="jax").fit(INPUTS, TARGETS)


def test_invalid_backends() -> None:
    with pytest.raises(InputError, match="choose numpy, jax or jax32"):
        GaussianProcess(n_inducing=16, backend="cuda").fit(INPUTS, TARGETS)
    with pytest.raises(InputError, match="choose n_inducing below"):
        ScaledGplvm(2, backend="jax").fit(TARGETS)
