"""The largest eigenvalue of a symmetric matrix of expressions over a box: bounded above, and found from below.

Branch and bound. Over one box the entries lie between intervals; a symmetric matrix within `radius` of `centre` has no
eigenvalue above lambda_max(centre) + lambda_max(radius) (Weyl, and Perron for the entrywise bound). Boxes whose bound
is above the best value found by more than the tolerance are halved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gambol.contraction.certificate import Certificate, Region, Scope, Verdict, Witness
from gambol.contraction.intervals import IntervalFunction
from gambol.contraction.system import System
from gambol.errors import InputError
from gambol.geometry.arrays import Array

MAX_BOXES = 200_000
"""Boxes after which a bound is handed over as it is: some ten seconds for a system of two states."""
_TOLERANCE = 0.01
"""Of the eigenvalue's size: what a rate may lose to the bound."""
_REPELS = 1e-9
"""1/s, and how still a state must be to count as an equilibrium."""


@dataclass(frozen=True, eq=False)
class EigenvalueBound:
    """sup of the largest eigenvalue: not above `upper`; at `state` it is `lower`."""

    upper: float
    lower: float
    state: Array
    boxes: int


def bound_largest_eigenvalue(
    matrix: Any, symbols: Any, low: Array, high: Array, boxes: int = MAX_BOXES, slack: float = 0.0
) -> EigenvalueBound:
    """Of a symmetric matrix of expressions, over a box of its symbols; it may be off by a share `slack` of its norm."""
    import casadi as ca

    size = matrix.shape[0]
    at = np.tril_indices(size)
    entries = IntervalFunction(symbols, ca.vertcat(*(matrix[int(r), int(c)] for r, c in zip(*at, strict=True))))
    depends = np.array([ca.depends_on(ca.densify(matrix), symbols[n]) for n in range(len(low))])
    movable = np.where(depends & (high > low), high - low, 0.0)

    def bounds(lows: Array, highs: Array) -> Array:
        below, above = entries(lows, highs)
        centre, radius = (np.zeros((len(lows), size, size)) for _ in range(2))
        centre[:, at[0], at[1]] = centre[:, at[1], at[0]] = 0.5 * below + 0.5 * above
        radius[:, at[0], at[1]] = radius[:, at[1], at[0]] = np.nextafter(
            np.maximum(above - centre[:, at[0], at[1]], centre[:, at[0], at[1]] - below), np.inf
        )
        finite = np.isfinite(above).all(axis=1) & np.isfinite(below).all(axis=1)
        out = np.full(len(lows), np.inf)
        # What eigvalsh may be off, of either matrix; the sum of magnitudes is not below the norm.
        sizes = np.abs(centre[finite]).sum(axis=(1, 2)) + radius[finite].sum(axis=(1, 2))
        rounding = (slack + 16.0 * size * np.finfo(float).eps) * sizes
        tops = np.linalg.eigvalsh(centre[finite])[:, -1] + np.linalg.eigvalsh(radius[finite])[:, -1]
        out[finite] = tops + rounding
        return out

    def values(points: Array) -> Array:
        below, above = entries(points, points)
        filled = np.zeros((len(points), size, size))
        filled[:, at[0], at[1]] = filled[:, at[1], at[0]] = np.nan_to_num(
            0.5 * below + 0.5 * above, nan=-1e300, posinf=-1e300, neginf=-1e300
        )
        return np.asarray(np.linalg.eigvalsh(filled)[:, -1])

    lows, highs = low[None].astype(float), high[None].astype(float)
    best, state, done, used = -np.inf, 0.5 * (low + high), -np.inf, 0
    while True:
        used += len(lows)
        middle = 0.5 * (lows + highs)
        # Where a box touches the region's edge its end is tried too: extremes often lie in corners.
        edges = np.where(highs == high, highs, np.where(lows == low, lows, middle))
        for points in (middle, edges):
            found = values(points)
            if found.max() > best:
                best, state = float(found.max()), points[int(found.argmax())]
        tops = bounds(lows, highs)
        enough = best + _TOLERANCE * max(abs(best), 1e-6)
        keep = tops > enough
        if not keep.all():
            done = max(done, float(tops[~keep].max()))
        if not keep.any():
            return EigenvalueBound(max(done, best), best, state, used)
        if used + 2 * int(keep.sum()) > boxes or not movable.any():
            return EigenvalueBound(max(done, float(tops.max())), best, state, used)
        lows, highs = lows[keep], highs[keep]
        share = np.divide(highs - lows, movable, out=np.zeros_like(lows), where=movable > 0.0)
        axis, row = share.argmax(axis=1), np.arange(len(lows))
        cut = 0.5 * (lows[row, axis] + highs[row, axis])
        left, right = highs.copy(), lows.copy()
        left[row, axis] = right[row, axis] = cut
        lows, highs = np.concatenate((lows, right)), np.concatenate((left, highs))


