"""Outputs that are linear in given features, with coefficients that are Gaussian processes of one coordinate.

y(x, z) = Σ_f c_f(x) z_f + noise. Each c_f has an RBF kernel of x; features f of a group have one variance. This is the
process of a `FactorKernel` whose factors are multiplied out, one variance for each product. The coefficients are
represented at evenly spaced knots, so that learning costs little more than the solution of one linear system, however
many rows there are: rows with equal features, such as the frames of a trial, enter as a Kronecker product.

Variances of groups and of the noise maximise the evidence by the fixed-point updates of MacKay (Neural Computation
1992); the width of the kernel is the best of `widths`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs
from threadpoolctl import threadpool_limits

from gambol.errors import InputError
from gambol.geometry.arrays import Array, check_shapes
from gambol.learn.gaussian.estimator import GaussianEstimator, check_rows, register_estimator
from gambol.learn.gaussian.kernels import RbfKernel

_JITTER = 1e-6
_KNOTS_PER_WIDTH = 1.25
"""Knots in one width of the kernel: 0.03 % of the prior's variance is missing between them, 0.25 % next to the ends."""
_SMALLEST = 1e-10
"""Least variance of a group and of the noise, relative to the outputs: a group that explains nothing fades out."""

_LEAST_SIZE = 1e-100
"""Least sum of squared outputs that is assumed: outputs may all be 0."""


