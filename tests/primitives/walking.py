"""Prototypes of the built-in walk and of a recorded one, made once for all tests."""

from __future__ import annotations

from functools import cache

from gambol.features.strides import find_strides
from gambol.io import samples
from gambol.primitives.crowd.gaits import BASE_WALK, GaitPlane, make_walker_prototypes
from gambol.primitives.prototypes import Prototypes, prototypes_of


@cache
def walk() -> Prototypes:
    """The built-in walk alone."""
    clip = samples.walk()
    return prototypes_of(clip, {BASE_WALK: find_strides(clip)})


@cache
def gaits() -> GaitPlane:
    """Everything that a walker needs, made of it."""
    return GaitPlane(make_walker_prototypes(walk()))
