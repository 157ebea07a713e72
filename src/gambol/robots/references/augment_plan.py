"""Draw the members of a family of reference motions: values of all axes, evenly spread over their ranges.

Values are points of a scrambled Halton sequence: more members continue it, and another axis does not change the others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gambol.errors import InputError
from gambol.robots.references.variation import AXES, TERRAINS, ReferenceVariation

_MOST = 1_000_000


@dataclass(frozen=True)
class AugmentPlan:
    """What varies between the members of a family of reference motions.

    A member has one of the terrains (stairs, slope, stones, gaps) that have a range, and a value of every other axis.
    """

    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Smallest and largest value of axes, by the names of `ReferenceVariation`."""
    mirror: bool = False
    """Whether about half of the members are mirrored."""
    members: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        for name, (low, high) in self.ranges.items():
            if name not in AXES:
                raise InputError(f"nothing varies by '{name}'", fix=f"axes: {', '.join(AXES)}")
            least, most = AXES[name]
            if not (math.isfinite(low) and math.isfinite(high) and low <= high):
                raise InputError(f"the range of {name} goes from {low:g} to {high:g}", fix="give the smaller one first")
            if low < least or high > most:
                raise InputError(f"{name} must be within {least:g} to {most:g}, not {low:g} to {high:g}")
        if not self.ranges and not self.mirror:
            raise InputError("nothing varies", fix="give a range, such as stairs 0.1:0.18")
        if not 1 <= self.members <= _MOST:
            raise InputError(f"a family has 1 to {_MOST:,} members, not {self.members}")
        if self.seed < 0:
            raise InputError(f"a seed is 0 or more, not {self.seed}")

    def list_members(self, clips: int = 1) -> list[tuple[int, ReferenceVariation]]:
        """Return the clip, of so many, and the variation of every member."""
        from scipy.stats.qmc import Halton

        names = list(AXES)
        terrains = [name for name in TERRAINS if name in self.ranges]
        always = [name for name in self.ranges if name not in TERRAINS]
        drawn = []
        points = Halton(len(names) + 3, rng=self.seed).random(self.members)
        for number, (clip, terrain, side, *shares) in enumerate(points):
            chosen = [*always, *terrains[int(terrain * len(terrains)) :][:1]]
            values = {name: self._place(name, shares[names.index(name)]) for name in chosen}
            seed = int(np.random.SeedSequence([self.seed, number]).generate_state(1)[0])
            variation = ReferenceVariation(**values, mirror=self.mirror and bool(side < 0.5), seed=seed)
            drawn.append((int(clip * clips), variation))
        return drawn

    def _place(self, name: str, share: float) -> float:
        low, high = self.ranges[name]
        return low + float(share) * (high - low)
