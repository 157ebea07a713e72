"""Assemble a problem into the functions that a solver needs: cost, constraints, gradient, Jacobian and Hessian.

The Hessian is that of the Lagrangian. Derivatives come from the kernels; constant sparse matrices scatter them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple, TypeVar

import casadi as ca
import numpy as np
from scipy import sparse

from gambol.geometry.arrays import Array
from gambol.solve.kernel import Kernel
from gambol.solve.problem import Index, KernelUse, Problem, Triplets, join_triplets

_Built = TypeVar("_Built")
_CACHED = 8_000_000
"""Bytes of the largest matrix that is cached: the windows of a long clip have larger ones, and share none of them."""


@dataclass(frozen=True, eq=False)
class NlpFunctions:
    """Functions of a nonlinear problem and their derivatives, in CasADi's signatures."""

    problem: dict[str, ca.MX]
    gradient: ca.Function
    jacobian: ca.Function
    hessian: ca.Function
    constraints: ca.Function


class _Local(NamedTuple):
    """A kernel as functions of the variables of one frame."""

    value: ca.Function
    first: ca.Function
    second: ca.Function


class _Nonzeros(NamedTuple):
    """Where the nonzeros of one kernel use go in the whole matrix: row, column, nonzero (-1: constant)."""

    rows: Index
    columns: Index
    sources: Index
    values: Array


def assemble(problem: Problem) -> NlpFunctions:
    """Build the functions of a problem."""
    x, none = ca.MX.sym("x", problem.size), ca.MX.sym("p", 0)
    scale, multipliers = ca.MX.sym("lam_f"), ca.MX.sym("lam_g", problem.constraint_count)
    linear, quadratic = join_triplets(problem.entries), _Quadratic(problem)
    cost = quadratic.cost(x)
    gradient = quadratic.gradient(x)
    constraints = ca.mtimes(_matrix(linear, (problem.constraint_count, problem.size)), x)
    first_constraints = constraints
    jacobian, hessian = [_constant(linear)], [_constant(quadratic.upper)]
    jacobian_values, hessian_values = [], []
    jacobian_count = hessian_count = 0
    for use in _merge_uses(problem.uses):
        frames = len(use.columns)
        local = _local(use)
        places = use.columns.ravel().tolist()
        values, parameters = ca.reshape(x[places], -1, frames), to_columns(_frame_parameters(use))
        chosen = join_triplets(use.entries)
        select = _matrix(chosen, (problem.constraint_count, frames * use.kernel.outputs))
        value_outputs, value_cost = local.value.map(frames)(values, parameters)
        first_outputs, _, slopes, slope = local.first.map(frames)(values, parameters)
        constraints = constraints + ca.mtimes(select, ca.vec(value_outputs))
        first_constraints = first_constraints + ca.mtimes(select, ca.vec(first_outputs))
        if use.kernel.has_cost:
            cost = cost + ca.sum2(value_cost)
            spread = Triplets(use.columns.ravel(), np.arange(use.columns.size), np.ones(use.columns.size))
            gradient = gradient + ca.mtimes(_matrix(spread, (problem.size, use.columns.size)), ca.vec(slope))
        weights = ca.reshape(ca.mtimes(select.T, multipliers), use.kernel.outputs, frames)
        bends = local.second.map(frames)(values, parameters, ca.repmat(scale, 1, frames), weights)
        jacobian.append(_jacobian_places(use, local.first.sparsity_out(2), chosen, jacobian_count))
        hessian.append(_hessian_places(use, local.second.sparsity_out(0), chosen, hessian_count))
        jacobian_values.append(ca.vec(slopes.nz[:]))
        hessian_values.append(ca.vec(bends.nz[:]))
        jacobian_count += slopes.nnz()
        hessian_count += bends.nnz()
    jac = _scattered(jacobian, (problem.constraint_count, problem.size), ca.vertcat(*jacobian_values), 1.0)
    hess = _scattered(hessian, (problem.size, problem.size), ca.vertcat(*hessian_values), scale)
    inputs, names = [x, none], ["x", "p"]
    return NlpFunctions(
        {"x": x, "p": none, "f": cost, "g": constraints},
        ca.Function("nlp_grad_f", inputs, [cost, gradient], names, ["f", "grad_f_x"]),
        ca.Function("nlp_jac_g", inputs, [first_constraints, jac], names, ["g", "jac_g_x"]),
        ca.Function(
            "nlp_hess_l", [*inputs, scale, multipliers], [hess], [*names, "lam_f", "lam_g"], ["triu_hess_gamma_x_x"]
        ),
        ca.Function("constraints", [x], [constraints]),
    )


