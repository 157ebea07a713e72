"""How an optimum moves when parameters of the cost change, from the optimality conditions.

At the optimum of a barrier problem, with Hessian H of the Lagrangian, barrier terms S on its diagonal, Jacobian A of
the equality constraints and the derivative B of the cost's gradient by the parameters,

    | H + S  A^T |  | dx |       | B |
    |   A     0  |  | dy |  =  - | 0 |

Motions couple neighbouring frames only: reordered, the matrix has a narrow band.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee

from gambol.geometry.arrays import Array
from gambol.solve.assemble import assemble, to_sparse
from gambol.solve.ipopt import SolverState
from gambol.solve.problem import Problem

_TOUCHING = 1e-9
"""Least distance from a bound."""

_REDUNDANT = 1e-10
"""Compliance of equality constraints, so that redundant ones do not make the matrix singular."""

_FIRST = 120
"""Rows of the first block."""


def differentiate_optimum(problem: Problem, state: SolverState, slopes: sparse.sparray, barrier: float) -> Array:
    """Return the derivatives (variables, parameters) of an optimum that was solved with a barrier.

    `slopes` (variables, parameters) are the derivatives of the cost's gradient.
    """
    functions, x = assemble(problem), state.x
    upper = to_sparse(functions.hessian(x, [], 1.0, state.constraints))
    values, jacobian = functions.jacobian(x, [])
    rows = sparse.csr_array(to_sparse(jacobian))
    low, high = problem.constraint_bounds
    equal = high - low <= 0.0
    loose = rows[np.flatnonzero(~equal)]
    outside = _curve(np.array(values).ravel()[~equal], low[~equal], high[~equal], barrier)
    hessian = upper + sparse.triu(upper, 1).T + sparse.diags_array(_curve(x, *problem.bounds, barrier))
    hessian = hessian + loose.T @ sparse.diags_array(outside) @ loose
    fixed = rows[np.flatnonzero(equal)]
    slack = -_REDUNDANT * sparse.eye_array(fixed.shape[0])
    matrix = sparse.block_array([[hessian, fixed.T], [fixed, slack]], format="csr")
    right = np.zeros((matrix.shape[0], slopes.shape[1]))
    right[: len(x)] = -slopes.toarray()
    return _solve_narrow(matrix, right)[: len(x)]


def _curve(values: Array, low: Array, high: Array, barrier: float) -> Array:
    """Return second derivatives of the barrier of some bounds."""
    below, above = (barrier / np.maximum(gap, _TOUCHING) ** 2 for gap in (values - low, high - values))
    return np.asarray(below + above)


def _solve_narrow(matrix: sparse.csr_array, right: Array) -> Array:
    """Solve a sparse symmetric system with a narrow band in some order, by elimination of one block after the other."""
    order = reverse_cuthill_mckee(sparse.csr_matrix(matrix), symmetric_mode=True)
    matrix, found = matrix[order][:, order], right[order]
    cuts = _cut_blocks(matrix)
    uppers: list[Array] = []
    for number, (begin, end) in enumerate(pairwise(cuts)):
        block, after = matrix[begin:end, begin:end].toarray(), cuts[min(number + 2, len(cuts) - 1)]
        if number:
            before = cuts[number - 1]
            lower = matrix[begin:end, before:begin].toarray()
            block -= lower @ uppers[-1]
            found[begin:end] -= lower @ found[before:begin]
        solved = np.linalg.solve(block, np.hstack([matrix[begin:end, end:after].toarray(), found[begin:end]]))
        uppers.append(solved[:, : after - end])
        found[begin:end] = solved[:, after - end :]
    for number in range(len(uppers) - 2, -1, -1):
        begin, end, after = cuts[number : number + 3]
        found[begin:end] -= uppers[number] @ found[end:after]
    out = np.empty_like(found)
    out[order] = found
    return out


def _cut_blocks(matrix: sparse.csr_array) -> list[int]:
    """Return where blocks begin, and the end of the last: no row reaches beyond the next block."""
    entries = matrix.tocoo()
    reach = np.zeros(matrix.shape[0], dtype=int)
    np.maximum.at(reach, entries.row, entries.col)
    reach = np.maximum.accumulate(reach)
    cuts = [0, min(_FIRST, len(reach))]
    while cuts[-1] < len(reach):
        cuts.append(max(int(reach[cuts[-1] - 1]), cuts[-1]) + 1)
    return [min(cut, len(reach)) for cut in cuts]
