"""Scaled Gaussian process latent variable model with back constraints (YL10 section 3.1 and L_P of appendix A).

Rows y of features are explained by latents x of few dimensions: each column k is a Gaussian process of x with a scale
w_k and a kernel that all share. Back constraints make latents a smooth function of rows, x = k'(y, Y) A: similar rows
have similar latents. A and the kernels minimise

L_P = D/2 ln|K| − N ln|W| + ½ tr(K⁻¹ Y W² Yᵀ) + ½ tr(X Xᵀ) + ln β α γ α' γ'.

W is eliminated (w_k² = N / y_kᵀK⁻¹y_k). The printed prior has no minimum in α, γ and α': a scale of W, X or A can be
exchanged for each of them. By default these are 1, β is at most 100, and γ' is the inverse of the median squared
distance between rows: a free γ' gains little likelihood, and the narrower it is the less latents are constrained.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.spatial.distance import pdist
from threadpoolctl import threadpool_limits

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.learn.gaussian.back import BackConstrainedCost
from gambol.learn.gaussian.estimator import GaussianEstimator, check_range, check_rows, choose_inducing
from gambol.learn.gaussian.evidence import compute_posterior, evaluate_evidence
from gambol.learn.gaussian.kernels import RbfKernel
from gambol.learn.gaussian.latents import LatentCost, minimise_latent_cost
from gambol.learn.gaussian.posterior import GaussianPosterior

_CONSTANT = 1e-9
"""Columns that vary by less than this share of the largest are constant."""
_RIDGE = 1e-3
"""Squared size of the unknowns of the back constraint, relative to errors of the first latents."""


class ScaledGplvm(GaussianEstimator):
    """Learn latents (rows, n_components) of rows (rows, columns), with the interface of scikit-learn's estimators.

    - `n_inducing`: number of rows that the back constraint is centred at and that are inducing inputs of the sparse
      evidence, in O(N m²). None: all rows, exact.
    - `max_precision`: largest β, the inverse variance of the white noise of a scaled column.
    - `printed`: minimise L_P over all hyperparameters without bounds, from the printed start.
    - `iterations`: most iterations of L-BFGS. The likelihood grows for thousands, but latents become less smooth, and
      new rows are reconstructed no better.

    Learned: `mean_` of the rows; `latents_`; `scales_` w_k; `posterior_` of the scaled rows given latents;
    `back_kernel_`, `back_centres_` and `back_weights_` A of the back constraint; `cost_`, the least L_P; `iterations_`.
    """

    mean_: Array
    latents_: Array
    scales_: Array
    posterior_: GaussianPosterior
    back_kernel_: RbfKernel
    back_centres_: Array
    back_weights_: Array
    cost_: float
    iterations_: int

    _what: ClassVar[str] = "latent variable model"
    _learned: ClassVar[tuple[str, ...]] = (
        "mean_", "latents_", "scales_", "posterior_", "back_kernel_", "back_centres_", "back_weights_", "cost_",
        "iterations_",
    )  # fmt: skip

    def __init__(
        self,
        n_components: int = 3,
        *,
        n_inducing: int | None = None,
        max_precision: float = 100.0,
        printed: bool = False,
        iterations: int = 150,
    ) -> None:
        self.n_components = n_components
        self.n_inducing = n_inducing
        self.max_precision = max_precision
        self.printed = printed
        self.iterations = iterations

    def fit(self, X: ArrayLike, y: object = None, *, mean: ArrayLike | None = None) -> ScaledGplvm:
        """Learn from rows; `mean` is subtracted from them (default: their mean). `y` is ignored."""
        rows = self._check(X)
        self.mean_ = rows.mean(axis=0)
        if mean is not None:
            self.mean_ = check_rows("mean", np.atleast_2d(mean), columns=rows.shape[1])[0]
        rows = rows - self.mean_
        inducing = choose_inducing(rows, self.n_inducing)
        hyper = self._start_hyperparameters(rows)
        cost = BackConstrainedCost.from_rows(rows, inducing, float(np.exp(hyper[-1])))
        start, free = self._start(cost, hyper)
        with threadpool_limits(1):  # matrices are too small for threads, which wait for each other on busy machines
            found = minimize(
                lambda values: _restrict(cost, start, free, values),
                start[free],
                jac=True,
                method="L-BFGS-B",
                bounds=self._bounds(free),
                options={"maxiter": self.iterations, "maxfun": 2 * self.iterations, "maxcor": 20},
            )
        kernel, self.back_kernel_, self.back_weights_ = cost.unpack(_merge(start, free, found.x))
        self.back_centres_ = cost.centres
        self.latents_ = self.back_kernel_.evaluate(rows, self.back_centres_) @ self.back_weights_
        self.scales_ = evaluate_evidence(kernel, self.latents_, rows, inducing, scaled=True).scales
        self.posterior_ = compute_posterior(kernel, self.latents_, rows * self.scales_, inducing)
        self.cost_, self.iterations_ = float(found.fun), int(found.nit)
        return self

    def _start_hyperparameters(self, rows: Array) -> Array:
        if self.printed:
            return np.log([1.0, 1.0, 0.1, 2.0, 2.0])
        return np.log([1.0, 1.0, 10.0, 1.0, 1.0 / np.median(pdist(rows, "sqeuclidean"))])

    def _start(self, cost: BackConstrainedCost, hyper: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Return the first unknowns, latents being principal components of rows, and which of them are learned."""
        left, sizes, _ = np.linalg.svd(cost.rows - cost.rows.mean(axis=0), full_matrices=False)
        latents = left[:, : self.n_components] * (sizes[: self.n_components] / sizes[0] * np.sqrt(len(left)))
        _, back, _ = cost.unpack(np.append(hyper, np.zeros(len(cost.centres))))
        across = back.evaluate(cost.rows, cost.centres) @ cost.mixing
        # Least squares with a ridge: exact weights would be huge, since a smooth kernel is nearly singular.
        square = across.T @ across
        square.flat[:: len(square) + 1] += _RIDGE
        unknowns = np.append(hyper, np.linalg.solve(square, across.T @ latents))
        free = np.ones(len(unknowns), dtype=bool)
        if not self.printed:
            free[[0, 1, 3, 4]] = False
        return unknowns, free

    def _bounds(self, free: NDArray[np.bool_]) -> list[tuple[float | None, float | None]]:
        bounds: list[tuple[float | None, float | None]] = [(None, None)] * len(free)
        if not self.printed:
            bounds[2] = (None, np.log(self.max_precision))
        return [bound for bound, kept in zip(bounds, free, strict=True) if kept]

    def transform(self, X: ArrayLike) -> Array:
        """Return the latents (rows, n_components) of rows by the back constraint."""
        rows = self._check_rows(X) - self.mean_
        return np.asarray(self.back_kernel_.evaluate(rows, self.back_centres_) @ self.back_weights_)

    def fit_transform(self, X: ArrayLike, y: object = None) -> Array:
        """Learn from rows and return their latents."""
        return self.fit(X).latents_

    def project(self, X: ArrayLike) -> Array:
        """Return the most likely latents (rows, n_components) of rows."""
        starts, latents = self.transform(X), []
        origin = np.zeros(starts.shape[1])
        means = self.posterior_.mean(self.posterior_.inputs)
        for row, back in zip(self.scale_rows(X), starts, strict=True):
            cost = LatentCost(self.posterior_, len(row), origin, 1.0, row)
            nearest = self.posterior_.inputs[((means - row) ** 2).sum(axis=1).argmin()]
            found = (minimise_latent_cost(cost, start) for start in (back, nearest))
            latents.append(min(found, key=lambda one: one[1])[0])
        return np.array(latents)

    def inverse_transform(self, X: ArrayLike) -> Array:
        """Return the mean rows (latents, columns) of latents."""
        latents = self._check_latents(X)
        return self.unscale_rows(self.posterior_.mean(latents))

    def predict_variance(self, X: ArrayLike) -> Array:
        """Return the variances (latents, columns) of rows given latents, white noise included."""
        latents = self._check_latents(X)
        return self.posterior_.variance(latents)[:, None] / self.scales_**2

    def scale_rows(self, X: ArrayLike) -> Array:
        """Return rows without their mean, each column scaled to the amplitude of the kernel."""
        return (self._check_rows(X) - self.mean_) * self.scales_

    def unscale_rows(self, scaled: Array) -> Array:
        """Return the rows of `scale_rows`."""
        return scaled / self.scales_ + self.mean_

    def _check(self, X: ArrayLike) -> Array:
        check_range("iterations", self.iterations, 1)
        check_range("max_precision", self.max_precision, 1e-6, 1e6)
        rows = check_rows("rows", X, least=4)
        check_range("n_components", self.n_components, 1, min(len(rows) - 2, rows.shape[1]))
        if self.n_inducing is not None:
            check_range("n_inducing", self.n_inducing, self.n_components + 1)
        spread = np.ptp(rows, axis=0)
        still = np.flatnonzero(spread <= _CONSTANT * spread.max())
        if len(still):
            raise InputError(
                f"{len(still)} columns are constant, the first is column {still[0]}", fix="leave constant columns out"
            )
        different = len(np.unique(rows, axis=0))
        if different < self.n_components + 2:
            raise InputError(f"{different} different rows for {self.n_components} dimensions", fix="use more rows")
        return rows

    def _check_rows(self, X: ArrayLike) -> Array:
        self._check_fitted()
        return check_rows("rows", X, columns=len(self.mean_))

    def _check_latents(self, X: ArrayLike) -> Array:
        self._check_fitted()
        return check_rows("latents", X, columns=self.latents_.shape[1])


def _merge(start: Array, free: NDArray[np.bool_], values: Array) -> Array:
    unknowns = start.copy()
    unknowns[free] = values
    return unknowns


def _restrict(cost: BackConstrainedCost, start: Array, free: NDArray[np.bool_], values: Array) -> tuple[float, Array]:
    """Return the cost and its gradient by the unknowns that are learned."""
    value, gradient = cost(_merge(start, free, values))
    return value, gradient[free]