class _Quadratic:
    """The squares of a problem as half x'Qx + b'x + a constant."""

    def __init__(self, problem: Problem) -> None:
        entries, targets, weights, _ = problem.square_terms()
        residual = sparse.csr_array((entries.values, (entries.rows, entries.columns)), (len(targets), problem.size))
        weighted = sparse.diags_array(weights) @ residual
        whole = sparse.coo_array(2.0 * (residual.T @ weighted))
        upper = sparse.triu(whole).tocoo()
        self.upper = Triplets(upper.row.astype(np.intp), upper.col.astype(np.intp), upper.data)
        self._matrix = _dm(whole)
        self._slope = ca.DM((-2.0 * (weighted.T @ targets)).tolist())
        self._constant = float(weights @ targets**2)

    def cost(self, x: ca.MX) -> ca.MX:
        return 0.5 * ca.dot(x, ca.mtimes(self._matrix, x)) + ca.dot(self._slope, x) + self._constant

    def gradient(self, x: ca.MX) -> ca.MX:
        return ca.mtimes(self._matrix, x) + self._slope


def _merge_uses(uses: Sequence[KernelUse]) -> list[KernelUse]:
    """Join the uses of one kernel with the same factors, or with factors per frame: every use costs time."""
    groups: dict[tuple[Kernel, bytes | None, int], list[KernelUse]] = {}
    for use in uses:
        factors = None if use.factors is None else use.factors.tobytes() if use.factors.ndim == 2 else b"per frame"
        groups.setdefault((use.kernel, factors, use.columns.shape[1]), []).append(use)
    return [_join_uses(group) for group in groups.values()]


def _join_uses(uses: Sequence[KernelUse]) -> KernelUse:
    """Return one use at the frames of all."""
    first = np.cumsum([0, *(len(use.columns) * use.kernel.outputs for use in uses)])
    entries = [
        Triplets(part.rows, start + part.columns, part.values)
        for start, use in zip(first[:-1], uses, strict=True)
        for part in use.entries
    ]
    columns, parameters = (np.vstack([getattr(use, part) for use in uses]) for part in ("columns", "parameters"))
    joined = replace(uses[0], columns=columns, parameters=parameters, entries=entries)
    if joined.factors is not None and joined.factors.ndim == 3:
        joined.factors = np.concatenate([use.factors for use in uses if use.factors is not None])
    return joined


def _local(use: KernelUse) -> _Local:
    """Return the kernel's functions of variables: its inputs are linear combinations of them."""
    kernel = use.kernel
    if use.factors is None:
        return _Local(kernel.value, kernel.first, kernel.second)
    x, given = ca.MX.sym("x", use.factors.shape[-1]), ca.MX.sym("p", kernel.parameters + _count_factors(use))
    p = given[: kernel.parameters]
    factors: ca.DM | ca.MX
    if use.factors.ndim == 2:
        factors = _dm(sparse.csc_array(use.factors))
    else:
        factors = ca.MX(_dm(_find_pattern(use.factors)).sparsity(), given[kernel.parameters :])
    sigma, weights = ca.MX.sym("s"), ca.MX.sym("l", kernel.outputs)
    inner = ca.mtimes(factors, x)
    outputs, cost, slopes, slope = kernel.first(inner, p)
    bend = ca.triu2symm(kernel.second(inner, p, sigma, weights))
    return _Local(
        ca.Function("value", [x, given], list(kernel.value(inner, p))),
        ca.Function("first", [x, given], [outputs, cost, ca.mtimes(slopes, factors), ca.mtimes(factors.T, slope)]),
        ca.Function("second", [x, given, sigma, weights], [ca.triu(ca.mtimes([factors.T, bend, factors]))]),
    )


def _find_pattern(factors: Array) -> sparse.csc_array:
    """Return which factors (frames, inputs, variables) are other than zero in any frame."""
    return sparse.csc_array((factors != 0.0).any(axis=0).astype(float))


def _count_factors(use: KernelUse) -> int:
    return 0 if use.factors is None or use.factors.ndim == 2 else _find_pattern(use.factors).nnz


def _frame_parameters(use: KernelUse) -> Array:
    """Return the kernel's parameters, followed by the factors of every frame where they differ."""
    if not _count_factors(use):
        return use.parameters
    assert use.factors is not None
    columns, rows = _find_pattern(use.factors).T.nonzero()  # by columns, as CasADi stores matrices
    return np.hstack([use.parameters, use.factors[:, rows, columns]])


