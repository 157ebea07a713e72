"""Dynamics of heading and speed: goals attract, predicted collision points repel (M17 section 2.4).

With phi the heading, psi_g the direction of the goal and psi_j the direction where obstacle j is expected to be hit,

    dphi/dt = k_g sin(psi_g - phi) + sum_j k_o c_j tanh((d_j - s_j) / delta) exp(-d_j^2 / 2 sigma^2 - t_j / tau)

with d_j = phi - psi_j. t_j is the time until the collision, and c_j falls to nought where the two would just miss.
Sides divide at d_j = s_j: RIGHT, so that walkers who meet head on go to their right, and for whoever yields
s_j = RIGHT + BEHIND u_j, with u_j the share of top speed at which the other goes to the left of phi.
Goals behind attract at full strength. The repeller is the one of the robots that M17 cites with a steeper middle, so
that walkers who meet head on decide early; M17 prints no equation. Ours to add: of two whose ways cross, the one that
would run into the other's side yields, slows down and aims behind the other, and if both are alike the one who sees
the other on its right.
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
"""Radians a second: k_o."""
SIGMA, DELTA = 0.9, 0.12
"""Radians: how far beside the heading an obstacle matters, and how soon a side is chosen."""
RIGHT_BIAS = 0.1
"""Radians: those who would run straight into each other go to their right."""
TAU = 1.4
"""Seconds: how soon a collision must be expected to matter."""
COMFORT_DISTANCE = 0.2
"""Metres that walkers like to keep between them."""
_FAR = 4.0
"""Seconds: what lies farther ahead is left alone."""
_SOFT = 0.3
"""Metres over which what lies behind a goal fades."""
_STROLL = 0.6
"""Share of top speed at which someone who stands imagines to walk on."""
_EVEN = 0.05
"""Difference of cosines below which two meet alike, and who comes from the right goes first."""
_MOVES = 0.1
"""Metres a second below which someone stands."""
YIELD_ANGLE = 0.6
"""Radians at top speed: whoever has to yield aims behind the other, not in front."""
PRIORITY_SHARE = 0.4
"""Share of the turning that is left to whoever goes first."""


@dataclass(frozen=True, eq=False)
class Obstacles:
    """What walkers may run into, in pairs."""

    agent: Indices
    """(pairs,) who looks, in rising order."""
    place: Plane
    velocity: Plane
    radius: Array


def avoid_collisions(
    others: Obstacles, target: Plane, ends: Array, state: AgentStates, walker: WalkerLimits
) -> tuple[Array, Array]:
    """Radians a second away from predicted collisions (n,), and the share of speed that is given up for others (n,).

    `ends` (n,) are metres until walkers mean to stop; what they would run into after that does not matter.
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
    """Radians a second towards targets, the speed at which curved steps still reach them, and distances (n,)."""
    way = (target - state.place) * np.exp(-1j * state.heading)
    distance = np.abs(way)
    sine = np.divide(way.imag, distance, out=np.zeros_like(distance), where=distance > 0.0)
    behind = way.real < 0.0
    turn = GOAL_GAIN * np.where(behind, np.where(way.imag < 0.0, -1.0, 1.0), sine)
    speed = 0.7 * walker.turn_walking * distance / np.maximum(2.0 * np.abs(sine), 1e-3)
    return turn, np.where(behind, 0.25 * walker.top_speed, np.minimum(speed, walker.top_speed)), distance
