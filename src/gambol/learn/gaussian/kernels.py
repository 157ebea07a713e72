"""Covariances of Gaussian processes: radial basis functions (YL10 appendix A), alone or times linear kernels (M17 §4).

`RbfKernel`: k(x, x') = α exp(−½ Σ_g γ_g |x_g − x'_g|²) + δ/β. The columns of an input may form groups g with a width
each: the kernel of latent dynamics of order 2 is the product over the groups x_{n−1} and x_n.

`FactorKernel`: k(x, x') Π_f (c_f + v_f z_f·z'_f) + δ/β. The columns z_f are given: emotional style, a point of contact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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

    def with_parameters(self, parameters: Array) -> RbfKernel:
        """Return the kernel of logarithms of α, of each γ and of β."""
        amplitude, *widths, precision = np.exp(parameters).tolist()
        return RbfKernel(amplitude, tuple(widths), precision)

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

    def diagonal(self, inputs: Array) -> Array:
        """Return the variances (n,) of inputs, without white noise."""
        return np.full(len(inputs), self.amplitude)

    def trace_gradient(self, inputs: Array) -> Array:
        """Return derivatives of the sum of the diagonal by the parameters without log β; the first is the sum."""
        return np.append(len(inputs) * self.amplitude, np.zeros(len(self.inverse_widths)))

    def parameter_gradient(self, one: Array, other: Array, gradient: Array, weighted: Array) -> Array:
        """Return derivatives of a function of the covariance by the parameters without log β.

        `gradient` is its derivative by every entry of the covariance, `weighted` the same times that entry.
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


@dataclass(frozen=True)
class LinearFactor:
    """A factor c + v z·z' of a kernel, with columns z that are given."""

    columns: int
    scale: float = 1.0
    """v."""
    constant: bool = True
    """c = 1: outputs share a part whatever z is. c = 0: the product of M17, in which one-hot styles share nothing."""
    fixed: bool = False
    """Keep v as it is in learning."""

    def __post_init__(self) -> None:
        if not isinstance(self.columns, int | np.integer) or self.columns < 1:
            raise InputError(f"factor of {self.columns!r} columns", fix="use a whole number from 1")
        if not (np.isfinite(self.scale) and self.scale > 0.0):
            raise InputError(f"factor with scale {self.scale!r}", fix="use a finite number above 0")

    @property
    def learned(self) -> bool:
        """Whether v is learned: not without a constant, where v scales the kernel as α does."""
        return self.constant and not self.fixed

    def evaluate(self, one: Array, other: Array) -> Array:
        """Return c + v z·z' (n, m) of columns (n, columns) and (m, columns)."""
        return float(self.constant) + self.scale * (one @ other.T)


