"""Links that stay apart in a motion near to another one, to which their distances are linear."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.geometry.arrays import Array
from gambol.solve.problem import Index
from gambol.terms.space import Space


@dataclass(frozen=True, eq=False)
class LinkSeparation:
    """Keeps pairs of links apart; what is too near costs its square.

    Distances of any shapes become linear, so no kernel is needed for those of a robot.
    """

    frames: Index
    """(n,) frame of every distance."""
    poses: Array
    """(n, dofs) coordinates in which it was measured."""
    distances: Array
    """(n,) m"""
    slopes: Array
    """(n, dofs) derivatives by the coordinates."""
    least: float
    """Distance (m) that is kept."""
    cost: float
    """Per m² of what is nearer, and second."""

    def add(self, space: Space) -> None:
        """Add an inequality for every distance, and a variable for what is nearer."""
        problem = space.problem
        low = self.least - self.distances + np.sum(self.slopes * self.poses, axis=1)
        apart = problem.add_constraints("links apart", low, np.inf)
        row, column = np.nonzero(self.slopes)
        problem.add_linear(apart[row], space.q[self.frames[row], column], self.slopes[row, column])
        nearer = problem.add_variables(np.zeros(len(low)))
        problem.add_linear(apart, nearer)
        problem.add_squares("links too near", nearer[:, None], weight=self.cost * space.frame_times[self.frames])