def certify_system(
    name: str, system: System, region: Region, factor: Array | None = None, boxes: int = MAX_BOXES
) -> Certificate:
    """Contraction of a system over a box in the constant metric factor' factor (the identity where none is given).

    Symmetric part of Theta J Theta^-1 (M17 section 2.5 has Theta = 1). A box is convex, so what contracts in it brings
    any two solutions together that stay in it; whether all do is checked at its faces and said in the region.
    """
    size = len(system.states)
    low, high = region.ordered(system.names)
    theta = np.eye(size) if factor is None else np.asarray(factor, float)
    jacobian = system.jacobian  # raises for an invalid system, before the metric is looked at
    inverse, slack = _inverted(theta)
    jacobian = theta @ jacobian @ inverse
    found = bound_largest_eigenvalue(0.5 * (jacobian + jacobian.T), system.symbols, low, high, boxes, slack)
    metric = "identity" if factor is None else f"constant, {_written(theta.T @ theta)}"
    method = f"intervals, {found.boxes} boxes"
    if found.upper < 0.0:
        where = f"{region}, {_staying(system, region, theta)}"
        condition = f"largest eigenvalue at most {found.upper:.4g}"
        return Certificate(name, Verdict.CONTRACTING, condition, where, metric, method, -found.upper)
    if found.lower > 0.0:
        witness = find_witness(system, region, found.state, found.lower)
        condition = f"largest eigenvalue {found.lower:.4g} > 0"
        return Certificate(name, Verdict.REFUTED, condition, str(region), metric, method, witness=witness)
    condition = f"largest eigenvalue between {found.lower:.4g} and {found.upper:.4g}"
    return Certificate(name, Verdict.UNDECIDED, condition, str(region), metric, method)


def _inverted(theta: Array) -> tuple[Array, float]:
    """An inverse P of a metric's factor, and the share by which theta J P may be off theta J theta^-1 for it.

    theta J P = (theta J theta^-1) (1 + E) with E = theta P - 1, whose norm is measured: with ||E|| < 1 the two differ
    by ||E|| / (1 - ||E||) of theta J P at most. Constants of J meet those of theta and P before intervals do, so that
    nothing is rounded outward: off by 2 n eps |theta| |J| |P| at most, ||J|| being up to cond(theta) ||theta J P||.
    """
    if theta.ndim != 2 or theta.shape[0] != theta.shape[1] or np.linalg.matrix_rank(theta) < len(theta):
        raise InputError(f"a metric's factor {theta.shape} that has no inverse", fix="a square matrix of full rank")
    inverse = np.linalg.inv(theta)
    # The second term is what rounding may hide of the product itself.
    off = np.linalg.norm(theta @ inverse - np.eye(len(theta)))
    off += (len(theta) + 2) * np.finfo(float).eps * np.linalg.norm(np.abs(theta) @ np.abs(inverse))
    folded = 4.0 * len(theta) * np.finfo(float).eps * (np.linalg.norm(theta) * np.linalg.norm(inverse)) ** 2
    return inverse, float(off / (1.0 - off) + folded) if off < 1.0 else np.inf


def _staying(system: System, region: Region, theta: Array) -> str:
    """What is certain of solutions that begin in a box where the system contracts."""
    if is_invariant(system, region):
        return "which solutions do not leave"
    low, high = region.ordered(system.names)
    rests = _equilibrium(system, region, 0.5 * (low + high))
    if rests is None:
        return "while solutions stay there"
    # Distances to the equilibrium shrink, so the largest ball around it in the box is not left.
    room = np.minimum(high - rests, rests - low) / np.linalg.norm(np.linalg.inv(theta), axis=1)
    begun = f"begin within {room.min():.3g} (in the metric) of {_told(system, rests)}"
    return f"while solutions stay there, as those do that {begun}"


def find_witness(system: System, region: Region, state: Array, growth: float) -> Witness:
    """How much a state rules out where the largest eigenvalue is positive; an equilibrium near it rules out more."""
    rests = _equilibrium(system, region, state)
    turned = _abscissa(system, state)
    if rests is not None and _abscissa(system, rests) > _REPELS:
        return Witness(rests, _abscissa(system, rests), Scope.ALL, f"the equilibrium {_told(system, rests)}")
    if turned > _REPELS:
        return Witness(state, turned, Scope.CONSTANT, _told(system, state))
    return Witness(state, growth, Scope.METRIC, _told(system, state))


def _abscissa(system: System, state: Array) -> float:
    """The largest real part of the Jacobian's eigenvalues."""
    return float(np.linalg.eigvals(system.jacobians_at(state[None])[0]).real.max())


def _equilibrium(system: System, region: Region, start: Array) -> Array | None:
    """One of the region that Newton's method reaches from a state, if any; systems with inputs need not have one."""
    low, high = region.ordered(system.names)
    if system.inputs:
        return None
    state = start.astype(float)
    for _ in range(30):
        rate = system.rates_at(state[None])[0]
        if not np.isfinite(rate).all() or np.abs(rate).max() < _REPELS:
            break
        state = state - np.linalg.lstsq(system.jacobians_at(state[None])[0], rate, rcond=None)[0]
    inside = bool((state >= low - _REPELS).all() and (state <= high + _REPELS).all())
    return state if inside and np.abs(system.rates_at(state[None])).max() < _REPELS else None


def is_invariant(system: System, region: Region, boxes: int = 20_000) -> bool:
    """Whether it is certain that no solution leaves a box: at every face the rate points inward or along it."""
    low, high = region.ordered(system.names)
    for n in range(len(system.states)):
        for side, sign in ((low, -1.0), (high, 1.0)):
            face_low, face_high = low.copy(), high.copy()
            face_low[n] = face_high[n] = side[n]
            outward = sign * system.expression[n]
            if bound_largest_eigenvalue(outward, system.symbols, face_low, face_high, boxes).upper > 0.0:
                return False
    return True


def _written(matrix: Array) -> str:
    return "[" + "; ".join(" ".join(f"{value:.4g}" for value in row) for row in matrix) + "]"


def _told(system: System, state: Array) -> str:
    return ", ".join(f"{name} = {round(value, 6) + 0.0:.4g}" for name, value in zip(system.names, state, strict=True))
