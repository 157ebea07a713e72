"""Momentum over a motion (L05 section 3.6): a parabola and constant spin in flight, on the ground what feet can give.

Flight is eq. 3.8 and 3.9. On the ground the printed form shapes momentum by a characteristic curve and knows no forces
(`terms.curve`); as we read the curve, a broad jump then needs friction of 1.3, twist jumps 3.9, and both feet that
pull. Here every point that is held pushes within its friction cone: Newton and Euler are rows, and cone, pressure
inside the support, peak and pulling are bounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.body.character import GRAVITY
from gambol.geometry.arrays import Array
from gambol.solve.problem import Index
from gambol.terms.cross_product import Affine, add_cross
from gambol.terms.holds import Hold
from gambol.terms.space import Space


@dataclass(frozen=True, eq=False)
class Laws:
    """Newton's and Euler's laws in every frame but the first and the last."""

    holds: tuple[Hold, ...]
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

    def add(self, space: Space) -> None:
        """Rows for flight and ground."""
        for frames, holds in grouped(self.holds, len(space)):
            inner = frames[(frames > 0) & (frames < len(space) - 1)]
            if not len(inner) or (holds and not self.pushes):
                continue
            newton, euler = self._inertia(space, inner, bool(holds))
            about = np.vstack([hold.places for hold in holds]).mean(axis=0) if holds else None
            if about is not None:
                self._push(space, inner, holds, newton, euler, about)
            if self.soft is not None:
                price = np.broadcast_to(self.soft, len(space))[inner]
                some = np.isfinite(price)
                if some.any():
                    _help(space, inner[some], newton[some], euler[some], price[some], about)

    def _inertia(self, space: Space, frames: Index, held: bool) -> tuple[Index, Index]:
        """The change of momentum a second and kilogram, in rows that hold gravity and nothing else yet."""
        problem, step = space.problem, space.frame_time
        falling = np.outer(self._pull(space, frames), [0.0, 0.0, -1.0])
        newton = problem.rows("Newton's law" if held else "flight parabola", falling)
        euler = problem.rows("Euler's law" if held else "spin in flight", np.zeros((len(frames), 3)))
        for rows, rate in ((newton, space.velocity), (euler, space.spin)):
            problem.add(rows, rate[frames], 1.0 / step)
            problem.add(rows, rate[frames - 1], -1.0 / step)
        return newton, euler

    def _pull(self, space: Space, frames: Index) -> Array:
        return np.broadcast_to(self.gravity, len(space))[frames]

    def _push(
        self, space: Space, frames: Index, holds: tuple[Hold, ...], newton: Index, euler: Index, about: Array
    ) -> None:
        problem, count = space.problem, len(frames)
        edges = np.vstack([hold.edges_about(about) for hold in holds])
        pushes = problem.variables(np.full((count, len(edges)), 1.0 / len(edges)), 0.0)
        for rows, part in ((newton, edges[:, :3]), (euler, edges[:, 3:])):
            problem.add(rows[:, :, None], pushes[:, None, :], -GRAVITY * part.T)
        if not any(hold.grip for hold in holds):
            problem.add(problem.rows("peak force", np.full(count, -np.inf), self.peak)[:, None], pushes)
        problem.least("push", pushes[..., None], weight=self.cost * space.frame_time)
        self._lever(space, frames, holds, euler, about)

    def _lever(self, space: Space, frames: Index, holds: tuple[Hold, ...], euler: Index, about: Array) -> None:
        """The moment of all forces about the centre of mass is that about a fixed point less lever x total force."""
        step, each, slid = space.frame_time, np.eye(3), [hold for hold in holds if hold.slide is not None]
        arm = Affine(space.center[frames], each, -about)
        if slid:
            columns = np.hstack([arm.columns, _slid(space, frames, slid[0])[:, None]])
            arm = Affine(columns, np.hstack([each, -slid[0].axes[0][:, None]]), -about)
        rates = np.hstack([space.velocity[frames - 1], space.velocity[frames]])
        weight = np.outer(self._pull(space, frames), [0.0, 0.0, 1.0])
        add_cross(space.problem, euler, arm, Affine(rates, np.hstack([-each, each]) / step, weight))


def grouped(holds: tuple[Hold, ...], frames: int) -> list[tuple[Index, tuple[Hold, ...]]]:
    """Frames with the same holds."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for frame in range(frames):
        groups.setdefault(tuple(n for n, hold in enumerate(holds) if hold.holds(frame)), []).append(frame)
    return [(np.array(group), tuple(holds[n] for n in which)) for which, group in groups.items()]


def _slid(space: Space, frames: Index, hold: Hold) -> Index:
    """How far a hold has slid from its places (m), as variables: its pushes act there."""
    problem = space.problem
    way = problem.variables(np.zeros(len(frames)))
    direction = hold.axes[0]
    rows = problem.rows("slide", np.full(len(frames), hold.places[0] @ direction))
    space.point_rows(rows, frames, hold.body, hold.points[0], direction)
    problem.add(rows, way, -1.0)
    return way


def _help(space: Space, frames: Index, newton: Index, euler: Index, price: Array, about: Array | None) -> None:
    """A force at the centre of mass and a moment from nowhere, at a price.

    Where a lever takes the total force to a point (`about`), the help force has its moment about that point.
    """
    problem = space.problem
    for rows, name in ((newton, "help force"), (euler, "help moment")):
        given = problem.variables(np.zeros((len(frames), 3)))
        problem.mark(name, frames, given)
        problem.add(rows, given, -GRAVITY)
        problem.least(name, given[..., None], weight=price[:, None] * space.frame_time)
        if rows is newton and about is not None:
            arm = Affine(space.center[frames], np.eye(3), -about)
            add_cross(problem, euler, arm, Affine(given, -GRAVITY * np.eye(3), np.zeros(3)))
