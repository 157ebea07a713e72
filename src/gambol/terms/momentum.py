"""Momentum over a motion (L05 section 3.6): a parabola and constant spin in flight, on the ground what feet can give.

Flight is eq. 3.8 and 3.9. On the ground the printed form shapes momentum by a characteristic curve and knows no forces
(`terms.curve`); as we read the curve, a broad jump then needs friction of 1.3, twist jumps 3.9, and both feet that
pull. Here every point that is held pushes within its friction cone: Newton and Euler are rows, and cone, pressure
inside the support, peak and pulling are bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

import numpy as np

from gambol.body.character import GRAVITY
from gambol.geometry.arrays import Array
from gambol.solve.problem import Index
from gambol.terms.cross_product import Affine, add_cross
from gambol.terms.forces import Wrench, WrenchRows
from gambol.terms.contacts import ContactConstraint
from gambol.terms.space import Space


@dataclass(frozen=True, eq=False)
class NewtonEuler:
    """Newton's and Euler's laws in every frame but the first and the last."""

    holds: tuple[ContactConstraint, ...]
    gravity: float | Array = GRAVITY
    """Metres a second squared, one or one a frame."""
    peak: float = 5.0
    """Body weights (of the earth) that all pushes together may reach."""
    cost: float = 1e-3
    """Of a push squared: it spreads the load over the points that share it."""
    pushes: bool = True
    """Whether what is held pushes; without, the ground's momentum is left to `terms.curve`."""
    soft: float | Array | None = None
    """Price of momentum from nowhere, squared body weights (and metres) times seconds, one or one a frame; None, or an
    infinite price, allows none."""
    forces: tuple[Wrench, ...] = ()
    """What acts besides the holds: external forces, grasps of other characters."""

    def add(self, space: Space) -> None:
        """Rows for flight and ground."""
        every: tuple[ContactConstraint | Wrench, ...] = (*self.holds, *self.forces)
        for frames, acting in group_frames(every, len(space)):
            inner = frames[(frames > 0) & (frames < len(space) - 1)]
            holds = tuple(one for one in acting if isinstance(one, ContactConstraint))
            if not len(inner) or (holds and not self.pushes):
                continue
            newton, euler = self._inertia(space, inner, bool(acting))
            about = _near(space, inner, holds)
            rows = WrenchRows(newton, euler, about)
            if holds:
                self._push(space, inner, holds, rows)
            for force in acting:
                if not isinstance(force, ContactConstraint):
                    force.add_wrench(space, inner, rows, -1.0 / space.character.mass)
            if acting:
                self._lever(space, inner, rows)
            if self.soft is not None:
                price = np.broadcast_to(self.soft, len(space))[inner]
                some = np.isfinite(price)
                if some.any():
                    given = WrenchRows(newton[some], euler[some], about)
                    _help(space, inner[some], given, price[some], lever=bool(acting))

    def _inertia(self, space: Space, frames: Index, held: bool) -> tuple[Index, Index]:
        """The change of momentum a second and kilogram, in rows that hold gravity and nothing else yet."""
        problem, step = space.problem, space.frame_time
        falling = np.outer(self._pull(space, frames), [0.0, 0.0, -1.0])
        newton = problem.add_constraints("Newton's law" if held else "flight parabola", falling)
        euler = problem.add_constraints("Euler's law" if held else "spin in flight", np.zeros((len(frames), 3)))
        for rows, rate in ((newton, space.velocity), (euler, space.spin)):
            problem.add_linear(rows, rate[frames], 1.0 / step)
            problem.add_linear(rows, rate[frames - 1], -1.0 / step)
        return newton, euler

    def _pull(self, space: Space, frames: Index) -> Array:
        return np.broadcast_to(self.gravity, len(space))[frames]

    def _push(self, space: Space, frames: Index, holds: tuple[ContactConstraint, ...], rows: WrenchRows) -> None:
        problem, count = space.problem, len(frames)
        sizes = [len(hold.edges_about(rows.about)) for hold in holds]
        pushes = problem.add_variables(np.full((count, sum(sizes)), 1.0 / sum(sizes)), 0.0)
        for hold, part in zip(holds, np.split(pushes, np.cumsum(sizes)[:-1], axis=1), strict=True):
            kept = problem.shared((space, hold), partial(np.full, (len(space), part.shape[1]), -1))
            kept[frames] = part
            add_contact_forces(space, hold, frames, rows, -1.0 / space.character.mass)
        if not any(hold.grip for hold in holds):
            problem.add_linear(problem.add_constraints("peak force", np.full(count, -np.inf), self.peak)[:, None], pushes)
        problem.add_squares("push", pushes[..., None], weight=self.cost * space.frame_time)

    def _lever(self, space: Space, frames: Index, rows: WrenchRows) -> None:
        """The moment of all forces about the centre of mass is that about a fixed point less lever x total force."""
        arm = Affine(space.center[frames], np.eye(3), -rows.about)
        rates = np.hstack([space.velocity[frames - 1], space.velocity[frames]])
        weight = np.outer(self._pull(space, frames), [0.0, 0.0, 1.0])
        factors = np.hstack([-np.eye(3), np.eye(3)]) / space.frame_time
        add_cross(space.problem, rows.moment, arm, Affine(rates, factors, weight))