class CoefficientProcess(GaussianEstimator):
    """Learn y(x, z), with the interface of scikit-learn's estimators.

    - `groups`: number of features in every group, in order; all features of a group have one variance.
    - `widths`: candidates for the width of the kernel, as a share of the range of x.
    - `iterations`: of the fixed-point updates.

    Learned: `knots_` (m, features, outputs) coefficients of the basis; `start_` and `range_` of x; `width_`;
    `variances_` of the groups; `noise_`, the standard deviation of the outputs about their mean; `evidence_`.
    """

    knots_: Array
    start_: float
    range_: float
    width_: float
    variances_: Array
    noise_: float
    evidence_: float

    _learned: ClassVar[tuple[str, ...]] = (
        "knots_", "start_", "range_", "width_", "variances_", "noise_", "evidence_",
    )  # fmt: skip

    def __init__(
        self, groups: Sequence[int], *, widths: Sequence[float] = (0.02, 0.03, 0.05), iterations: int = 12
    ) -> None:
        self.groups = groups
        self.widths = widths
        self.iterations = iterations

    def fit(self, X: ArrayLike, features: ArrayLike, y: ArrayLike) -> CoefficientProcess:
        """Learn from coordinates (n,), features (n, features) and outputs (n, outputs)."""
        x = check_rows("coordinates", np.atleast_2d(np.asarray(X, float)).T, least=2)[:, 0]
        given, targets = check_rows("features", features), check_rows("outputs", y)
        if not len(x) == len(given) == len(targets):
            raise InputError(f"{len(x)} coordinates, {len(given)} features, {len(targets)} outputs", fix="use as many")
        if given.shape[1] != sum(self.groups):
            raise InputError(f"{given.shape[1]} features for groups of {list(self.groups)}")
        self.start_, self.range_ = float(x.min()), float(np.ptp(x))
        if self.range_ == 0.0:
            raise InputError("all coordinates are equal", fix="use rows along a range of coordinates")
        owners = np.repeat(np.arange(len(self.groups)), self.groups)
        with threadpool_limits(1):
            found = [self._learn(width, x, given, targets, owners) for width in self.widths]
        best = max(found, key=lambda one: one.evidence)
        self.width_, self.variances_, self.evidence_ = best.width, best.variances, best.evidence
        self.knots_, self.noise_ = best.weights, 1.0 / np.sqrt(best.precision)
        return self

    def _check_learned(self) -> None:
        check_shapes(self, knots_=(_count_knots(self.width_), *self.knots_.shape[1:3]))
        if not self.range_ > 0.0 or self.knots_.shape[1] != sum(self.groups):
            raise InputError(f"{self.knots_.shape[1]} features on a range of {self.range_:g}")

    def evaluate_coefficients(self, X: ArrayLike) -> Array:
        """Return the coefficients (n, features, outputs) at coordinates (n,)."""
        self._check_fitted()
        basis = self._find_basis(np.asarray(X, float), self.width_)
        return np.einsum("nm,mfo->nfo", basis, self.knots_, optimize=True)

    def predict(self, X: ArrayLike, features: ArrayLike) -> Array:
        """Return the mean outputs (n, outputs) at coordinates (n,) and features (n, features)."""
        self._check_fitted()
        given = check_rows("features", features, columns=self.knots_.shape[1])
        return np.einsum("nfo,nf->no", self.evaluate_coefficients(X), given)

    def _find_basis(self, x: Array, width: float) -> Array:
        """Return basis functions (n, m) whose weights have independent priors of variance 1."""
        count = _count_knots(width)
        kernel = RbfKernel(1.0, (1.0 / (width * self.range_) ** 2,))
        knots = self.start_ + self.range_ * np.linspace(0.0, 1.0, count)[:, None]
        own = kernel.evaluate(knots, knots) + _JITTER * np.eye(count)
        across = kernel.evaluate(knots, x.reshape(-1, 1))
        return np.asarray(solve_triangular(np.linalg.cholesky(own), across, lower=True).T)

    def _learn(self, width: float, x: Array, given: Array, targets: Array, owners: NDArray[np.intp]) -> _Learned:
        basis = self._find_basis(x, width)
        gram, seen = _sum_products(basis, given, targets)
        count, outputs, size = len(x), targets.shape[1], max(float((targets**2).sum()), _LEAST_SIZE)
        precision = 100.0 * targets.size / size
        variances = np.full(len(self.groups), size / targets.size)
        least = _SMALLEST * size / targets.size
        each = np.tile(owners, basis.shape[1])
        for _ in range(self.iterations):
            prior = 1.0 / variances[each]
            factor, _ = dpotrf(precision * gram + np.diag(prior), lower=1)
            weights = precision * dpotrs(factor, seen, lower=1)[0]
            spread = np.diagonal(dpotri(factor, lower=1)[0])
            left = size - 2.0 * float((weights * seen).sum()) + float((weights * (gram @ weights)).sum())
            decided = 1.0 - prior * spread
            evidence = 0.5 * outputs * (count * np.log(precision) + np.log(prior).sum())
            evidence -= outputs * float(np.log(np.diagonal(factor)).sum())
            evidence -= 0.5 * (precision * left + float((prior * (weights**2).sum(axis=1)).sum()))
            found = _Learned(width, variances, precision, weights, evidence)
            sums = np.array(
                [[decided[each == g].sum(), (weights[each == g] ** 2).sum()] for g in range(len(variances))]
            )
            variances = np.maximum(sums[:, 1] / np.maximum(outputs * sums[:, 0], 1e-12), least)
            precision = outputs * max(count - float(decided.sum()), 1.0) / max(left, _SMALLEST * size)
        shaped = found.weights.reshape(basis.shape[1], len(owners), outputs)
        return found._replace(weights=shaped)


def _count_knots(width: float) -> int:
    """Return how many knots a range has, given the width of the kernel as a share of it."""
    return int(np.ceil(_KNOTS_PER_WIDTH / width)) + 1


class _Learned(NamedTuple):
    width: float
    variances: Array
    precision: float
    weights: Array
    evidence: float


def _sum_products(basis: Array, given: Array, targets: Array) -> tuple[Array, Array]:
    """Return ΨᵀΨ and ΨᵀY of Ψ, whose rows are Kronecker products of basis functions and features."""
    kinds, owners = np.unique(given, axis=0, return_inverse=True)
    size = basis.shape[1] * given.shape[1]
    gram, seen = np.zeros((size, size)), np.zeros((size, targets.shape[1]))
    order = np.argsort(owners, kind="stable")
    for rows, features in zip(np.split(order, np.cumsum(np.bincount(owners))[:-1]), kinds, strict=True):
        mine = basis[rows]
        gram += np.kron(mine.T @ mine, np.outer(features, features))
        seen += np.kron(mine.T @ targets[rows], features[:, None])
    return gram, seen


register_estimator(CoefficientProcess, "coefficient process")
