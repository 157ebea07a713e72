"""How an optimum moves when parameters of the cost change, from the optimality conditions.

At the optimum of a barrier problem, with Hessian H of the Lagrangian, barrier terms S on its diagonal, Jacobian A of
the equality constraints and the derivative B of the cost's gradient by the parameters,

    | H + S  A^T |  | dx |       | B |
    |   A     0  |  | dy |  =  - | 0 |

Variables that occur in one constraint only, such as torques, are expressed by the others first. Motions couple
neighbouring frames only: reordered, the matrix has a narrow band.
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

_PIVOT = 0.1
"""Least coefficient by which a variable is expressed by others."""
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
    kept = sparse.eye_array(len(x), format="csr")
    while (found := _express_singles(fixed)) is not None:
        fixed, way = found
        hessian, kept = way.T @ hessian @ way, kept @ way
    slack = -_REDUNDANT * sparse.eye_array(fixed.shape[0])
    matrix = sparse.block_array([[hessian, fixed.T], [fixed, slack]], format="csr")
    right = np.zeros((matrix.shape[0], slopes.shape[1]))
    right[: kept.shape[1]] = -(kept.T @ slopes).toarray()
    return np.asarray(kept @ _solve_narrow(matrix, right)[: kept.shape[1]])


def _express_singles(fixed: sparse.csr_array) -> tuple[sparse.csr_array, sparse.csr_array] | None:
    """Express variables that occur in one constraint only by the others; None if there is none.

    Returns the other constraints, in the other variables, and the matrix from those variables to all.
    """
    columns = sparse.csc_array(fixed)
    single = np.flatnonzero(np.diff(columns.indptr) == 1)
    rows, values = columns.indices[columns.indptr[single]], columns.data[columns.indptr[single]]
    large = np.abs(values) > _PIVOT
    rows, first = np.unique(rows[large], return_index=True)
    if not len(rows):
        return None
    chosen, pivots = single[large][first], values[large][first]
    left = np.setdiff1d(np.arange(fixed.shape[1]), chosen)
    way = sparse.lil_array((fixed.shape[1], len(left)))
    way[left, np.arange(len(left))] = 1.0
    way = sparse.csr_array(way)
    place = sparse.csr_array((-1.0 / pivots, (chosen, np.arange(len(rows)))), (fixed.shape[1], len(rows)))
    way = way + place @ columns[:, left].tocsr()[rows]
    others = np.setdiff1d(np.arange(fixed.shape[0]), rows)
    return sparse.csr_array(columns[:, left].tocsr()[others]), sparse.csr_array(way)


def _curve(values: Array, low: Array, high: Array, barrier: float) -> Array:
    """Return second derivatives of the barrier of some bounds."""
    below, above = (barrier / np.maximum(gap, _TOUCHING) ** 2 for gap in (values - low, high - values))
    return np.asarray(below + above)


def _solve_narrow(matrix: sparse.csr_array, right: Array) -> Array:
    """Solve a sparse symmetric system with a narrow band in some order, by elimination of one block after the other."""
    order = reverse_cuthill_mckee(sparse.csr_matrix(matrix), symmetric_mode=True)
    matrix, out, first = matrix[order][:, order], np.empty_like(right), _FIRST
    while True:
        try:
            out[order] = _eliminate(matrix, right[order], _cut_blocks(matrix, first))
        except np.linalg.LinAlgError:  # a block is singular: cut elsewhere
            if first >= len(order):
                raise
            first *= 2
        else:
            return out


def _eliminate(matrix: sparse.csr_array, found: Array, cuts: list[int]) -> Array:
    """Solve a system whose rows reach no farther than the next block; the right side is overwritten."""
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
    return found


def _cut_blocks(matrix: sparse.csr_array, first: int) -> list[int]:
    """Return where blocks begin, and the end of the last: no row reaches beyond the next block; `first` has so many."""
    entries = matrix.tocoo()
    reach = np.zeros(matrix.shape[0], dtype=int)
    np.maximum.at(reach, entries.row, entries.col)
    reach = np.maximum.accumulate(reach)
    cuts = [0, min(first, len(reach))]
    while cuts[-1] < len(reach):
        cuts.append(max(int(reach[cuts[-1] - 1]), cuts[-1]) + 1)
    return [min(cut, len(reach)) for cut in cuts]
