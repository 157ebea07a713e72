"""Let a robot fall freely in flight, as high as the time in the air asks for.

A smaller robot that keeps a person's time would fall too slowly, and one whose limbs have other masses not evenly.
Whole flights are raised or lowered, with the feet. A robot that jumps higher leaves the ground faster: it crouches
deeper before, and lands deeper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gambol.assumptions import GRAVITY
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.vectors import UP
from gambol.robots.biped import Biped
from gambol.robots.references.sole_path import SolePath
from gambol.robots.sole_shapes import level_sole
from gambol.stages.flight import fit_acceleration

_SHORTEST = 0.1
"""Seconds of the shortest flight whose acceleration can be measured."""
_PUSH = 0.25
"""Longest time (s) before and after a flight in which a robot pushes off and lands differently."""


def find_flight_rise(heights: Array, aloft: NDArray[np.bool_], frame_time: float) -> Array:
    """Return by how much (frames,) a robot is raised (m), for its centre of mass to fall freely while it is aloft.

    `heights` (frames,) are those of the centre of mass (m). The rise is a parabola in a flight and a cubic before and
    after it, with equal slopes where they meet.
    """
    frames, rise = np.arange(len(heights)), np.zeros(len(heights))
    slopes: dict[int, float] = {}
    for first, last in find_runs(aloft):
        if (last - first) * frame_time < _SHORTEST:
            continue
        begin, end = max(first - 1, 0), min(last + 1, len(heights) - 1)
        missing = GRAVITY + fit_acceleration(heights[first : last + 1], frame_time)
        bend = 0.5 * missing * frame_time**2
        span = frames[begin : end + 1]
        rise[span] += bend * (span - begin) * (end - span)
        slopes |= {begin: bend * (end - begin), end: bend * (end - begin)}
    for first, last in find_runs(~aloft):
        span, long = frames[first : last + 1], min(_PUSH / frame_time, (last - first) / 2)
        for edge in slopes.keys() & {first, last}:
            share = np.clip(1.0 - np.abs(span - edge) / max(long, 1.0), 0.0, 1.0)
            rise[span] += long * slopes[edge] * (share**3 - share**2)
    return rise


def raise_flights(biped: Biped, soles: Mapping[str, SolePath], rise: Array) -> dict[str, SolePath]:
    """Return paths of soles raised by (frames,) metres where neither rests, but not below the ground."""
    aloft = find_aloft(soles)
    raised = {}
    for side, path in soles.items():
        lowest = -path.find_heights(level_sole(biped, side)).min(axis=1)
        lift = np.where(aloft, np.maximum(rise, np.minimum(lowest, 0.0)), 0.0)
        raised[side] = replace(path, places=path.places + lift[:, None] * UP)
    return raised


def find_aloft(soles: Mapping[str, SolePath]) -> NDArray[np.bool_]:
    """Return in which frames (frames,) neither sole rests."""
    return np.asarray(~np.any([path.touching for path in soles.values()], axis=0))
