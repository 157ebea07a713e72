"""Regulate doors too narrow for two walkers: one direction passes at a time, the others wait beside.

The walker nearest to the door, entering or leaving, determines the direction. Of those that may pass the nearest goes
first and the others keep a distance behind it, so that they do not block the door. The rule has no memory: it depends
on positions and headings only.
"""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array
from gambol.primitives.navigation.routes import Routes
from gambol.primitives.navigation.segments import dot
from gambol.primitives.navigation.walker import Flags, Plane, WalkerLimits

_FIRST, _SLOT = 1.8, 0.8
"""Metres from a door to the first waiting walker, and between waiting walkers, two abreast on each side of the exit."""
_WAIT = 4.5
"""Metres from a door within which walkers queue or step aside."""
_CLAIM = 6.0
"""Metres within which a free door can be claimed."""
_LANE = 0.8
"""Metres to both sides of the exit path that waiting walkers keep free."""
_BEHIND = 0.5
"""Metres behind the walker in front at which a queue walks at full speed."""
_CREEP = 0.1
"""Metres behind the walker in front at which a queue stands."""


def control_doors(
    place: Plane, forward: Plane, passes: Array, routes: Routes, walker: WalkerLimits
) -> tuple[Array, Flags, Flags, Plane]:
    """Return for all agents (n,): share of top speed, whether it queues, whether it waits, and its waiting position.

    `forward` are the heading directions, 0 for agents that have arrived.
    """
    side, vector = routes.doors
    pace, aside = np.ones(len(place)), place.copy()
    queues, waits = np.zeros((2, len(place)), bool)
    for n in range(len(side)):
        middle, ahead = side[n] + 0.5 * vector[n], 1j * vector[n] / abs(vector[n])
        seen = (place - middle) * np.conj(ahead)
        distance = np.abs(seen)
        outward = np.sign(seen.real)
        leaves = (outward * dot(forward, ahead) > 0.5) & (distance < _WAIT) & (np.abs(seen.imag) < 1.2 * _LANE)
        goes = np.where(passes[:, n] != 0, passes[:, n], outward * leaves)
        claims = np.where((goes != 0) & (distance < _CLAIM), distance, np.inf)
        first = int(np.argmin(claims))
        if not np.isfinite(claims[first]):
            continue
        near = (passes[:, n] != 0) & (distance < _WAIT)
        late, queue = near & (goes != goes[first]), np.flatnonzero(near & (goes == goes[first]))
        gap = np.abs(place[queue, None] - place[queue]) - 2.0 * walker.clear_radius
        room = np.where(distance[queue] < distance[queue, None], gap, np.inf).min(axis=1, initial=np.inf)
        queues[queue[np.isfinite(room)]] = True
        pace[queue] = np.minimum(pace[queue], np.clip((room - _CREEP) / (_BEHIND - _CREEP), 0.0, 1.0))
        waits |= late
        for flank in (1.0, -1.0):
            line = np.flatnonzero(late & (np.where(seen.imag * goes > 0, 1.0, -1.0) == flank))
            line = line[np.argsort(distance[line], kind="stable")]
            rank = np.arange(len(line))
            slot = _FIRST + _SLOT * (rank // 2) + 1j * (_LANE + _SLOT * (rank % 2 + 0.5)) * flank
            aside[line] = middle - goes[line] * slot.conj() * ahead
    return pace, queues, waits, aside
