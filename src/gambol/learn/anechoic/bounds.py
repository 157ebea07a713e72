"""Allowed delays: free, tied over trials, or within a band around a delay that trials share (M17 section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gambol.geometry.arrays import Array

_POINTS = 4
"""Grid points per period of the highest harmonic; Gauss-Newton steps refine between them."""


@dataclass(frozen=True, eq=False)
class DelayBounds:
    """Bounds on delays (in windows), arrays (trials, channels, sources), or (1, channels, sources) where they are
    tied."""

    periodic: bool
    max_delay: float
    """Largest delay to either side; half a window for periodic signals."""
    tied: bool
    band: float = np.inf
    centre: Array | None = None
    """(1, channels, sources) centres of the band; None without a band."""

    @property
    def length(self) -> float:
        """Period of the sources in windows: 1, or the window and the largest delay at both ends."""
        return 1.0 if self.periodic else 1.0 + 2.0 * self.max_delay

    def clip(self, delays: Array) -> Array:
        """Return the nearest allowed delays."""
        if self.centre is not None:
            delays = self.centre + np.clip(self._wrap(delays - self.centre), -self.band, self.band)
        return self._wrap(delays)

    def _wrap(self, delays: Array) -> Array:
        return delays - np.round(delays) if self.periodic else np.clip(delays, -self.max_delay, self.max_delay)

    def grid(self, harmonics: int) -> Array:
        """Return the delays (points,) of the search grid."""
        count = int(np.ceil(_POINTS * harmonics * 2.0 * self.max_delay / self.length))
        if self.periodic:
            return np.arange(count) / count - 0.5
        return np.linspace(-self.max_delay, self.max_delay, count + 1)

    def forbidden(self, grid: Array, source: int) -> Array | None:
        """Return (1, channels, points) whether a grid point is out of bounds for a source; None if all are allowed."""
        if self.centre is None:
            return None
        apart = np.abs(self._wrap(grid - self.centre[:, :, source, None]))
        # A band may be narrower than the grid: the point next to its centre stays allowed, and is clipped later.
        return apart > np.maximum(self.band, apart.min(axis=-1, keepdims=True))

    def draw(self, shape: tuple[int, ...], random: np.random.Generator) -> Array:
        """Draw random delays."""
        return self.clip(random.uniform(-self.max_delay, self.max_delay, shape))

    def recentre(self, delays: Array, weights: Array) -> DelayBounds:
        """Return bounds centred at the weighted mean of delays, as far as all of them stay within the band."""
        if self.centre is None:
            return self
        apart = self._wrap(delays - self.centre)
        share = weights**2 / np.maximum((weights**2).sum(axis=0), np.finfo(float).tiny)
        mean = (share * apart).sum(axis=0, keepdims=True)
        low, high = apart.max(axis=0, keepdims=True) - self.band, apart.min(axis=0, keepdims=True) + self.band
        return replace(self, centre=self._wrap(self.centre + np.clip(mean, low, high)))
