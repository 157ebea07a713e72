"""Phases of pushed examples: which frame of the normal walk every frame of an example corresponds to."""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array

_ADVANCES = (0, 1, 2)
"""Frames of the normal walk that may pass during one frame of an example: a push makes steps quicker or slower."""
_HURRY = 3.0
"""Price of an advance other than 1, in squared mean distances between successive frames of the normal walk."""


def match_phases(normal: Array, features: Array) -> Array:
    """Return the frames (frames,) of a loop of features (period, D) that match features (frames, D) in order.

    They are the sequence with the least sum of squared distances in which 0 to 2 frames pass at a time.
    """
    period = len(normal)
    costs = ((features[:, None] - normal[None]) ** 2).sum(axis=2)
    costs /= (np.diff(normal, axis=0) ** 2).sum(axis=1).mean()
    total, origins = costs[0], []
    for cost in costs[1:]:
        reached = np.array([np.roll(total, by) + _HURRY * (by != 1) for by in _ADVANCES])
        best = reached.argmin(axis=0)
        origins.append((np.arange(period) - np.array(_ADVANCES)[best]) % period)
        total = reached[best, np.arange(period)] + cost
    path = [int(total.argmin())]
    for back in reversed(origins):
        path.append(int(back[path[-1]]))
    return np.array(path[::-1], dtype=float)


def interpolate_loop(rows: Array, phase: float) -> Array:
    """Return a row (D,) between those of a loop (period, D) at a fractional frame."""
    before, share = int(np.floor(phase)), phase % 1.0
    return (1.0 - share) * rows[before % len(rows)] + share * rows[(before + 1) % len(rows)]
