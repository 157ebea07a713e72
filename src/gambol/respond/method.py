"""What a method that answers pushes is: an object that knows its options, and answers a task.

A method is a frozen dataclass; its fields are its options. Metadata of a field may have `help`, a line for the command
line, and `type`, what the command line takes where the annotation says more. The command line finds methods, also those
of other packages, as entry points of the group `gambol.methods`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.errors import InputError
from gambol.geometry.arrays import summarise_fields
from gambol.motion.motion import Motion
from gambol.motion.pushes import Load, Platform, Push
from gambol.progress import Progress, silent
from gambol.respond.push_response import PushResponse
from gambol.respond.responder import Responder

_STRONGEST = 1e6
"""Largest force (N) that may act: hundreds of times what throws a person; numbers overflow with much larger ones."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PushTask:
    """A clip and what acts on it."""

    __repr__ = summarise_fields

    clip: Motion
    pushes: tuple[Push, ...] = ()
    loads: tuple[Load, ...] = ()
    platform: Platform | None = None
    cycle: slice | None = None
    """Frames of the gait cycle to learn from; None: all cycles."""
    mass: float | None = None
    """Kilograms; None: that of a person of this height."""
    per_kg: bool = False
    """Whether forces are in newtons per kilogram of body mass."""
    progress: Progress = silent

    def make_character(self) -> Character:
        """Return the person of the clip."""
        return Character.from_motion(self.clip, self.mass)

    def act_on(self, character: Character) -> PushTask:
        """Return the task with a character's names of bodies and forces in newtons; refuse forces beyond measure."""
        pushes = [replace(one, body=character.find_body(one.body)) for one in self.pushes]
        loads = tuple(replace(load, body=character.find_body(load.body)) for load in self.loads)
        if self.per_kg:
            pushes = [one.scaled(character.mass) for one in pushes]
        forces = [math.hypot(*one.force) for one in pushes] + [GRAVITY * load.mass for load in loads]
        forces += [] if self.platform is None else [character.mass * math.hypot(*self.platform.acceleration)]
        if max(forces, default=0.0) > _STRONGEST:
            raise InputError(f"a force of {max(forces):.3g} N would act", fix=f"give at most {_STRONGEST:.0e} N")
        return replace(self, pushes=tuple(pushes), loads=loads, per_kg=False)


@runtime_checkable
class PushMethod(Protocol):
    """Answers the pushes of a task."""

    def respond(self, task: PushTask) -> PushResponse:
        """Return how the clip of a task answers what acts on it; an InputError says what the method cannot do."""


@runtime_checkable
class FrameMethod(PushMethod, Protocol):
    """A method that also answers frame by frame: for push maps, streams and live pages."""

    def make_responder(self, task: PushTask, *, machine_code: bool = False) -> Responder[Any]:
        """Return the responder of a clip; `machine_code` compiles its step, for many frames."""


def check_method(method: object) -> PushMethod:
    """Return a method; refuse what is none."""
    if isinstance(method, PushMethod):
        return method
    raise InputError(f"{method!r} is not a method", fix="pass an object, such as gambol.NearUnactuated(free=10)")


def make_responder(method: object, task: PushTask, *, machine_code: bool = False) -> Responder[Any]:
    """Return the responder of a method; refuse methods that do not answer frame by frame."""
    checked = check_method(method)
    if isinstance(checked, FrameMethod):
        return checked.make_responder(task, machine_code=machine_code)
    name = type(method).__name__
    raise InputError(f"{name} does not answer frame by frame", fix="choose NearUnactuated or Learned")
