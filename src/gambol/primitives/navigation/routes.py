"""Ways around walls: the shortest way over the corners at the ends of walls, and the doors that it leads through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.geometry.arrays import Array
from gambol.primitives.navigation.floor_plan import FloorPlan, wall_segments
from gambol.primitives.navigation.segments import crossing_signs, segment_distances
from gambol.primitives.navigation.walker import Flags, Plane, WalkerLimits

_AWAY = 0.2
"""Metres that a corner lies farther from the end of a wall than a walker must."""
_SIGHT = 0.95
"""Share of a walker's reach that a line of sight keeps from walls, so that a walker along a wall still sees."""
_NARROW = 2.7
"""Gaps of less than this many walkers, 1.6 m, are doors: two do not meet in them."""


@dataclass(frozen=True, eq=False)
class Routes:
    """Corners, how far each goal is from them, and doors."""

    goals: Plane
    """(n,)."""
    corners: Plane
    """(c,)."""
    length: Array
    """(c, n) metres from a corner to the goal of an agent, infinite where there is no way."""
    walls: tuple[Plane, Plane]
    doors: tuple[Plane, Plane]
    """(d,) one side of each door, and the way to its other side."""
    doors_passed: Array
    """(c, n, d) 1 or -1 if the way from a corner to a goal passes a door from its right to its left or back, else 0."""
    clearance: float

    def next_targets(self, place: Plane) -> tuple[Plane, Array]:
        """The next point on everyone's way (n,), and the doors it leads through (n, d)."""
        if not len(self.walls[0]):
            return self.goals, np.zeros((len(place), 0))
        direct = np.where(_sees(place, self.goals, self.walls, self.clearance), np.abs(self.goals - place), np.inf)
        over = np.abs(self.corners[:, None] - place) + self.length
        over[~_sees(place[None, :], self.corners[:, None], self.walls, self.clearance)] = np.inf
        best, who = np.argmin(over, axis=0), np.arange(len(place))
        corner = over[best, who] < direct
        target = np.where(corner, self.corners[best], self.goals)
        doors = _passes(place, target, self.doors)
        later = np.where(corner[:, None], self.doors_passed[best, who], 0.0)
        return target, np.where(doors != 0, doors, later)

    def reachable(self, place: Plane) -> Flags:
        """Whether a way leads to everyone's goal (n,)."""
        if not len(self.walls[0]):
            return np.ones(len(place), bool)
        over = np.where(_sees(place[None, :], self.corners[:, None], self.walls, self.clearance), self.length, np.inf)
        return _sees(place, self.goals, self.walls, self.clearance) | np.isfinite(over.min(axis=0))


def find_routes(scene: FloorPlan, goals: Plane, walker: WalkerLimits) -> Routes:
    """The ways of a scene."""
    lines = wall_segments(scene)
    sight, corners = _SIGHT * walker.clear_radius, _corners(lines, walker.clear_radius + _AWAY)
    doors = _doors(lines, walker)
    length: Array = np.zeros((0, len(goals)))
    doors_passed: Array = np.zeros((0, len(goals), len(doors[0])))
    if len(lines[0]):
        between = np.abs(corners[:, None] - corners)
        between[~_sees(corners[:, None], corners[None, :], lines, sight)] = np.inf
        length = np.abs(corners[:, None] - goals)
        length[~_sees(corners[:, None], goals[None, :], lines, sight)] = np.inf
        through = _passes(corners[:, None], goals[None, :], doors)
        hop = _passes(corners[:, None], corners[None, :], doors)
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
            through[row, who] = np.where(first != 0, first, through[new, who])
            length = np.where(better, shorter, length)
    return Routes(goals, corners, length, lines, doors, through, sight)


def _corners(lines: tuple[Plane, Plane], away: float) -> Plane:
    """Three points around each end of each wall: beyond it, and to both sides of that."""
    start, way = lines
    unit = way / np.maximum(np.abs(way), 1e-9)
    ends, outward = np.r_[start, start + way], np.r_[-unit, unit]
    return np.concatenate([ends + away * outward * turn for turn in (1.0, 1.0 + 1.0j, 1.0 - 1.0j)])


def _doors(lines: tuple[Plane, Plane], walker: WalkerLimits) -> tuple[Plane, Plane]:
    """Gaps between ends of walls that let one walker through and not two."""
    start, way = lines
    ends = np.unique(np.round(np.r_[start, start + way], 6))
    one, other = np.triu_indices(len(ends), 1)
    wide = np.abs(ends[one] - ends[other]) / (2.0 * walker.clear_radius)
    found = (wide > 1.0) & (wide < _NARROW)
    one, other = ends[one[found]], ends[other[found]]
    middle = 0.25 * one + 0.75 * other
    clear = _sees(middle, 0.75 * one + 0.25 * other, lines, 0.02) if len(one) else np.zeros(0, bool)
    return one[clear], (other - one)[clear]


def _sees(place: Plane, target: Plane, lines: tuple[Plane, Plane], sight: float) -> Flags:
    """Whether a walker could go straight from places to targets, as far as walls go."""
    start, way = lines
    place, target = np.broadcast_arrays(place, target)
    return np.asarray(
        (segment_distances(place[..., None], (target - place)[..., None], start, way) >= sight).all(axis=-1)
    )


def _passes(place: Plane, target: Plane, doors: tuple[Plane, Plane]) -> Array:
    """Doors that straight ways lead through, with their sign (..., d)."""
    place, target = np.broadcast_arrays(place, target)
    return crossing_signs(place[..., None], (target - place)[..., None], *doors)
