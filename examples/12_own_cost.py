"""A cost of your own: make a walk physical while its head stays level."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import gambol as gb


@dataclass(frozen=True)
class KeepHeadLevel:
    """Squared distance (m²) of the head from one height, integrated over time; the height is found."""

    weight: float

    def add(self, space: gb.Space) -> None:
        """Add to every frame: height of the head - level - deviation = 0, and the square of the deviation."""
        count = len(space)
        level, deviation = space.problem.add_variables([1.6]), space.problem.add_variables(np.zeros(count))
        heights = space.problem.add_constraints("level of the head", np.zeros(count))
        space.add_point(heights, np.arange(count), "head", np.zeros(3), np.array([0.0, 0.0, 1.0]))
        space.problem.add_linear(heights, np.repeat(level, count), -1.0)
        space.problem.add_linear(heights, deviation, -1.0)
        space.problem.add_squares("level head", deviation[:, None], weight=self.weight * space.frame_times)


walk = gb.load("walk")[:66]
plain, level = gb.fix(walk), gb.fix(walk, terms=[KeepHeadLevel(weight=1e5)])
for name, result in (("as it is", plain), ("with the cost", level)):
    motion = result.motion
    heights = motion.placement.positions[:, motion.rig.parts["head"], 2]
    print(f"{name}: the head moves {1e3 * np.ptp(heights):.0f} mm up and down")

out = Path("demo")
out.mkdir(exist_ok=True)
print("wrote", gb.render([plain.motion, level.motion], out / "level_head.png"))
