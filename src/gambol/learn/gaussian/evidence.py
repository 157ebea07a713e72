"""Negative log evidence of Gaussian processes with a shared kernel, exact or sparse, and its closed-form derivatives.

L = D/2 ln|K| − N Σ ln w_k + ½ Σ w_k² y_kᵀK⁻¹y_k (YL10 appendix A, without priors and constants) for D outputs y_k. The
scales w_k are 1, or the best ones for every kernel: w_k² = N / y_kᵀK⁻¹y_k.

Sparse: K is replaced by Q + I/β, Q = K_nm K_mm⁻¹ K_mn from m inducing inputs, and D β/2 tr(K − Q) is added: the
variational upper bound of Titsias (AISTATS 2009), in O(N m²). It is exact if all inputs are inducing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf, dpotri

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.learn.gaussian.kernels import CovarianceKernel, InducingIndices
from gambol.learn.gaussian.posterior import GaussianPosterior

_JITTER = 1e-10
"""Relative variance added to every input, so that covariances of equal inputs can be factorised without noise."""
INDUCING_JITTER = 1e-8
"""The same for inducing inputs, which have no noise."""


@dataclass(frozen=True, eq=False)
class LogEvidence:
    """Value and derivatives of the negative log evidence."""

    value: float
    scales: Array
    """(outputs,) w_k."""
    parameter_gradient: Array
    """By `parameters` of the kernel."""
    input_gradient: Array
    """(inputs, columns of the RBF kernel)."""


def evaluate_evidence(
    kernel: CovarianceKernel,
    inputs: Array,
    targets: Array,
    inducing: InducingIndices | None = None,
    *,
    scaled: bool = False,
) -> LogEvidence:
    """Return the evidence of targets (inputs, outputs); `inducing` are indices of inputs, None for the exact evidence.

    `scaled`: outputs have the scales that are best for this kernel.
    """
    if inducing is None:
        return _evaluate_exact(kernel, inputs, targets, scaled)
    return _evaluate_sparse(kernel, inputs, targets, inducing, scaled)


def compute_posterior(
    kernel: CovarianceKernel, inputs: Array, targets: Array, inducing: InducingIndices | None = None
) -> GaussianPosterior:
    """Return the Gaussian process given targets; sparse given indices of inducing inputs."""
    if inducing is None:
        inverse, _ = _invert(_add_noise(kernel, _own_covariance(kernel, inputs)))
        return GaussianPosterior(kernel, inputs, inverse @ targets, inverse)
    found = _reduce(kernel, inputs, inducing)
    weights = kernel.precision * (found.whiten.T @ (found.inner @ (found.white @ targets)))
    reduction = found.whiten.T @ (np.eye(len(found.inner)) - found.inner) @ found.whiten
    return GaussianPosterior(kernel, found.centres, weights, reduction)


def _evaluate_exact(kernel: CovarianceKernel, inputs: Array, targets: Array, scaled: bool) -> LogEvidence:
    count, outputs = targets.shape
    covariance = _own_covariance(kernel, inputs)
    inverse, log_determinant = _invert(_add_noise(kernel, covariance))
    solved = inverse @ targets
    squares = np.einsum("nk,nk->k", targets, solved)
    weights = _weights(squares, count, scaled)
    gradient = -0.5 * ((solved * weights) @ solved.T)
    gradient += (0.5 * outputs) * inverse
    noise = -np.trace(gradient) / kernel.precision
    weighted = np.multiply(gradient, covariance, out=covariance)
    return LogEvidence(
        _value(log_determinant, squares, weights, count),
        np.sqrt(weights),
        np.append(kernel.parameter_gradient(inputs, inputs, gradient, weighted), noise),
        2.0 * kernel.input_gradient(inputs, inputs, weighted),
    )


def _evaluate_sparse(
    kernel: CovarianceKernel, inputs: Array, targets: Array, inducing: InducingIndices, scaled: bool
) -> LogEvidence:
    count, outputs = targets.shape
    beta, traces = kernel.precision, kernel.trace_gradient(inputs)
    found = _reduce(kernel, inputs, inducing)
    centres, whiten, square = found.centres, found.whiten, found.square
    seen = found.white @ targets
    solved = found.inner @ seen
    sizes = np.einsum("nk,nk->k", targets, targets)
    explained = np.einsum("mk,mk->k", seen, solved)
    squares = beta * (sizes - beta * explained)
    weights = _weights(squares, count, scaled)
    left = traces[0] - np.trace(square)
    value = _value(found.log_determinant - count * np.log(beta), squares, weights, count)

    # Derivatives by K_mm + β K_mn K_nm and by K_mm in whitened coordinates, then by K_mm and K_mn.
    scaled_solved = solved * weights
    by_joint = 0.5 * outputs * found.inner + 0.5 * beta**2 * (scaled_solved @ solved.T)
    by_own = by_joint + 0.5 * outputs * beta * square
    by_own.flat[:: len(by_own) + 1] -= 0.5 * outputs
    by_white = 2.0 * beta * by_joint
    by_white.flat[:: len(by_white) + 1] -= outputs * beta
    by_beta = np.einsum("ij,ij->", by_joint, square) - 0.5 * outputs * count / beta
    by_beta += 0.5 * weights @ (sizes - 2.0 * beta * explained) + 0.5 * outputs * left
    by_own = whiten.T @ by_own @ whiten
    by_across = (whiten.T @ by_white) @ found.white
    by_across -= (whiten.T @ (beta**2 * scaled_solved)) @ targets.T
    # Times the covariances, in place: those are not used again.
    own = np.multiply(by_own, found.own, out=found.own)
    across = np.multiply(by_across, found.across, out=found.across)
    parameters = kernel.parameter_gradient(centres, centres, by_own, own)
    parameters += kernel.parameter_gradient(centres, inputs, by_across, across)
    parameters += 0.5 * outputs * beta * traces
    gradient = kernel.input_gradient(inputs, centres, across.T)
    by_centres = 2.0 * kernel.input_gradient(centres, centres, own)
    by_centres += kernel.input_gradient(centres, inputs, across)
    np.add.at(gradient, inducing, by_centres)
    return LogEvidence(
        value + 0.5 * outputs * beta * left, np.sqrt(weights), np.append(parameters, beta * by_beta), gradient
    )


def inducing_error(count: int) -> InputError:
    """Return the error for inducing inputs whose covariance cannot be factorised."""
    return InputError(f"the covariance of {count} inducing inputs is not positive definite", fix="use fewer of them")


def _weights(squares: Array, count: int, scaled: bool) -> Array:
    """Return w_k²."""
    return count / squares if scaled else np.ones_like(squares)


def _value(log_determinant: float, squares: Array, weights: Array, count: int) -> float:
    sizes = 0.5 * float(weights @ squares) - 0.5 * count * float(np.log(weights).sum())
    return 0.5 * len(squares) * log_determinant + sizes


@dataclass(frozen=True, eq=False)
class _Reduced:
    """Covariances of m inducing inputs, whitened by the factor of K_mm, without which they are too ill-conditioned."""

    centres: Array
    own: Array
    """(m, m) K_mm = L Lᵀ."""
    across: Array
    """(m, n) K_mn."""
    whiten: Array
    """(m, m) L⁻¹."""
    white: Array
    """(m, n) V = L⁻¹ K_mn."""
    square: Array
    """(m, m) V Vᵀ."""
    inner: Array
    """(m, m) (I + β V Vᵀ)⁻¹."""
    log_determinant: float
    """ln|I + β Q|."""


def _reduce(kernel: CovarianceKernel, inputs: Array, inducing: InducingIndices) -> _Reduced:
    centres = inputs[inducing]
    own, across = _own_covariance(kernel, centres, INDUCING_JITTER), kernel.evaluate(centres, inputs)
    try:
        whiten = solve_triangular(np.linalg.cholesky(own), np.eye(len(own)), lower=True)
    except (np.linalg.LinAlgError, ValueError):  # not positive definite, not finite
        raise inducing_error(len(own)) from None
    white = whiten @ across
    square = white @ white.T
    inner = kernel.precision * square
    inner.flat[:: len(inner) + 1] += 1.0
    return _Reduced(centres, own, across, whiten, white, square, *_invert(inner))


def _own_covariance(kernel: CovarianceKernel, inputs: Array, jitter: float = _JITTER) -> Array:
    """Return the covariance of inputs with themselves, without white noise."""
    covariance = kernel.evaluate(inputs, inputs)
    diagonal = kernel.diagonal(inputs)
    covariance.flat[:: len(covariance) + 1] = diagonal + jitter * np.maximum(diagonal, kernel.amplitude)
    return covariance


def _add_noise(kernel: CovarianceKernel, covariance: Array) -> Array:
    noisy = covariance.copy()
    noisy.flat[:: len(noisy) + 1] += 1.0 / kernel.precision
    return noisy


def _invert(matrix: Array) -> tuple[Array, float]:
    """Return the inverse and the logarithm of the determinant of a positive definite matrix."""
    # The lower triangle of a row-major array is the upper triangle of LAPACK's column-major one.
    factor, failed = dpotrf(matrix.T, lower=0, clean=1)
    log_determinant = 2.0 * float(np.log(np.diagonal(factor)).sum()) if not failed else np.nan
    if not np.isfinite(log_determinant):
        raise InputError(
            f"the covariance of {len(matrix)} inputs is not positive definite", fix="use a smaller precision"
        )
    inverse, _ = dpotri(factor, lower=0, overwrite_c=1)
    whole = inverse + inverse.T  # the lower triangle is 0
    whole.flat[:: len(whole) + 1] *= 0.5
    return whole, log_determinant