@dataclass(frozen=True)
class FactorKernel:
    """Covariance that is a product: of an RBF kernel of the first columns, and of linear factors of those that follow.

    Derivatives are by the columns of the RBF kernel; those of the factors are given.
    """

    rbf: RbfKernel
    factors: tuple[LinearFactor, ...]

    def __post_init__(self) -> None:
        if not self.factors:
            raise InputError("kernel without factors", fix="use an RbfKernel")

    @property
    def amplitude(self) -> float:
        """α."""
        return self.rbf.amplitude

    @property
    def precision(self) -> float:
        """β."""
        return self.rbf.precision

    @property
    def parameters(self) -> Array:
        """Logarithms of α, of each γ, of each v that is learned, and of β."""
        scales = [factor.scale for factor in self.factors if factor.learned]
        return np.insert(self.rbf.parameters, -1, np.log(scales))

    def with_parameters(self, parameters: Array) -> FactorKernel:
        """Return the kernel of `parameters`."""
        end = 1 + len(self.rbf.inverse_widths)
        scales = iter(np.exp(parameters[end:-1]).tolist())
        factors = (replace(factor, scale=next(scales)) if factor.learned else factor for factor in self.factors)
        return FactorKernel(self.rbf.with_parameters(np.append(parameters[:end], parameters[-1])), tuple(factors))

    def column_widths(self, columns: int) -> Array:
        """Return γ of each column of the RBF kernel, of inputs with so many columns in all."""
        return self.rbf.column_widths(columns - self._count_given(columns))

    def split(self, inputs: Array) -> tuple[Array, list[Array]]:
        """Return the columns of the RBF kernel and those of every factor."""
        columns = inputs.shape[1]
        first = columns - self._count_given(columns)
        return inputs[:, :first], self.split_given(inputs[:, first:])

    def split_given(self, given: Array) -> list[Array]:
        """Return the columns of every factor, of columns (n, columns) of them all."""
        pieces, first = [], 0
        for factor in self.factors:
            pieces.append(given[:, first : first + factor.columns])
            first += factor.columns
        return pieces

    def evaluate(self, one: Array, other: Array) -> Array:
        """Return the covariance (n, m) of inputs (n, columns) and (m, columns), without white noise."""
        (moving, given), (others, other_given) = self.split(one), self.split(other)
        covariance = self.rbf.evaluate(moving, others)
        for factor, z, other_z in zip(self.factors, given, other_given, strict=True):
            covariance *= factor.evaluate(z, other_z)
        return covariance

    def diagonal(self, inputs: Array) -> Array:
        """Return the variances (n,) of inputs, without white noise."""
        return self.amplitude * self._diagonals(inputs).prod(axis=0)

    def trace_gradient(self, inputs: Array) -> Array:
        """Return derivatives of the sum of the diagonal by the parameters without log β; the first is the sum."""
        found = self.rbf.trace_gradient(inputs)
        diagonals = self._diagonals(inputs)
        found[0] = self.amplitude * diagonals.prod(axis=0).sum()
        for n, factor in enumerate(self.factors):
            if factor.learned:
                without = np.delete(diagonals, n, axis=0).prod(axis=0)
                found = np.append(found, self.amplitude * without @ (diagonals[n] - float(factor.constant)))
        return found

    def parameter_gradient(self, one: Array, other: Array, gradient: Array, weighted: Array) -> Array:
        """Return derivatives of a function of the covariance by the parameters without log β; see `RbfKernel`."""
        (moving, given), (others, other_given) = self.split(one), self.split(other)
        found = self.rbf.parameter_gradient(moving, others, gradient, weighted)
        if not any(factor.learned for factor in self.factors):
            return found
        plain = gradient * self.rbf.evaluate(moving, others)
        for n, factor in enumerate(self.factors):
            if factor.learned:
                without = plain
                for m, rest in enumerate(self.factors):
                    if m != n:  # a product without the factor, which may be 0 and cannot be divided by
                        without = without * rest.evaluate(given[m], other_given[m])
                found = np.append(found, factor.scale * np.einsum("nc,nc->", given[n], without @ other_given[n]))
        return found

    def input_gradient(self, one: Array, other: Array, weighted: Array) -> Array:
        """Return derivatives (n, columns of the RBF kernel) by the inputs `one`; `weighted` as for parameters."""
        return self.rbf.input_gradient(self.split(one)[0], self.split(other)[0], weighted)

    def _count_given(self, columns: int) -> int:
        given = sum(factor.columns for factor in self.factors)
        if columns <= given:
            raise InputError(f"{columns} columns for factors of {given}", fix="put the columns of the RBF kernel first")
        return given

    def _diagonals(self, inputs: Array) -> Array:
        """Return c + v z·z (factors, n)."""
        both = zip(self.factors, self.split(inputs)[1], strict=True)
        return np.array([float(factor.constant) + factor.scale * np.einsum("nc,nc->n", z, z) for factor, z in both])


CovarianceKernel = RbfKernel | FactorKernel
"""Kernels of the evidence and the posterior."""


def squared_distances(one: Array, other: Array) -> Array:
    """Return |a − b|² (n, m) for rows of two arrays."""
    middle = other.mean(axis=0)
    one, other = one - middle, other - middle
    distances = one @ (-2.0 * other.T)
    distances += np.einsum("nc,nc->n", one, one)[:, None]
    distances += np.einsum("nc,nc->n", other, other)
    return np.asarray(np.maximum(distances, 0.0, out=distances))
