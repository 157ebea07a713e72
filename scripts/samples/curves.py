"""Make smooth curves from a few numbers: periodic splines, quintic pieces, harmonics and bumps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.interpolate import BPoly, CubicSpline, PPoly

from gambol.geometry.arrays import Array


def interpolate_cycle(keys: dict[float, float], phase: Array) -> Array:
    """Return the periodic cubic spline through degrees at percent of a cycle, in radians at `phase` (0 to 1)."""
    at = np.array([*sorted(keys), 100.0 + min(keys)])
    values = np.array([keys[k] for k in sorted(keys)] + [keys[min(keys)]])
    return np.radians(CubicSpline(at, values, bc_type="periodic")(100.0 * phase))


def interpolate_keys(times: Array, values: Array, at: Array) -> Array:
    """Return the cubic spline through values at times, constant before the first and after the last."""
    return CubicSpline(times, values, bc_type="clamped")(np.clip(at, times[0], times[-1]))


def join_quintics(times: Sequence[float], states: Sequence[Sequence[float]]) -> PPoly:
    """Join quintic pieces through (value, first and second derivative) at each time: twice differentiable."""
    return PPoly.from_bernstein_basis(BPoly.from_derivatives(times, [list(s) for s in states]))


def make_bump(s: Array, weights: Array) -> Array:
    """Return a bump on 0..1, skewed by further weights, that is flat to second order at both ends; 0 outside."""
    inside = np.clip(s, 0.0, 1.0)
    shape = (4.0 * inside * (1.0 - inside)) ** 3
    return shape * sum(w * (2.0 * inside - 1.0) ** k for k, w in enumerate(weights))


def ease_step(s: Array) -> Array:
    """Return a smooth step from 0 to 1 over 0..1, flat to second order at both ends."""
    inside = np.clip(s, 0.0, 1.0)
    return inside**3 * (10.0 + inside * (6.0 * inside - 15.0))


def sum_harmonics(phase: Array, orders: Sequence[int], weights: Array, derivative: int = 0) -> Array:
    """Return the sum of weights[2k] cos + weights[2k+1] sin of the given orders, or its derivative by phase."""
    out = np.zeros_like(phase)
    for k, order in enumerate(orders):
        rate = 2.0 * np.pi * order
        turn = rate * phase + 0.5 * np.pi * derivative
        out += rate**derivative * (weights[2 * k] * np.cos(turn) + weights[2 * k + 1] * np.sin(turn))
    return out


def make_wave(degrees: float, peak: float, order: int = 1) -> list[float]:
    """Return weights for `sum_harmonics` of one wave that peaks at a phase; those of the next order are 0."""
    turn = 2.0 * np.pi * order * peak
    size = float(np.radians(degrees))
    return [size * float(np.cos(turn)), size * float(np.sin(turn)), 0.0, 0.0]


def differentiate_cycle(values: Array, step: float) -> Array:
    """Differentiate along a periodic first axis by central differences."""
    return (np.roll(values, -1, axis=0) - np.roll(values, 1, axis=0)) / (2.0 * step)


def differentiate(values: Array, step: float) -> Array:
    """Differentiate along the first axis by central differences."""
    return np.gradient(values, step, axis=0, edge_order=2)
