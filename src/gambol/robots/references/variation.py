"""What can be varied about a reference motion: the terrain, the steps, the pace, the side, loads and pushes."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import summarise_fields

TERRAINS = ("stairs", "slope", "stones", "gaps")
"""Of these, a motion has one at most."""


AXES = {
    "stairs": (-0.5, 0.5),
    "slope": (-30.0, 30.0),
    "stones": (0.0, 0.5),
    "gaps": (0.0, 2.0),
    "stride": (0.2, 3.0),
    "turn": (-360.0, 360.0),
    "pace": (0.2, 5.0),
    "load": (0.0, 200.0),
    "hand_load": (0.0, 100.0),
    "push": (0.0, 2000.0),
}
"""Smallest and largest values of what varies, by name."""


@dataclass(frozen=True)
class ReferenceVariation:
    """How a reference motion differs from its clip; lengths and forces are the robot's. The default changes nothing."""

    __repr__ = summarise_fields

    stairs: float = 0.0
    """Metres that every step is higher than the one before."""
    slope: float = 0.0
    """Degrees uphill along the way."""
    stones: float = 0.0
    """Metres that footholds are higher or lower at most, each at random."""
    gaps: float = 0.0
    """Metres by which one step in four is longer."""
    stride: float = 1.0
    """Length of steps relative to the clip's."""
    turn: float = 0.0
    """Degrees to the left by which the path bends from its beginning to its end."""
    pace: float = 1.0
    """Speed relative to the clip's."""
    load: float = 0.0
    """Kilograms at the chest."""
    hand_load: float = 0.0
    """Kilograms in either hand."""
    push: float = 0.0
    """Newtons at the chest for 0.2 s."""
    mirror: bool = False
    seed: int = 0
    """Of the heights of stones, the first gap, and the time and direction of the push."""

    def __post_init__(self) -> None:
        for name, (low, high) in AXES.items():
            value = getattr(self, name)
            if not (math.isfinite(value) and low <= value <= high):
                raise InputError(f"{name} must be {low:g} to {high:g}, not {value:g}")
        given = [name for name in TERRAINS if getattr(self, name)]
        if len(given) > 1:
            raise InputError(f"{' and '.join(given)} are different terrains", fix="choose one of them")

    def draw(self, name: str) -> np.random.Generator:
        """Return the random numbers for one of the axes."""
        return np.random.default_rng([self.seed, list(AXES).index(name)])

    @property
    def moves_footholds(self) -> bool:
        """Whether terrain, steps or path differ from the clip's."""
        return not self.describe().keys().isdisjoint((*TERRAINS, "stride", "turn"))

    def describe(self) -> dict[str, float]:
        """Return the values that change something, by name."""
        return {one.name: getattr(self, one.name) for one in fields(self) if getattr(self, one.name) != one.default}
