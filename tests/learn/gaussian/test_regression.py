"""Regression against scikit-learn's, sparse against exact, and files."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, Kernel, WhiteKernel

from gambol.errors import InputError
from gambol.io.models import as_model, save_model
from gambol.learn.gaussian import FactorKernel, GaussianProcess, LinearFactor, RbfKernel
from tests.learn.gaussian.differences import differentiate_numerically

RANDOM = np.random.default_rng(0)
INPUTS = RANDOM.uniform(-3.0, 3.0, (60, 2))
TARGETS = np.column_stack([np.sin(INPUTS[:, 0]), np.cos(INPUTS[:, 1]) * INPUTS[:, 0]])
NOISY = TARGETS + 0.05 * RANDOM.normal(size=TARGETS.shape)
FRESH = RANDOM.uniform(-3.0, 3.0, (20, 2))


def test_the_same_numbers_as_scikit_learn() -> None:
    kernel = RbfKernel(2.0, (0.5, 0.8), 50.0)
    ours = GaussianProcess(kernel, iterations=0).fit(INPUTS, NOISY)
    widths = 1.0 / np.sqrt(kernel.inverse_widths)
    theirs = ConstantKernel(2.0) * RBF(widths) + WhiteKernel(1.0 / 50.0)
    peer = GaussianProcessRegressor(theirs, alpha=2e-10, optimizer=None).fit(INPUTS, NOISY)
    mean, deviation = peer.predict(FRESH, return_std=True)
    np.testing.assert_allclose(ours.predict(FRESH), mean, atol=1e-8)
    np.testing.assert_allclose(ours.predict_variance(FRESH), deviation[:, 0] ** 2, atol=1e-8)
    assert ours.evidence_ == pytest.approx(peer.log_marginal_likelihood_value_, rel=1e-8)


class OnColumns(Kernel):
    """A kernel of scikit-learn that sees some columns."""

    def __init__(self, kernel: Kernel, first: int, end: int) -> None:
        self.kernel, self.first, self.end = kernel, first, end

    def __call__(self, X, Y=None, eval_gradient=False):
        cut = slice(self.first, self.end)
        found = self.kernel(X[:, cut], None if Y is None else Y[:, cut])
        return (found, np.empty((len(X), len(X), 0))) if eval_gradient else found

    def diag(self, X):
        return self.kernel.diag(X[:, self.first : self.end])

    def is_stationary(self) -> bool:
        return self.kernel.is_stationary()


STYLES = np.eye(3)[np.arange(60) % 3]
GOALS = RANDOM.uniform(-1.0, 1.0, (60, 1))
STYLED = np.hstack([INPUTS, STYLES, GOALS])
STYLED_NOISY = NOISY * (1.0 + STYLES @ [[0.2], [-0.4], [0.5]]) + GOALS * np.cos(INPUTS)


@pytest.mark.parametrize("constant", [True, False])
def test_factors_give_the_same_numbers_as_scikit_learn(constant: bool) -> None:
    rbf = RbfKernel(2.0, (0.5, 0.8), 50.0)
    kernel = FactorKernel(rbf, (LinearFactor(3, 0.7, constant), LinearFactor(1, 1.5)))
    ours = GaussianProcess(kernel, iterations=0).fit(STYLED, STYLED_NOISY)
    moving = OnColumns(ConstantKernel(2.0) * RBF(1.0 / np.sqrt(rbf.inverse_widths)), 0, 2)
    style = OnColumns(ConstantKernel(0.7) * DotProduct(np.sqrt(constant / 0.7)), 2, 5)
    goal = OnColumns(ConstantKernel(1.5) * DotProduct(np.sqrt(1.0 / 1.5)), 5, 6)
    theirs = moving * style * goal + WhiteKernel(1.0 / 50.0)
    peer = GaussianProcessRegressor(theirs, alpha=2e-10, optimizer=None).fit(STYLED, STYLED_NOISY)
    fresh = np.hstack([FRESH, RANDOM.dirichlet(np.ones(3), 20), RANDOM.uniform(-1.0, 1.0, (20, 1))])
    mean, deviation = peer.predict(fresh, return_std=True)
    np.testing.assert_allclose(ours.predict(fresh), mean, atol=1e-8)
    np.testing.assert_allclose(ours.predict_variance(fresh), deviation[:, 0] ** 2, atol=1e-8)
    assert ours.evidence_ == pytest.approx(peer.log_marginal_likelihood_value_, rel=1e-8)


def test_scales_of_factors_are_learned() -> None:
    """At the maximum of the evidence its derivatives are 0, also by scales of factors, which no prior moves."""
    start = FactorKernel(RbfKernel(1.0, (1.0,), 10.0), (LinearFactor(3), LinearFactor(1, fixed=True)))
    learned = GaussianProcess(start).fit(STYLED, STYLED_NOISY)
    prior = GaussianProcess(start, prior=True).fit(STYLED, STYLED_NOISY)
    assert learned.kernel_.factors[0].scale != pytest.approx(1.0, rel=0.01)
    assert learned.kernel_.factors[1].scale == 1.0
    assert learned.evidence_ > GaussianProcess(start, iterations=0).fit(STYLED, STYLED_NOISY).evidence_ + 1.0
    for each, wanted in ((learned, [0.0, 0.0, 0.0, 0.0]), (prior, [1.0, 1.0, 0.0, 1.0])):

        def evidence(values: np.ndarray, kernel: FactorKernel = each.kernel_) -> float:
            moved = GaussianProcess(kernel.with_parameters(values), iterations=0)
            return moved.fit(STYLED, STYLED_NOISY).evidence_

        slopes = differentiate_numerically(evidence, each.kernel_.parameters, 1e-5)
        np.testing.assert_allclose(slopes, wanted, atol=2e-2)


def test_a_shared_part_is_learned_from_all_styles() -> None:
    """Every style is seen on a third of the inputs. With the constant the others help; without it they cannot."""
    column = INPUTS[:, 0]
    style = (column > -1.0).astype(int) + (column > 1.0)
    inputs, fresh = np.hstack([INPUTS, np.eye(3)[style]]), np.hstack([FRESH, np.tile([1.0, 0.0, 0.0], (20, 1))])
    truth = np.column_stack([np.sin(FRESH[:, 0]), np.cos(FRESH[:, 1]) * FRESH[:, 0]])
    errors = []
    for constant in (True, False):
        kernel = FactorKernel(RbfKernel(1.0, (1.0,), 100.0), (LinearFactor(3, constant=constant),))
        found = GaussianProcess(kernel).fit(inputs, NOISY).predict(fresh)
        errors.append(np.sqrt(((found - truth) ** 2).mean()))
    assert errors[0] < 0.3 * errors[1]


def test_learned_hyperparameters_are_as_likely_as_those_of_scikit_learn() -> None:
    ours = GaussianProcess(RbfKernel(1.0, (1.0,), 10.0)).fit(INPUTS, NOISY)
    peer = GaussianProcessRegressor(ConstantKernel() * RBF() + WhiteKernel(0.1), alpha=0.0).fit(INPUTS, NOISY)
    assert ours.evidence_ > peer.log_marginal_likelihood_value_ - 1e-3
    assert 1.0 / np.sqrt(ours.kernel_.precision) == pytest.approx(0.05, rel=0.2)


def test_sparse_regression() -> None:
    kernel = RbfKernel(2.0, (0.5,), 400.0)
    exact = GaussianProcess(kernel, iterations=0).fit(INPUTS, NOISY)
    whole = GaussianProcess(kernel, iterations=0, n_inducing=60).fit(INPUTS, NOISY)
    np.testing.assert_array_equal(whole.predict(FRESH), exact.predict(FRESH))
    evidence = [GaussianProcess(kernel, iterations=0, n_inducing=m).fit(INPUTS, NOISY).evidence_ for m in (8, 16, 32)]
    assert evidence[0] < evidence[1] < evidence[2] < exact.evidence_
    few = GaussianProcess(kernel, n_inducing=32).fit(INPUTS, NOISY)
    assert len(few.posterior_.inputs) == 32
    truth = np.column_stack([np.sin(FRESH[:, 0]), np.cos(FRESH[:, 1]) * FRESH[:, 0]])
    errors = [np.sqrt(((each.predict(FRESH) - truth) ** 2).mean()) for each in (few, exact)]
    assert errors[0] < 2.0 * errors[1] < 0.2


def test_precision_stays_below_its_bound_and_the_prior_counts() -> None:
    free = GaussianProcess().fit(INPUTS, TARGETS)
    bound = GaussianProcess(max_precision=100.0).fit(INPUTS, TARGETS)
    assert free.kernel_.precision > 1e3
    assert bound.kernel_.precision == pytest.approx(100.0)
    # ln αβγ is added to the cost: at the minimum its derivative by each logarithm is -1.
    prior = GaussianProcess(RbfKernel(1.0, (1.0, 1.0), 10.0), prior=True).fit(INPUTS, NOISY)

    def evidence(values: np.ndarray) -> float:
        return GaussianProcess(prior.kernel_.with_parameters(values), iterations=0).fit(INPUTS, NOISY).evidence_

    slopes = differentiate_numerically(evidence, prior.kernel_.parameters, 1e-5)
    np.testing.assert_allclose(slopes, np.ones(4), atol=1e-2)


def test_derivatives_of_predictions() -> None:
    process = GaussianProcess(RbfKernel(2.0, (0.5,), 50.0), iterations=0).fit(INPUTS, NOISY)
    slopes = differentiate_numerically(lambda x: process.predict(x[None])[0], FRESH[0])
    np.testing.assert_allclose(process.differentiate(FRESH[0]).mean_jacobian, slopes, atol=1e-7)


def test_saved_and_loaded(tmp_path) -> None:
    process = GaussianProcess(n_inducing=20).fit(INPUTS, NOISY)
    save_model(process, tmp_path / "process.npz")
    again = as_model(tmp_path / "process.npz", GaussianProcess)
    np.testing.assert_array_equal(again.predict(FRESH), process.predict(FRESH))
    np.testing.assert_array_equal(again.predict_variance(FRESH), process.predict_variance(FRESH))
    assert again.get_params() == process.get_params()


def test_factors_are_saved_and_loaded(tmp_path) -> None:
    start = FactorKernel(RbfKernel(), (LinearFactor(3), LinearFactor(1, 0.5, fixed=True)))
    process = GaussianProcess(start, n_inducing=20).fit(STYLED, STYLED_NOISY)
    save_model(process, tmp_path / "process.npz")
    again = as_model(tmp_path / "process.npz", GaussianProcess)
    np.testing.assert_array_equal(again.predict(STYLED), process.predict(STYLED))
    assert again.get_params() == process.get_params()
    assert again.kernel_ == process.kernel_


def test_invalid_input() -> None:
    with pytest.raises(InputError, match="call fit first"):
        GaussianProcess().predict(INPUTS)
    with pytest.raises(InputError, match="60 inputs and 59 outputs"):
        GaussianProcess().fit(INPUTS, TARGETS[:-1])
    with pytest.raises(InputError, match="row 2, column 1 is nan"):
        GaussianProcess().fit(np.where(np.arange(120).reshape(60, 2) == 5, np.nan, INPUTS), TARGETS)
    with pytest.raises(InputError, match="2 columns for 3 widths"):
        GaussianProcess(RbfKernel(1.0, (1.0, 1.0, 1.0))).fit(INPUTS, TARGETS)
    with pytest.raises(InputError, match="2 columns for factors of 3"):
        GaussianProcess(FactorKernel(RbfKernel(), (LinearFactor(3),))).fit(INPUTS, TARGETS)
    with pytest.raises(InputError, match="n_inducing"):
        GaussianProcess(n_inducing=0).fit(INPUTS, TARGETS)
    with pytest.raises(InputError, match="3 columns, expected 2"):
        GaussianProcess(iterations=0).fit(INPUTS, TARGETS).predict(np.zeros((1, 3)))
