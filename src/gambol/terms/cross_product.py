"""Cross products of unknowns: the moment of a force at an arm, both linear in the variables."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.linalg import block_diag

from gambol.geometry.arrays import Array
from gambol.solve.kernel import Kernel, make_kernel
from gambol.solve.problem import Index, Problem


class Affine(NamedTuple):
    """A vector per frame: `factors @ variables[columns[frame]] + constant`."""

    columns: Index
    """(frames, n)"""
    factors: Array
    """(3, n) or (frames, 3, n)"""
    constant: Array
    """(3,) or (frames, 3)"""


def add_cross(problem: Problem, constraints: Index, arm: Affine, force: Affine, scale: float = 1.0) -> None:
    """Add scale * (arm x force) to constraints (frames, 3). No variable may be in both arm and force."""
    constants = [np.broadcast_to(part.constant, constraints.shape) for part in (arm, force)]
    columns = np.hstack([arm.columns, force.columns])
    use = problem.add_kernel(_cross_kernel(), columns, np.hstack(constants), _stack(arm.factors, force.factors))
    use.add(constraints, np.arange(len(constraints))[:, None], np.arange(3), scale)


def _stack(one: Array, other: Array) -> Array:
    """Return the block-diagonal matrix of two, or one for each frame."""
    if one.ndim == other.ndim == 2:
        return np.asarray(block_diag(one, other))
    frames = len(one if one.ndim == 3 else other)
    pairs = (np.broadcast_to(part, (frames, *part.shape[-2:])) for part in (one, other))
    return np.array([block_diag(*pair) for pair in zip(*pairs, strict=True)])


@cache
def _cross_kernel() -> Kernel:
    """Make the kernel (a + p) x (f + r) with inputs a, f and parameters p, r."""
    import casadi as ca

    x, p = ca.SX.sym("x", 6), ca.SX.sym("p", 6)
    return make_kernel("cross", x, p, ca.cross(x[:3] + p[:3], x[3:] + p[3:]))
