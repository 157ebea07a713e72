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
    acceleration: float = 1.1
    """Metres per second squared: walkers of recordings gain up to 0.7 m/s in half a second."""
    braking: float = 1.2
    """Metres per second squared: walkers of recordings lose up to 0.6 m/s in half a second."""
    slowest: float = 0.25
    """Metres per second below which a walker stops: people stand, and do not creep."""
    setting_out: float = 0.3
    """Metres that must be free ahead before one who stands sets out: half a step."""
    patience: float = 2.0
    """Seconds that a walker stands until it takes smaller steps, too: else nobody leaves a crowd before a door."""
    turn_walking: float = 0.9
    """Largest turn rate at top speed (rad/s)."""
    turn_standing: float = 1.2
    """Largest turn rate on the spot (rad/s), 69 degrees per second; linear in the speed between."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0.0 if field.name in ("margin", "slowest", "setting_out") else 1e-3
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

    def find_least(self, waited: Array) -> Array:
        """Return shares of `slowest` and `setting_out` that hold for walkers who have waited for so long (s)."""
        return np.asarray(np.exp(-np.maximum(waited - self.patience, 0.0)))

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
    waited: Array
    """(n,) seconds that each stood, less those that it walked since, but none below 0."""

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
    waited = np.maximum(state.waited + np.where(command.speed > 0.0, -dt, dt), 0.0)
    return AgentStates(state.position + move, heading, command.speed, command.turn, waited)
