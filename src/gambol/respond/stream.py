"""The same step over lines of JSON, for a program that is not Python: a line in is a frame, a line out its answer.

The first line out is a header: bodies, coordinates, frame time. After that every line in gets exactly one line out, at
once: a pose, or an error, and after an error the character is where it was.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.fit.rig import fit
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.motion.pushes import Push
from gambol.respond.endless import endless
from gambol.respond.model import FREE, learn
from gambol.respond.stepping import start, step
from gambol.version import __version__

_FRAME_KEYS = ("target", "pushes")
_PUSH_KEYS = ("body", "force", "point", "axes")
_FARTHEST = 1e5
"""Metres or radians beyond which a target is a mistake: the way back from it would leave no digits of the next."""


class Stream:
    """A character that is asked frame by frame."""

    def __init__(self, clip: Motion, free: int = FREE, mass: float | None = None, *, bodies: bool = False) -> None:
        fitted = fit(Character.from_motion(clip, mass), clip)
        self._clip = clip.name
        self._model = learn(fitted, free)
        self._path = endless(fitted)
        self._frame = 0
        self._bodies = bodies
        self._state = start(self._model, self._path.at(0), self._path.at(-1))
        # The first step builds its functions, which takes a second: now, and not in the first frame.
        step(self._model, self._state, self._path.at(1), [Push("head", (0.0, 0.0, 0.0), 0.0)])

    @property
    def header(self) -> dict[str, Any]:
        """What a program has to know before it sends the first frame."""
        character = self._model.character
        dofs = [
            {"joint": character.skeleton.names[dof.joint], "kind": dof.kind, "axis": list(dof.axis)}
            for dof in character.skeleton.dofs
        ]
        return {
            "gambol": __version__,
            "clip": self._clip,
            "frame_time": self._model.frame_time,
            "mass": character.mass,
            "bodies": list(character.bodies),
            "dofs": dofs,
            **self._told(self._state.pose[0]),
        }

    def answer(self, line: str | bytes) -> dict[str, Any]:
        """The answer to a line: time and pose, or what is wrong with it."""
        try:
            return self._advance(_parsed(line))
        except InputError as error:
            return {"error": str(error)}

    def _advance(self, asked: dict[str, Any]) -> dict[str, Any]:
        _only(asked, _FRAME_KEYS, "a frame")
        wanted = asked.get("target")
        target = self._path.at(self._frame + 1) if wanted is None else self._target(wanted)
        listed = asked.get("pushes", [])
        if not isinstance(listed, list):
            raise InputError("'pushes' is not a list", fix='[{"body": "head", "force": [0, 60, 0]}]')
        pushes = [self._push(entry) for entry in listed]
        # What is finite may still be beyond all measure: then the frame is refused, and the warnings of NumPy with it.
        with np.errstate(all="ignore"):
            state, pose = step(self._model, self._state, target, pushes)
        if not all(np.isfinite(part).all() for part in (pose, state.off, state.rate, state.torque, state.load)):
            raise InputError("no finite pose answers this frame", fix="send forces in newtons, points in metres")
        self._state = state
        self._frame += 1
        return self._told(pose)

    def _target(self, wanted: Any) -> Array:
        dofs = len(self._model.character.skeleton.dofs)
        numbers = _numbers(wanted, "a target")
        if len(numbers) != dofs:
            raise InputError(f"a target has {dofs} numbers, not {len(numbers)}", fix="the header lists them as dofs")
        if max(map(abs, numbers)) > _FARTHEST:
            raise InputError(f"a target goes beyond {_FARTHEST:g}", fix="send metres and radians")
        return np.array(numbers)

    def _push(self, entry: Any) -> Push:
        if not isinstance(entry, dict):
            raise InputError("a push is not an object", fix='{"body": "head", "force": [0, 60, 0]}')
        _only(entry, _PUSH_KEYS, "a push")
        if not isinstance(entry.get("body"), str) or "force" not in entry:
            raise InputError("a push needs a body and a force", fix='{"body": "head", "force": [0, 60, 0]}')
        self._model.character.body(entry["body"])
        point = None if entry.get("point") is None else _numbers(entry["point"], "a point")
        return Push(
            entry["body"], _numbers(entry["force"], "a force"), self._state.time,  # type: ignore[arg-type]
            self._model.frame_time, point, entry.get("axes", "world"),  # type: ignore[arg-type]
        )  # fmt: skip

    def _told(self, pose: Array) -> dict[str, Any]:
        told: dict[str, Any] = {"time": self._state.time, "pose": pose.tolist()}
        if self._bodies:
            character = self._model.character
            placed = place(character.skeleton, pose[None])
            told["places"] = {
                name: [*placed.positions[0, joint].tolist(), *placed.rotations[0, joint].tolist()]
                for name in character.bodies
                for joint in [character.body(name)]
            }
        return told


def clip_named(line: str | bytes) -> str:
    """The clip that a first line {"clip": "walk.bvh"} asks for."""
    asked = _parsed(line)
    _only(asked, ("clip",), "the first line")
    name = asked.get("clip")
    if not isinstance(name, str) or not name.isprintable():
        raise InputError("no clip is named", fix='the first line is {"clip": "walk.bvh"}')
    return name


def answers(stream: Stream, lines: Iterable[str | bytes]) -> Iterator[str]:
    """The header, and then a line for every line."""
    yield json.dumps(stream.header)
    for line in lines:
        yield json.dumps(stream.answer(line))


def _parsed(line: str | bytes) -> dict[str, Any]:
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not a line of JSON: {' '.join(str(error).split())}") from None
    if not isinstance(asked, dict):
        raise InputError("not an object", fix='{} is a frame of the clip, {"pushes": [...]} a pushed one')
    return asked


def _only(asked: dict[str, Any], keys: tuple[str, ...], what: str) -> None:
    unknown = [key for key in asked if key not in keys]
    if unknown:
        raise InputError(f"{what} has no '{unknown[0][:40]}'", fix=f"it has {', '.join(keys)}")


def _numbers(values: Any, what: str) -> tuple[float, ...]:
    if not isinstance(values, list) or not all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
        raise InputError(f"{what} is not a list of numbers")
    try:
        numbers = tuple(float(value) for value in values)
    except OverflowError:
        numbers = (math.inf,)
    if not all(math.isfinite(value) for value in numbers):
        raise InputError(f"{what} has a number that is not finite")
    return numbers
