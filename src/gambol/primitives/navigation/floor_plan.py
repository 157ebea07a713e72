"""Floor plans: starts and goals of agents, poles and walls, with checks of the input."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.primitives.navigation.segments import nearest_points
from gambol.primitives.navigation.walker import AgentStates, Plane, WalkerLimits

_FARTHEST = 1e4
"""Largest coordinate (metres) that is accepted."""


@dataclass(frozen=True, eq=False)
class FloorPlan:
    """A floor with agents, poles and walls."""

    starts: Array
    """(n, 2) metres."""
    goals: Array
    """(n, 2) metres."""
    headings: Array | None = None
    """(n,) radians; default: towards the goals."""
    poles: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """(m, 3) x, y, radius."""
    walls: Array = field(default_factory=lambda: np.zeros((0, 4)))
    """(k, 4) x, y of one end and of the other."""
    bounds: Array | None = None
    """(4,) least x, least y, most x, most y; adds four walls."""
    name: str = "scene"

    def __post_init__(self) -> None:
        shapes = {"starts": 2, "goals": 2, "poles": 3, "walls": 4}
        for name, width in shapes.items():
            object.__setattr__(self, name, _table(getattr(self, name), name, width))
        count = len(self.starts)
        if not count:
            raise InputError("the scene has no agents", fix="give one start and one goal per agent")
        if len(self.goals) != count:
            raise InputError(f"{count} starts but {len(self.goals)} goals", fix="give one of each per agent")
        vector = self.goals - self.starts
        headings = np.arctan2(vector[:, 1], vector[:, 0]) if self.headings is None else self.headings
        headings = _table(np.reshape(np.asarray(headings, float), (-1, 1)), "headings", 1)[:, 0]
        if len(headings) != count:
            raise InputError(f"{count} agents but {len(headings)} headings")
        object.__setattr__(self, "headings", headings)
        if (self.poles[:, 2] <= 0.0).any():
            raise InputError(f"the radius of pole {int(np.argmin(self.poles[:, 2]))} is not above 0")
        if self.bounds is not None:
            object.__setattr__(self, "walls", np.concatenate([self.walls, _fence(self.bounds)]))

    @property
    def state(self) -> AgentStates:
        """All agents at rest at their starts."""
        zero = np.zeros(len(self.starts))
        heading = zero if self.headings is None else self.headings
        return AgentStates(self.starts, heading, zero, zero, zero)


def check_starts(plan: FloorPlan, walker: WalkerLimits) -> None:
    """Raise an InputError for agents that start inside each other, a pole or a wall."""
    pairs = cKDTree(plan.starts).query_pairs(2.0 * walker.clear_radius, output_type="ndarray")
    if len(pairs):
        one, other = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))[0]]
        distance = float(np.hypot(*(plan.starts[one] - plan.starts[other])))
        raise InputError(
            f"agents {one} and {other} start {distance:.2f} m apart, inside each other",
            fix=f"start them at least {2.0 * walker.clear_radius:.2f} m apart",
        )
    for n, start in enumerate(plan.starts):
        inside = find_obstruction(plan, complex(*start), walker)
        if inside:
            raise InputError(
                f"agent {n} starts inside {inside}", fix=f"keep {walker.clear_radius:.2f} m around each start free"
            )


def find_obstruction(plan: FloorPlan, point: complex, walker: WalkerLimits) -> str:
    """Return the name of what a walker at a point would touch; empty if nothing."""
    poles, (start, vector) = to_complex(plan.poles), wall_segments(plan)
    near = np.flatnonzero(np.abs(poles - point) < plan.poles[:, 2] + walker.clear_radius)
    if len(near):
        return f"pole {near[0]}"
    near = np.flatnonzero(np.abs(_nearest_of_walls(point, start, vector) - point) < walker.clear_radius)
    return f"wall {near[0]}" if len(near) else ""


def find_free_point(plan: FloorPlan, goal: complex, start: complex, walker: WalkerLimits) -> complex:
    """Return the first free position from a blocked goal towards the start."""
    vector = start - goal
    for share in np.linspace(0.0, 1.0, 400):
        if not find_obstruction(plan, goal + share * vector, walker):
            return complex(goal + share * vector)
    return start


def to_complex(points: Array) -> Plane:
    """Return the first two columns as complex numbers x + iy."""
    return points[:, 0] + 1j * points[:, 1]


def wall_segments(plan: FloorPlan) -> tuple[Plane, Plane]:
    """Return one end of each wall and the vector to the other (k,)."""
    start = to_complex(plan.walls)
    return start, to_complex(plan.walls[:, 2:]) - start


def _nearest_of_walls(point: complex, start: Plane, vector: Plane) -> Plane:
    still = np.zeros_like(start)
    return nearest_points(still + point, still, start, vector)[1]


def _table(value: ArrayLike, name: str, width: int) -> Array:
    """Return a table (rows, width) of finite numbers, checked."""
    try:
        table = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"'{name}' is not a table of numbers", fix=f"give {width} numbers per row") from None
    if table.size == 0:
        return np.zeros((0, width))
    if table.ndim != 2 or table.shape[1] != width:
        raise InputError(f"'{name}' has the shape {table.shape}", fix=f"give {width} numbers per row")
    wrong = np.flatnonzero(~(np.abs(table) < _FARTHEST).all(axis=1))
    if len(wrong):
        raise InputError(
            f"row {wrong[0]} of '{name}' is {table[wrong[0]].tolist()}", fix="give finite numbers in metres"
        )
    return table


def _fence(bounds: ArrayLike) -> Array:
    """Return four walls around `bounds`."""
    left, low, right, high = _table(np.reshape(np.asarray(bounds, float), (1, -1)), "bounds", 4)[0]
    if not (left < right and low < high):
        raise InputError(f"'bounds' are {[left, low, right, high]}", fix="give least x, least y, most x, most y")
    corners = [(left, low), (right, low), (right, high), (left, high)]
    return np.array([[*one, *other] for one, other in zip(corners, corners[1:] + corners[:1], strict=True)])
