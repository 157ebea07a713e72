"""Regression with Gaussian processes: several outputs that share a kernel, exact or sparse."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.learn.gaussian.accelerated import CostFunction, accelerate_evidence
from gambol.learn.gaussian.estimator import (
    GaussianEstimator,
    check_range,
    check_rows,
    choose_inducing,
    register_estimator,
)
from gambol.learn.gaussian.evidence import compute_posterior, evaluate_evidence
from gambol.learn.gaussian.kernels import CovarianceKernel, FactorKernel, InducingIndices, RbfKernel
from gambol.learn.gaussian.posterior import GaussianPosterior, Prediction

_WIDEST = 9.0
"""Hyperparameters stay within a factor e⁹ of their start."""


class GaussianProcess(GaussianEstimator):
    """Learn a function of inputs (n, columns) with outputs (n, outputs), with the interface of scikit-learn.

    - `kernel`: where learning starts, or the kernel itself if `iterations` is 0.
    - `max_precision`: largest inverse variance of the white noise.
    - `prior`: add ln αβγ₁γ₂… to the negative log evidence, the prior of YL10. Scales of factors have no prior.
    - `n_inducing`: number of inducing inputs of a sparse process, chosen from the inputs. None: exact.
    - `iterations`: most iterations of L-BFGS.
    - `backend`: "numpy", or for sparse processes "jax" in float64 and "jax32" in float32 (extra `gpu`).

    Learned: `kernel_`; `posterior_`; `evidence_`, the log evidence of the outputs, for a sparse process a lower bound.
    """

    kernel_: CovarianceKernel
    posterior_: GaussianPosterior
    evidence_: float

    _learned: ClassVar[tuple[str, ...]] = ("kernel_", "posterior_", "evidence_")

    def __init__(
        self,
        kernel: CovarianceKernel = RbfKernel(),
        *,
        max_precision: float = 1e6,
        prior: bool = False,
        n_inducing: int | None = None,
        iterations: int = 200,
        backend: str = "numpy",
    ) -> None:
        self.kernel = kernel
        self.max_precision = max_precision
        self.prior = prior
        self.n_inducing = n_inducing
        self.iterations = iterations
        self.backend = backend

    def fit(self, X: ArrayLike, y: ArrayLike) -> GaussianProcess:
        """Learn the kernel and the posterior."""
        check_range("iterations", self.iterations, 0)
        check_range("max_precision", self.max_precision, np.finfo(float).tiny)
        if self.n_inducing is not None:
            check_range("n_inducing", self.n_inducing, 1)
        inputs = check_rows("inputs", X, least=2)
        outputs = np.asarray(y)
        targets = check_rows("outputs", outputs[:, None] if outputs.ndim == 1 else outputs, least=2)
        if len(targets) != len(inputs):
            raise InputError(f"{len(inputs)} inputs and {len(targets)} outputs", fix="use one output for each input")
        self.kernel.column_widths(inputs.shape[1])
        inducing = choose_inducing(inputs, self.n_inducing)
        kernel = self.kernel
        if self.iterations:
            kernel = self._learn_kernel(inputs, targets, inducing)
        self.kernel_ = kernel
        self.posterior_ = compute_posterior(kernel, inputs, targets, inducing)
        constant = 0.5 * targets.size * np.log(2.0 * np.pi)
        self.evidence_ = -evaluate_evidence(kernel, inputs, targets, inducing).value - constant
        return self

    def _check_learned(self) -> None:
        self.posterior_.check(self.posterior_.inputs.shape[1], self.posterior_.weights.shape[1])

    def _learn_kernel(self, inputs: Array, targets: Array, inducing: InducingIndices | None) -> CovarianceKernel:
        def evaluate(parameters: Array) -> tuple[float, Array]:
            found = evaluate_evidence(self.kernel.with_parameters(parameters), inputs, targets, inducing)
            return found.value, found.parameter_gradient

        def cost(parameters: Array) -> tuple[float, Array]:
            value, gradient = evidence(parameters)
            return value + float(prior @ parameters), gradient + prior

        evidence: CostFunction = evaluate
        if self.backend != "numpy":
            evidence = accelerate_evidence(self.backend, self.kernel, inputs, targets, inducing)

        begun = self.kernel.parameters
        prior = np.full(len(begun), float(self.prior))
        if isinstance(self.kernel, FactorKernel):
            prior[1 + len(self.kernel.rbf.inverse_widths) : -1] = 0.0
        begun[-1] = min(begun[-1], np.log(self.max_precision))
        upper = begun + _WIDEST
        upper[-1] = np.log(self.max_precision)
        bounds = list(zip(begun - _WIDEST, upper, strict=True))
        with threadpool_limits(1):
            found = minimize(
                cost, begun, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": self.iterations}
            )
        return self.kernel.with_parameters(found.x)

    def predict(self, X: ArrayLike) -> Array:
        """Return the means (n, outputs) at inputs."""
        inputs = self._check_inputs(X)
        return self.posterior_.mean(inputs)

    def predict_variance(self, X: ArrayLike) -> Array:
        """Return the variances (n,) of an observation at inputs, white noise included; the same for all outputs."""
        inputs = self._check_inputs(X)
        return self.posterior_.variance(inputs)

    def differentiate(self, x: ArrayLike) -> Prediction:
        """Return mean and variance at one input (columns,) with their derivatives."""
        (point,) = self._check_inputs(np.atleast_2d(np.asarray(x, float)))
        return self.posterior_.differentiate(point)

    def _check_inputs(self, X: ArrayLike) -> Array:
        self._check_fitted()
        return check_rows("inputs", X, columns=self.posterior_.inputs.shape[1])


register_estimator(GaussianProcess, "Gaussian process")
