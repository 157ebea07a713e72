"""Speed of a walker over the phases of a stride relative to its mean: g(theta) of M17 section 2.5."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array


@dataclass(frozen=True, eq=False)
class SpeedProfile:
    """Relative speed at equal phase steps over a stride; linear between, so that bounds are exact."""

    values: Array
    """(samples,) above 0, mean 1."""

    def __post_init__(self) -> None:
        if self.values.ndim != 1 or len(self.values) < 3 or not (self.values > 0.0).all():
            raise InputError(
                "a speed profile has values that are not above 0", fix="give forward speeds, at least three"
            )
        if abs(float(self.values.mean()) - 1.0) > 1e-9:
            raise InputError(
                f"a speed profile has the mean {self.values.mean():.4g}, expected 1", fix="use SpeedProfile.of(speeds)"
            )

    @classmethod
    def of(cls, speeds: Array) -> SpeedProfile:
        """Make a profile from speeds at equal phase steps."""
        speeds = np.asarray(speeds, float)
        return cls(speeds / speeds.mean())

    def at(self, phases: Array) -> Array:
        """Return relative speeds at phases (rad) of any shape."""
        count = len(self.values)
        place = np.asarray(phases) * (count / (2.0 * np.pi))
        below = np.floor(place)
        before = below.astype(int) % count
        return np.asarray(self.values[before] + (place - below) * self._slopes[before])

    @cached_property
    def _slopes(self) -> Array:
        return np.roll(self.values, -1) - self.values

    def integrate(self, phases: Array) -> Array:
        """Integrate the profile over phase (rad) from 0: the distance covered, with a stride as 2 pi."""
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
        """Least relative speed."""
        return float(self.values.min())

    @property
    def high(self) -> float:
        """Largest relative speed."""
        return float(self.values.max())

    @property
    def slope(self) -> float:
        """Largest change of relative speed per radian."""
        step = 2.0 * np.pi / len(self.values)
        return float(np.abs(np.diff(np.append(self.values, self.values[0]))).max()) / step


CONSTANT_SPEED = SpeedProfile(np.ones(3))
"""The profile of a walker at constant speed."""
