"""Locally weighted linear regression: a linear fit for every question, near examples weighted most (M17 section 3.3).

Weights are Gaussian in the distance of inputs, each in standard deviations of the examples. The width of the Gaussian
is the one of a few with the least error of examples that are left out, together with all others of their group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.geometry.arrays import Array, check_shapes

_WIDTHS = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 100.0)
"""Standard deviations of inputs; the last one is linear regression."""
_RIDGE = 1e-6
"""Penalty on squared slopes relative to the sum of weights: slopes that examples leave open are zero."""


@dataclass(frozen=True, eq=False)
class LocalRegression:
    """Examples and the width of their weights; made by `fit_local_regression`."""

    inputs: Array
    """(examples, inputs)."""
    outputs: Array
    """(examples, outputs)."""
    scale: Array
    """(inputs,) standard deviations of inputs."""
    width: float

    def __post_init__(self) -> None:
        (examples, inputs), outputs = self.inputs.shape, self.outputs.shape[1]
        check_shapes(self, inputs=(examples, inputs), outputs=(examples, outputs), scale=(inputs,))
        if examples < 1 or not (self.scale > 0.0).all() or not self.width > 0.0:
            raise InputError("a regression needs examples, and scales and a width above 0")

    def predict(self, question: Array) -> Array:
        """Return outputs (outputs,) for inputs (inputs,), which are limited to the range of the examples."""
        inside = np.clip(question, self.inputs.min(axis=0), self.inputs.max(axis=0))
        return self._predict(inside, np.ones(len(self.inputs)))

    def predict_without(self, left_out: NDArray[np.bool_]) -> Array:
        """Return outputs (left out, outputs) of the examples that are left out (examples,), from all others."""
        return np.array([self._predict(question, 1.0 - left_out) for question in self.inputs[left_out]])

    def _predict(self, question: Array, kept: Array) -> Array:
        apart = (self.inputs - question) / self.scale
        distances = (apart**2).sum(axis=1)
        nearest = distances[kept > 0.0].min()
        weights = kept * np.exp(-0.5 * (distances - nearest) / self.width**2)
        weights /= weights.sum()
        rows = np.hstack([np.ones((len(apart), 1)), apart])
        square = rows.T @ (weights[:, None] * rows) + _RIDGE * np.diag([0.0, *np.ones(apart.shape[1])])
        return np.asarray(np.linalg.solve(square, rows.T @ (weights[:, None] * self.outputs))[0])


def fit_local_regression(inputs: Array, outputs: Array, groups: Sequence[str]) -> LocalRegression:
    """Return the regression of examples (examples, inputs) and (examples, outputs) in groups (examples,)."""
    least = inputs.shape[1] + 2
    if min(len(inputs) - groups.count(group) for group in set(groups)) < least:
        raise InputError(
            f"{len(inputs)} trials from {len(set(groups))} recordings for {inputs.shape[1]} task parameters",
            fix=f"give {least} trials of every action beside those from any one recording",
        )
    scale = np.std(inputs, axis=0)
    scale = np.where(scale > 0.0, scale, 1.0)
    tried = [LocalRegression(inputs, outputs, scale, width) for width in _WIDTHS]
    return min(tried, key=lambda one: measure_left_out(one, groups))


def measure_left_out(regression: LocalRegression, groups: Sequence[str]) -> float:
    """Return the mean squared error of outputs that are predicted without the examples of the same group."""
    total = 0.0
    for group in sorted(set(groups)):
        left_out = np.array([other == group for other in groups])
        total += float(((regression.predict_without(left_out) - regression.outputs[left_out]) ** 2).sum())
    return total / regression.outputs.size
