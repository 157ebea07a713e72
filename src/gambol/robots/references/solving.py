"""Find poses of a robot for targets of its points: every frame from a bent posture.

Levenberg-Marquardt steps are limited, so that a limb that has far to go does not leave for another solution on the way.
Frames may be on different solutions, such as an arm that is turned the other way round: they are solved together
afterwards.
"""

from __future__ import annotations

import numpy as np

from gambol.fit.pose import PoseProblem
from gambol.geometry.arrays import Array

_STEP = 0.3
"""Largest change (rad, m) of a coordinate in a step."""
_ROUNDS = 60
_SETTLED = 1e-4
"""Relative decrease of the cost below which a frame is settled."""


def solve_frames(problem: PoseProblem, start: Array, chosen: slice = slice(None)) -> Array:
    """Return coordinates (chosen frames, dofs), every frame solved on its own from a start (frames, dofs)."""
    return problem.solve(start[chosen], np.arange(len(start))[chosen], _ROUNDS, _SETTLED, _STEP)
