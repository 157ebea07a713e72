"""Move footholds apart where the soles of a robot would overlap: they are larger than a person's feet.

People who turn, or step sideways, put their feet close to each other, and across.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.vectors import lengths
from gambol.robots.biped import Biped
from gambol.robots.references.sole_path import SolePath, slide_spans
from gambol.robots.sole_shapes import level_sole
from gambol.stages.feet import SIDES

_BETWEEN = 0.01
"""Metres between soles that rest beside each other."""
_HIGHER = 0.1
"""Metres of difference in height from which one foot may be above the other, as on stairs."""
_ROUNDS = 5
"""Times that pairs of footholds are moved: one may be near to several others."""


def move_apart(biped: Biped, soles: Mapping[str, SolePath]) -> dict[str, SolePath]:
    """Return paths whose footholds are beside each other while both feet rest; both of a pair move, by as much."""
    left, right = (soles[side].find_corners(level_sole(biped, side))[..., :2] for side in SIDES)
    spans = [list(find_runs(soles[side].touching)) for side in SIDES]
    shifts = [np.zeros((len(own), 2)) for own in spans]
    pairs = [
        (one, other, both)
        for (one, mine), (other, theirs) in product(*map(enumerate, spans))
        if (both := slice(max(mine[0], theirs[0]), min(mine[1], theirs[1]) + 1)).start < both.stop
        and np.ptp([path.ground[both].mean() for path in soles.values()]) < _HIGHER
    ]
    for _ in range(_ROUNDS):
        for one, other, both in pairs:
            moves = find_way_out(left[both] + shifts[0][one], right[both] + shifts[1][other])
            move = 0.5 * moves[lengths(moves).argmax()]
            shifts[0][one] -= move
            shifts[1][other] += move
        if not np.any(shifts[0]):
            break
    return {side: slide_spans(soles[side], spans[n], shifts[n]) for n, side in enumerate(SIDES)}


def find_way_out(one: Array, other: Array) -> Array:
    """Return the shortest moves (frames, 2) of rectangles that bring them beside others, with corners (frames, 4, 2).

    Rectangles are beside each other if an edge of one of them is between them. Corners are in the order of those of
    soles.
    """
    edges = np.stack([each[:, corner] - each[:, 0] for each in (one, other) for corner in (1, 2)], axis=1)
    across = edges[..., ::-1] * (1.0, -1.0) / np.maximum(lengths(edges)[..., None], 1e-9)
    across = np.concatenate((across, -across), axis=1)
    mine, theirs = (np.einsum("fac,fnc->fan", across, each) for each in (one, other))
    needed = mine.max(axis=2) - theirs.min(axis=2) + _BETWEEN
    chosen = needed.argmin(axis=1)[:, None]
    least = np.maximum(np.take_along_axis(needed, chosen, axis=1), 0.0)
    return np.asarray(least * np.take_along_axis(across, chosen[..., None], axis=1)[:, 0])
