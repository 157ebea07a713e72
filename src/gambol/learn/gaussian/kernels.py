"""Radial basis functions with white noise as covariance of a Gaussian process, and their derivatives (YL10 appendix A).

k(x, x') = α exp(−½ Σ_g γ_g |x_g − x'_g|²) + δ/β. The columns of an input may form groups g with a width each: the
kernel of latent dynamics of order 2 is the product over the groups x_{n−1} and x_n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.geometry.arrays import Array

InducingIndices = NDArray[np.integer]
"""Which inputs are inducing."""


@dataclass(frozen=True)
class RbfKernel:
    """Covariance of a Gaussian process: amplitude α, inverse squared widths γ, and precision β of the white noise."""

    amplitude: float = 1.0
    inverse_widths: tuple[float, ...] = (1.0,)
    """One for each group of columns; groups have equally many columns."""
    precision: float = 100.0

    def __post_init__(self) -> None:
        values = (self.amplitude, *self.inverse_widths, self.precision)
        if not self.inverse_widths or not all(np.isfinite(value) and value > 0.0 for value in values):
            raise InputError(f"kernel of {values}", fix="use finite numbers above 0, and one width or more")

    @property
    def parameters(self) -> Array:
        """Logarithms of α, of each γ and of β."""
        return np.log([self.amplitude, *self.inverse_widths, self.precision])

    @classmethod
    def from_parameters(cls, parameters: Array) -> RbfKernel:
        """Return the kernel of logarithms of α, of each γ and of β."""
        amplitude, *widths, precision = np.exp(parameters).tolist()
        return cls(amplitude, tuple(widths), precision)

    def column_widths(self, columns: int) -> Array:
        """Return γ of each column of inputs."""
        groups = len(self.inverse_widths)
        if columns % groups:
            raise InputError(f"{columns} columns for {groups} widths", fix=f"use a multiple of {groups} columns")
        return np.repeat(self.inverse_widths, columns // groups)

    def evaluate(self, one: Array, other: Array) -> Array:
        """Return the covariance (n, m) of inputs (n, columns) and (m, columns), without white noise."""
        root = np.sqrt(self.column_widths(other.shape[1]))
        covariance = squared_distances(one * root, other * root)
        covariance *= -0.5
        np.exp(covariance, out=covariance)
        covariance *= self.amplitude
        return covariance

    def parameter_gradient(self, one: Array, other: Array, weighted: Array) -> Array:
        """Return derivatives by log α and each log γ of a function of the covariance.

        `weighted` is its derivative by every entry of the covariance, times that entry.
        """
        widths = np.asarray(self.inverse_widths)
        columns = one.shape[1] // len(widths)
        rows, across = weighted.sum(axis=1), weighted.sum(axis=0)
        by_column = rows @ one**2 + across @ other**2 - 2.0 * np.einsum("nc,nc->c", one, weighted @ other)
        spread = by_column.reshape(-1, columns).sum(axis=1)
        return np.concatenate([[rows.sum()], -0.5 * widths * spread])

    def input_gradient(self, one: Array, other: Array, weighted: Array) -> Array:
        """Return derivatives (n, columns) by the inputs `one`; `weighted` as in `parameter_gradient`."""
        widths = self.column_widths(one.shape[1])
        return np.asarray(widths * (weighted @ other - weighted.sum(axis=1)[:, None] * one))


def squared_distances(one: Array, other: Array) -> Array:
    """Return |a − b|² (n, m) for rows of two arrays."""
    middle = other.mean(axis=0)
    one, other = one - middle, other - middle
    distances = one @ (-2.0 * other.T)
    distances += np.einsum("nc,nc->n", one, one)[:, None]
    distances += np.einsum("nc,nc->n", other, other)
    return np.asarray(np.maximum(distances, 0.0, out=distances))
