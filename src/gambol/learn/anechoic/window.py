"""Sources as Fourier series, and orthonormal coordinates of the samples of a trial.

A source is a finite Fourier series s(t) = Re sum_k S_k exp(2 pi i k t / length), k = 1 ... harmonics, so a delay is a
real number: it multiplies S_k by exp(-2 pi i k delay / length). Times and delays are in windows: 1 is the duration of a
trial. Periodic signals have length 1. For others length is 1 plus the largest delay at both ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.arrays import Array

Complex = NDArray[np.complexfloating]

_RANK_TOLERANCE = 1e-7
"""Relative singular value below which a combination of waves is not determined by the samples."""


@dataclass(frozen=True, eq=False)
class SignalWindow:
    """Sample times of a trial, and the Fourier basis of the sources."""

    times: Array
    """(samples,) windows"""
    length: float
    """Period of the sources in windows."""
    harmonics: int

    def every_other(self, first: int) -> SignalWindow:
        """Return the window with every other sample, from the first (0) or the second (1) on."""
        return replace(self, times=self.times[first::2])

    def waves(self, times: Array) -> Array:
        """Return (times, 2 harmonics): the factors of the real and imaginary parts of S_k."""
        angles = 2.0 * np.pi / self.length * np.multiply.outer(times, np.arange(1, self.harmonics + 1))
        return np.concatenate((np.cos(angles), -np.sin(angles)), axis=-1)

    @cached_property
    def basis(self) -> Array:
        """(samples, dims) orthonormal, of zero mean, spanning every source at every delay."""
        waves = self.waves(self.times)
        left, clear, _ = np.linalg.svd(waves - waves.mean(axis=0), full_matrices=False)
        return left[:, clear > _RANK_TOLERANCE * clear[0]]

    @cached_property
    def wave_coordinates(self) -> Array:
        """(2 harmonics, dims) the waves in coordinates of the basis."""
        return self.waves(self.times).T @ self.basis

    def coordinates(self, signals: Array) -> Array:
        """Project signals (..., samples) to coordinates (..., dims): the part that sources can explain, without
        means."""
        return signals @ self.basis

    def delay_sources(self, sources: Complex, delays: Array) -> Complex:
        """Return sources (..., sources, harmonics) after delays (..., sources)."""
        once = np.exp(-2j * np.pi / self.length * delays)
        turns = np.cumprod(np.broadcast_to(once[..., None], (*once.shape, self.harmonics)), axis=-1)
        return turns * sources

    def project(self, turned: Complex) -> Array:
        """Return coordinates (..., dims) of sources (..., harmonics)."""
        return np.concatenate((turned.real, turned.imag), axis=-1) @ self.wave_coordinates

    def delay_derivatives(self, turned: Complex) -> Array:
        """Return the derivative (..., dims) of `project` with respect to the delay."""
        return self.project(-2j * np.pi / self.length * np.arange(1, self.harmonics + 1) * turned)

    def evaluate(self, sources: Complex, times: Array) -> Array:
        """Evaluate sources (sources, harmonics) at any times: (sources, times)."""
        return np.concatenate((sources.real, sources.imag), axis=-1) @ self.waves(times).T
