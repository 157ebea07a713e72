"""Which delays are allowed: any, the same in all trials, or within a band of a delay that trials share (M17 3.3)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gambol.geometry.arrays import Array

_POINTS = 4
"""Delays tried per wave of the highest harmonic: what lies between is found by Gauss-Newton steps."""


@dataclass(frozen=True, eq=False)
class DelayBounds:
    """Delays in windows, arrays of (trials, channels, sources), or (1, channels, sources) where they are tied."""

    periodic: bool
    max_delay: float
    """Largest delay either way; half a window where signals are periodic."""
    tied: bool
    band: float = np.inf
    centre: Array | None = None
    """(1, channels, sources): what delays keep within `band` of; None where there is no band."""

    @property
    def length(self) -> float:
        """Windows after which sources repeat: a window, or the window and what delays may bring in at both ends."""
        return 1.0 if self.periodic else 1.0 + 2.0 * self.max_delay

    def clip(self, delays: Array) -> Array:
        """The nearest allowed delays."""
        if self.centre is not None:
            delays = self.centre + np.clip(self._around(delays - self.centre), -self.band, self.band)
        return self._around(delays)

    def _around(self, delays: Array) -> Array:
        return delays - np.round(delays) if self.periodic else np.clip(delays, -self.max_delay, self.max_delay)

    def grid(self, harmonics: int) -> Array:
        """(points,) delays that are tried."""
        count = int(np.ceil(_POINTS * harmonics * 2.0 * self.max_delay / self.length))
        if self.periodic:
            return np.arange(count) / count - 0.5
        return np.linspace(-self.max_delay, self.max_delay, count + 1)

    def forbidden(self, grid: Array, source: int) -> Array | None:
        """(1, channels, points): whether a point is out of bounds for a source; None where all are within."""
        if self.centre is None:
            return None
        apart = np.abs(self._around(grid - self.centre[:, :, source, None]))
        # A band may be narrower than the grid: the point next to its centre stays open, and is brought within.
        return apart > np.maximum(self.band, apart.min(axis=-1, keepdims=True))

    def draw(self, shape: tuple[int, ...], random: np.random.Generator) -> Array:
        """Random delays."""
        return self.clip(random.uniform(-self.max_delay, self.max_delay, shape))

    def recentre(self, delays: Array, weights: Array) -> DelayBounds:
        """With the centre at the weighted mean of delays, as far as all of them stay within the band."""
        if self.centre is None:
            return self
        apart = self._around(delays - self.centre)
        share = weights**2 / np.maximum((weights**2).sum(axis=0), np.finfo(float).tiny)
        mean = (share * apart).sum(axis=0, keepdims=True)
        low, high = apart.max(axis=0, keepdims=True) - self.band, apart.min(axis=0, keepdims=True) + self.band
        return replace(self, centre=self._around(self.centre + np.clip(mean, low, high)))
