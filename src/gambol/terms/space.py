"""The unknowns of a motion: coordinates and centre of mass in every frame, momentum on every step between frames.

The centre of mass, its velocity and the angular momentum are variables of their own, tied to the coordinates by
equality constraints, so that flight, Newton's law, friction and momentum curves are linear (L05 section 3.6). The
angular momentum (3.14 to 3.20) of a step is A(q) dq/dt at the middle of its two frames: it conserves the spin of a
flight to machine precision at any speed, where the printed chord form has sin(x) in place of x.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np

from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.body.kernels import Kernels
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.solve.problem import Index, KernelUse, Problem


@dataclass(frozen=True, eq=False)
class Space:
    """The unknowns of a motion, as indices of variables in a problem."""

    problem: Problem
    character: Character
    step_times: Array
    """(frames - 1,) seconds between frames"""
    kernels: Kernels
    dynamics: Dynamics
    start: Array
    """(frames, dofs) start of the search"""
    q: Index
    """(frames, dofs) coordinates"""
    center: Index
    """(frames, 3) centre of mass, m"""
    velocity: Index
    """(frames - 1, 3) velocity of the centre of mass, m/s"""
    spin: Index
    """(frames - 1, 3) angular momentum about the centre of mass per kilogram, m²/s"""
    frames: KernelUse
    """Kernel of single frames: centre of mass, places of bodies, mass displacement."""
    steps: KernelUse
    """Kernel of steps between frames: angular momentum."""
    begin: float = 0.0
    """Time (s) of the first frame in the whole motion, of which this may be a part."""

    def __len__(self) -> int:
        return len(self.q)

    @cached_property
    def times(self) -> Array:
        """(frames,) seconds from the first frame of the whole motion."""
        return self.begin + np.concatenate(([0.0], np.cumsum(self.step_times)))

    @cached_property
    def frame_times(self) -> Array:
        """(frames,) seconds that each frame stands for: the mean of the steps around it."""
        ends = np.concatenate((self.step_times[:1], self.step_times, self.step_times[-1:]))
        return 0.5 * (ends[1:] + ends[:-1])

    def add_point(self, constraints: Index, frames: Index, body: str, point: Array, direction: Array) -> None:
        """Add the position of a point of a body along a direction, (3,) or (frames, 3), to constraints (frames,)."""
        if body not in self.kernels.bodies:
            known = ", ".join(self.kernels.bodies) or "none"
            raise InputError(
                f"the kernels do not include the body '{body}'", fix=f"make kernels with it; known: {known}"
            )
        first = 3 + 12 * self.kernels.bodies.index(body)
        factors = np.append(1.0, point)[:, None] * np.asarray(direction)[..., None, :]
        self.frames.add(constraints[:, None], frames[:, None], first + np.arange(12), factors.reshape(-1, 12))


@runtime_checkable
class Term(Protocol):
    """A cost or a set of constraints."""

    def add(self, space: Space) -> None:
        """Add variables, constraints and costs to the problem of a space."""


def check_terms(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Return terms; refuse what is none."""
    for term in terms:
        if not isinstance(term, Term):
            raise InputError(f"{term!r} is not a term", fix="give objects with a function add(space)")
    return tuple(terms)


def make_space(
    problem: Problem,
    character: Character,
    kernels: Kernels,
    start: Array,
    frame_time: float | Array,
    name: str = "",
    begin: float = 0.0,
) -> Space:
    """Add the unknowns of a motion to a problem; the search begins at `start` (frames, dofs), clipped to joint limits.

    `frame_time` (s) is one for all steps between frames, or one for each (frames - 1,). `begin` (s) is the time of the
    first frame in the whole motion. Several characters can share a problem: names of constraints, costs and marks of
    each begin with its `name`.
    """
    problem, skeleton = problem.with_prefix(name), character.skeleton
    count = len(start)
    steps = np.broadcast_to(np.asarray(frame_time, dtype=float), count - 1)
    lower, upper = skeleton.lower, skeleton.upper
    room = np.minimum(1e-3, 0.5 * (upper - lower))
    start = np.clip(start, lower + room, upper - room)
    dynamics = Dynamics(character)
    places = dynamics.center_of_mass(start)
    turning = np.asarray(
        dynamics.momentum(0.5 * (start[1:] + start[:-1]), np.diff(start, axis=0) / steps[:, None]).angular
    )
    q, center = problem.add_variables(start, lower, upper), problem.add_variables(places)
    velocity = problem.add_variables(np.diff(places, axis=0) / steps[:, None])
    spin = problem.add_variables(turning / character.mass)
    frames = problem.add_kernel(kernels.frame, q, _frame_parameters(kernels, count), name="mass displacement")
    each = np.eye(len(skeleton.dofs))
    middle = np.hstack([0.5 * each, 0.5 * each])
    factors = join_factors([np.vstack([middle, np.hstack([-each, each]) / step]) for step in steps])
    between = np.hstack([q[:-1], q[1:]])
    turned = problem.add_kernel(kernels.step, between, np.tile(kernels.step_constants, (count - 1, 1)), factors)
    space = Space(problem, character, steps, kernels, dynamics, start, q, center, velocity, spin, frames, turned, begin)
    _tie(space)
    return space


def join_factors(factors: Sequence[Array]) -> Array:
    """Return one matrix of factors for all frames if they are equal, else one per frame."""
    return factors[0] if all(np.array_equal(one, factors[0]) for one in factors[1:]) else np.array(factors)


def _frame_parameters(kernels: Kernels, count: int) -> Array:
    """Return the frame kernel's parameters: constants of the body; mass displacement has weight 0 until it is set."""
    parameters = np.zeros((count, kernels.frame.parameters))
    parameters[:, : len(kernels.constants)] = kernels.constants
    return parameters


def _tie(space: Space) -> None:
    """Constrain centre of mass, velocity and angular momentum to those of the coordinates."""
    problem, count, steps, axes = space.problem, len(space), space.step_times[:, None], np.arange(3)
    tied = problem.add_constraints("centre of mass", np.zeros((count, 3)))
    space.frames.add(tied, np.arange(count)[:, None], axes)
    problem.add_linear(tied, space.center, -1.0)
    tied = problem.add_constraints("velocity", np.zeros((count - 1, 3)))
    problem.add_linear(tied, space.center[1:], 1.0 / steps)
    problem.add_linear(tied, space.center[:-1], -1.0 / steps)
    problem.add_linear(tied, space.velocity, -1.0)
    tied = problem.add_constraints("angular momentum", np.zeros((count - 1, 3)))
    space.steps.add(tied, np.arange(count - 1)[:, None], axes, 1.0 / space.character.mass)
    problem.add_linear(tied, space.spin, -1.0)
