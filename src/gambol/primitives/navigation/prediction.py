"""Predict collisions: when and where two discs at constant velocities would touch (M17 section 2.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.geometry.arrays import Array
from gambol.primitives.navigation.segments import dot
from gambol.primitives.navigation.walker import Plane

_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class Encounter:
    """The predicted encounter of pairs of discs at constant velocities."""

    time: Array
    """Seconds until they touch, or until the closest approach; 0 if they touch or separate already."""
    min_distance: Array
    """Metres between the centres at the closest approach."""
    offset: Plane
    """From the centre of the first to that of the other at `time`."""


def predict_encounters(offset: Plane, velocity: Plane, touching: Array) -> Encounter:
    """Predict encounters from relative positions and velocities, and the distance at which two discs touch.

    Contact: |offset + t velocity| = touching, the smaller root. Nearest: t = -offset . velocity / |velocity|^2.
    """
    square = np.maximum(dot(velocity, velocity), _TINY)
    nearest = np.maximum(-dot(offset, velocity) / square, 0.0)
    passing = offset + nearest * velocity
    miss = np.abs(passing)
    chord = np.sqrt(np.maximum(touching**2 - miss**2, 0.0) / square)
    time = np.maximum(nearest - chord, 0.0)
    return Encounter(time, miss, offset + time * velocity)
