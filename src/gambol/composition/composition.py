"""What a composition consists of: people with their actions, and conditions between them (L05 section 6.4)."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.composition.conditions import Condition, find_opponents, find_surprises
from gambol.errors import InputError

COMPOSITION_FPS = 30.0
"""Frames per second at which compositions are solved."""


@dataclass(frozen=True)
class Action:
    """A clip, a part of it, or steps of its cycle."""

    clip: str
    start: float | None = None
    end: float | None = None
    """Seconds of the clip."""
    steps: int | None = None
    """How many steps of the clip's cycle; 0 for as many as cost least; None takes the clip itself."""
    turn: float = 0.0
    """Degrees to the left over all steps."""
    stride: float = 1.0
    """Factor on the length of the steps."""
    pace: float = 1.0
    """Factor on the speed at which the clip is played."""
    style: str = ""
    """File of a style for this action, where effort is minimised."""


@dataclass(frozen=True)
class Person:
    """Somebody in a composition."""

    name: str
    actions: tuple[Action, ...]
    at: tuple[float, float] = (0.0, 0.0)
    """Where the pelvis begins (m)."""
    heading: float | None = None
    """Degrees from x to y in which the person goes at first; None keeps that of the clip."""
    height: float | None = None
    """Metres of a child to whom the actions are moved; None keeps the body of the clip."""
    mass: float | None = None
    """Kilograms."""
    begins_standing: bool = False
    ends_standing: bool = False
    delay: float | None = 0.0
    """Seconds by which the clip is entered later: it sets the phase of a walk against another's; None finds it."""
    energy: str = "likeness"
    """What is minimised: "likeness" to the clips, "effort" of the muscles, or the file of a style."""
    share: float = 1.0
    """Weight of this person's costs: the larger, the less they give way."""


@dataclass(frozen=True)
class Composition:
    """People, and what must be true."""

    name: str
    people: tuple[Person, ...]
    conditions: tuple[Condition, ...] = ()
    duration: float | None = None
    """Seconds; None lasts as long as the shortest of its people."""
    timing: bool = False
    """Whether times are found too."""
    order: tuple[str, ...] = ()
    """Who plans after whom, where people have goals against each other."""
    sides: bool = False
    """Whether feet stay on their own sides of the pelvis (L05 eq. 6.3), which people who turn do not."""

    def __post_init__(self) -> None:
        names = [person.name for person in self.people]
        if not names:
            raise InputError("nobody is in the scene", fix="people: {anna: {clip: walk, steps: 4}}")
        for who in (*(name for one in self.conditions for name in one.people), *self.order):
            if who not in names:
                raise InputError(f"nobody is called '{who}'", fix=f"one of {', '.join(names)}")
        if self.timing and (find_opponents(self.conditions) or find_surprises(self.conditions)):
            raise InputError(
                "times are not found where people have goals against each other or surprise each other",
                fix="remove 'timing', and give 'at' of the conditions",
            )