def _jacobian_places(use: KernelUse, pattern: ca.Sparsity, chosen: Triplets, start: int) -> _Nonzeros:
    """Place the nonzeros of a kernel's Jacobian: each goes to every constraint that uses its output."""
    frames, count = len(use.columns), pattern.nnz()
    row, column = np.array(pattern.row(), dtype=np.intp), np.array(pattern.get_col(), dtype=np.intp)
    frame = np.repeat(np.arange(frames), count)
    flat, inner = np.tile(row, frames) + frame * use.kernel.outputs, np.tile(column, frames)
    order = np.argsort(chosen.columns, kind="stable")
    takers = np.bincount(chosen.columns, minlength=frames * use.kernel.outputs)
    begins = np.cumsum(takers) - takers
    repeats = takers[flat]
    which = np.repeat(np.arange(len(flat)), repeats)
    nth = np.arange(len(which)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    taker = order[begins[flat[which]] + nth]
    return _Nonzeros(chosen.rows[taker], use.columns[frame[which], inner[which]], start + which, chosen.values[taker])


def _hessian_places(use: KernelUse, pattern: ca.Sparsity, chosen: Triplets, start: int) -> _Nonzeros:
    """Place the upper triangle of a frame's Hessian in the upper triangle of the whole Hessian."""
    frames, count = len(use.columns), pattern.nnz()
    row, column = np.array(pattern.row(), dtype=np.intp), np.array(pattern.get_col(), dtype=np.intp)
    one, other = use.columns[:, row].ravel(), use.columns[:, column].ravel()
    in_use = np.full(frames, use.kernel.has_cost)
    in_use[chosen.columns // use.kernel.outputs] = True
    keep = np.repeat(in_use, count)
    sources = start + np.arange(frames * count)
    return _Nonzeros(np.minimum(one, other)[keep], np.maximum(one, other)[keep], sources[keep], np.ones(keep.sum()))


def _constant(entries: Triplets) -> _Nonzeros:
    return _Nonzeros(entries.rows, entries.columns, np.full(len(entries.rows), -1), entries.values)


def _scattered(parts: list[_Nonzeros], shape: tuple[int, int], nonzeros: ca.MX, scale: ca.MX | float) -> ca.MX:
    """Build a matrix from `nonzeros` and from constants (source -1) times `scale`."""
    rows, columns, sources, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    keys, slots = np.unique(columns * shape[0] + rows, return_inverse=True)
    starts = np.searchsorted(keys, np.arange(shape[1] + 1) * shape[0])
    pattern = _pattern(shape, starts.astype(np.intp).tobytes(), (keys % shape[0]).astype(np.intp).tobytes())
    fixed = sources < 0
    constant = np.bincount(slots[fixed], weights=values[fixed], minlength=len(keys))
    moving = Triplets(slots[~fixed], sources[~fixed], values[~fixed])
    return ca.MX(
        pattern, scale * ca.DM(constant.tolist()) + ca.mtimes(_matrix(moving, (len(keys), nonzeros.numel())), nonzeros)
    )


def _matrix(entries: Triplets, shape: tuple[int, int]) -> ca.DM:
    return _dm(sparse.csc_array((entries.values, (entries.rows, entries.columns)), shape))


def to_sparse(matrix: ca.DM) -> sparse.csc_array:
    """Return a matrix of CasADi for SciPy."""
    pattern = matrix.sparsity()
    entries = np.array(matrix.nonzeros()), np.array(pattern.row()), np.array(pattern.colind())
    return sparse.csc_array(entries, matrix.shape)


def to_columns(parameters: Array) -> ca.DM:
    """Transpose an array: one column per frame, as CasADi maps functions."""
    return ca.reshape(ca.DM(parameters.ravel().tolist()), *reversed(parameters.shape))


def _cache_small(build: Callable[..., _Built]) -> Callable[..., _Built]:
    """Cache what a function builds from a shape and bytes, unless these are many."""
    cached = lru_cache(maxsize=32)(build)

    def build_or_reuse(shape: tuple[int, int], *parts: bytes) -> _Built:
        return (cached if sum(map(len, parts)) <= _CACHED else build)(shape, *parts)

    return build_or_reuse


def _dm(matrix: sparse.sparray) -> ca.DM:
    columns = sparse.csc_array(matrix)
    columns.sum_duplicates()
    columns.sort_indices()
    parts = (columns.indptr.astype(np.intp), columns.indices.astype(np.intp), columns.data)
    return _kept(columns.shape, *(part.tobytes() for part in parts))


@_cache_small
def _kept(shape: tuple[int, int], starts: bytes, rows: bytes, values: bytes) -> ca.DM:
    """Build a matrix from its content, cached: problems of the same kind share most matrices."""
    # From lists: CasADi takes three times as long to read arrays, here and in `to_columns`.
    return ca.DM(_pattern(shape, starts, rows), np.frombuffer(values).tolist())


@_cache_small
def _pattern(shape: tuple[int, int], starts: bytes, rows: bytes) -> ca.Sparsity:
    return ca.Sparsity(*shape, *(np.frombuffer(part, dtype=np.intp).tolist() for part in (starts, rows)))
