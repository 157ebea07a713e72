"""Shortest routes around walls over points near their ends, and the doors that they pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.geometry.arrays import Array
from gambol.primitives.navigation.floor_plan import FloorPlan, wall_segments
from gambol.primitives.navigation.segments import crossing_signs, segment_distances
from gambol.primitives.navigation.walker import Flags, Plane, WalkerLimits

_AWAY = 0.2
"""Extra distance (metres) of a corner point from the end of a wall."""
_SIGHT = 0.95
"""Clearance of a line of sight from walls as a share of a walker's radius; below 1, so that walkers along a wall
see."""
_NARROW = 2.7
"""Gaps narrower than this many walkers (1.6 m) are doors, which two walkers cannot pass at once."""


@dataclass(frozen=True, eq=False)
class Routes:
    """Corner points, their distances from the goals, and doors."""

    goals: Plane
    """(n,)."""
    corners: Plane
    """(c,)."""
    length: Array
    """(c, n) metres from a corner to the goal of an agent; infinite if unreachable."""
    walls: tuple[Plane, Plane]
    doors: tuple[Plane, Plane]
    """(d,) one end of each door, and the vector to its other end."""
    doors_passed: Array
    """(c, n, d) 1 or -1 if the route from a corner to a goal passes a door from right to left or back, else 0."""
    clearance: float

    def next_targets(self, place: Plane) -> tuple[Plane, Array]:
        """Return the next point on every route (n,), and the doors it passes (n, d)."""
        if not len(self.walls[0]):
            return self.goals, np.zeros((len(place), 0))
        direct = np.where(_is_free(place, self.goals, self.walls, self.clearance), np.abs(self.goals - place), np.inf)
        over = np.abs(self.corners[:, None] - place) + self.length
        over[~_is_free(place[None, :], self.corners[:, None], self.walls, self.clearance)] = np.inf
        best, who = np.argmin(over, axis=0), np.arange(len(place))
        corner = over[best, who] < direct
        target = np.where(corner, self.corners[best], self.goals)
        doors = _find_passed_find_doors(place, target, self.doors)
        later = np.where(corner[:, None], self.doors_passed[best, who], 0.0)
        return target, np.where(doors != 0, doors, later)

    def reachable(self, place: Plane) -> Flags:
        """Whether each goal (n,) is reachable."""
        if not len(self.walls[0]):
            return np.ones(len(place), bool)
        over = np.where(
            _is_free(place[None, :], self.corners[:, None], self.walls, self.clearance), self.length, np.inf
        )
        return _is_free(place, self.goals, self.walls, self.clearance) | np.isfinite(over.min(axis=0))


def find_routes(plan: FloorPlan, goals: Plane, walker: WalkerLimits) -> Routes:
    """Find the routes of a floor plan."""
    lines = wall_segments(plan)
    sight, corners = _SIGHT * walker.clear_radius, _corner_points(lines, walker.clear_radius + _AWAY)
    doors = _find_doors(lines, walker)
    length: Array = np.zeros((0, len(goals)))
    doors_passed: Array = np.zeros((0, len(goals), len(doors[0])))
    if len(lines[0]):
        between = np.abs(corners[:, None] - corners)
        between[~_is_free(corners[:, None], corners[None, :], lines, sight)] = np.inf
        length = np.abs(corners[:, None] - goals)
        length[~_is_free(corners[:, None], goals[None, :], lines, sight)] = np.inf
        doors_passed = _find_passed_find_doors(corners[:, None], goals[None, :], doors)
        hop = _find_passed_find_doors(corners[:, None], corners[None, :], doors)
        for _ in corners:
            over = between[:, :, None] + length
            best = np.argmin(over, axis=1)
            shorter = np.take_along_axis(over, best[:, None], axis=1)[:, 0]
            better = shorter < length - 1e-9
            if not better.any():
                break
            row, who = np.nonzero(better)
            new = best[row, who]
            first = hop[row, new]
            doors_passed[row, who] = np.where(first != 0, first, doors_passed[new, who])
            length = np.where(better, shorter, length)
    return Routes(goals, corners, length, lines, doors, doors_passed, sight)


def _corner_points(lines: tuple[Plane, Plane], away: float) -> Plane:
    """Return three points around each end of each wall: beyond it, and to both sides of that."""
    start, vector = lines
    unit = vector / np.maximum(np.abs(vector), 1e-9)
    ends, outward = np.r_[start, start + vector], np.r_[-unit, unit]
    return np.concatenate([ends + away * outward * turn for turn in (1.0, 1.0 + 1.0j, 1.0 - 1.0j)])


def _find_doors(lines: tuple[Plane, Plane], walker: WalkerLimits) -> tuple[Plane, Plane]:
    """Return the gaps between ends of walls that one walker can pass but not two."""
    start, vector = lines
    ends = np.unique(np.round(np.r_[start, start + vector], 6))
    one, other = np.triu_indices(len(ends), 1)
    wide = np.abs(ends[one] - ends[other]) / (2.0 * walker.clear_radius)
    found = (wide > 1.0) & (wide < _NARROW)
    one, other = ends[one[found]], ends[other[found]]
    middle = 0.25 * one + 0.75 * other
    clear = _is_free(middle, 0.75 * one + 0.25 * other, lines, 0.02) if len(one) else np.zeros(0, bool)
    return one[clear], (other - one)[clear]


def _is_free(place: Plane, target: Plane, lines: tuple[Plane, Plane], sight: float) -> Flags:
    """Whether no wall blocks the straight line from positions to targets."""
    start, vector = lines
    place, target = np.broadcast_arrays(place, target)
    return np.asarray(
        (segment_distances(place[..., None], (target - place)[..., None], start, vector) >= sight).all(axis=-1)
    )


def _find_passed_find_doors(place: Plane, target: Plane, doors: tuple[Plane, Plane]) -> Array:
    """Return the signed doors (..., d) that straight lines pass."""
    place, target = np.broadcast_arrays(place, target)
    return crossing_signs(place[..., None], (target - place)[..., None], *doors)
