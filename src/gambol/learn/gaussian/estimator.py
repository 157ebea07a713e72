"""What the estimators of Gaussian processes share: checks of their input, and conversion to plain values and files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.io.models import ModelKind, register
from gambol.learn.gaussian.kernels import FactorKernel, InducingIndices, LinearFactor, RbfKernel
from gambol.learn.gaussian.posterior import GaussianPosterior

GAUSSIAN_KINDS = (RbfKernel, LinearFactor, FactorKernel, GaussianPosterior)
"""Classes in the values of an estimator."""


class GaussianEstimator(BaseEstimator):
    """An estimator whose learned attributes are arrays, numbers, kernels and posteriors."""

    _learned: ClassVar[tuple[str, ...]]

    def to_values(self) -> dict[str, Any]:
        """Return parameters and learned attributes as a mapping that an archive can hold."""
        self._check_fitted()
        return {"parameters": self.get_params(), **{name: getattr(self, name) for name in self._learned}}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """Return the estimator of `to_values`."""
        estimator = cls(**values["parameters"])
        for name in cls._learned:
            setattr(estimator, name, values[name])
        estimator._check_learned()
        return estimator

    def _check_learned(self) -> None:
        """Raise an InputError, or what invalid content raises, unless attributes from a file belong together."""
        raise NotImplementedError

    def _check_fitted(self) -> None:
        if not hasattr(self, self._learned[0]):
            raise InputError("nothing is learned yet", fix="call fit first")


def register_estimator(estimator: type[GaussianEstimator], name: str) -> None:
    """Make an estimator known to `save_model` and `load_model`."""
    pack, unpack = estimator.to_values, estimator.from_values
    register(ModelKind(estimator, name, 1, "use a file written by save_model", GAUSSIAN_KINDS, pack, unpack))


def check_rows(name: str, values: ArrayLike, least: int = 1, columns: int | None = None) -> Array:
    """Return a finite array (rows, columns) of at least `least` rows and, where given, so many columns."""
    try:
        rows = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name} are not an array of numbers", fix="use rows of equal length") from None
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise InputError(f"{name} of shape {rows.shape}", fix="use an array (rows, columns)")
    if len(rows) < least:
        raise InputError(f"{len(rows)} rows of {name}", fix=f"use at least {least}")
    if columns is not None and rows.shape[1] != columns:
        raise InputError(f"{name} have {rows.shape[1]} columns, expected {columns}")
    bad = ~np.isfinite(rows)
    if bad.any():
        row, column = np.argwhere(bad)[0].tolist()
        raise InputError(f"{name}: row {row}, column {column} is {rows[row, column]}", fix="use finite numbers")
    return rows


def check_range(name: str, value: float, least: float, most: float = np.inf) -> None:
    """Raise an InputError unless a parameter is a number between two bounds."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not least <= value <= most:
        upper = "" if np.isinf(most) else f" to {most:g}"
        raise InputError(f"{name} is {value!r}", fix=f"choose a number from {least:g}{upper}")


def choose_inducing(inputs: Array, count: int | None) -> InducingIndices | None:
    """Return indices of inputs that lie far from each other; None where all inputs are used.

    Starts at the input next to the mean and adds the one farthest from those that are chosen.
    """
    if count is None or count >= len(inputs):
        return None
    distances = ((inputs - inputs.mean(axis=0)) ** 2).sum(axis=1)
    chosen = [int(distances.argmin())]
    distances = ((inputs - inputs[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < count and distances.max() > 0.0:
        chosen.append(int(distances.argmax()))
        distances = np.minimum(distances, ((inputs - inputs[chosen[-1]]) ** 2).sum(axis=1))
    return np.sort(np.array(chosen))