def add_contact_forces(space: Space, hold: ContactConstraint, frames: Index, rows: WrenchRows, scale: float) -> None:
    """Add scale times the force (N) and the moment (N m) of a hold's pushes to rows; `Laws` has made its pushes."""
    problem, size = space.problem, scale * GRAVITY * space.character.mass
    pushes = problem.shared((space, hold))[frames]
    edges = hold.edges_about(rows.about)
    for part, along in ((rows.force, edges[:, :3]), (rows.moment, edges[:, 3:])):
        problem.add_linear(part[:, :, None], pushes[:, None, :], size * along.T)
    if hold.slide is not None:
        way = _slid(space, hold)[frames - hold.first, None]
        force = Affine(pushes, edges[:, :3].T, np.zeros(3))
        add_cross(problem, rows.moment, Affine(way, hold.axes[:1].T, np.zeros(3)), force, size)
    if hold.foothold is not None:
        hold.foothold.add_moment(problem, rows.moment, hold, pushes, size)


class _Lasting(Protocol):
    @property
    def first(self) -> int: ...

    @property
    def last(self) -> int: ...


_Acting = TypeVar("_Acting", bound=_Lasting)


def group_frames(acting: tuple[_Acting, ...], frames: int) -> list[tuple[Index, tuple[_Acting, ...]]]:
    """Frames in which the same holds and forces act."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for frame in range(frames):
        groups.setdefault(tuple(n for n, one in enumerate(acting) if one.first <= frame <= one.last), []).append(frame)
    return [(np.array(group), tuple(acting[n] for n in which)) for which, group in groups.items()]


def _near(space: Space, frames: Index, holds: tuple[ContactConstraint, ...]) -> Array:
    """A point near all that acts, about which moments are taken: far from the body they would be badly scaled."""
    if holds:
        return np.asarray(np.vstack([hold.places for hold in holds]).mean(axis=0))
    return space.dynamics.center_of_mass(space.start[frames[len(frames) // 2]])


def _slid(space: Space, hold: ContactConstraint) -> Index:
    """(frames of the hold,) how far it has slid from its places (m), as variables: its pushes act there."""
    return space.problem.shared((space, hold, "slide"), lambda: _sliding(space, hold))


def _sliding(space: Space, hold: ContactConstraint) -> Index:
    problem, frames = space.problem, np.arange(hold.first, hold.last + 1)
    way = problem.add_variables(np.zeros(len(frames)))
    direction = hold.axes[0]
    rows = problem.add_constraints("slide", np.full(len(frames), hold.places[0] @ direction))
    space.add_point(rows, frames, hold.body, hold.points[0], direction)
    problem.add_linear(rows, way, -1.0)
    return way


def _help(space: Space, frames: Index, rows: WrenchRows, price: Array, lever: bool) -> None:
    """A force at the centre of mass and a moment from nowhere, at a price."""
    problem = space.problem
    given = [problem.add_variables(np.zeros((len(frames), 3))) for _ in range(2)]
    for part, one, name in zip(rows[:2], given, ("residual force", "residual moment"), strict=True):
        problem.mark(name, frames, one)
        problem.add_linear(part, one, -GRAVITY)
        problem.add_squares(name, one[..., None], weight=price[:, None] * space.frame_time)
    if lever:  # which takes the moment of all force from the centre of mass to the point that moments are about
        arm = Affine(space.center[frames], np.eye(3), -rows.about)
        add_cross(problem, rows.moment, arm, Affine(given[0], np.eye(3), np.zeros(3)), -GRAVITY)
