"""Grade contacts by the distance in phase from their begin or end, so that they can be blended (M17 section 2.4).

Averages of contacts that are 0 or 1 have plateaus: half-way between two styles, a foot whose contact ends early in one
and late in the other is half in contact for a long time. The signed distance to the nearest begin or end has no
plateau. It is 1/2 where contact begins and ends, and in a blend it is 1/2 at the blend of these phases.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.arrays import Array

_NEAR = 0.15
"""Largest distance, as a share of a cycle: more than begins and ends of contacts differ between styles."""
_GAP = 0.05
"""Longest gap in a contact that is closed, as a share of a cycle (60 ms of a stride): feet rock after a strike."""


def grade_contacts(contacts: Array, repeats: bool) -> Array:
    """Return values (phases, points) from 0 to 1 that are above 1/2 during contacts (phases, points).

    Phases cover one cycle, both ends included. `repeats` is whether its end is the begin of the next cycle.
    """
    return np.stack([_graded(row, repeats) for row in np.asarray(contacts, dtype=float).T], axis=1)


def _graded(row: Array, repeats: bool) -> Array:
    turn = len(row) - 1
    level = np.where(_closed(row > 0.5, repeats) & (row <= 0.5), 1.0, row) - 0.5
    before = np.flatnonzero((level[:-1] > 0.0) != (level[1:] > 0.0))
    edges = before + level[before] / (level[before] - level[before + 1])
    if repeats and (level[-1] > 0.0) != (level[0] > 0.0):
        edges = np.append(edges, 0.0)
    if not len(edges):
        return np.where(level > 0.0, 1.0, 0.0)
    apart = np.abs(np.arange(len(row))[:, None] - edges)
    if repeats:
        apart = np.minimum(apart, turn - apart)
    distance = np.where(level > 0.0, 1.0, -1.0) * apart.min(axis=1) / turn
    return 0.5 + 0.5 * np.clip(distance / _NEAR, -1.0, 1.0)


def _closed(down: NDArray[np.bool_], repeats: bool) -> NDArray[np.bool_]:
    """Return contacts (phases,) with short gaps closed."""
    from scipy.ndimage import binary_closing

    wide = int(_GAP * len(down)) + 1
    around = np.pad(down[:-1], (wide, wide + 1), mode="wrap") if repeats else np.pad(down, wide, mode="edge")
    filled: NDArray[np.bool_] = binary_closing(around, np.ones(wide, dtype=bool))
    return filled[wide : wide + len(down)]
