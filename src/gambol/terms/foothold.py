"""Unknown footholds: the places of contacts shift in a plane and turn about its normal together.

A contact with a `Foothold` is fixed at the solved place, and its forces act there: their moment is a product of
unknowns, computed by kernels with exact derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from gambol.contacts.foothold import Foothold
from gambol.geometry.arrays import Array
from gambol.solve.kernel import Kernel, make_kernel
from gambol.solve.problem import Index, Problem
from gambol.terms.cross_product import Affine, add_cross
from gambol.terms.space import Space


def find_variables(foothold: Foothold, problem: Problem) -> Index:
    """Return the variables: (2,) metres along the axes, and the yaw (rad) as a third if it may turn."""
    return problem.shared(foothold, lambda: _add_variables(foothold, problem))


def add_shift(foothold: Foothold, problem: Problem, constraints: Index, place: Array, direction: Array) -> None:
    """Subtract the shift of a place (3,) along a direction from constraints that fix a point at that place."""
    values = find_variables(foothold, problem)
    problem.add_linear(constraints[:, None], values[:2], -foothold.axes @ direction)
    if foothold.yaw:
        (flat,), (across,) = foothold.arms(place[None])
        use = problem.add_kernel(_turn_kernel(), values[None, 2:], np.zeros((1, 0)))
        use.add(constraints[:, None], 0, np.arange(2), [-flat @ direction, -across @ direction])


def add_moment(
    foothold: Foothold,
    problem: Problem,
    constraints: Index,
    places: Array,
    edges: Array,
    forces: Index,
    scale: float,
) -> None:
    """Add the moment that contact forces (frames, edges) gain by the shift to constraints (frames, 3).

    `places` (n, 3) are those of the contact's points, `edges` (edges, 3) the unit forces of their friction cones.
    """
    values = np.broadcast_to(find_variables(foothold, problem), (len(constraints), 2 + (foothold.yaw > 0.0)))
    force = Affine(forces, edges.T, np.zeros(3))
    add_cross(problem, constraints, Affine(values[:, :2], foothold.axes.T, np.zeros(3)), force, scale)
    if foothold.yaw:
        count = len(edges) // len(places)
        arms = [np.repeat(part, count, axis=0) for part in foothold.arms(places)]
        moments = np.vstack([np.cross(arm, edges).T for arm in arms])
        factors = np.zeros((7, 1 + len(edges)))
        factors[0, 0], factors[1:, 1:] = 1.0, moments
        columns = np.hstack([values[:, 2:], forces])
        use = problem.add_kernel(_turned_kernel(), columns, np.zeros((len(constraints), 0)), factors)
        use.add(constraints, np.arange(len(constraints))[:, None], np.arange(3), scale)


def _add_variables(foothold: Foothold, problem: Problem) -> Index:
    goal = np.zeros(2) if foothold.preferred is None else foothold.axes @ (foothold.preferred - foothold.place)
    values = problem.add_variables(
        np.clip(foothold.start, foothold.lower, foothold.upper), foothold.lower, foothold.upper
    )
    problem.add_squares("foothold", values[:, None], target=goal, weight=foothold.weight)
    if foothold.yaw:
        turn = problem.add_variables(np.zeros(1), -foothold.yaw, foothold.yaw)
        problem.add_squares("foothold yaw", turn[:, None], weight=foothold.yaw_weight)
        values = np.append(values, turn)
    return values


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
        columns = [
            find_variables(one, space.problem)[:2] for one in (self.after, self.before) if isinstance(one, Foothold)
        ]
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
