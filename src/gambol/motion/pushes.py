"""What comes from outside and disturbs a motion: pushes, loads, a platform that moves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from gambol.errors import InputError
from gambol.motion.skeleton import Vector

PushAxes = Literal["world", "body"]
_SPRING = 500.0
"""N/m between a hand and what it holds, while that takes less than the hand's strength."""


@dataclass(frozen=True)
class AppliedForce:
    """A force (N) on a point of a body, throughout one frame."""

    body: str
    force: Vector
    point: Vector | None = None
    """In the body's frame, metres; the body's centre of mass where none is given."""
    axes: PushAxes = "world"
    """Whether the force is given along the world's axes or the body's."""

    def __post_init__(self) -> None:
        _check_force(self)


@dataclass(frozen=True)
class Pull:
    """A hand on a point of a body, throughout one frame: a spring with a strength (N) that it does not exceed."""

    body: str
    point: Vector
    """In the body's frame, metres."""
    hand: Vector
    """Where the hand is, metres from the origin that travels with the character."""
    strength: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", check_vector(self.point, "a point"))
        object.__setattr__(self, "hand", check_vector(self.hand, "a place"))
        if not (isinstance(self.strength, int | float) and 0.0 <= self.strength < math.inf):
            raise InputError(f"a pull cannot have {self.strength!r} N", fix="give newtons, 0 or more")

    def stiffness(self, distance: float) -> float:
        """N/m of the spring where the point is so many metres from the hand."""
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
    """Whether the force keeps its direction in the world or turns with the body."""

    def __post_init__(self) -> None:
        _check_force(self)
        if not (math.isfinite(self.start) and self.start >= 0.0):
            raise InputError(f"a push cannot begin at {self.start} s", fix="give seconds from the start of the clip")
        if not (math.isfinite(self.duration) and self.duration > 0.0):
            raise InputError(f"a push cannot last {self.duration} s", fix="give seconds, more than nothing")

    @property
    def end(self) -> float:
        """Seconds."""
        return self.start + self.duration

    def during(self, time: float, seconds: float) -> AppliedForce | None:
        """The mean force of a frame that begins at a time and lasts some seconds; None where the push does not act."""
        share = compute_active_fraction(self, time, seconds)
        x, y, z = self.force
        return AppliedForce(self.body, (share * x, share * y, share * z), self.point, self.axes) if share > 0.0 else None

    def scaled(self, factor: float) -> Push:
        """The same push, so many times as strong."""
        x, y, z = self.force
        return Push(self.body, (factor * x, factor * y, factor * z), self.start, self.duration, self.point, self.axes)


@dataclass(frozen=True)
class Load:
    """A mass (kg) carried by a body at a point of its frame (m)."""

    body: str
    mass: float
    point: Vector = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", check_vector(self.point, "a point"))
        if not (math.isfinite(self.mass) and self.mass > 0.0):
            raise InputError(f"nobody carries {self.mass} kg", fix="give kilograms, more than nothing")


@dataclass(frozen=True)
class Platform:
    """Ground that is accelerated (m/s², world axes) for a while; it keeps the speed that this gives it."""

    acceleration: Vector
    start: float
    duration: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "acceleration", check_vector(self.acceleration, "an acceleration"))
        if not (math.isfinite(self.start) and math.isfinite(self.duration) and self.duration > 0.0):
            raise InputError("a platform needs a start and a duration in seconds")

    @property
    def end(self) -> float:
        """Seconds."""
        return self.start + self.duration

    def displacement_factor(self, time: float) -> float:
        """Seconds squared that its acceleration is to be multiplied with to say how far it has come."""
        pushed = min(max(time - self.start, 0.0), self.duration)
        return 0.5 * pushed**2 + pushed * max(time - self.end, 0.0)


def compute_active_fraction(acting: Push | Platform, time: float, seconds: float) -> float:
    """Share of a frame in which something acts; sums of frame times are not exact, so the least share is none."""
    share = (min(acting.end, time + seconds) - max(acting.start, time)) / seconds
    return share if share > 1e-6 else 0.0


def _check_force(given: AppliedForce | Push) -> None:
    object.__setattr__(given, "force", check_vector(given.force, "a force"))
    if given.point is not None:
        object.__setattr__(given, "point", check_vector(given.point, "a point"))
    if given.axes not in get_args(PushAxes):
        raise InputError(f"no axes '{given.axes}'", fix=f"there are {', '.join(get_args(PushAxes))}")


def check_vector(values: Sequence[float], what: str) -> Vector:
    """Three finite numbers."""
    try:
        numbers = tuple(float(value) for value in values)
    except (TypeError, ValueError):
        raise InputError(f"{what} is three finite numbers, not {values!r}") from None
    if len(numbers) != 3 or not all(math.isfinite(value) for value in numbers):
        raise InputError(f"{what} is three finite numbers, not {list(values)}")
    return numbers[0], numbers[1], numbers[2]
