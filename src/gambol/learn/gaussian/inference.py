"""Infer one frame from the last ones: the latent and row of least L_S (YL10 equation 5 and appendix A)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.learn.gaussian.dynamics import LatentDynamics
from gambol.learn.gaussian.estimator import check_rows
from gambol.learn.gaussian.gplvm import ScaledGplvm
from gambol.learn.gaussian.latents import LatentCost, minimise_latent_cost


@dataclass(frozen=True, eq=False)
class InferredFrame:
    """Latent (dimensions,) and row (columns,) of a frame, and L_S up to a constant."""

    latent: Array
    row: Array
    cost: float


@dataclass(frozen=True, eq=False)
class FrameInference:
    """Infer frames one after the other from a latent variable model and its dynamics.

    L_S has the negative log likelihood of the row given the latent, and of the latent given the last ones. By default
    ln σ² counts for each of the D columns, and only the training rows condition the row.
    `printed`: as in appendix A. ln σ² counts once, and the last rows condition mean and variance of the next row, which
    lowers the variance near the last latents. Free runs of models with several examples then leave the cycle.
    """

    model: ScaledGplvm
    dynamics: LatentDynamics
    printed: bool = False

    def infer_next(self, latents: ArrayLike, rows: ArrayLike | None = None) -> InferredFrame:
        """Return the most likely next frame after the last latents (order, dimensions).

        `rows`: the last rows (order, columns), which the printed form needs.
        """
        cost = self._cost(latents, rows, None)
        latent, value = minimise_latent_cost(cost, cost.prior_mean)
        return InferredFrame(latent, self._row(cost, latent), value)

    def infer_latent(self, row: ArrayLike, latents: ArrayLike, rows: ArrayLike | None = None) -> InferredFrame:
        """Return the frame of an observed row (columns,) that follows the last latents: its latent has least L_S."""
        observed = self.model.scale_rows(np.atleast_2d(np.asarray(row, float)))[0]
        cost = self._cost(latents, rows, observed)
        starts = (cost.prior_mean, self.model.transform(np.atleast_2d(row))[0])
        latent, value = min((minimise_latent_cost(cost, start) for start in starts), key=lambda found: found[1])
        return InferredFrame(latent, np.array(row, float), value)

    def _cost(self, latents: ArrayLike, rows: ArrayLike | None, target: Array | None) -> LatentCost:
        last = np.asarray(latents, float)
        mean, variance = self.dynamics.predict_next(last)
        posterior, weight = self.model.posterior_, float(len(self.model.scales_))
        if self.printed:
            if rows is None:
                raise InputError("the last rows are missing", fix="the printed inference needs them")
            given = self.model.scale_rows(check_rows("rows", rows, least=len(last)))
            posterior, weight = posterior.condition(last, given), 1.0
        return LatentCost(posterior, weight, mean, 1.0 / variance, target)

    def _row(self, cost: LatentCost, latent: Array) -> Array:
        return self.model.unscale_rows(cost.posterior.covariance_at(latent) @ cost.posterior.weights)
