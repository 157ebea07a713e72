"""Prototypes of the built-in walk and of a recorded one, made once for all tests."""

from __future__ import annotations

from functools import cache

from gambol.features.strides import strides
from gambol.io import samples
from gambol.primitives.crowd.gaits import STRAIGHT, Gaits, walker_prototypes
from gambol.primitives.prototypes import Prototypes, prototypes_of


@cache
def walk() -> Prototypes:
    """The built-in walk alone."""
    clip = samples.walk()
    return prototypes_of(clip, {STRAIGHT: strides(clip)})


@cache
def gaits() -> Gaits:
    """Everything that a walker needs, made of it."""
    return Gaits(walker_prototypes(walk()))
