"""The most likely latent of one row: negative log likelihood with exact derivatives, minimised by Newton steps.

The cost of a latent x is λ/2 ln σ²(x) + |W(y − m(x))|² / 2σ²(x) + p/2 |x − x₀|², with the mean m and variance σ² of the
rows given the latent. Without an observed row y the second part is 0, since the most likely row is the mean. The third
part is a prior: of all latents (L_P of YL10 appendix A), or of the next latent given the last ones (L_S).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg.lapack import dposv

from gambol.geometry.arrays import Array
from gambol.learn.gaussian.posterior import GaussianPosterior

_STEPS = 50
_HALVINGS = 30
_LONGEST = 0.5
"""Longest step in widths of the kernel: a quadratic model of the cost is good no farther."""
_LAST = 1e-3
"""Expected decrease of the cost by the last step, which is not evaluated: the quadratic model is exact enough."""
_FLATTEST = 1e-6
"""Smallest curvature of the quadratic model, relative to the largest."""


@dataclass(frozen=True, eq=False)
class LatentCost:
    """The negative log likelihood of a latent, up to a constant."""

    posterior: GaussianPosterior
    """Of scaled rows given latents."""
    log_weight: float
    """λ: the number of columns of a row."""
    prior_mean: Array
    prior_precision: float
    target: Array | None = None
    """(columns,) scaled row that was observed; None if the row is unknown as well."""

    @property
    def longest_step(self) -> float:
        """Largest distance of a Newton step."""
        return float(_LONGEST / np.sqrt(max(self.posterior.rbf.inverse_widths)))

    def evaluate(self, latent: Array) -> tuple[float, Array, Array]:
        """Return the cost of a latent with gradient and Hessian."""
        local = self.posterior.expand(latent)
        variance = local.variance
        slope = -2.0 * local.slopes @ local.reduced[0]
        bend = -2.0 * (local.reduced[1:] @ local.slopes.T + local.curvature(local.reduced[0]))
        offset = latent - self.prior_mean
        value = 0.5 * self.log_weight * math.log(variance) + 0.5 * self.prior_precision * float(offset @ offset)
        gradient = self.prior_precision * offset + 0.5 * self.log_weight / variance * slope
        across = slope[:, None] * slope
        hessian = 0.5 * self.log_weight * (bend / variance - across / variance**2)
        hessian.flat[:: len(latent) + 1] += self.prior_precision
        if self.target is None:
            return value, gradient, hessian
        error = self.target - local.covariance @ self.posterior.weights
        moves = local.slopes @ self.posterior.weights
        size, size_slope = float(error @ error), -2.0 * moves @ error
        size_bend = 2.0 * (moves @ moves.T - local.curvature(self.posterior.weights @ error))
        mixed = size_slope[:, None] * slope
        value += 0.5 * size / variance
        gradient += 0.5 * size_slope / variance - 0.5 * size / variance**2 * slope
        hessian += 0.5 * size_bend / variance - 0.5 * (mixed + mixed.T + size * bend) / variance**2
        hessian += size / variance**3 * across
        return value, gradient, hessian


class SmoothLatentCost(Protocol):
    """A cost of latents that Newton steps minimise."""

    @property
    def longest_step(self) -> float: ...

    def evaluate(self, latent: Array) -> tuple[float, Array, Array]: ...


def minimise_latent_cost(cost: SmoothLatentCost, start: Array) -> tuple[Array, float]:
    """Return the local minimum next to a start, and its cost."""
    longest = cost.longest_step
    latent, (value, gradient, hessian) = start, cost.evaluate(start)
    for _ in range(_STEPS):
        step = _newton_step(gradient, hessian)
        length = math.sqrt(step @ step)
        if length > longest:
            step *= longest / length
        change = float(gradient @ step)
        if -change < _LAST:
            return latent + step, value + 0.5 * change
        for _ in range(_HALVINGS):
            tried = cost.evaluate(latent + step)
            if tried[0] < value:
                break
            step = 0.5 * step
        else:
            break
        latent, (value, gradient, hessian) = latent + step, tried
    return latent, value


def _newton_step(gradient: Array, hessian: Array) -> Array:
    """Return the step to the minimum of the quadratic model; axes of negative curvature are turned downhill."""
    _, step, failed = dposv(hessian, -gradient)
    if not failed:
        return step
    curvatures, axes = np.linalg.eigh(hessian)
    sizes = np.abs(curvatures)
    return -axes @ ((gradient @ axes) / np.maximum(sizes, _FLATTEST * sizes.max()))
