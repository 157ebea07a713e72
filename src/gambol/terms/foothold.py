"""Unknown footholds: the places of contacts shift in a plane and turn about its normal together.

A contact with a `Foothold` is fixed at the solved place, and its forces act there: their moment is a product of
unknowns, computed by kernels with exact derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.solve.kernel import Kernel, make_kernel
from gambol.solve.problem import Index, Problem
from gambol.terms.cross_product import Affine, add_cross
from gambol.terms.space import Space

_MAX_YAW = np.pi / 3.0
"""Radians. The constraints of a foot are written in the axes of its nominal place and become dependent at 90°."""


@dataclass(frozen=True, eq=False)
class Foothold:
    """An unknown place, shared by all contacts that refer to it; they keep their positions relative to it."""

    place: Array
    """(3,) metres, world: where the contacts are at their given places."""
    lower: Array = field(default_factory=lambda: np.full(2, -np.inf))
    upper: Array = field(default_factory=lambda: np.full(2, np.inf))
    """(2,) bounds in metres from `place` along the axes of the plane; those of a level plane are the world's x, y."""
    start: Array = field(default_factory=lambda: np.zeros(2))
    """(2,) metres from `place` along the axes at which the search begins."""
    preferred: Array | None = None
    """(3,) metres, world: the place of least cost; None for `place`."""
    weight: float = 1.0
    """Cost per square metre from the preferred place."""
    yaw: float = 0.0
    """Largest turn to either side about the normal (rad), at most 60 degrees."""
    yaw_weight: float = 1.0
    """Cost per square radian."""
    normal: Array = field(default_factory=lambda: UP)

    def __post_init__(self) -> None:
        if not 0.0 <= self.yaw <= _MAX_YAW:
            raise InputError(f"the yaw of a foothold is {np.degrees(self.yaw):.0f} degrees", fix="0 to 60 degrees")
        if not (np.shape(self.lower) == np.shape(self.upper) == (2,) and (self.lower < self.upper).all()):
            raise InputError(
                f"the bounds of a foothold are {self.lower} and {self.upper}", fix="two arrays (2,) with lower < upper"
            )

    @property
    def axes(self) -> Array:
        """(2, 3) unit vectors in the plane, as rows."""
        return find_plane_axes(self.normal)

    def variables(self, problem: Problem) -> Index:
        """Return the variables: (2,) metres along the axes, and the yaw (rad) as a third if it may turn."""
        return problem.shared(self, lambda: self._add_variables(problem))

    def move(self, places: Array, values: Array) -> Array:
        """Return the places (n, 3) of a contact for values of the variables."""
        moved = places + values[:2] @ self.axes
        if self.yaw:
            flat, across = self._arms(places)
            moved = moved + (np.cos(values[2]) - 1.0) * flat + np.sin(values[2]) * across
        return np.asarray(moved)

    def add_shift(self, problem: Problem, constraints: Index, place: Array, direction: Array) -> None:
        """Subtract the shift of a place (3,) along a direction from constraints that fix a point at that place."""
        values = self.variables(problem)
        problem.add_linear(constraints[:, None], values[:2], -self.axes @ direction)
        if self.yaw:
            (flat,), (across,) = self._arms(place[None])
            use = problem.add_kernel(_turn_kernel(), values[None, 2:], np.zeros((1, 0)))
            use.add(constraints[:, None], 0, np.arange(2), [-flat @ direction, -across @ direction])

    def add_moment(
        self, problem: Problem, constraints: Index, places: Array, edges: Array, forces: Index, scale: float
    ) -> None:
        """Add the moment that contact forces (frames, edges) gain by the shift to constraints (frames, 3).

        `places` (n, 3) are those of the contact's points, `edges` (edges, 3) the unit forces of their friction cones.
        """
        values = np.broadcast_to(self.variables(problem), (len(constraints), 2 + (self.yaw > 0.0)))
        force = Affine(forces, edges.T, np.zeros(3))
        add_cross(problem, constraints, Affine(values[:, :2], self.axes.T, np.zeros(3)), force, scale)
        if self.yaw:
            count = len(edges) // len(places)
            arms = [np.repeat(part, count, axis=0) for part in self._arms(places)]
            moments = np.vstack([np.cross(arm, edges).T for arm in arms])
            factors = np.zeros((7, 1 + len(edges)))
            factors[0, 0], factors[1:, 1:] = 1.0, moments
            columns = np.hstack([values[:, 2:], forces])
            use = problem.add_kernel(_turned_kernel(), columns, np.zeros((len(constraints), 0)), factors)
            use.add(constraints, np.arange(len(constraints))[:, None], np.arange(3), scale)

    def _arms(self, places: Array) -> tuple[Array, Array]:
        """Return the arms (n, 3) of places in the plane, and the same turned by 90 degrees."""
        arms = places - self.place
        return arms - np.outer(arms @ self.normal, self.normal), np.cross(self.normal, arms)

    def _add_variables(self, problem: Problem) -> Index:
        goal = np.zeros(2) if self.preferred is None else self.axes @ (self.preferred - self.place)
        values = problem.add_variables(np.clip(self.start, self.lower, self.upper), self.lower, self.upper)
        problem.add_squares("foothold", values[:, None], target=goal, weight=self.weight)
        if self.yaw:
            turn = problem.add_variables(np.zeros(1), -self.yaw, self.yaw)
            problem.add_squares("foothold yaw", turn[:, None], weight=self.yaw_weight)
            values = np.append(values, turn)
        return values


def find_plane_axes(normal: Array) -> Array:
    """Return two unit vectors (2, 3), as rows, in the plane with a normal (3,); x and y for a level one."""
    along = np.array([1.0, 0.0, 0.0]) - normal[0] * normal
    if np.linalg.norm(along) < 0.1:
        along = np.cross((0.0, 1.0, 0.0), normal)
    along = along / np.linalg.norm(along)
    return np.array([along, np.cross(normal, along)])


@dataclass(frozen=True, eq=False)
class FootholdChange:
    """Squared difference of the shifts of two successive footholds: each step of a path keeps its length and width."""

    before: Foothold | Array | None
    """(2,) metres for a known shift, None for none."""
    after: Foothold
    weight: float
    """Cost per square metre."""

    def add(self, space: Space) -> None:
        """Add one square per axis of the plane, which both share."""
        columns = [one.variables(space.problem)[:2] for one in (self.after, self.before) if isinstance(one, Foothold)]
        factors = np.array([1.0, -1.0])[: len(columns)]
        known = 0.0 if isinstance(self.before, Foothold) or self.before is None else self.before
        space.problem.add_squares("foothold change", np.stack(columns, axis=-1), factors, known, self.weight)


@cache
def _turn_kernel() -> Kernel:
    """Make the kernel (cos x - 1, sin x)."""
    import casadi as ca

    x = ca.SX.sym("x")
    return make_kernel("turn", x, ca.SX(0, 1), ca.vertcat(ca.cos(x) - 1, ca.sin(x)))


@cache
def _turned_kernel() -> Kernel:
    """Make the kernel (cos x - 1) a + sin x b of x, a and b."""
    import casadi as ca

    x = ca.SX.sym("x", 7)
    return make_kernel("turned", x, ca.SX(0, 1), (ca.cos(x[0]) - 1) * x[1:4] + ca.sin(x[0]) * x[4:])
