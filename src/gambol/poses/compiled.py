"""Solve poses in real time, one at a time, by Gauss-Newton on points with exact derivatives by CasADi.

Minimised are the squares of weighted distances of points from positions, and of differences from a prior. It
decides what points do not show, such as the rotation of the head about its length.
"""

from __future__ import annotations

from functools import cached_property

import casadi as ca
import numpy as np
from scipy.linalg.lapack import dposv

from gambol.geometry.arrays import Array
from gambol.motion.skeleton import Skeleton
from gambol.poses.targets import PosePrior
from gambol.solve.compiled import Runner

_ENOUGH = 3e-4
"""Largest change of a coordinate (m, rad) in the last step."""
_LONGEST_STEP = 0.5
"""Largest change of a coordinate (m, rad) in one step; longer ones overshoot."""
_MOST_STEPS = 12


class CompiledPoses:
    """Solves for poses of one skeleton."""

    def __init__(self, skeleton: Skeleton, places: ca.Function) -> None:
        """Take a function of a pose (dofs,) that returns the places (3 points,) of all points."""
        self._lower, self._upper, self._places = skeleton.lower, skeleton.upper, places

    def solve(self, start: Array, positions: Array, weights: Array, prior: PosePrior) -> Array:
        """Return the pose (dofs,) within the joint limits, by Gauss-Newton from a start (dofs,).

        `positions` (n, 3) are those of the first points (m), `weights` (n, 3) factors of the distances from them.
        """
        count, squares, keep = positions.size, weights.ravel() ** 2, prior.weights**2
        pose = np.clip(start, self._lower, self._upper)
        for _ in range(_MOST_STEPS):
            seen, jacobian = self.linearise(pose)
            weighted = jacobian[:count].T * squares
            matrix = weighted @ jacobian[:count]
            matrix.flat[:: len(pose) + 1] += keep
            slope = weighted @ (positions.ravel() - seen[:count]) + keep * (prior.q - pose)
            _, step, _ = dposv(matrix, slope)
            step *= _LONGEST_STEP / max(_LONGEST_STEP, float(np.abs(step).max()))
            moved = np.clip(pose + step, self._lower, self._upper)
            change, pose = float(np.abs(moved - pose).max()), moved
            if change < _ENOUGH:
                break
        return pose

    def linearise(self, pose: Array) -> tuple[Array, Array]:
        """Return the places (3 points,) of all points in a pose (dofs,), and their Jacobian by the pose.

        The next call reuses both arrays.
        """
        seen, jacobian = self._runner.run(pose)
        return seen[0], jacobian.reshape(len(pose), -1).T

    @cached_property
    def _runner(self) -> Runner:
        q = ca.SX.sym("q", len(self._lower))
        seen = self._places(q)
        # Interpreted, 57 us: machine code takes 7 us, but 4 s to compile for every new character.
        return Runner(ca.Function("pose_jacobian", [q], [seen, ca.densify(ca.jacobian(seen, q))], {"cse": True}), 1)
