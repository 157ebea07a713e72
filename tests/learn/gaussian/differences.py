"""Finite differences and data that the tests of Gaussian processes share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def differentiate_numerically(
    function: Callable[[np.ndarray], object], at: np.ndarray, step: float = 1e-6
) -> np.ndarray:
    """Return central differences; the axes of `at` come last."""
    slopes = []
    for index in np.ndindex(*at.shape):
        up, down = at.copy(), at.copy()
        up[index] += step
        down[index] -= step
        slopes.append((np.asarray(function(up)) - np.asarray(function(down))) / (2.0 * step))
    return np.moveaxis(np.array(slopes), 0, -1).reshape(*slopes[0].shape, *at.shape)


def embed_circle(angles: np.ndarray, columns: int = 100, noise: float = 0.0, seed: int = 0) -> np.ndarray:
    """Return rows on a closed curve: every column has four harmonics, the second half as strong as the first."""
    random = np.random.default_rng(seed)
    waves = np.concatenate([[np.cos(k * angles), np.sin(k * angles)] for k in range(1, 5)])
    mixing = random.normal(size=(8, columns)) * np.repeat([1.0, 0.5, 0.25, 0.12], 2)[:, None]
    rows = waves.T @ mixing
    return rows + noise * np.random.default_rng(seed + 1).normal(size=rows.shape)
