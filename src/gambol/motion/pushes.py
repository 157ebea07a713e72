"""External disturbances of a motion: pushes, pulls, carried loads, a moving platform."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from gambol.errors import InputError
from gambol.motion.skeleton import Vector

PushAxes = Literal["world", "body"]
"""Axes of a force: those of the world, or of the body that it acts on."""
_SPRING = 500.0
"""Stiffness of the spring between a hand and the point it holds (N/m), up to the hand's strength."""


@dataclass(frozen=True)
class AppliedForce:
    """A constant force (N) on a point of a body during one frame."""

    body: str
    force: Vector
    point: Vector | None = None
    """In the body's frame, metres; the body's centre of mass where none is given."""
    axes: PushAxes = "world"
    """Whether the force is given in world axes or in the body's axes."""

    def __post_init__(self) -> None:
        _check_force(self)


@dataclass(frozen=True)
class Pull:
    """A hand that holds a point of a body during one frame: a spring whose force is limited to `strength` (N)."""

    body: str
    point: Vector
    """In the body's frame, metres."""
    hand: Vector
    """Position of the hand, metres from the origin that travels with the character."""
    strength: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", check_vector(self.point, "a point"))
        object.__setattr__(self, "hand", check_vector(self.hand, "a position"))
        if not (isinstance(self.strength, int | float) and 0.0 <= self.strength < math.inf):
            raise InputError(f"the strength of a pull must be 0 N or more, got {self.strength!r}")

    def stiffness(self, distance: float) -> float:
        """Return the stiffness (N/m) at a distance (m) between point and hand."""
        return min(_SPRING, self.strength / max(distance, 1e-9))


@dataclass(frozen=True)
class Push:
    """A force (N) on a point of a body from `start` for `duration` seconds."""

    body: str
    force: Vector
    start: float
    duration: float = 0.2
    point: Vector | None = None
    """In the body's frame, metres; the body's centre of mass where none is given."""
    axes: PushAxes = "world"
    """Whether the force keeps its direction in the world or rotates with the body."""

    def __post_init__(self) -> None:
        _check_force(self)
        if not (math.isfinite(self.start) and self.start >= 0.0):
            raise InputError(
                f"a push cannot begin at {self.start} s", fix="give seconds from the start of the clip, 0 or more"
            )
        if not (math.isfinite(self.duration) and self.duration > 0.0):
            raise InputError(f"a push cannot last {self.duration} s", fix="give a duration in seconds, more than 0")

    @property
    def end(self) -> float:
        """Seconds."""
        return self.start + self.duration

    def during(self, time: float, seconds: float) -> AppliedForce | None:
        """Return the mean force during a frame from `time` lasting `seconds`; None where the push does not act."""
        share = compute_active_fraction(self, time, seconds)
        x, y, z = self.force
        return (
            AppliedForce(self.body, (share * x, share * y, share * z), self.point, self.axes) if share > 0.0 else None
        )

    def scaled(self, factor: float) -> Push:
        """Return the push with its force multiplied by `factor`."""
        x, y, z = self.force
        return Push(self.body, (factor * x, factor * y, factor * z), self.start, self.duration, self.point, self.axes)


@dataclass(frozen=True)
class Load:
    """A mass (kg) attached to a body at a point of its frame (m)."""

    body: str
    mass: float
    point: Vector = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", check_vector(self.point, "a point"))
        if not (math.isfinite(self.mass) and self.mass > 0.0):
            raise InputError(f"a load cannot have a mass of {self.mass} kg", fix="give kilograms, more than 0")


@dataclass(frozen=True)
class Platform:
    """Ground accelerated (m/s², world axes) for `duration` seconds; it keeps its final velocity afterwards."""

    acceleration: Vector
    start: float
    duration: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "acceleration", check_vector(self.acceleration, "an acceleration"))
        if not (math.isfinite(self.start) and math.isfinite(self.duration) and self.duration > 0.0):
            raise InputError(
                f"a platform needs a start and a positive duration in seconds, got {self.start} and {self.duration}"
            )

    @property
    def end(self) -> float:
        """Seconds."""
        return self.start + self.duration

    def displacement_factor(self, time: float) -> float:
        """Return the factor (s²) that multiplies the acceleration to give the displacement at `time` (s)."""
        pushed = min(max(time - self.start, 0.0), self.duration)
        return 0.5 * pushed**2 + pushed * max(time - self.end, 0.0)


def compute_active_fraction(acting: Push | Platform, time: float, seconds: float) -> float:
    """Return the fraction of a frame during which a disturbance acts; below 1e-6 it is 0 (rounding of times)."""
    share = (min(acting.end, time + seconds) - max(acting.start, time)) / seconds
    return share if share > 1e-6 else 0.0


def _check_force(given: AppliedForce | Push) -> None:
    object.__setattr__(given, "force", check_vector(given.force, "a force"))
    if given.point is not None:
        object.__setattr__(given, "point", check_vector(given.point, "a point"))
    if given.axes not in get_args(PushAxes):
        raise InputError(f"unknown axes '{given.axes}'", fix=f"choose {' or '.join(get_args(PushAxes))}")


def check_vector(values: Sequence[float], what: str) -> Vector:
    """Return three finite numbers as a tuple; `what` names them in the error."""
    try:
        numbers = tuple(float(value) for value in values)
    except (TypeError, ValueError):
        raise InputError(f"{what} needs three finite numbers, got {values!r}") from None
    if len(numbers) != 3 or not all(math.isfinite(value) for value in numbers):
        raise InputError(f"{what} needs three finite numbers, got {list(values)}")
    return numbers[0], numbers[1], numbers[2]
