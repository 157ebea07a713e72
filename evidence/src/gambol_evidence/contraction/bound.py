"""Bound the largest eigenvalue of a symmetric matrix of expressions over a box, and certify systems with it.

Branch and bound. Over one box the entries lie in intervals; a symmetric matrix within `radius` of `centre` has no
eigenvalue above lambda_max(centre) + lambda_max(radius) (Weyl, and Perron for the entrywise bound). Boxes whose bound
exceeds the best value found by more than the tolerance are halved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gambol.contraction.certificate import Certificate, Region, Scope, Verdict, Witness
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol_evidence.contraction.intervals import IntervalFunction
from gambol_evidence.contraction.system import System

MAX_BOXES = 200_000
"""Number of boxes after which the current bound is returned: about ten seconds for a system of two states."""
_TOLERANCE = 0.01
"""Relative gap between bound and attained eigenvalue."""
_STILL = 1e-9
"""Growth rate (1/s) that counts as positive, and rate of a state below which it is an equilibrium."""


@dataclass(frozen=True, eq=False)
class EigenvalueBound:
    """Bounds on the supremum of the largest eigenvalue: at most `upper`; `lower` is attained at `state`."""

    upper: float
    lower: float
    state: Array
    boxes: int


def bound_largest_eigenvalue(
    matrix: Any, symbols: Any, low: Array, high: Array, boxes: int = MAX_BOXES, slack: float = 0.0
) -> EigenvalueBound:
    """Bound the largest eigenvalue of a symmetric matrix of expressions over a box of its symbols.

    `slack` is the relative error (of its norm) that the matrix may have.
    """
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
        # Rounding errors of eigvalsh for either matrix; the sum of magnitudes is not below the norm.
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
        # Where a box touches the edge of the region, try that edge too: extremes often lie in corners.
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
    """Certify the contraction of a system over a box in the constant metric factor' factor (default: the identity).

    Bounds the symmetric part of Theta J Theta^-1 (M17 section 2.5 has Theta = 1). A box is convex, so any two solutions
    that stay in it converge; whether all do is checked at its faces and stated in the region.
    """
    size = len(system.states)
    low, high = region.ordered(system.names)
    theta = np.eye(size) if factor is None else np.asarray(factor, float)
    jacobian = system.jacobian  # raises for an invalid system, before the metric is checked
    inverse, slack = _invert_factor(theta)
    jacobian = theta @ jacobian @ inverse
    found = bound_largest_eigenvalue(0.5 * (jacobian + jacobian.T), system.symbols, low, high, boxes, slack)
    metric = "identity" if factor is None else f"constant, {_format_matrix(theta.T @ theta)}"
    method = f"intervals, {found.boxes} boxes"
    if found.upper < 0.0:
        where = f"{region}, {_describe_invariance(system, region, theta)}"
        condition = f"largest eigenvalue at most {found.upper:.4g}"
        return Certificate(name, Verdict.CONTRACTING, condition, where, metric, method, -found.upper)
    if found.lower > 0.0:
        witness = find_witness(system, region, found.state, found.lower)
        condition = f"largest eigenvalue {found.lower:.4g} > 0"
        return Certificate(name, Verdict.REFUTED, condition, str(region), metric, method, witness=witness)
    condition = f"largest eigenvalue between {found.lower:.4g} and {found.upper:.4g}"
    return Certificate(name, Verdict.UNDECIDED, condition, str(region), metric, method)


def _invert_factor(theta: Array) -> tuple[Array, float]:
    """Return an inverse P of a metric's factor, and the relative error of theta J P against theta J theta^-1.

    theta J P = (theta J theta^-1) (1 + E) with E = theta P - 1, whose norm is measured: with ||E|| < 1 the two differ
    by ||E|| / (1 - ||E||) of theta J P at most. Constants of J are multiplied by those of theta and P without outward
    rounding: an error of 2 n eps |theta| |J| |P| at most, with ||J|| up to cond(theta) ||theta J P||.
    """
    if theta.ndim != 2 or theta.shape[0] != theta.shape[1] or np.linalg.matrix_rank(theta) < len(theta):
        raise InputError(
            f"the factor {theta.shape} of the metric has no inverse", fix="use a square matrix of full rank"
        )
    inverse = np.linalg.inv(theta)
    # The second term bounds the rounding error of the product itself.
    off = np.linalg.norm(theta @ inverse - np.eye(len(theta)))
    off += (len(theta) + 2) * np.finfo(float).eps * np.linalg.norm(np.abs(theta) @ np.abs(inverse))
    folded = 4.0 * len(theta) * np.finfo(float).eps * (np.linalg.norm(theta) * np.linalg.norm(inverse)) ** 2
    return inverse, float(off / (1.0 - off) + folded) if off < 1.0 else np.inf


def _describe_invariance(system: System, region: Region, theta: Array) -> str:
    """Describe which solutions are certain to stay in a box where the system contracts."""
    if is_invariant(system, region):
        return "which no solution leaves"
    low, high = region.ordered(system.names)
    equilibrium = _find_equilibrium(system, region, 0.5 * (low + high))
    if equilibrium is None:
        return "while solutions stay there"
    # Distances to the equilibrium shrink, so the largest ball around it in the box is invariant.
    room = np.minimum(high - equilibrium, equilibrium - low) / np.linalg.norm(np.linalg.inv(theta), axis=1)
    begun = f"start within {room.min():.3g} (in the metric) of {_describe_state(system, equilibrium)}"
    return f"while solutions stay there, as those do that {begun}"


def find_witness(system: System, region: Region, state: Array, growth: float) -> Witness:
    """Return the strongest witness near a state where the largest eigenvalue is positive: an equilibrium if
    possible."""
    equilibrium = _find_equilibrium(system, region, state)
    abscissa = _spectral_abscissa(system, state)
    if equilibrium is not None and _spectral_abscissa(system, equilibrium) > _STILL:
        return Witness(
            equilibrium,
            _spectral_abscissa(system, equilibrium),
            Scope.ALL,
            f"the equilibrium {_describe_state(system, equilibrium)}",
        )
    if abscissa > _STILL:
        return Witness(state, abscissa, Scope.CONSTANT, _describe_state(system, state))
    return Witness(state, growth, Scope.METRIC, _describe_state(system, state))


def _spectral_abscissa(system: System, state: Array) -> float:
    """Return the largest real part of the eigenvalues of the Jacobian."""
    return float(np.linalg.eigvals(system.jacobians_at(state[None])[0]).real.max())


def _find_equilibrium(system: System, region: Region, start: Array) -> Array | None:
    """Find an equilibrium in the region by Newton's method, or None; systems with inputs have none."""
    low, high = region.ordered(system.names)
    if system.inputs:
        return None
    state = start.astype(float)
    for _ in range(30):
        rate = system.rates_at(state[None])[0]
        if not np.isfinite(rate).all() or np.abs(rate).max() < _STILL:
            break
        state = state - np.linalg.lstsq(system.jacobians_at(state[None])[0], rate, rcond=None)[0]
    inside = bool((state >= low - _STILL).all() and (state <= high + _STILL).all())
    return state if inside and np.abs(system.rates_at(state[None])).max() < _STILL else None


def is_invariant(system: System, region: Region, boxes: int = 20_000) -> bool:
    """Whether a box is certainly invariant: at every face the rate points inward or along it."""
    low, high = region.ordered(system.names)
    for n in range(len(system.states)):
        for side, sign in ((low, -1.0), (high, 1.0)):
            face_low, face_high = low.copy(), high.copy()
            face_low[n] = face_high[n] = side[n]
            outward = sign * system.expression[n]
            if bound_largest_eigenvalue(outward, system.symbols, face_low, face_high, boxes).upper > 0.0:
                return False
    return True


def _format_matrix(matrix: Array) -> str:
    return "[" + "; ".join(" ".join(f"{value:.4g}" for value in row) for row in matrix) + "]"


def _describe_state(system: System, state: Array) -> str:
    return ", ".join(f"{name} = {round(value, 6) + 0.0:.4g}" for name, value in zip(system.names, state, strict=True))
