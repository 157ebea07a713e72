"""Solve poses in real time, one at a time, by Gauss-Newton on points with exact derivatives by CasADi.

Minimised are the squares of weighted distances of points from positions, and of differences from a prior. It
decides what points do not show, such as the rotation of the head about its length.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

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
_MOST_HELD = 60
"""Most times in a step that a coordinate stops at its limit or leaves it."""
_TINY = 1e-12
"""Changes of coordinates, and slopes, that are none."""


class PoseLimits(NamedTuple):
    """Least and largest coordinates (dofs,) of a pose."""

    lower: Array
    upper: Array


class CompiledPoses:
    """Solves for poses of one skeleton."""

    def __init__(self, skeleton: Skeleton, places: ca.Function) -> None:
        """Take a function of a pose (dofs,) that returns the places (3 points,) of all points."""
        self.limits, self._places = PoseLimits(skeleton.lower, skeleton.upper), places

    def solve(
        self, start: Array, positions: Array, weights: Array, prior: PosePrior, limits: PoseLimits | None = None
    ) -> Array:
        """Return the pose (dofs,) within limits, by Gauss-Newton from a start (dofs,).

        `positions` (n, 3) are those of the first points (m), `weights` (n, 3) factors of the distances from them,
        `limits` the least and largest coordinates: by default the joint limits.
        """
        count, squares, keep = positions.size, weights.ravel() ** 2, prior.weights**2
        pose = np.clip(start, *(limits or self.limits))
        for _ in range(_MOST_STEPS):
            seen, jacobian = self.linearise(pose)
            weighted = jacobian[:count].T * squares
            matrix = weighted @ jacobian[:count]
            matrix.flat[:: len(pose) + 1] += keep
            slope = weighted @ (positions.ravel() - seen[:count]) + keep * (prior.q - pose)
            found = _solve_within(matrix, slope, pose, limits or self.limits)
            step = found - pose
            largest = float(np.abs(step).max())
            pose = found if largest <= _LONGEST_STEP else pose + _LONGEST_STEP / largest * step
            if largest < _ENOUGH:
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
        q = ca.SX.sym("q", len(self.limits.lower))
        seen = self._places(q)
        # Interpreted, 57 us: machine code takes 7 us, but 4 s to compile for every new character.
        return Runner(ca.Function("pose_jacobian", [q], [seen, ca.densify(ca.jacobian(seen, q))], {"cse": True}), 1)


def _solve_within(matrix: Array, slope: Array, pose: Array, limits: PoseLimits) -> Array:
    """Return the pose (dofs,) of least cost within limits, by its slope and matrix at a pose within them.

    It is the bounded least-squares method of Stark and Parker (1995), from a pose instead of from nothing.
    """
    found, step = pose.copy(), np.zeros(len(pose))
    held = np.where(slope < 0.0, pose <= limits.lower, pose >= limits.upper)
    for _ in range(_MOST_HELD):
        pull, free = slope - matrix @ (found - pose), ~held
        _, step[free], _ = dposv(matrix[free][:, free], pull[free])
        step[held] = 0.0
        ends = np.where(step < 0.0, limits.lower, limits.upper)
        shares = np.divide(ends - found, step, out=np.full(len(step), np.inf), where=np.abs(step) > _TINY)
        first = int(shares.argmin())
        if shares[first] < 1.0:
            found = np.clip(found + shares[first] * step, *limits)
            found[first], held[first] = ends[first], True
            continue
        found = found + step
        pull = slope - matrix @ (found - pose)
        wrong = np.where(held, np.where(found <= limits.lower, pull, -pull), 0.0)
        if wrong.max() <= _TINY:
            break
        held[wrong.argmax()] = False
    return found
