"""Scaled Gaussian process latent variable model with back constraints (YL10 section 3.1 and L_P of appendix A).

Rows y of features are explained by latents x of few dimensions: each column k is a Gaussian process of x with a scale
w_k and a kernel that all share. Back constraints make latents a smooth function of rows, x = k'(y, Y) A: similar rows
have similar latents. A and the kernels minimise

L_P = D/2 ln|K| − N ln|W| + ½ tr(K⁻¹ Y W² Yᵀ) + ½ tr(X Xᵀ) + ln β α γ α' γ'.

W is eliminated (w_k² = N / y_kᵀK⁻¹y_k). The printed prior has no minimum in α, γ and α': a scale of W, X or A can be
exchanged for each of them. By default these are 1, β is at most 100, and γ' is the inverse of the median squared
distance between rows: a free γ' gains little likelihood, and the narrower it is the less latents are constrained.

With factors (M17 section 4) the kernel of latents is multiplied by linear kernels of columns that are given: style,
point of contact. Latents then hold what these do not explain. Scales of factors are learned without a prior.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.spatial.distance import pdist
from threadpoolctl import threadpool_limits

from gambol.errors import InputError
from gambol.geometry.arrays import Array, check_shapes
from gambol.learn.gaussian.accelerated import CostFunction, accelerate_back_cost
from gambol.learn.gaussian.back import BackConstrainedCost
from gambol.learn.gaussian.estimator import (
    GaussianEstimator,
    check_range,
    check_rows,
    choose_inducing,
    register_estimator,
)
from gambol.learn.gaussian.evidence import compute_posterior, evaluate_evidence
from gambol.learn.gaussian.kernels import CovarianceKernel, FactorKernel, LinearFactor, RbfKernel
from gambol.learn.gaussian.latents import LatentCost, minimise_latent_cost
from gambol.learn.gaussian.posterior import GaussianPosterior

_CONSTANT = 1e-9
"""Columns that vary by less than this share of the largest are constant."""
_RIDGE = 1e-3
"""Squared size of the unknowns of the back constraint, relative to errors of the first latents."""
_SAMPLE = 2000
"""Largest number of rows between which distances are measured."""
_WIDEST = 9.0
"""Scales of factors stay within a factor e⁹ of their start."""


class ScaledGplvm(GaussianEstimator):
    """Learn latents (rows, n_components) of rows (rows, columns), with the interface of scikit-learn's estimators.

    - `factors`: linear factors of the kernel, whose columns `fit` and `inverse_transform` are given.
    - `n_inducing`: number of rows that the back constraint is centred at and that are inducing inputs of the sparse
      evidence, in O(N m²). None: all rows, exact.
    - `max_precision`: largest β, the inverse variance of the white noise of a scaled column.
    - `isotropic`: all columns have one scale, the inverse of their root mean square, and so one noise. Few columns need
      it: with a scale each, as many columns as there are latents are explained exactly, and others not at all.
    - `printed`: minimise L_P over all hyperparameters without bounds, from the printed start.
    - `iterations`: most iterations of L-BFGS. The likelihood grows for thousands, but latents become less smooth, and
      new rows are reconstructed no better.
    - `backend`: "numpy", or for sparse models "jax" in float64 and "jax32" in float32 (extra `gpu`).

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

    _learned: ClassVar[tuple[str, ...]] = (
        "mean_", "latents_", "scales_", "posterior_", "back_kernel_", "back_centres_", "back_weights_", "cost_",
        "iterations_",
    )  # fmt: skip

    def __init__(
        self,
        n_components: int = 3,
        *,
        factors: tuple[LinearFactor, ...] = (),
        n_inducing: int | None = None,
        max_precision: float = 100.0,
        isotropic: bool = False,
        printed: bool = False,
        iterations: int = 150,
        backend: str = "numpy",
    ) -> None:
        self.n_components = n_components
        self.factors = factors
        self.n_inducing = n_inducing
        self.max_precision = max_precision
        self.isotropic = isotropic
        self.printed = printed
        self.iterations = iterations
        self.backend = backend

    def fit(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        mean: ArrayLike | None = None,
        given: ArrayLike | None = None,
        back: ArrayLike | None = None,
    ) -> ScaledGplvm:
        """Learn from rows; `mean` is subtracted from them (default: their mean). `y` is ignored.

        `given`: columns of the factors, (rows, columns). `back`: further columns (rows, columns) on which latents
        depend, such as the phase of a movement that ends in the pose in which it starts. Their squared distances are
        added to those of the rows: scale them accordingly.
        """
        rows = self._check(X)
        known = self._check_given(given, len(rows))
        self.mean_ = rows.mean(axis=0)
        if mean is not None:
            self.mean_ = check_rows("mean", np.atleast_2d(mean), columns=rows.shape[1])[0]
        rows = rows - self.mean_
        seen = rows if back is None else np.hstack([rows, _check_further("back", back, len(rows))])
        inducing = choose_inducing(seen, self.n_inducing)
        kernel, back_hyper = self._start_hyperparameters(seen)
        if self.isotropic:
            self.scales_ = np.full(rows.shape[1], 1.0 / np.sqrt((rows**2).mean()))
            rows = rows * self.scales_
        width, scaled = float(np.exp(back_hyper[-1])), not self.isotropic
        cost = BackConstrainedCost.from_rows(rows, inducing, width, kernel, known, seen, scaled=scaled)
        start, free = self._start(cost, seen, np.append(kernel.parameters, back_hyper))
        evaluate = cost if self.backend == "numpy" else accelerate_back_cost(self.backend, cost)
        with threadpool_limits(1):  # matrices are too small for threads, which wait for each other on busy machines
            found = minimize(
                lambda values: _restrict(evaluate, start, free, values),
                start[free],
                jac=True,
                method="L-BFGS-B",
                bounds=self._bounds(cost, start, free),
                options={"maxiter": self.iterations, "maxfun": 2 * self.iterations, "maxcor": 20},
            )
        kernel, self.back_kernel_, self.back_weights_ = cost.unpack(_merge(start, free, found.x))
        self.back_centres_ = cost.centres
        self.latents_ = self.back_kernel_.evaluate(seen, self.back_centres_) @ self.back_weights_
        inputs = np.hstack([self.latents_, known])
        if not self.isotropic:
            self.scales_ = evaluate_evidence(kernel, inputs, rows, inducing, scaled=True).scales
            rows = rows * self.scales_
        self.posterior_ = compute_posterior(kernel, inputs, rows, inducing)
        self.cost_, self.iterations_ = float(found.fun), int(found.nit)
        return self

    def _check_learned(self) -> None:
        rows, columns, dimensions = len(self.latents_), len(self.mean_), self.n_components
        check_shapes(self, mean_=(columns,), latents_=(rows, dimensions), scales_=(columns,))
        check_shapes(self, back_weights_=(len(self.back_centres_), dimensions))
        self.posterior_.check(dimensions + sum(factor.columns for factor in self.factors), columns)
        if not (self.scales_ > 0.0).all():
            raise InputError("scales of columns must be above 0")

    def _start_hyperparameters(self, seen: Array) -> tuple[CovarianceKernel, Array]:
        """Return the first kernel, and log (α', γ') for the inputs of the back constraint."""
        rbf = RbfKernel(1.0, (1.0,), 0.1 if self.printed else 10.0)
        kernel = FactorKernel(rbf, tuple(self.factors)) if self.factors else rbf
        if self.printed:
            return kernel, np.log([2.0, 2.0])
        sample = seen[:: -(-len(seen) // _SAMPLE)]
        return kernel, np.log([1.0, 1.0 / np.median(pdist(sample, "sqeuclidean"))])

    def _start(self, cost: BackConstrainedCost, seen: Array, hyper: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Return the first unknowns, latents being principal components of rows, and which of them are learned."""
        left, sizes, _ = np.linalg.svd(cost.rows - cost.rows.mean(axis=0), full_matrices=False)
        latents = left[:, : self.n_components] * (sizes[: self.n_components] / sizes[0] * np.sqrt(len(left)))
        _, back, _ = cost.unpack(np.append(hyper, np.zeros(len(cost.centres))))
        across = back.evaluate(seen, cost.centres) @ cost.mixing
        # Least squares with a ridge: exact weights would be huge, since a smooth kernel is nearly singular.
        square = across.T @ across
        square.flat[:: len(square) + 1] += _RIDGE
        unknowns = np.append(hyper, np.linalg.solve(square, across.T @ latents))
        free = np.ones(len(unknowns), dtype=bool)
        if not self.printed:
            end = len(hyper)
            free[[0, 1, end - 2, end - 1]] = False
        return unknowns, free

    def _bounds(
        self, cost: BackConstrainedCost, start: Array, free: NDArray[np.bool_]
    ) -> list[tuple[float | None, float | None]]:
        bounds: list[tuple[float | None, float | None]] = [(None, None)] * len(free)
        last = len(cost.kernel.parameters) - 1
        if not self.printed:
            bounds[last] = (None, np.log(self.max_precision))
        for n in range(2, last):
            bounds[n] = (start[n] - _WIDEST, start[n] + _WIDEST)
        return [bound for bound, kept in zip(bounds, free, strict=True) if kept]

    def transform(self, X: ArrayLike, back: ArrayLike | None = None) -> Array:
        """Return the latents (rows, n_components) of rows by the back constraint; `back` as in `fit`."""
        rows = self._check_rows(X) - self.mean_
        columns = self.back_centres_.shape[1] - rows.shape[1]
        if (back is None) != (columns == 0):
            raise InputError(f"the back constraint has {columns} further columns", fix="use `back` as in fit")
        seen = rows if back is None else np.hstack([rows, _check_further("back", back, len(rows), columns)])
        return np.asarray(self.back_kernel_.evaluate(seen, self.back_centres_) @ self.back_weights_)

    def fit_transform(self, X: ArrayLike, y: object = None) -> Array:
        """Learn from rows and return their latents."""
        return self.fit(X).latents_

    def project(self, X: ArrayLike, given: ArrayLike | None = None, back: ArrayLike | None = None) -> Array:
        """Return the most likely latents (rows, n_components) of rows; `given` and `back` as in `fit`."""
        starts, latents = self.transform(X, back), []
        origin = np.zeros(starts.shape[1])
        known = self._check_given(given, len(starts))
        seen: dict[bytes, tuple[GaussianPosterior, Array]] = {}
        for row, start, factors in zip(self.scale_rows(X), starts, known, strict=True):
            if (key := factors.tobytes()) not in seen:
                posterior = self.posterior_.given(factors) if self.factors else self.posterior_
                seen[key] = posterior, posterior.mean(posterior.inputs)
            posterior, means = seen[key]
            cost = LatentCost(posterior, len(row), origin, 1.0, row)
            nearest = posterior.inputs[((means - row) ** 2).sum(axis=1).argmin()]
            found = (minimise_latent_cost(cost, each) for each in (start, nearest))
            latents.append(min(found, key=lambda one: one[1])[0])
        return np.array(latents)

    def inverse_transform(self, X: ArrayLike, given: ArrayLike | None = None) -> Array:
        """Return the mean rows (latents, columns) of latents; `given` as in `fit`, or one row for all latents."""
        return self.unscale_rows(self.posterior_.mean(self._join(X, given)))

    def predict_variance(self, X: ArrayLike, given: ArrayLike | None = None) -> Array:
        """Return the variances (latents, columns) of rows given latents, white noise included."""
        return self.posterior_.variance(self._join(X, given))[:, None] / self.scales_**2

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

    def _join(self, X: ArrayLike, given: ArrayLike | None) -> Array:
        """Return inputs of the posterior: latents and the given columns of the factors."""
        self._check_fitted()
        latents = check_rows("latents", X, columns=self.latents_.shape[1])
        return np.hstack([latents, self._check_given(given, len(latents))])

    def _check_given(self, given: ArrayLike | None, count: int) -> Array:
        """Return the columns (count, columns) of the factors."""
        columns = sum(factor.columns for factor in self.factors)
        if (given is None) != (columns == 0):
            raise InputError(f"the factors have {columns} columns", fix="give a value for each, and no others")
        return np.empty((count, 0)) if given is None else _check_further("given", given, count, columns)


def _check_further(name: str, values: ArrayLike, count: int, columns: int | None = None) -> Array:
    """Return columns (count, columns) that belong to rows; one row is repeated."""
    found = check_rows(name, np.atleast_2d(np.asarray(values)), columns=columns)
    if len(found) not in (1, count):
        raise InputError(f"{len(found)} rows of {name} for {count}", fix="use one for each, or one for all")
    return np.broadcast_to(found, (count, found.shape[1]))


def _merge(start: Array, free: NDArray[np.bool_], values: Array) -> Array:
    unknowns = start.copy()
    unknowns[free] = values
    return unknowns


def _restrict(cost: CostFunction, start: Array, free: NDArray[np.bool_], values: Array) -> tuple[float, Array]:
    """Return the cost and its gradient by the unknowns that are learned."""
    value, gradient = cost(_merge(start, free, values))
    return value, gradient[free]


register_estimator(ScaledGplvm, "latent variable model")
