"""Dynamics of heading and speed: goals attract, predicted collision points repel (M17 section 2.4).

With phi the heading, psi_g the direction of the goal and psi_j the direction where obstacle j is expected to be hit,

    dphi/dt = k_g sin(psi_g - phi) + sum_j k_o c_j tanh((d_j - s_j) / delta) exp(-d_j^2 / 2 sigma^2 - t_j / tau)

with d_j = phi - psi_j. t_j is the time until the collision, and c_j falls to 0 where the two would just miss. The
repeller changes sides at d_j = s_j: s_j = RIGHT_BIAS, so that walkers that meet head on go to their right, and for
a walker that yields s_j = RIGHT_BIAS + YIELD_ANGLE u_j, with u_j the velocity of the other to the left of phi, relative
to top speed. Goals behind attract at full strength. The repeller is that of the robots that M17 cites, with a steeper
middle so that walkers that meet head on decide early; M17 prints no equation. Our addition: of two with crossing paths,
the one that would run into the side of the other yields, slows down and aims behind the other; in a symmetric case it
is the one that sees the other on its right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.geometry.arrays import Array
from gambol.primitives.navigation.prediction import predict_encounters
from gambol.primitives.navigation.segments import dot
from gambol.primitives.navigation.walker import AgentStates, Indices, Plane, WalkerLimits

GOAL_GAIN = 2.0
"""1/s: k_g."""
AVOIDANCE_GAIN = 4.0
"""Radians per second: k_o."""
SIGMA, DELTA = 0.9, 0.12
"""Radians: angular range of the repeller, and width of its change of sides."""
RIGHT_BIAS = 0.1
"""Radians: walkers that meet head on go to their right."""
TAU = 1.4
"""Seconds: decay of the repeller with the time until the collision."""
COMFORT_DISTANCE = 0.2
"""Metres that walkers keep between them if possible."""
_FAR = 4.0
"""Seconds: later collisions are ignored."""
_SOFT = 0.3
"""Metres over which obstacles behind a goal fade out."""
_STROLL = 0.6
"""Share of top speed assumed for a standing walker when collisions are predicted."""
_EVEN = 0.05
"""Difference of cosines below which an encounter is symmetric: the walker from the right goes first."""
_MOVES = 0.1
"""Metres per second below which a walker stands."""
YIELD_ANGLE = 0.6
"""Radians at top speed by which a walker that yields aims behind the other."""
PRIORITY_SHARE = 0.4
"""Share of the avoidance of the walker that goes first."""


@dataclass(frozen=True, eq=False)
class Obstacles:
    """What walkers may collide with, in pairs."""

    agent: Indices
    """(pairs,) the walker, in ascending order."""
    place: Plane
    velocity: Plane
    radius: Array


def avoid_collisions(
    others: Obstacles, target: Plane, ends: Array, state: AgentStates, walker: WalkerLimits
) -> tuple[Array, Array]:
    """Return turn rates (rad/s) away from predicted collisions (n,), and the share of speed given up to yield (n,).

    `ends` (n,) are metres until walkers will stop; collisions after that are ignored.
    """
    count, forward = len(state.speed), np.exp(1j * state.heading)
    velocity = np.maximum(state.speed, _STROLL * walker.top_speed) * forward
    touching = walker.clear_radius + others.radius + COMFORT_DISTANCE
    found = predict_encounters(
        others.place - state.place[others.agent], others.velocity - velocity[others.agent], touching
    )
    some = np.flatnonzero((found.min_distance < touching) & (found.time < _FAR))
    me, theirs_velocity, touching = others.agent[some], others.velocity[some], touching[some]
    time, offset = found.time[some], found.offset[some]
    ahead = forward[me]
    close = np.minimum(2.0 * (1.0 - found.min_distance[some] / touching), 1.0) * np.exp(-time / TAU)
    close = close * np.clip(1.0 + (ends[me] - time * np.abs(velocity[me])) / _SOFT, 0.0, 1.0)
    bearing = np.angle((offset + time * velocity[me]) * np.conj(ahead))

    pace = np.abs(theirs_velocity)
    apart = np.maximum(np.abs(offset), 1e-9)
    mine = dot(ahead, offset) / apart
    theirs = -dot(theirs_velocity, offset) / (apart * np.maximum(pace, 1e-9))
    moves = pace > _MOVES
    first = np.where(np.abs(mine - theirs) < _EVEN, bearing > -RIGHT_BIAS, mine < theirs)
    yields = moves & ~first
    leftward = dot(theirs_velocity, 1j * ahead) / walker.top_speed
    seen = bearing + RIGHT_BIAS + np.where(yields, YIELD_ANGLE * leftward, 0.0)
    weight = close * np.where(moves & first, PRIORITY_SHARE, 1.0) * np.exp(-(bearing**2) / (2.0 * SIGMA**2))
    turn: Array = np.bincount(me, -AVOIDANCE_GAIN * weight * np.tanh(seen / DELTA), count).astype(float)
    there = (target - state.place)[me]
    in_the_way = dot(there, offset) / (apart * np.maximum(np.abs(there), 1e-9))
    slower = np.zeros(count)
    np.maximum.at(slower, me[yields], (close * np.maximum(np.maximum(mine, in_the_way), 0.0))[yields])
    return turn, slower


def approach_targets(target: Plane, state: AgentStates, walker: WalkerLimits) -> tuple[Array, Array, Array]:
    """Return turn rates (rad/s) towards targets, speeds at which curved steps still reach them, and distances (n,)."""
    offset = (target - state.place) * np.exp(-1j * state.heading)
    distance = np.abs(offset)
    sine = np.divide(offset.imag, distance, out=np.zeros_like(distance), where=distance > 0.0)
    behind = offset.real < 0.0
    turn = GOAL_GAIN * np.where(behind, np.where(offset.imag < 0.0, -1.0, 1.0), sine)
    speed = 0.7 * walker.turn_walking * distance / np.maximum(2.0 * np.abs(sine), 1e-3)
    return turn, np.where(behind, 0.25 * walker.top_speed, np.minimum(speed, walker.top_speed)), distance
