"""Prototypes of the built-in walk and of a recorded one, made once for all tests."""

from __future__ import annotations

from functools import cache

import numpy as np

from gambol.geometry.quaternions import Array
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.primitives.crowd.gaits import STRAIGHT, Gaits, walker_prototypes
from gambol.primitives.prototypes import Prototypes, prototypes_of
from gambol.primitives.strides import POINTS, strides
from gambol.stages.feet import foot_points, track


@cache
def walk() -> Prototypes:
    """The built-in walk alone."""
    clip = samples.walk()
    return prototypes_of(clip, {STRAIGHT: strides(clip)})


@cache
def gaits() -> Gaits:
    """Everything that a walker needs, made of it."""
    return Gaits(walker_prototypes(walk()))


def slips(motion: Motion, contacts: Array, begin: int = 0) -> Array:
    """Metres a second (count,) at which heels and balls move over the floor while contacts (frames, 4) hold them.

    The frames in which a point comes down and leaves are left out: it is not held in both.
    """
    points = {point.name: track(motion, point) for point in foot_points(motion)}
    found = []
    for column, name in enumerate(POINTS):
        speed = np.linalg.norm(np.diff(points[name][:, :2], axis=0), axis=1) / motion.frame_time
        down = (contacts[1:, column] > 0.55) & (contacts[:-1, column] > 0.55)
        found.append(speed[begin:][down[begin:]])
    return np.concatenate(found)
