"""Room to stop: how far a walker may still go so that nobody can ever touch, whatever the others choose.

A walker that brakes covers a segment, from where it is to where it stands. For every pair of near walkers the plane
in the middle between their two segments is their border: what each chooses next must let it stop on its own side.
Braking straight ahead always does (the new segment lies in the old one), so a choice always exists, and segments that
are apart stay apart: discs that start apart never overlap. Whatever rests leaves the whole room to the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gambol.geometry.arrays import Array
from gambol.primitives.navigation.segments import dot, nearest_points
from gambol.primitives.navigation.walker import AgentStates, Indices, Plane, WalkerLimits

_TINY = 1e-9
UNLIMITED = 1e3
"""Metres: as far as a walker may go where nothing is ahead."""


@dataclass(frozen=True, eq=False)
class Borders:
    """Half planes that walkers stay in: normal . (point - place of the walker) >= -room."""

    agent: Indices
    """(pairs,) whose border it is, in rising order."""
    normal: Plane
    """(pairs,) from the other towards the walker."""
    room: Array
    """(pairs,) metres from the walker's place to the border, across it."""

    def free_length(self, direction: Plane) -> Array:
        """Metres that each of n walkers may go along its direction (..., n)."""
        seen = direction[..., self.agent]
        towards = -dot(self.normal, seen)
        length = np.where(towards > _TINY, np.maximum(self.room, 0.0) / np.maximum(towards, _TINY), UNLIMITED)
        result = np.full(direction.shape, UNLIMITED)
        if len(self.agent):
            result[..., self.agent[self.first]] = np.minimum.reduceat(length, self.first, axis=-1)
        return result

    @cached_property
    def first(self) -> Indices:
        """(walkers,) the first border of everyone who has one."""
        return np.flatnonzero(np.concatenate(((True,), self.agent[1:] != self.agent[:-1])))

    def select(self, some: Indices, count: int) -> Borders:
        """The borders of some of so many walkers, who are numbered anew."""
        number = np.full(count, -1)
        number[some] = np.arange(len(some))
        mine = np.flatnonzero(number[self.agent] >= 0)
        return Borders(number[self.agent[mine]], self.normal[mine], self.room[mine])


def find_borders(
    agent: Indices, place: Plane, stop: Plane, others: tuple[Plane, Plane], share: Array, touching: Array
) -> Borders:
    """Borders between walkers and others, in pairs.

    Walkers go from `place` the way `stop` when they brake, others have a start and a way too; a walker may use a share
    of the room between, which ends where they are `touching` metres apart. The shares of two walkers add to one.
    """
    mine, theirs = nearest_points(place, stop, *others)
    between = mine - theirs
    distance = np.abs(between)
    normal = between / np.maximum(distance, _TINY)
    return Borders(agent, normal, dot(normal, place - mine) + share * (distance - touching))


def limit_motion(
    turn: Array, speed: Array, borders: Borders, state: AgentStates, walker: WalkerLimits, dt: float
) -> tuple[Array, Array]:
    """The nearest to what is wanted that leaves room to stop: slower, or, where that is too late, braking straight."""
    slowest = np.maximum(state.speed - walker.braking * dt, 0.0)
    most = _fastest(borders.free_length(np.exp(1j * (state.heading + turn * dt))), walker, dt)
    late = most < slowest - _TINY
    if late.any():
        straight = _fastest(borders.free_length(np.exp(1j * state.heading)), walker, dt)
        turn, most = np.where(late, 0.0, turn), np.where(late, straight, most)
    return turn, np.maximum(np.minimum(speed, most), slowest)


def _fastest(length: Array, walker: WalkerLimits, dt: float) -> Array:
    """The speed v of the next frame with v dt + v^2 / (2 braking) = length."""
    step = walker.braking * dt
    return np.sqrt(step**2 + 2.0 * walker.braking * length) - step
