"""What a walker can do, and where walkers are: limits, states, and discs that move as walkers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.geometry.arrays import Array

Indices = NDArray[np.integer]
Flags = NDArray[np.bool_]
Plane = NDArray[np.complexfloating]
"""Points of the floor as complex numbers, x + iy: a turn is a product, and half the arithmetic is saved."""


@dataclass(frozen=True)
class WalkerLimits:
    """Limits of all agents of a scene; what steps of prototypes can do."""

    radius: float = 0.28
    """Metres: half the breadth of the shoulders, and a little."""
    margin: float = 0.02
    """Metres around a disc that are kept free: what a body sways about the path of its disc."""
    top_speed: float = 1.3
    """Metres a second."""
    acceleration: float = 1.2
    """Metres a second squared, when steps become longer."""
    braking: float = 2.0
    """Metres a second squared: a walker at top speed stands after 0.65 s and 0.42 m, within one step."""
    turn_walking: float = 0.9
    """Radians a second at top speed, the most that curved steps do."""
    turn_standing: float = 2.0
    """Radians a second while marking time; in between the limit is linear in the speed."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0.0 if field.name == "margin" else 1e-3
            if not least <= value < 1e3:
                raise InputError(f"a walker's {field.name.replace('_', ' ')} is a positive number, not {value}")

    @property
    def clear_radius(self) -> float:
        """Metres from the centre that nothing else may come to."""
        return self.radius + self.margin

    @property
    def stopping_distance(self) -> float:
        """Metres that it takes to stop from top speed."""
        return self.top_speed**2 / (2.0 * self.braking)

    def turn_limit(self, speed: Array) -> Array:
        """Radians a second at a speed."""
        return self.turn_standing + (self.turn_walking - self.turn_standing) * np.minimum(speed / self.top_speed, 1.0)


@dataclass(frozen=True, eq=False)
class AgentStates:
    """Where agents are and how they walk."""

    position: Array
    """(n, 2) metres."""
    heading: Array
    """(n,) radians from x towards y."""
    speed: Array
    """(n,) metres a second along the heading."""
    turn: Array
    """(n,) radians a second."""

    @cached_property
    def place(self) -> Plane:
        """Positions in the complex plane (n,)."""
        return self.position[:, 0] + 1j * self.position[:, 1]


@dataclass(frozen=True, eq=False)
class SteeringCommand:
    """What agents are asked to do in the next frame."""

    turn: Array
    """(n,) radians a second."""
    speed: Array
    """(n,) metres a second."""


def advance_agents(state: AgentStates, wanted: SteeringCommand, dt: float) -> AgentStates:
    """Discs that do as they are asked: they turn, then go along the new heading."""
    heading = state.heading + wanted.turn * dt
    heading = heading - 2.0 * np.pi * np.round(heading / (2.0 * np.pi))
    step = wanted.speed * dt
    move = np.stack([step * np.cos(heading), step * np.sin(heading)], axis=1)
    return AgentStates(state.position + move, heading, wanted.speed, wanted.turn)
