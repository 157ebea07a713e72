"""Limit speeds so that every walker can stop in time, whatever the others do.

A walker that brakes covers a segment, from its position to where it stops. For every pair of near walkers the plane
half-way between their two segments is their border: the next motion of each must let it stop on its own side. Braking
straight ahead always does (the new segment lies in the old one), so a motion always exists, and separate segments stay
separate: discs that start apart never overlap. A walker at rest leaves the whole gap to the other.
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
"""Free length (metres) where nothing is ahead."""


@dataclass(frozen=True, eq=False)
class Borders:
    """Half planes that walkers must stay in: normal . (point - position of the walker) >= -room."""

    agent: Indices
    """(pairs,) the walker, in ascending order."""
    normal: Plane
    """(pairs,) from the other towards the walker."""
    room: Array
    """(pairs,) distance from the walker to the border (metres)."""

    def free_length(self, direction: Plane) -> Array:
        """Return the free length (..., n) in metres of each walker along its direction (..., n)."""
        seen = direction[..., self.agent]
        towards = -dot(self.normal, seen)
        length = np.where(towards > _TINY, np.maximum(self.room, 0.0) / np.maximum(towards, _TINY), UNLIMITED)
        result = np.full(direction.shape, UNLIMITED)
        if len(self.agent):
            result[..., self.agent[self.first]] = np.minimum.reduceat(length, self.first, axis=-1)
        return result

    @cached_property
    def first(self) -> Indices:
        """Index of the first border of every walker that has one."""
        return np.flatnonzero(np.concatenate(((True,), self.agent[1:] != self.agent[:-1])))

    def select(self, some: Indices, count: int) -> Borders:
        """Return the borders of some of `count` walkers, renumbered."""
        number = np.full(count, -1)
        number[some] = np.arange(len(some))
        mine = np.flatnonzero(number[self.agent] >= 0)
        return Borders(number[self.agent[mine]], self.normal[mine], self.room[mine])


def find_borders(
    agent: Indices, place: Plane, stop: Plane, others: tuple[Plane, Plane], share: Array, touching: Array
) -> Borders:
    """Find the borders between walkers and others, in pairs.

    A braking walker covers the segment from `place` along the vector `stop`; others are segments too (start, vector). A
    walker may use a share of the gap between, which ends where they are `touching` metres apart. The shares of two
    walkers sum to 1.
    """
    mine, theirs = nearest_points(place, stop, *others)
    between = mine - theirs
    distance = np.abs(between)
    normal = between / np.maximum(distance, _TINY)
    return Borders(agent, normal, dot(normal, place - mine) + share * (distance - touching))


def limit_motion(
    turn: Array, speed: Array, borders: Borders, state: AgentStates, walker: WalkerLimits, dt: float
) -> tuple[Array, Array]:
    """Limit turn rates and speeds so that walkers can stop: go slower, or brake straight ahead where that is too
    late."""
    slowest = np.maximum(state.speed - walker.braking * dt, 0.0)
    most = find_fastest(borders.free_length(np.exp(1j * (state.heading + turn * dt))), walker, dt)
    late = most < slowest - _TINY
    if late.any():
        straight = find_fastest(borders.free_length(np.exp(1j * state.heading)), walker, dt)
        turn, most = np.where(late, 0.0, turn), np.where(late, straight, most)
    return turn, np.maximum(np.minimum(speed, most), slowest)


def find_fastest(length: Array, walker: WalkerLimits, dt: float) -> Array:
    """Return the speed v of the next frame with v dt + v^2 / (2 braking) = length."""
    step = walker.braking * dt
    return np.sqrt(step**2 + 2.0 * walker.braking * length) - step
