"""L_P of the scaled latent variable model as a function of the back constraint and the kernels (YL10 appendix A)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.geometry.arrays import Array
from gambol.learn.gaussian.evidence import evaluate_evidence
from gambol.learn.gaussian.kernels import InducingIndices, RbfKernel, squared_distances

HYPERPARAMETERS = 5
"""How many logarithms come before the unknowns of the weights."""
_SMOOTHNESS = 0.1
"""Eigenvalue of the back kernel below which its directions, the rough ones, are learned slowly."""


@dataclass(frozen=True, eq=False)
class BackConstrainedCost:
    """L_P of rows (rows, columns) with its derivatives, of one vector: log (α, γ, β, α', γ') and B."""

    rows: Array
    centres: Array
    """(m, columns) rows that the back constraint is centred at."""
    distances: Array
    """(rows, m) squared distances between them."""
    inducing: InducingIndices | None
    mixing: Array
    """(m, m) M: the weights are A = M B, and B is what is unknown. A smooth back kernel K' is nearly singular, and
    descent along A would take thousands of iterations; M is nearly its inverse root."""

    @classmethod
    def from_rows(cls, rows: Array, inducing: InducingIndices | None, width: float) -> BackConstrainedCost:
        """Return the cost of rows; `inducing` are indices of rows, None for the exact one; M is for γ' of `width`."""
        centres = rows if inducing is None else rows[inducing]
        sizes, axes = np.linalg.eigh(RbfKernel(1.0, (width,)).evaluate(centres, centres))
        mixing = axes / np.sqrt(np.maximum(sizes, 0.0) + _SMOOTHNESS)
        return cls(rows, centres, squared_distances(rows, centres), inducing, mixing)

    def __call__(self, unknowns: Array) -> tuple[float, Array]:
        """Return the cost and its gradient."""
        kernel, back_kernel, weights = self.unpack(unknowns)
        (width,) = back_kernel.inverse_widths
        back = self.distances * (-0.5 * width)
        np.exp(back, out=back)
        back *= back_kernel.amplitude
        latents = back @ weights
        found = evaluate_evidence(kernel, latents, self.rows, self.inducing, scaled=True)
        hyper = unknowns[:HYPERPARAMETERS]
        value = found.value + 0.5 * float((latents**2).sum()) + float(hyper.sum())
        by_latents = found.input_gradient + latents
        by_weights = self.mixing.T @ (back.T @ by_latents)
        back *= self.distances
        by_width = -0.5 * width * float((by_latents * (back @ weights)).sum())
        by_amplitude = float((by_latents * latents).sum())
        by_hyper = np.concatenate([found.parameter_gradient, [by_amplitude, by_width]]) + 1.0
        return value, np.concatenate([by_hyper, by_weights.ravel()])

    def unpack(self, unknowns: Array) -> tuple[RbfKernel, RbfKernel, Array]:
        """Return the kernel, the back kernel and the weights A."""
        alpha, gamma, beta, back_alpha, back_gamma = np.exp(unknowns[:HYPERPARAMETERS]).tolist()
        weights = self.mixing @ unknowns[HYPERPARAMETERS:].reshape(len(self.centres), -1)
        return RbfKernel(alpha, (gamma,), beta), RbfKernel(back_alpha, (back_gamma,)), weights
