"""L_P of the scaled latent variable model as a function of the back constraint and the kernels (YL10 appendix A)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.geometry.arrays import Array
from gambol.learn.gaussian.evidence import evaluate_evidence
from gambol.learn.gaussian.kernels import CovarianceKernel, InducingIndices, RbfKernel, squared_distances

_SMOOTHNESS = 0.1
"""Eigenvalue of the back kernel below which its directions, the rough ones, are learned slowly."""


@dataclass(frozen=True, eq=False)
class BackConstrainedCost:
    """L_P of rows (rows, columns) with its derivatives, of one vector: parameters of the kernel, log (α', γ') and B."""

    kernel: CovarianceKernel
    """Of latents, and of given columns if it has factors; its parameters are replaced by those of the vector."""
    rows: Array
    given: Array
    """(rows, columns of the factors)."""
    centres: Array
    """(m, columns) inputs of the back constraint that it is centred at: rows, and further columns that it sees."""
    distances: Array
    """(rows, m) squared distances between its inputs and these."""
    inducing: InducingIndices | None
    mixing: Array
    """(m, m) M: the weights are A = M B, and B is what is unknown. A smooth back kernel K' is nearly singular, and
    descent along A would take thousands of iterations; M is nearly its inverse root."""
    scaled: bool = True
    """Whether columns have the scales w_k that are best for the kernel, or 1."""

    @classmethod
    def from_rows(
        cls,
        rows: Array,
        inducing: InducingIndices | None,
        width: float,
        kernel: CovarianceKernel = RbfKernel(),
        given: Array | None = None,
        seen: Array | None = None,
        *,
        scaled: bool = True,
    ) -> BackConstrainedCost:
        """Return the cost of rows; `inducing` are indices of rows, None for the exact one; M is for γ' of `width`.

        `given`: columns of the factors of `kernel`. `seen`: inputs (rows, columns) of the back constraint, by default
        the rows.
        """
        given = np.empty((len(rows), 0)) if given is None else given
        seen = rows if seen is None else seen
        centres = seen if inducing is None else seen[inducing]
        sizes, axes = np.linalg.eigh(RbfKernel(1.0, (width,)).evaluate(centres, centres))
        mixing = axes / np.sqrt(np.maximum(sizes, 0.0) + _SMOOTHNESS)
        return cls(kernel, rows, given, centres, squared_distances(seen, centres), inducing, mixing, scaled)

    @property
    def prior(self) -> Array:
        """The prior's factor of every hyperparameter: 1, and 0 for scales of factors, of which it has no minimum."""
        factors = np.ones(len(self.kernel.parameters) + 2)
        factors[2:-3] = 0.0
        return factors

    def __call__(self, unknowns: Array) -> tuple[float, Array]:
        """Return the cost and its gradient."""
        kernel, back_kernel, weights = self.unpack(unknowns)
        (width,) = back_kernel.inverse_widths
        back = self.distances * (-0.5 * width)
        np.exp(back, out=back)
        back *= back_kernel.amplitude
        latents = back @ weights
        inputs = np.hstack([latents, self.given])
        found = evaluate_evidence(kernel, inputs, self.rows, self.inducing, scaled=self.scaled)
        prior = self.prior
        value = found.value + 0.5 * float((latents**2).sum()) + float((prior * unknowns[: len(prior)]).sum())
        by_latents = found.input_gradient + latents
        by_weights = self.mixing.T @ (back.T @ by_latents)
        back *= self.distances
        by_width = -0.5 * width * float((by_latents * (back @ weights)).sum())
        by_amplitude = float((by_latents * latents).sum())
        by_hyper = np.concatenate([found.parameter_gradient, [by_amplitude, by_width]]) + prior
        return value, np.concatenate([by_hyper, by_weights.ravel()])

    def unpack(self, unknowns: Array) -> tuple[CovarianceKernel, RbfKernel, Array]:
        """Return the kernel, the back kernel and the weights A."""
        end = len(self.kernel.parameters)
        amplitude, width = np.exp(unknowns[end : end + 2]).tolist()
        weights = self.mixing @ unknowns[end + 2 :].reshape(len(self.centres), -1)
        return self.kernel.with_parameters(unknowns[:end]), RbfKernel(amplitude, (width,)), weights
