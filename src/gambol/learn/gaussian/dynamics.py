"""Dynamics of latents: a Gaussian process from the last one or two latents to the next (YL10 L_D of appendix A)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.learn.gaussian.estimator import GaussianEstimator, check_range, check_rows, register_estimator
from gambol.learn.gaussian.kernels import RbfKernel
from gambol.learn.gaussian.posterior import GaussianPosterior, Prediction
from gambol.learn.gaussian.regression import GaussianProcess

_UNBOUNDED = 1e12
"""Largest precision without a noise floor."""


class LatentDynamics(GaussianEstimator):
    """Learn the next latent from the last `order` latents of sequences, with the interface of scikit-learn.

    - `order`: 1 or 2, the number of last latents that determine the next. The paper has 2. Rows that hold two poses
      determine the velocity, and order 1 then neither slows down nor stops in long runs.
    - `noise_floor`: least deviation of the white noise, as a share of the mean step between successive latents. The
      paper has none (0).
    - `n_inducing`: number of inducing inputs of a sparse process. None: exact.

    Learned: `posterior_` of the next latent; `step_`, the mean step between successive latents.
    """

    posterior_: GaussianPosterior
    step_: float

    _learned: ClassVar[tuple[str, ...]] = ("posterior_", "step_")

    def __init__(self, order: int = 1, *, noise_floor: float = 0.2, n_inducing: int | None = None) -> None:
        self.order = order
        self.noise_floor = noise_floor
        self.n_inducing = n_inducing

    def fit(self, X: Sequence[ArrayLike], closed: bool | Sequence[bool] = False) -> LatentDynamics:
        """Learn from sequences of latents (frames, dimensions); `closed`: which are loops, whose last leads to the
        first."""
        if self.order not in (1, 2):
            raise InputError(f"order is {self.order!r}", fix="choose 1 or 2")
        check_range("noise_floor", self.noise_floor, 0.0)
        loops = [closed] * len(X) if isinstance(closed, bool) else list(closed)
        if len(X) == 0 or len(loops) != len(X):
            raise InputError(f"{len(X)} sequences and {len(loops)} values of closed", fix="use one value for each")
        sequences = [check_rows(f"latents of sequence {n}", rows, least=self.order + 2) for n, rows in enumerate(X)]
        columns = sequences[0].shape[1]
        for n, rows in enumerate(sequences):
            check_rows(f"latents of sequence {n}", rows, columns=columns)
        # A loop is continued by the first latents after its last.
        both = zip(sequences, loops, strict=True)
        runs = [np.vstack([rows, rows[: self.order]]) if loop else rows for rows, loop in both]
        last = np.vstack([self._stack(rows) for rows in runs])
        following = np.vstack([rows[self.order :] for rows in runs])
        self.step_ = float(np.linalg.norm(following - last[:, -columns:], axis=1).mean())
        if self.step_ == 0.0:
            raise InputError("the latents do not move", fix="use sequences of successive frames")
        most = _UNBOUNDED if self.noise_floor == 0.0 else 1.0 / (self.noise_floor * self.step_) ** 2
        kernel = RbfKernel(1.0, (1.0,) * self.order, 1.0)
        found = GaussianProcess(kernel, max_precision=most, prior=True, n_inducing=self.n_inducing)
        self.posterior_ = found.fit(last, following).posterior_
        return self

    def _check_learned(self) -> None:
        if self.order not in (1, 2) or not self.step_ > 0.0:
            raise InputError(f"dynamics of order {self.order!r} with steps of {self.step_!r}")
        columns = self.posterior_.weights.shape[1]
        self.posterior_.check(self.order * columns, columns)

    def predict(self, last: ArrayLike) -> Array:
        """Return the mean of the next latent (..., dimensions) after the last ones (..., order, dimensions)."""
        inputs = self._inputs(last)
        return self.posterior_.mean(inputs).reshape(*np.shape(last)[:-2], -1)

    def predict_variance(self, last: ArrayLike) -> Array:
        """Return the variance (...) of the next latent, the same in all dimensions, white noise included."""
        inputs = self._inputs(last)
        return self.posterior_.variance(inputs).reshape(np.shape(last)[:-2])

    def predict_next(self, last: ArrayLike) -> tuple[Array, float]:
        """Return mean (dimensions,) and variance of the next latent after the last ones (order, dimensions)."""
        inputs = self._inputs(last)
        return self.posterior_.predict(inputs[0])

    def differentiate(self, last: ArrayLike) -> Prediction:
        """Return mean and variance after the last latents (order, dimensions) with their derivatives.

        Derivatives are by the last latents as one vector, the oldest first.
        """
        inputs = self._inputs(last)
        return self.posterior_.differentiate(inputs[0])

    def generate(self, last: ArrayLike, frames: int) -> Array:
        """Return latents (frames, dimensions) that follow the last ones (order, dimensions), each the mean."""
        recent = self._inputs(last)[0]
        columns = len(recent) // self.order
        latents = np.empty((frames, columns))
        for n in range(frames):
            latents[n] = self.posterior_.mean(recent[None])[0]
            recent = np.append(recent[columns:], latents[n])
        return latents

    def _stack(self, rows: Array) -> Array:
        """Return the last latents of every frame that has as many before it, as one row each."""
        count = len(rows) - self.order
        return np.hstack([rows[n : n + count] for n in range(self.order)])

    def _inputs(self, last: ArrayLike) -> Array:
        self._check_fitted()
        values, columns = np.asarray(last, float), self.posterior_.inputs.shape[1]
        if values.ndim < 2 or values.shape[-2:] != (self.order, columns // self.order):
            raise InputError(
                f"last latents of shape {values.shape}", fix=f"use (..., {self.order}, {columns // self.order})"
            )
        return check_rows("latents", values.reshape(-1, columns))


register_estimator(LatentDynamics, "latent dynamics")
