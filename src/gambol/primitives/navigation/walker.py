"""Limits and states of walkers, as discs on the floor."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.geometry.angles import whole_turns
from gambol.geometry.arrays import Array

Indices = NDArray[np.integer]
Flags = NDArray[np.bool_]
Plane = NDArray[np.complexfloating]
"""Points of the floor as complex numbers x + iy: rotations are products, with half the arithmetic."""


@dataclass(frozen=True)
class WalkerLimits:
    """Limits common to all agents of a scene, given by their steps."""

    radius: float = 0.28
    """Metres: half the shoulder breadth and a little more."""
    margin: float = 0.02
    """Metres around a disc that are kept free, for the sway of the body."""
    top_speed: float = 1.3
    """Metres per second."""
    acceleration: float = 1.2
    """Metres per second squared."""
    braking: float = 2.0
    """Metres per second squared: stops from top speed in 0.65 s and 0.42 m, within one step."""
    turn_walking: float = 0.9
    """Largest turn rate at top speed (rad/s)."""
    turn_standing: float = 2.0
    """Largest turn rate on the spot (rad/s); linear in the speed between."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0.0 if field.name == "margin" else 1e-3
            if not least <= value < 1e3:
                raise InputError(
                    f"the {field.name.replace('_', ' ')} of a walker is {value}, expected a positive number"
                )

    @property
    def clear_radius(self) -> float:
        """Radius and margin (metres): nothing else may come closer."""
        return self.radius + self.margin

    @property
    def stopping_distance(self) -> float:
        """Braking distance from top speed (metres)."""
        return self.top_speed**2 / (2.0 * self.braking)

    def turn_limit(self, speed: Array) -> Array:
        """Return the largest turn rate (rad/s) at a speed."""
        return self.turn_standing + (self.turn_walking - self.turn_standing) * np.minimum(speed / self.top_speed, 1.0)


@dataclass(frozen=True, eq=False)
class AgentStates:
    """Positions and velocities of n agents."""

    position: Array
    """(n, 2) metres."""
    heading: Array
    """(n,) radians from x towards y."""
    speed: Array
    """(n,) metres per second along the heading."""
    turn: Array
    """(n,) radians per second."""

    @cached_property
    def place(self) -> Plane:
        """Positions in the complex plane (n,)."""
        return self.position[:, 0] + 1j * self.position[:, 1]


@dataclass(frozen=True, eq=False)
class SteeringCommand:
    """Turn rates and speeds of n agents for the next frame."""

    turn: Array
    """(n,) radians per second."""
    speed: Array
    """(n,) metres per second."""


def advance_agents(state: AgentStates, command: SteeringCommand, dt: float) -> AgentStates:
    """Advance agents by dt seconds: turn, then move along the new heading."""
    heading = state.heading + command.turn * dt
    heading = heading - whole_turns(heading)
    step = command.speed * dt
    move = np.stack([step * np.cos(heading), step * np.sin(heading)], axis=1)
    return AgentStates(state.position + move, heading, command.speed, command.turn)
