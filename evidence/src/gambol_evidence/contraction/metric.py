"""Search the constant metric in which a system contracts fastest over a box.

The target is M J + J' M <= -2 rho M at all states of the box, M positive definite. The search minimises the largest
eigenvalue over sample states, first over diagonal metrics, then over all, starting at the solution of Lyapunov's
equation for the mean Jacobian. Each candidate is then bounded over the whole box; the state with the largest
eigenvalue is added to the samples and the search continues.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_continuous_lyapunov
from scipy.optimize import minimize

from gambol.contraction.certificate import Certificate, Region, Scope, Verdict
from gambol.geometry.arrays import Array
from gambol_evidence.contraction.bound import MAX_BOXES, bound_largest_eigenvalue, certify_system, find_witness
from gambol_evidence.contraction.system import System

_SAMPLES = 256
_ROUNDS = 4
"""Candidates that are bounded, each with the worst states of those before."""
_SHARP = 30.0
"""Sharpness of the smooth maximum over samples, relative to the magnitude of the eigenvalues."""
_STEPS = 300


def search_metric(name: str, system: System, region: Region, boxes: int = MAX_BOXES, seed: int = 0) -> Certificate:
    """Return the best certificate found over constant metrics: contracting, refuted in all, or not decided."""
    plain = certify_system(name, system, region, boxes=boxes)
    low, high = region.ordered(system.names)
    points = _draw_samples(low, high, np.random.default_rng(seed))
    jacobians = system.jacobians_at(points)
    turned = np.linalg.eigvals(jacobians).real.max(axis=1)
    if turned.max() > 0.0:
        witness = find_witness(system, region, points[int(turned.argmax())], float(turned.max()))
        if witness.scope is not Scope.METRIC:
            condition = f"the Jacobian has an eigenvalue with real part {witness.growth:.4g} > 0"
            return Certificate(
                name, Verdict.REFUTED, condition, str(region), "any constant", plain.method, witness=witness
            )
    best = plain
    factor: Array = np.eye(len(system.states))
    for _ in range(_ROUNDS):
        factor = _propose_factor(jacobians, factor)
        found = certify_system(name, system, region, factor, boxes)
        if found.rate > best.rate:
            best = found
        worst = _find_worst(system, low, high, factor)
        if np.abs(points - worst).max(axis=1).min() < 1e-9:
            break
        points = np.concatenate((points, worst[None]))
        jacobians = system.jacobians_at(points)
    if best.contracting:
        return best
    condition = "no constant metric found in which the largest eigenvalue is below 0"
    return Certificate(name, Verdict.UNDECIDED, condition, str(region), "searched, constant", best.method)


def _draw_samples(low: Array, high: Array, random: np.random.Generator) -> Array:
    """Return sample states: corners (up to six dimensions), the middle, and random states."""
    size = len(low)
    signs = np.array(np.meshgrid(*[[0.0, 1.0]] * size)).reshape(size, -1).T if size <= 6 else np.empty((0, size))
    return low + (high - low) * np.concatenate((signs, np.full((1, size), 0.5), random.random((_SAMPLES, size))))


def _find_worst(system: System, low: Array, high: Array, factor: Array) -> Array:
    """Return a state where the largest eigenvalue in a metric is nearly maximal."""
    jacobian = factor @ system.jacobian @ np.linalg.inv(factor)
    return bound_largest_eigenvalue(0.5 * (jacobian + jacobian.T), system.symbols, low, high, 4_000).state


def _propose_factor(jacobians: Array, start: Array) -> Array:
    """Return a triangular factor of a metric with a small largest eigenvalue over samples."""
    size = jacobians.shape[1]
    starts = [start]
    mean = jacobians.mean(axis=0)
    if np.linalg.eigvals(mean).real.max() < 0.0:
        starts.append(np.linalg.cholesky(solve_continuous_lyapunov(mean.T, -np.eye(size))).T)
    diagonal, full = np.diag_indices(size), np.triu_indices(size)
    out = min(
        (_descend(jacobians, _descend(jacobians, one, diagonal), full) for one in starts),
        key=lambda f: _largest_over(jacobians, f),
    )
    return out / out[0, 0]


def _largest_over(jacobians: Array, factor: Array) -> float:
    turned = factor @ jacobians @ np.linalg.inv(factor)
    return float(np.linalg.eigvalsh(0.5 * (turned + turned.swapaxes(1, 2)))[:, -1].max())


def _descend(jacobians: Array, start: Array, free: tuple[NDArray[np.integer], ...]) -> Array:
    """Minimise the smooth maximum over the free entries of a factor (logarithms on the diagonal)."""
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
