"""Predictions of a Gaussian process and their derivatives by the input: exact and sparse posteriors have one form."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array, check_shapes
from gambol.learn.gaussian.kernels import CovarianceKernel, FactorKernel, RbfKernel


@dataclass(frozen=True, eq=False)
class Prediction:
    """Prediction at one input with first derivatives."""

    mean: Array
    """(outputs,)"""
    variance: float
    """Of an observation, white noise included; the same for all outputs."""
    mean_jacobian: Array
    """(outputs, columns)"""
    variance_gradient: Array
    """(columns,)"""


@dataclass(frozen=True, eq=False)
class GaussianPosterior:
    """A Gaussian process given data: mean k(x, X) w and variance k(x, x) + 1/β − k(x, X) C k(X, x).

    With a `FactorKernel` it has means and variances; for derivatives, and for fast predictions, see `given`.
    """

    kernel: CovarianceKernel
    inputs: Array
    """(n, columns) X: training inputs, or the inducing inputs of a sparse posterior."""
    weights: Array
    """(n, outputs) w."""
    reduction: Array
    """(n, n) C, the inverse of the covariance where the posterior is exact."""

    @property
    def rbf(self) -> RbfKernel:
        """The kernel where it has no factors; InputError otherwise."""
        if not isinstance(self.kernel, RbfKernel):
            raise InputError("the factors of this posterior are unknown", fix="call given(factors) first")
        return self.kernel

    @property
    def prior_variance(self) -> float:
        """Variance of an observation far from all inputs."""
        return self.rbf.amplitude + 1.0 / self.kernel.precision

    def given(self, factors: Array) -> GaussianPosterior:
        """Return the posterior for fixed values of the factors' columns (columns,): its kernel is an RbfKernel.

        The factors of a point and an input X are numbers c, so that k(x, X) = c k'(x, X): they scale w and C.
        """
        if not isinstance(self.kernel, FactorKernel):
            raise InputError("this posterior has no factors", fix="use it as it is")
        moving, known = self.kernel.split(self.inputs)
        columns = self.inputs.shape[1] - moving.shape[1]
        if np.shape(factors) != (columns,) or not np.isfinite(factors).all():
            raise InputError(f"factors {factors!r}", fix=f"use {columns} finite numbers")
        own, scales = self.kernel.amplitude, np.ones(len(moving))
        pieces = self.kernel.split_given(np.asarray(factors, float)[None])
        for factor, piece, each in zip(self.kernel.factors, pieces, known, strict=True):
            own *= float(factor.evaluate(piece, piece)[0, 0])
            scales *= factor.evaluate(piece, each)[0]
        if not own > 0.0:
            raise InputError(
                f"a kernel without constant is 0 for the factors {np.asarray(factors).tolist()}",
                fix="use factors that are not 0",
            )
        scales *= self.kernel.amplitude / own
        return GaussianPosterior(
            replace(self.kernel.rbf, amplitude=own),
            moving,
            scales[:, None] * self.weights,
            scales[:, None] * self.reduction * scales,
        )

    def check(self, columns: int, outputs: int) -> None:
        """Raise an InputError unless arrays of a file are those of so many columns and outputs."""
        count = len(self.inputs)
        check_shapes(self, inputs=(count, columns), weights=(count, outputs), reduction=(count, count))
        self.kernel.evaluate(self.inputs[:1], self.inputs[:1])

    def mean(self, inputs: Array) -> Array:
        """Return the means (inputs, outputs)."""
        return np.asarray(self.kernel.evaluate(inputs, self.inputs) @ self.weights)

    def variance(self, inputs: Array) -> Array:
        """Return the variances (inputs,) of an observation, the same for all outputs."""
        across = self.kernel.evaluate(inputs, self.inputs)
        prior = self.kernel.diagonal(inputs) + 1.0 / self.kernel.precision
        found = prior - np.einsum("nm,nm->n", across @ self.reduction, across)
        return np.maximum(found, 1.0 / self.kernel.precision)  # rounding may leave less than the white noise

    def predict(self, point: Array) -> tuple[Array, float]:
        """Return mean (outputs,) and variance of an observation at one input (columns,)."""
        across = self.covariance_at(point)
        variance = self.prior_variance - float(across @ (across @ self.reduction))
        return across @ self.weights, max(variance, 1.0 / self.kernel.precision)

    def differentiate(self, point: Array) -> Prediction:
        """Return the prediction at one input (columns,) with its derivatives."""
        local = self.expand(point)
        return Prediction(
            local.covariance @ self.weights,
            local.variance,
            (local.slopes @ self.weights).T,
            -2.0 * local.slopes @ local.reduced[0],
        )

    def expand(self, point: Array) -> LocalCovariance:
        """Return the covariance of one input (columns,) with all others, and its derivatives."""
        widths = self.rbf.column_widths(len(point))
        scaled = (self.inputs.T - point[:, None]) * widths[:, None]
        local = np.empty((1 + len(point), len(self.inputs)))
        local[0] = self.covariance_at(point)
        np.multiply(scaled, local[0], out=local[1:])
        reduced = local @ self.reduction
        variance = max(self.prior_variance - float(local[0] @ reduced[0]), 1.0 / self.kernel.precision)
        return LocalCovariance(local[0], local[1:], scaled, widths, reduced, variance)

    def covariance_at(self, point: Array) -> Array:
        """Return the covariance (n,) of one input (columns,) with all others, as `RbfKernel.evaluate`, but faster."""
        apart = self.inputs - point
        apart *= apart
        kernel = self.rbf
        return kernel.amplitude * np.exp(apart @ (-0.5 * kernel.column_widths(len(point))))

    def condition(self, inputs: Array, targets: Array) -> GaussianPosterior:
        """Return the posterior given further observations (n, columns) and (n, outputs)."""
        across = self.kernel.evaluate(self.inputs, inputs)
        reduced = self.reduction @ across
        own = self.kernel.evaluate(inputs, inputs) - across.T @ reduced
        own.flat[:: len(own) + 1] += 1.0 / self.kernel.precision
        inverse = np.linalg.inv(own)
        fresh = inverse @ (targets - across.T @ self.weights)
        corner = -reduced @ inverse
        return replace(
            self,
            inputs=np.vstack([self.inputs, inputs]),
            weights=np.vstack([self.weights - reduced @ fresh, fresh]),
            reduction=np.block([[self.reduction - corner @ reduced.T, corner], [corner.T, inverse]]),
        )


@dataclass(frozen=True, eq=False)
class LocalCovariance:
    """Covariance k of one input with the inputs of a posterior, its derivatives, and the variance of an observation."""

    covariance: Array
    """(n,)"""
    slopes: Array
    """(columns, n) first derivatives."""
    scaled: Array
    """(columns, n) differences of the inputs, times the inverse widths."""
    widths: Array
    """(columns,) inverse widths."""
    reduced: Array
    """(1 + columns, n) k C, and slopes C."""
    variance: float

    def curvature(self, weights: Array) -> Array:
        """Return second derivatives (columns, columns) of weights (n,) times the covariance."""
        weighted = weights * self.covariance
        bend = (self.scaled * weighted) @ self.scaled.T
        bend.flat[:: len(bend) + 1] -= self.widths * weighted.sum()
        return bend
