"""The pose whose points are nearest to given places, by Gauss-Newton.

Minimised are the squares of: distances of the body points to their places, the distance of the centre of mass to its
place, and differences from a reference pose, each with weights of their own. The reference decides what points do not
show, such as the rotation of the head about its length.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import casadi as ca
import numpy as np
from scipy.linalg.lapack import dposv

from gambol.geometry.arrays import Array
from gambol.respond.latent.points import BodyPoints
from gambol.solve.compiled import Runner

_ENOUGH = 3e-4
"""Largest change of a coordinate (m, rad) in the last step."""
_LONGEST_STEP = 0.5
"""Largest change of a coordinate (m, rad) in one step; longer ones overshoot."""
_MOST_STEPS = 12


class PoseGoal(NamedTuple):
    """What a pose should meet; weights are factors of the residuals."""

    places: Array
    """(points, 3) metres."""
    place_weights: Array
    """(points, 3)."""
    reference: Array
    """(dofs,)."""
    reference_weight: float
    """Metres per radian, and per metre of the root."""
    centre: Array = np.zeros(3)
    """(3,) place of the centre of mass, metres."""
    centre_weights: Array = np.zeros(3)


class PoseLeastSquares:
    """Solves for poses of one character."""

    def __init__(self, points: BodyPoints) -> None:
        self.points = points
        dofs = points.character.skeleton.dofs
        self._lower, self._upper = np.array([d.lower for d in dofs]), np.array([d.upper for d in dofs])

    def solve(self, start: Array, goal: PoseGoal) -> Array:
        """Return the pose (dofs,) within the joint limits, by Gauss-Newton from a start (dofs,)."""
        aim = np.append(goal.places, goal.centre)
        squares = np.append(goal.place_weights, goal.centre_weights) ** 2
        keep = goal.reference_weight**2
        pose = np.clip(start, self._lower, self._upper)
        for _ in range(_MOST_STEPS):
            seen, jacobian = self.linearise(pose)
            weighted = jacobian.T * squares
            matrix = weighted @ jacobian
            matrix.flat[:: len(pose) + 1] += keep
            _, step, _ = dposv(matrix, weighted @ (aim - seen) + keep * (goal.reference - pose))
            step *= _LONGEST_STEP / max(_LONGEST_STEP, float(np.abs(step).max()))
            moved = np.clip(pose + step, self._lower, self._upper)
            change, pose = float(np.abs(moved - pose).max()), moved
            if change < _ENOUGH:
                break
        return pose

    def linearise(self, pose: Array) -> tuple[Array, Array]:
        """Return the places (3 points + 3,) of all points and of the centre of mass, and their Jacobian by the pose.

        The next call reuses both arrays.
        """
        seen, jacobian = self._runner.run(pose)
        return seen[0], jacobian.reshape(len(pose), -1).T

    @cached_property
    def _runner(self) -> Runner:
        q = ca.SX.sym("q", len(self._lower))
        seen = self.points.function(q)
        # Interpreted, 57 us: machine code takes 7 us, but 4 s to compile for every new character.
        return Runner(ca.Function("pose_jacobian", [q], [seen, ca.densify(ca.jacobian(seen, q))], {"cse": True}), 1)
