"""A cost of your own: make a walk physical while its head stays at one height."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import gambol as gb
from gambol.fit.rig import as_clip, fit
from gambol.spacetime.contact_plan import plan_contacts
from gambol.spacetime.nearest import nearest_terms
from gambol.spacetime.program import optimise
from gambol.terms.space import Space


@dataclass(frozen=True)
class LevelHead:
    """Squared deviation (m²) of the head from a height, integrated over time."""

    height: float
    weight: float

    def add(self, space: Space) -> None:
        """Add one variable, constraint and square per frame: height of the head - deviation = height."""
        frames = np.arange(len(space))
        deviation = space.problem.add_variables(np.zeros(len(space)))
        heights = space.problem.add_constraints("height of the head", np.full(len(space), self.height))
        space.add_point(heights, frames, "head", np.zeros(3), np.array([0.0, 0.0, 1.0]))
        space.problem.add_linear(heights, deviation, -1.0)
        space.problem.add_squares("level head", deviation[:, None], weight=self.weight * space.frame_times)


walk = gb.load("walk")[:66:2]
fitted = fit(gb.Character.from_motion(walk), walk)
head = fitted.motion.placement.positions[:, fitted.character.skeleton.index("head"), 2]
terms = nearest_terms(fitted.character, fitted.motion.q, plan_contacts(fitted))
found = optimise(
    fitted.character,
    fitted.motion.q,
    walk.frame_time,
    [*terms, LevelHead(float(head.mean()), weight=1e5)],
    bodies=["head"],
)
level = found.motion.placement.positions[:, fitted.character.skeleton.index("head"), 2]
print(f"{found.solution.status} in {found.solution.iterations} iterations")
print(f"the head moves {1e3 * np.ptp(head):.0f} mm up and down in the clip, {1e3 * np.ptp(level):.0f} mm now")

out = Path("demo")
out.mkdir(exist_ok=True)
print("wrote", gb.render([as_clip(fitted.motion), as_clip(found.motion)], out / "level_head.png"))
