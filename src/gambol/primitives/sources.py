"""Map oscillator states to source values by support-vector regression (M17 section 2.3).

s(t - delay) is the regression at the state rotated back by the delay, so one map serves every delay. The regression is
stored as arrays and evaluated here: f(x) = sum_n coefficient_n exp(-gamma |x - support_n|^2) + intercept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array, check_shapes, summarise_fields
from gambol.primitives.oscillator import rotate_states, states_on_cycle

GAMMA = 8.0
"""Kernel parameter: represents the first 12 harmonics on the unit circle to 1 %, more than walking needs."""
_TUBE = 1e-3
"""Tolerance of the regression (epsilon), relative to the size of a source."""
_PENALTY = 1e2
"""Penalty C: enough for curves with 12 harmonics; ten times more or less changes nothing."""


@dataclass(frozen=True, eq=False)
class SourceMaps:
    """Regressions of several sources, on common support vectors."""

    __repr__ = summarise_fields

    supports: Array
    """(vectors, 2)"""
    coefficients: Array
    """(sources, vectors)"""
    intercepts: Array
    """(sources,)"""
    gamma: float

    def __post_init__(self) -> None:
        count, vectors = self.coefficients.shape
        check_shapes(self, supports=(vectors, 2), coefficients=(count, vectors), intercepts=(count,))
        if not self.gamma >= 0.0:
            raise InputError(f"gamma of a kernel must not be negative, not {self.gamma:g}")

    @property
    def count(self) -> int:
        """Number of sources."""
        return len(self.coefficients)

    def evaluate(self, states: Array) -> Array:
        """Evaluate every source (..., sources) at its own state (..., sources, 2)."""
        apart = (states**2).sum(-1)[..., None] + (self.supports**2).sum(-1) - 2.0 * states @ self.supports.T
        return np.asarray((np.exp(-self.gamma * apart) * self.coefficients).sum(axis=-1) + self.intercepts)

    def evaluate_delayed(self, states: Array, delays: Array) -> Array:
        """Evaluate sources (..., sources) of states (sources, 2) after delays (..., sources) in cycles."""
        return self.evaluate(rotate_states(states, -2.0 * np.pi * delays))


def fit_source_maps(curves: Array) -> SourceMaps:
    """Fit maps to sources (sources, phases) sampled at equal phase steps over one cycle, from phase 0."""
    from sklearn.svm import SVR

    count, phases = curves.shape
    circle = states_on_cycle(2.0 * np.pi * np.arange(phases) / phases)
    coefficients, intercepts = np.zeros((count, phases)), np.zeros(count)
    for n, curve in enumerate(curves):
        size = float(np.std(curve))
        if size == 0.0:
            intercepts[n] = curve.mean()
            continue
        found = SVR(kernel="rbf", gamma=GAMMA, C=_PENALTY, epsilon=_TUBE).fit(circle, curve / size)
        coefficients[n, found.support_] = size * found.dual_coef_[0]
        intercepts[n] = size * float(found.intercept_[0])
    used = coefficients.any(axis=0)
    return SourceMaps(circle[used], coefficients[:, used], intercepts, GAMMA)
