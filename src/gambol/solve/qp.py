"""Quadratic programs: minimise 1/2 x' H x + g' x, sparse within bounds, or dense and small with linear constraints."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from gambol.errors import InputError, MissingExtra
from gambol.geometry.arrays import Array

_TOLERANCE = 1e-5
_ITERATIONS = 8_000


@dataclass(frozen=True, eq=False)
class QpSolution:
    """A solution. `converged` is the solver's verdict, `residual` the violation of the optimality conditions."""

    x: Array
    converged: bool
    status: str
    residual: float
    seconds: float


def solve_bounded(hessian: sparse.sparray, gradient: Array, lower: Array, upper: Array) -> QpSolution:
    """Minimise a convex quadratic function within bounds, with OSQP through CasADi."""
    import casadi as ca

    size = len(gradient)
    if hessian.shape != (size, size):
        raise InputError(f"the Hessian must be {size} x {size} like the gradient, got {hessian.shape}")
    matrix = sparse.csc_matrix(hessian)
    matrix.sum_duplicates()
    matrix.sort_indices()
    # From lists: CasADi takes ten times as long to read arrays.
    pattern = ca.Sparsity(size, size, matrix.indptr.tolist(), matrix.indices.tolist())
    symbols = ca.DM(pattern, matrix.data.tolist())
    options: dict[str, Any] = {
        "error_on_fail": False,
        "print_time": False,
        "osqp": {"verbose": False, "max_iter": _ITERATIONS, "eps_abs": _TOLERANCE, "eps_rel": _TOLERANCE},
    }
    start = time.perf_counter()
    solver = ca.conic("qp", "osqp", {"h": pattern, "a": ca.Sparsity(0, size)}, options)
    try:
        found = solver(h=symbols, g=gradient, lbx=lower, ubx=upper)
    except RuntimeError as error:
        if "osqp_solve" in str(error):  # OSQP takes Ctrl-C for itself, and fails
            raise KeyboardInterrupt from None
        raise
    x = np.clip(np.array(found["x"])[:, 0], lower, upper)
    # At the optimum a projected gradient step does not move x.
    left = x - np.clip(x - (matrix @ x + gradient), lower, upper)
    stats = solver.stats()
    return QpSolution(
        x=x,
        converged=bool(stats["success"]),
        status=str(stats["return_status"]),
        residual=float(np.abs(left).max()),
        seconds=time.perf_counter() - start,
    )


def solve_dense(hessian: Array, gradient: Array, rows: Array, lower: Array, upper: Array) -> Array | None:
    """Minimise a strictly convex quadratic function with lower <= rows x <= upper, with DAQP, in about 0.1 ms.

    None: the solver found no solution.
    """
    try:
        import daqp
    except ImportError:
        raise MissingExtra("small quadratic programs", "robot") from None
    found, _, status, _ = daqp.solve(hessian, gradient, rows, upper, lower, np.zeros(len(upper), dtype=np.int32))
    return np.asarray(found) if status == 1 else None
