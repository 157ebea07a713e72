"""Phases of trials by what people do: each trial is registered to the mean course of all.

Time between the beginning, the contact and the end does not pass evenly: one person hesitates, another hurries. Phases
from the frame numbers alone then blur the course. A trial's phase is a piecewise linear function of time with the
contact at 0.5; Gauss-Newton moves its knots so that the course shows what the trial shows.
"""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array

_KNOTS = 6
"""Knots between the beginning and the contact, and between the contact and the end."""
_ITERATIONS = 6
_SMOOTHNESS = 1e-2
"""Standard deviation of second differences of knots: 10 ms in a meeting of a second. With 1 ms, a tenth of the time
warps of edited trials is found, with 10 ms nine tenths."""
_LEAST_STEP = 0.2
"""Least step between knots, relative to an even one: time does not run backward."""


def register_phases(columns: Array, even: Array, table: Array, noise: Array) -> Array:
    """Return phases (frames,) of a trial's columns (frames, columns), as near as possible to a course.

    `even` (frames,) are phases that grow evenly before and after the contact. `table` (phases, columns) is the course
    for the style and the contact point of the trial, `noise` (columns,) its standard deviation.
    """
    knots = np.concatenate([np.linspace(0.0, 0.5, _KNOTS + 1), np.linspace(0.5, 1.0, _KNOTS + 1)[1:]])
    hats = np.stack([np.interp(even, knots, row) for row in np.eye(len(knots))], axis=1)
    free = np.delete(np.arange(len(knots)), [0, _KNOTS, 2 * _KNOTS])
    bends = np.diff(np.eye(len(knots)), 2, axis=0) / _SMOOTHNESS
    slopes = np.gradient(table, 1.0 / (len(table) - 1), axis=0)
    values = knots.copy()
    for _ in range(_ITERATIONS):
        phases = hats @ values
        error = (columns - _interpolate(table, phases)) / noise
        slope = _interpolate(slopes, phases) / noise
        # Squared errors summed over columns, as a function of the phase of every frame.
        weight, pull = (slope**2).sum(axis=1) / len(noise), (slope * error).sum(axis=1) / len(noise)
        matrix = (hats.T * weight) @ hats + bends.T @ bends
        force = hats.T @ pull - bends.T @ (bends @ values)
        values[free] += np.linalg.solve(matrix[np.ix_(free, free)], force[free])
        values = _keep_order(values)
    return hats @ values


def _interpolate(table: Array, phases: Array) -> Array:
    at = np.clip(phases, 0.0, 1.0) * (len(table) - 1)
    before = np.minimum(at.astype(int), len(table) - 2)
    share = (at - before)[:, None]
    return (1.0 - share) * table[before] + share * table[before + 1]


def _keep_order(values: Array) -> Array:
    """Return knots with steps of at least a share of an even one, and the contact and both ends where they are."""
    out = values.copy()
    for half in (slice(0, _KNOTS + 1), slice(_KNOTS, 2 * _KNOTS + 1)):
        steps = np.maximum(np.diff(values[half]), _LEAST_STEP * 0.5 / _KNOTS)
        out[half] = values[half][0] + np.append(0.0, np.cumsum(steps)) * 0.5 / steps.sum()
    return out
