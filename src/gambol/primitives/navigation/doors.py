"""Turns at doors: one direction at a time passes a gap in which two walkers cannot meet; the others wait beside it.

Who is nearest to the door decides, on its way in or still on its way out. Of those who may pass the nearest goes first
and the others leave room behind it, so that no arch of shoulders closes the door. Nothing is remembered: the rule
depends on places and headings alone.
"""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array
from gambol.primitives.navigation.routes import Routes
from gambol.primitives.navigation.segments import dot
from gambol.primitives.navigation.walker import Flags, Plane, WalkerLimits

_FIRST, _SLOT = 1.8, 0.8
"""Metres from a door to the first who waits, and between those who wait, two abreast to each side of the way out."""
_WAIT = 4.5
"""Metres from a door where those who have to wait begin to step aside, and where a queue forms."""
_CLAIM = 6.0
"""Metres from which a free door can be claimed."""
_LANE = 0.8
"""Metres to both sides of the way out that those who wait keep free."""
_BEHIND = 0.5
"""Metres of room behind the one in front at which a queue walks at full pace."""
_CREEP = 0.1
"""Metres of room at which it stands."""


def control_doors(
    place: Plane, forward: Plane, passes: Array, routes: Routes, walker: WalkerLimits
) -> tuple[Array, Flags, Flags, Plane]:
    """The share of top speed that doors leave everyone, who follows someone into one, who waits, and where to (n,).

    `forward` are the directions in which agents look, nought for those who have arrived.
    """
    side, way = routes.doors
    pace, aside = np.ones(len(place)), place.copy()
    queues, waits = np.zeros((2, len(place)), bool)
    for n in range(len(side)):
        middle, ahead = side[n] + 0.5 * way[n], 1j * way[n] / abs(way[n])
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
