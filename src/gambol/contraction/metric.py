"""A search for the constant metric in which a system contracts fastest over a box, and the bound in what was found.

For M positive definite, M J + J' M <= -2 rho M at all states of the box is what is wanted. The search only proposes:
it minimises the largest eigenvalue over sample states, first over diagonal metrics, then over all, starting at the
solution of Lyapunov's equation for the mean Jacobian. Each proposal is then bounded over the whole box; where the
bound meets a state that breaks it, that state joins the samples and the search goes on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_continuous_lyapunov
from scipy.optimize import minimize

from gambol.contraction.bound import MAX_BOXES, bound_largest_eigenvalue, certify_system, find_witness
from gambol.contraction.certificate import Certificate, Region, Scope, Verdict
from gambol.contraction.system import System
from gambol.geometry.arrays import Array

_SAMPLES = 256
_ROUNDS = 4
"""Proposals that are bounded, each with the states that broke the ones before."""
_SHARP = 30.0
"""How closely the smooth maximum over samples follows the largest, against the spread of the eigenvalues."""
_STEPS = 300


def search_metric(name: str, system: System, region: Region, boxes: int = MAX_BOXES, seed: int = 0) -> Certificate:
    """The best certificate over constant metrics that the search finds: contracting, broken in all, or not decided."""
    plain = certify_system(name, system, region, boxes=boxes)
    low, high = region.ordered(system.names)
    points = _samples(low, high, np.random.default_rng(seed))
    jacobians = system.jacobians_at(points)
    turned = np.linalg.eigvals(jacobians).real.max(axis=1)
    if turned.max() > 0.0:
        witness = find_witness(system, region, points[int(turned.argmax())], float(turned.max()))
        if witness.scope is not Scope.METRIC:
            condition = f"an eigenvalue of the Jacobian with real part {witness.growth:.4g} > 0"
            return Certificate(
                name, Verdict.REFUTED, condition, str(region), "any constant", plain.method, witness=witness
            )
    best = plain
    factor: Array = np.eye(len(system.states))
    for _ in range(_ROUNDS):
        factor = _proposed(jacobians, factor)
        found = certify_system(name, system, region, factor, boxes)
        if found.rate > best.rate:
            best = found
        worst = _worst(system, low, high, factor)
        if np.abs(points - worst).max(axis=1).min() < 1e-9:
            break
        points = np.concatenate((points, worst[None]))
        jacobians = system.jacobians_at(points)
    if best.contracting:
        return best
    condition = "no constant metric was found in which the largest eigenvalue is below 0"
    return Certificate(name, Verdict.UNDECIDED, condition, str(region), "searched, constant", best.method)


def _samples(low: Array, high: Array, random: np.random.Generator) -> Array:
    """Corners (where they are few), the middle, and states at random."""
    size = len(low)
    signs = np.array(np.meshgrid(*[[0.0, 1.0]] * size)).reshape(size, -1).T if size <= 6 else np.empty((0, size))
    return low + (high - low) * np.concatenate((signs, np.full((1, size), 0.5), random.random((_SAMPLES, size))))


def _worst(system: System, low: Array, high: Array, factor: Array) -> Array:
    """A state where the largest eigenvalue in a metric is nearly largest."""
    jacobian = factor @ system.jacobian @ np.linalg.inv(factor)
    return bound_largest_eigenvalue(0.5 * (jacobian + jacobian.T), system.symbols, low, high, 4_000).state


def _proposed(jacobians: Array, start: Array) -> Array:
    """A lower triangular factor with which the largest eigenvalue over samples is small."""
    size = jacobians.shape[1]
    starts = [start]
    mean = jacobians.mean(axis=0)
    if np.linalg.eigvals(mean).real.max() < 0.0:
        starts.append(np.linalg.cholesky(solve_continuous_lyapunov(mean.T, -np.eye(size))).T)
    diagonal, full = np.diag_indices(size), np.triu_indices(size)
    out = min(
        (_descended(jacobians, _descended(jacobians, one, diagonal), full) for one in starts),
        key=lambda f: _top(jacobians, f),
    )
    return out / out[0, 0]


def _top(jacobians: Array, factor: Array) -> float:
    turned = factor @ jacobians @ np.linalg.inv(factor)
    return float(np.linalg.eigvalsh(0.5 * (turned + turned.swapaxes(1, 2)))[:, -1].max())


def _descended(jacobians: Array, start: Array, free: tuple[NDArray[np.integer], ...]) -> Array:
    """The factor after a descent of the smooth maximum over the entries that are free (logarithms on the diagonal)."""
    upper = np.linalg.qr(start)[1]
    upper = upper * np.sign(np.diag(upper))[:, None]
    on_diagonal = free[0] == free[1]

    def factor_of(numbers: Array) -> Array:
        out = upper.copy()
        out[free] = np.where(on_diagonal, np.exp(np.clip(numbers, -12.0, 12.0)), numbers)
        return out

    def cost(numbers: Array) -> float:
        factor = factor_of(numbers)
        turned = factor @ jacobians @ np.linalg.inv(factor)
        tops = np.linalg.eigvalsh(0.5 * (turned + turned.swapaxes(1, 2)))[:, -1]
        scale = _SHARP / max(float(np.abs(tops).max()), 1e-9)
        return float(tops.max() + np.log(np.exp(scale * (tops - tops.max())).mean()) / scale)

    first = np.where(on_diagonal, np.log(np.maximum(np.abs(upper[free]), 1e-5)), upper[free])
    found = minimize(cost, first, method="BFGS", options={"maxiter": _STEPS})
    return factor_of(found.x) if found.fun < cost(first) else upper
