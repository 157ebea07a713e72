"""Cross products of unknowns: the moment of a force at an arm where both are sums of variables."""

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
    """(3, n)"""
    constant: Array
    """(3,) or (frames, 3)"""


def add_cross(problem: Problem, rows: Index, arm: Affine, force: Affine, scale: float = 1.0) -> None:
    """Add scale * (arm x force) to rows (frames, 3). No variable may be in both arm and force."""
    constants = [np.broadcast_to(part.constant, rows.shape) for part in (arm, force)]
    columns = np.hstack([arm.columns, force.columns])
    use = problem.add_kernel(_cross_kernel(), columns, np.hstack(constants), block_diag(arm.factors, force.factors))
    use.add(rows, np.arange(len(rows))[:, None], np.arange(3), scale)


@cache
def _cross_kernel() -> Kernel:
    """(a + p) x (f + r) of inputs a, f and parameters p, r."""
    import casadi as ca

    x, p = ca.SX.sym("x", 6), ca.SX.sym("p", 6)
    return make_kernel("cross", x, p, ca.cross(x[:3] + p[:3], x[3:] + p[3:]))
