"""Solve for sources with given weights and delays (M17 equation 1): linear least squares in Fourier coefficients.

With C = w cos(2 pi k tau) and Z = w sin(2 pi k tau) a delayed source has the coefficients (C R + Z I, C I - Z R) of its
own real and imaginary parts R and I, so the normal equations are sums over signals of products of C and Z, times the
products of waves over the samples. Where the samples cover whole periods, waves are orthogonal and harmonics decouple.
"""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array
from gambol.learn.anechoic.window import Complex, SignalWindow

_RIDGE = 1e-9
"""Regularisation relative to the mean of the diagonal, times the harmonic squared: of sources that the samples do not
distinguish (beyond the ends of a window that is not periodic) the smoothest is chosen."""


def solve_sources(window: SignalWindow, signals: Array, weights: Array, delays: Array) -> Complex:
    """Return sources (sources, harmonics) of signals (trials, channels, dims); delays (trials or 1, channels,
    sources)."""
    trials, channels, count = weights.shape
    ones = np.ones((count, window.harmonics), dtype=complex)
    turns = weights[..., None] * window.delay_sources(ones, np.broadcast_to(delays, weights.shape))
    flat = turns.reshape(trials * channels, -1)
    cos, sin = flat.real, -flat.imag
    square = _normal(cos, sin, window.wave_coordinates @ window.wave_coordinates.T, count)
    size = np.trace(square) / len(square) + np.finfo(float).tiny
    rough = np.tile(np.arange(1.0, window.harmonics + 1.0), 2 * count) ** 2
    products = signals.reshape(-1, signals.shape[-1]) @ window.wave_coordinates.T
    real, imag = np.split(np.tile(products.reshape(-1, 2, 1, window.harmonics), (1, 1, count, 1)), 2, axis=1)
    real, imag = real.reshape(len(flat), -1), imag.reshape(len(flat), -1)
    slope = np.concatenate(((cos * real - sin * imag).sum(axis=0), (sin * real + cos * imag).sum(axis=0)))
    found = np.linalg.solve(square + np.diag(_RIDGE * size * rough), slope)
    halves = found.reshape(2, count, window.harmonics)
    return np.asarray(halves[0] + 1j * halves[1])


def _normal(cos: Array, sin: Array, waves: Array, count: int) -> Array:
    """Return the normal matrix (2 sources harmonics, 2 sources harmonics) of all delayed waves."""
    cc, cs, ss = cos.T @ cos, cos.T @ sin, sin.T @ sin
    half = len(waves) // 2
    rr, ri, ii = (
        np.tile(part, (count, count)) for part in (waves[:half, :half], waves[:half, half:], waves[half:, half:])
    )
    ir = np.tile(waves[half:, :half], (count, count))
    top = cc * rr - cs * ri - cs.T * ir + ss * ii
    side = cs * rr + cc * ri - ss * ir - cs.T * ii
    low = ss * rr + cs.T * ri + cs * ir + cc * ii
    return np.block([[top, side], [side.T, low]])
