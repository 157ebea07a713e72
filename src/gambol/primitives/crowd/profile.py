"""How fast a walker is along its way at each phase of a stride, as a share of its mean: g(theta) of M17 section 2.5."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array


@dataclass(frozen=True, eq=False)
class SpeedProfile:
    """Shares of the mean speed at equal steps of phase over a stride; linear between, so that bounds are exact."""

    values: Array
    """(samples,) above 0, mean 1."""

    def __post_init__(self) -> None:
        if self.values.ndim != 1 or len(self.values) < 3 or not (self.values > 0.0).all():
            raise InputError(
                "a profile of speed with values that are not above 0", fix="speeds along the way, all forward"
            )
        if abs(float(self.values.mean()) - 1.0) > 1e-9:
            raise InputError(
                f"a profile of mean {self.values.mean():.4g}", fix="Profile.of(speeds) divides by the mean"
            )

    @classmethod
    def of(cls, speeds: Array) -> SpeedProfile:
        """From speeds along the way at equal steps of phase."""
        speeds = np.asarray(speeds, float)
        return cls(speeds / speeds.mean())

    def at(self, phases: Array) -> Array:
        """Shares at phases (rad) of any shape."""
        count = len(self.values)
        place = np.asarray(phases) * (count / (2.0 * np.pi))
        below = np.floor(place)
        before = below.astype(int) % count
        return np.asarray(self.values[before] + (place - below) * self._slopes[before])

    @cached_property
    def _slopes(self) -> Array:
        return np.roll(self.values, -1) - self.values

    def integrate(self, phases: Array) -> Array:
        """The integral of the profile over phase (rad) from 0: what a walker has covered, a stride being 2 pi."""
        turns, inside = np.divmod(np.asarray(phases), 2.0 * np.pi)
        place = inside / (2.0 * np.pi) * len(self.values)
        before = np.minimum(place.astype(int), len(self.values) - 1)
        part = place - before
        ahead = self.values[(before + 1) % len(self.values)]
        step = 2.0 * np.pi / len(self.values)
        within = part * self.values[before] + 0.5 * part**2 * (ahead - self.values[before])
        return np.asarray(2.0 * np.pi * turns + step * (self._sums[before] + within))

    @cached_property
    def _sums(self) -> Array:
        means = 0.5 * (self.values + np.roll(self.values, -1))
        return np.concatenate(((0.0,), np.cumsum(means)[:-1]))

    @property
    def low(self) -> float:
        """The least share."""
        return float(self.values.min())

    @property
    def high(self) -> float:
        """The largest share."""
        return float(self.values.max())

    @property
    def slope(self) -> float:
        """The steepest change a radian."""
        step = 2.0 * np.pi / len(self.values)
        return float(np.abs(np.diff(np.append(self.values, self.values[0]))).max()) / step


CONSTANT_SPEED = SpeedProfile(np.ones(3))
"""A walker that goes at one speed all the time."""
