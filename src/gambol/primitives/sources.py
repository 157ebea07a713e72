"""Source functions by support-vector regression: from the state of an oscillator to the value of a source (M17 2.3).

s(t - delay) is the regression at the state turned back by the delay, so one map serves every delay. What is learned is
kept as plain numbers and evaluated here: f(x) = sum_n coefficient_n exp(-gamma |x - support_n|^2) + intercept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.primitives.oscillator import rotate_states, states_on_cycle

GAMMA = 8.0
"""Width of the kernel: on the unit circle it holds the first 12 harmonics to a hundredth, more than walking needs."""
_TUBE = 1e-3
"""Share of a source's size that it may be missed by: no vectors are spent on less."""
_PENALTY = 1e2
"""How dear a miss is: enough for the corners of curves with 12 harmonics; ten times more or less changes nothing."""


@dataclass(frozen=True, eq=False)
class SourceMaps:
    """Maps of some sources, on common support vectors."""

    supports: Array
    """(vectors, 2)"""
    coefficients: Array
    """(sources, vectors)"""
    intercepts: Array
    """(sources,)"""
    gamma: float

    def __post_init__(self) -> None:
        count, vectors = self.coefficients.shape
        if self.supports.shape != (vectors, 2) or self.intercepts.shape != (count,):
            raise InputError(f"{count} maps of {vectors} vectors, and supports of shape {self.supports.shape}")

    @property
    def count(self) -> int:
        """How many sources there are."""
        return len(self.coefficients)

    def evaluate(self, states: Array) -> Array:
        """(..., sources): every source at its own state (..., sources, 2)."""
        apart = (states**2).sum(-1)[..., None] + (self.supports**2).sum(-1) - 2.0 * states @ self.supports.T
        return np.asarray((np.exp(-self.gamma * apart) * self.coefficients).sum(axis=-1) + self.intercepts)

    def evaluate_delayed(self, states: Array, delays: Array) -> Array:
        """(..., sources): sources of states (sources, 2) after delays (..., sources) in turns."""
        return self.evaluate(rotate_states(states, -2.0 * np.pi * delays))


def fit_source_maps(curves: Array) -> SourceMaps:
    """Maps of sources (sources, phases) given over one even turn, first phase 0."""
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
