"""Footholds that are unknown: the places of contacts move over a plane, and turn about its normal, as one.

A contact with a `Foothold` is held wherever that comes to lie, and its forces act there: their moment is the product
of two unknowns, which kernels hold with exact derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.solve.kernel import Kernel, make_kernel
from gambol.solve.problem import Index, Problem
from gambol.terms.cross_product import Affine, add_cross
from gambol.terms.contacts import UP, ContactConstraint

_MOST_YAW = np.pi / 3.0
"""Radians: the constraints of a foot are written in the axes of its nominal place, and depend on each other at 90°."""


@dataclass(frozen=True, eq=False)
class Foothold:
    """An unknown place, shared by all contacts that name it; they keep their distances from it."""

    place: Array
    """(3,) metres, world: where the search begins, with the places of the contacts as they are given."""
    lower: Array = field(default_factory=lambda: np.full(2, -np.inf))
    upper: Array = field(default_factory=lambda: np.full(2, np.inf))
    """(2,) metres from `place` along the axes of the plane; those of a level one are the world's x and y."""
    preferred: Array | None = None
    """(3,) metres, world: the place with the least cost; `place` where none is given."""
    weight: float = 1.0
    """Cost per square metre from the preferred place."""
    yaw: float = 0.0
    """Radians that it may turn either way about the normal, at most 60 degrees."""
    yaw_weight: float = 1.0
    """Cost per square radian."""
    normal: Array = field(default_factory=lambda: UP)

    def __post_init__(self) -> None:
        if not 0.0 <= self.yaw <= _MOST_YAW:
            raise InputError(f"a foothold cannot turn by {np.degrees(self.yaw):.0f} degrees", fix="0 to 60 degrees")
        if not (np.shape(self.lower) == np.shape(self.upper) == (2,) and (self.lower < self.upper).all()):
            raise InputError(f"no room for a foothold between {self.lower} and {self.upper}", fix="lower < upper (2,)")

    @property
    def axes(self) -> Array:
        """(2, 3) rows: unit vectors in the plane."""
        along = np.array([1.0, 0.0, 0.0]) - self.normal[0] * self.normal
        if np.linalg.norm(along) < 0.1:
            along = np.cross((0.0, 1.0, 0.0), self.normal)
        along = along / np.linalg.norm(along)
        return np.array([along, np.cross(self.normal, along)])

    def variables(self, problem: Problem) -> Index:
        """(2,) metres along the axes; a third, the yaw in radians, where it may turn."""
        return problem.shared(self, lambda: self._variables(problem))

    def move(self, places: Array, values: Array) -> Array:
        """Places (n, 3) of a contact for values of the variables."""
        moved = places + values[:2] @ self.axes
        if self.yaw:
            flat, across = self._turning(places)
            moved = moved + (np.cos(values[2]) - 1.0) * flat + np.sin(values[2]) * across
        return np.asarray(moved)

    def add_shift(self, problem: Problem, rows: Index, place: Array, direction: Array) -> None:
        """Take the change of a place (3,) along a direction from rows that hold a point at its nominal place."""
        values = self.variables(problem)
        problem.add_linear(rows[:, None], values[:2], -self.axes @ direction)
        if self.yaw:
            (flat,), (across,) = self._turning(place[None])
            use = problem.add_kernel(_turn_kernel(), values[None, 2:], np.zeros((1, 0)))
            use.add(rows[:, None], 0, np.arange(2), [-flat @ direction, -across @ direction])

    def add_moment(self, problem: Problem, rows: Index, hold: ContactConstraint, pushes: Index, scale: float) -> None:
        """Add what the change of place adds to the moment of pushes (frames, edges) to rows (frames, 3)."""
        values = np.broadcast_to(self.variables(problem), (len(rows), 2 + (self.yaw > 0.0)))
        edges = hold.edges_about(self.place)[:, :3]
        force = Affine(pushes, edges.T, np.zeros(3))
        add_cross(problem, rows, Affine(values[:, :2], self.axes.T, np.zeros(3)), force, scale)
        if self.yaw:
            arms = [np.repeat(part, len(edges) // len(hold.places), axis=0) for part in self._turning(hold.places)]
            moments = np.vstack([np.cross(arm, edges).T for arm in arms])
            factors = np.zeros((7, 1 + len(edges)))
            factors[0, 0], factors[1:, 1:] = 1.0, moments
            columns = np.hstack([values[:, 2:], pushes])
            use = problem.add_kernel(_turned_kernel(), columns, np.zeros((len(rows), 0)), factors)
            use.add(rows, np.arange(len(rows))[:, None], np.arange(3), scale)

    def _turning(self, places: Array) -> tuple[Array, Array]:
        """The arms (n, 3) of places in the plane, and at right angles to them."""
        arms = places - self.place
        return arms - np.outer(arms @ self.normal, self.normal), np.cross(self.normal, arms)

    def _variables(self, problem: Problem) -> Index:
        goal = np.zeros(2) if self.preferred is None else self.axes @ (self.preferred - self.place)
        values = problem.add_variables(np.clip(np.zeros(2), self.lower, self.upper), self.lower, self.upper)
        problem.add_squares("foothold", values[:, None], target=goal, weight=self.weight)
        if self.yaw:
            turn = problem.add_variables(np.zeros(1), -self.yaw, self.yaw)
            problem.add_squares("foothold yaw", turn[:, None], weight=self.yaw_weight)
            values = np.append(values, turn)
        return values


@cache
def _turn_kernel() -> Kernel:
    """cos x - 1 and sin x."""
    import casadi as ca

    x = ca.SX.sym("x")
    return make_kernel("turn", x, ca.SX(0, 1), ca.vertcat(ca.cos(x) - 1, ca.sin(x)))


@cache
def _turned_kernel() -> Kernel:
    """(cos x - 1) a + sin x b of x, a and b."""
    import casadi as ca

    x = ca.SX.sym("x", 7)
    return make_kernel("turned", x, ca.SX(0, 1), (ca.cos(x[0]) - 1) * x[1:4] + ca.sin(x[0]) * x[4:])
