"""Walking pattern generator: nonlinear model predictive control of a cart on a table that chooses its steps.

Over 1.6 seconds, jerks of the cart and the next footprints f (x, y, heading) minimise

    a |c' − v|² + b |z − f|² + c |jerk|² + d |f_next − f − wanted step|²

subject to: the zero moment point z stays inside the sole on the ground, and every footprint within reach of the one
before, in the axes of that one (M17 section 3.4). The headings make both constraints nonlinear: sequential quadratic
programming, in which the cost is exact and the constraints are linearised. Jerks have no limits and the reach of a step
is never empty, so that every such programme has a solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.geometry.vectors import rotate_plane
from gambol.robots.cart import Cart, predict_cart
from gambol.robots.footprints import Footprint, Support, find_support_polygon
from gambol.solve.qp import solve_dense

PERIOD = 0.1
"""Seconds between plans, and of one piece of jerk."""
PLANNED_SAMPLES = 16
"""Samples of a plan."""
_VELOCITY, _CENTERING, _JERK = 0.3, 10.0, 1e-5
_STEP = np.array([30.0, 30.0, 300.0])
"""Weights a, b, c, and d of x, y and heading."""
_ITERATIONS = 20
_CONVERGED = 1e-4
"""Change of footprints (m, rad) from one iteration to the next."""
_JERKS = 2 * PLANNED_SAMPLES


class Gait(NamedTuple):
    """How to make a step."""

    velocity: Array = np.zeros(2)
    """(2,) metres per second ahead and to the left."""
    turning: float = 0.0
    """Radians per second."""
    samples: int = 7
    """From one touchdown to the next."""

    @property
    def seconds(self) -> float:
        """From one touchdown to the next."""
        return PERIOD * self.samples


@dataclass(frozen=True)
class WalkerSize:
    """Lengths (m) of a walker. Defaults are those of JVRC-1."""

    height: float
    """Of the centre of mass."""
    half_sole: tuple[float, float]
    """Half the length and half the width of the part of a sole in which the zero moment point may be."""
    width: float
    """Distance between soles that are side by side."""
    longest: float = 0.35
    """Longest step ahead; half of it is the longest step back."""
    inward: float = 0.03
    outward: float = 0.15
    """How much nearer or farther than side by side soles may be."""
    largest_turn: float = 0.35
    """Radians from one sole to the next."""


@dataclass(frozen=True, eq=False)
class WalkingPlan:
    """The next 1.6 seconds."""

    jerks: Array
    """(samples, 2) m/s³."""
    zero_moment_points: Array
    """(samples, 2) at the ends of samples (m)."""
    footprints: tuple[Footprint, ...]
    """Those that were planned."""
    solved: bool
    """Whether the solver found the optimum of its last programme, and footprints did not change any more."""


def plan_walk(size: WalkerSize, cart: Cart, supports: Sequence[Support], gaits: Sequence[Gait]) -> WalkingPlan:
    """Plan from a state on. Supports cover the horizon, known ones first; every unknown one has a gait."""
    problem = _PatternProblem(size, cart, supports, gaits)
    found, solved = problem.guess, False
    for _ in range(_ITERATIONS):
        before = found
        found, optimal = problem.solve(before)
        solved = optimal and np.abs(found - before)[_JERKS:].max(initial=0.0) < _CONVERGED
        if solved:
            break
    return WalkingPlan(
        found[:_JERKS].reshape(2, PLANNED_SAMPLES).T,
        problem.find_zero_moment_points(found),
        tuple(Footprint(f.side, *problem.find_step(found, n).tolist()) for n, f in enumerate(problem.wanted)),
        bool(solved),
    )


class _PatternProblem:
    """Unknowns are the jerks along x, those along y, and x, y and heading of every step to be planned."""

    def __init__(self, size: WalkerSize, cart: Cart, supports: Sequence[Support], gaits: Sequence[Gait]) -> None:
        self.size = size
        self.half = np.array(size.half_sole)
        self.last = [support for support in supports if support.footprints][-1].footprints[-1]
        unknown = [number for number, support in enumerate(supports) if not support.footprints]
        kinds: list[tuple[Footprint, ...] | int] = []
        for number, support in enumerate(supports):
            kinds += [support.footprints or unknown.index(number)] * support.samples
        self.kinds = kinds[:PLANNED_SAMPLES]
        """Known footprints, or the number of the step, for every sample."""
        steps = max((kind + 1 for kind in self.kinds if isinstance(kind, int)), default=0)
        self.gaits = gaits[:steps]
        _, velocity, point = predict_cart(size.height, PERIOD, PLANNED_SAMPLES)
        start = np.stack(cart)
        self.free_velocity, self.forced_velocity = velocity.free @ start, velocity.forced
        self.free_point, self.forced_point = point.free @ start, point.forced
        self.wanted = self._want_steps()
        self.guess = np.concatenate([np.zeros(_JERKS), *(footprint.place for footprint in self.wanted)])
        self.hessian, self.slope = self._make_cost()
        self.guess = self.solve(self.guess, turning=False)[0]

    def _want_steps(self) -> list[Footprint]:
        """Return the footprints of the gaits."""
        wanted, last = [], self.last
        for gait in self.gaits:
            side = 1 - last.side
            step = gait.velocity * gait.seconds + [0.0, self.size.width if side == 0 else -self.size.width]
            x, y = (last.place[:2] + last.rotation @ step).tolist()
            last = Footprint(side, x, y, last.heading + gait.turning * gait.seconds)
            wanted.append(last)
        return wanted

    @staticmethod
    def find_step(unknowns: Array, number: int) -> Array:
        """Return x, y and heading (3,) of a step."""
        return unknowns[_JERKS + 3 * number : _JERKS + 3 * number + 3]

    def find_zero_moment_points(self, unknowns: Array) -> Array:
        """Return them (samples, 2) at the ends of samples (m)."""
        return self.free_point + self.forced_point @ unknowns[:_JERKS].reshape(2, PLANNED_SAMPLES).T

    def _make_cost(self) -> tuple[Array, Array]:
        """Return Hessian and gradient at zero."""
        size = len(self.guess)
        rows, targets, weights = [], [], []

        def add(row: Array, target: Array, weight: float | Array) -> None:
            rows.append(row)
            targets.append(target)
            weights.append(np.broadcast_to(weight, len(target)))

        velocities = np.array([self._find_velocity(kind) for kind in self.kinds])
        for axis in range(2):
            jerks = slice(axis * PLANNED_SAMPLES, (axis + 1) * PLANNED_SAMPLES)
            moving, centered = np.zeros((PLANNED_SAMPLES, size)), np.zeros((PLANNED_SAMPLES, size))
            moving[:, jerks], centered[:, jerks] = self.forced_velocity, self.forced_point
            offset = -self.free_point[:, axis]
            for sample, kind in enumerate(self.kinds):
                if isinstance(kind, int):
                    self.find_step(centered[sample], kind)[axis] = -1.0
                else:
                    offset[sample] += np.mean([footprint.place[axis] for footprint in kind])
            add(moving, velocities[:, axis] - self.free_velocity[:, axis], _VELOCITY)
            add(centered, offset, _CENTERING)
        add(np.eye(size)[:_JERKS], np.zeros(_JERKS), _JERK)
        last = self.last
        for number, footprint in enumerate(self.wanted):
            step = np.eye(size)[_JERKS + 3 * number :][:3]
            if number:
                step = step - np.eye(size)[_JERKS + 3 * number - 3 :][:3]
            add(step, footprint.place - (last.place if number else 0.0), _STEP)
            last = footprint
        matrix = np.vstack(rows)
        weighted = matrix.T * np.concatenate(weights)
        return weighted @ matrix, -weighted @ np.concatenate(targets)

    def _find_velocity(self, kind: tuple[Footprint, ...] | int) -> Array:
        """Return the wanted velocity (2,) of a sample: that of the step during which it is."""
        number = kind + 1 if isinstance(kind, int) else 0
        if not self.gaits or (not isinstance(kind, int) and len(kind) == 2):
            return np.zeros(2)
        standing = self.wanted[number - 1] if number else self.last
        return standing.rotation @ self.gaits[min(number, len(self.gaits) - 1)].velocity

    def solve(self, guess: Array, turning: bool = True) -> tuple[Array, bool]:
        """Return the optimum with constraints linearised about a guess, and whether the solver found it.

        Not `turning`: the axes of soles are those of the guess. That needs no good guess and makes one.
        """
        rows, limits = self._linearise(guess, turning)
        found = solve_dense(self.hessian, self.slope, rows, np.full(len(limits), -np.inf), limits)
        return (guess, False) if found is None else (found, True)

    def _linearise(self, guess: Array, turning: bool) -> tuple[Array, Array]:
        """Return rows and upper limits of the constraints."""
        points = self.find_zero_moment_points(guess)
        parts = []
        for sample, kind in enumerate(self.kinds):
            slope = np.zeros((2, len(guess)))
            slope[0, :PLANNED_SAMPLES] = slope[1, PLANNED_SAMPLES:_JERKS] = self.forced_point[sample]
            if isinstance(kind, int):
                local, offset = self._see_from_step(
                    guess, kind, slope, self.free_point[sample], points[sample] if turning else None
                )
                parts.append(_bound(local, offset, -self.half, self.half))
            elif len(kind) == 1:
                back = kind[0].rotation.T
                offset = back @ (self.free_point[sample] - kind[0].place[:2])
                parts.append(_bound(back @ slope, offset, -self.half, self.half))
            else:
                normals, limits = find_support_polygon(kind, self.half)
                parts.append((normals @ slope, limits - normals @ self.free_point[sample]))
        parts += [self._linearise_reach(guess, number, turning) for number in range(len(self.wanted))]
        return np.vstack([rows for rows, _ in parts]), np.concatenate([limits for _, limits in parts])

    def _linearise_reach(self, guess: Array, number: int, turning: bool) -> tuple[Array, Array]:
        """Return the constraints of a step from the footprint before."""
        size, place = self.size, self.find_step(guess, number)
        slope, turn = np.zeros((2, len(guess))), np.zeros((1, len(guess)))
        self.find_step(slope.T, number)[:2] = np.eye(2)
        self.find_step(turn[0], number)[2] = 1.0
        if number:
            local, offset = self._see_from_step(guess, number - 1, slope, np.zeros(2), place[:2] if turning else None)
            self.find_step(turn[0], number - 1)[2] = -1.0
            heading = 0.0
        else:
            back = self.last.rotation.T
            local, offset, heading = back @ slope, -back @ self.last.place[:2], -self.last.heading
        near, far = size.width - size.inward, size.width + size.outward
        low, high = (near, far) if self.wanted[number].side == 0 else (-far, -near)
        return _bound(
            np.vstack([local, turn]),
            np.append(offset, heading),
            np.array([-0.5 * size.longest, low, -size.largest_turn]),
            np.array([size.longest, high, size.largest_turn]),
        )

    def _see_from_step(
        self, guess: Array, number: int, slope: Array, offset: Array, point: Array | None
    ) -> tuple[Array, Array]:
        """Return slope and offset (2,) of slope x + offset in the axes of a planned sole, linearised about a point.

        Without a point, the axes do not turn.
        """
        x, y, heading = self.find_step(guess, number)
        back = rotate_plane(heading).T
        # The derivative of a rotation by its angle is a rotation by a quarter turn more.
        bend = np.zeros(2) if point is None else rotate_plane(heading + 0.5 * np.pi).T @ (point - [x, y])
        local = back @ slope
        columns = self.find_step(local.T, number)
        columns[:2] -= back.T
        columns[2] += bend
        return local, back @ offset - bend * heading


def _bound(rows: Array, offset: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Return low <= rows x + offset <= high as rows and upper limits."""
    return np.vstack([rows, -rows]), np.concatenate([high - offset, offset - low])
