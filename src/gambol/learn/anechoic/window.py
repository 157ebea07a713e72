"""What is seen of sources through the samples of a trial: the samples' own coordinates, and how sources appear in them.

A source is a finite Fourier series s(t) = Re sum_k S_k exp(2 pi i k t / length), k = 1 ... harmonics, so a delay is a
real number: it turns S_k by exp(-2 pi i k delay / length). Times and delays are in windows: 1 is the length of a trial.
Periodic signals have length 1. Of others a trial shows a part only, and length is 1 with room for delays at both ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.arrays import Array

Complex = NDArray[np.complexfloating]

_SEEN = 1e-7
"""Combinations of waves that vary less than this share of the clearest over the samples cannot be told from none."""


@dataclass(frozen=True, eq=False)
class SignalWindow:
    """The times of the samples of a trial, and the waves that sources are made of."""

    times: Array
    """(samples,) windows"""
    length: float
    """Windows after which sources repeat."""
    harmonics: int

    def every_other(self, first: int) -> SignalWindow:
        """Half of the samples, from the first or the second on."""
        return replace(self, times=self.times[first::2])

    def waves(self, times: Array) -> Array:
        """(times, 2 harmonics): what real and imaginary parts of S_k are multiplied with."""
        angles = 2.0 * np.pi / self.length * np.multiply.outer(times, np.arange(1, self.harmonics + 1))
        return np.concatenate((np.cos(angles), -np.sin(angles)), axis=-1)

    @cached_property
    def basis(self) -> Array:
        """(samples, dims): orthonormal, without a mean, and able to hold every source at every delay."""
        waves = self.waves(self.times)
        left, clear, _ = np.linalg.svd(waves - waves.mean(axis=0), full_matrices=False)
        return left[:, clear > _SEEN * clear[0]]

    @cached_property
    def wave_coordinates(self) -> Array:
        """(2 harmonics, dims): the waves in coordinates of the basis."""
        return self.waves(self.times).T @ self.basis

    def coordinates(self, signals: Array) -> Array:
        """(..., samples) to (..., dims): what a constant cannot explain and sources might."""
        return signals @ self.basis

    def delay_sources(self, sources: Complex, delays: Array) -> Complex:
        """(..., sources, harmonics): sources (sources, harmonics) after delays (..., sources)."""
        once = np.exp(-2j * np.pi / self.length * delays)
        turns = np.cumprod(np.broadcast_to(once[..., None], (*once.shape, self.harmonics)), axis=-1)
        return turns * sources

    def project(self, turned: Complex) -> Array:
        """(..., dims): sources (..., harmonics) in coordinates."""
        return np.concatenate((turned.real, turned.imag), axis=-1) @ self.wave_coordinates

    def delay_derivatives(self, turned: Complex) -> Array:
        """(..., dims): the derivative of `shown` by the delay."""
        return self.project(-2j * np.pi / self.length * np.arange(1, self.harmonics + 1) * turned)

    def evaluate(self, sources: Complex, times: Array) -> Array:
        """(sources, times): sources at any times."""
        return np.concatenate((sources.real, sources.imag), axis=-1) @ self.waves(times).T
