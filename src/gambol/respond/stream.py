"""A responder over lines of JSON, for programs in other languages: one line in per frame, one line out.

The first line out is a header: bodies, coordinates, frame time. Then every line in gets exactly one line out: a pose,
or an error that leaves the state unchanged.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gambol.errors import InputError
from gambol.fit.rig import as_clip
from gambol.geometry.arrays import Array
from gambol.io.json_lines import check_keys, parse_numbers, parse_object
from gambol.judge.recent import RecentFrames
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.motion.pushes import AppliedForce
from gambol.respond.responder import Responder, find_body, warm_up
from gambol.version import __version__

_EXAMPLE = '{} is a frame of the clip, {"pushes": [...]} a pushed one'
_FRAME_KEYS = ("target", "pushes")
_PUSH_KEYS = ("body", "force", "point", "axes")
_FARTHEST = 1e5
"""Largest coordinate (m, rad) of a target; beyond it rounding would swamp the next frames."""


class Stream:
    """Answers lines of JSON with the frames of a responder."""

    def __init__(self, responder: Responder[Any], *, bodies: bool = False) -> None:
        self._responder = responder
        self._bodies = bodies
        self._frame = 0
        self._state = responder.start()
        character, target = responder.character, responder.target(self._state)
        self._recent = RecentFrames(as_clip(Motion(character.skeleton, target[None], responder.frame_time)))
        warm_up(responder)

    @property
    def header(self) -> dict[str, Any]:
        """The first line out."""
        character = self._responder.character
        dofs = [
            {"joint": character.skeleton.names[dof.joint], "kind": dof.kind, "axis": list(dof.axis)}
            for dof in character.skeleton.dofs
        ]
        return {
            "gambol": __version__,
            "clip": self._responder.name,
            "frame_time": self._responder.frame_time,
            "mass": character.mass,
            "bodies": list(self._responder.bodies),
            "dofs": dofs,
            **self._describe(self._responder.target(self._state)),
        }

    def answer(self, line: str | bytes) -> dict[str, Any]:
        """Answer a line with time and pose, or with an error."""
        try:
            return self._advance(parse_object(line, _EXAMPLE))
        except InputError as error:
            return {"error": str(error)}

    def _advance(self, asked: dict[str, Any]) -> dict[str, Any]:
        check_keys(asked, _FRAME_KEYS, "a frame")
        wanted = asked.get("target")
        target = None if wanted is None else self._target(wanted)
        listed = asked.get("pushes", [])
        if not isinstance(listed, list):
            raise InputError("'pushes' is not a list", fix='[{"body": "head", "force": [0, 60, 0]}]')
        forces = [self._force(entry) for entry in listed]
        self._state, pose = self._responder.step(self._state, forces, target)
        self._frame += 1
        self._recent.add(pose)
        return self._describe(pose)

    def judge(self) -> dict[str, Any]:
        """Return the last line out: what a viewer would see in the last minute."""
        return {"judgement": self._recent.judge().facts()}

    def _target(self, wanted: Any) -> Array:
        dofs = len(self._responder.character.skeleton.dofs)
        numbers = parse_numbers(wanted, "a target")
        if len(numbers) != dofs:
            raise InputError(f"a target has {dofs} numbers, not {len(numbers)}", fix="the header lists them as dofs")
        if max(map(abs, numbers)) > _FARTHEST:
            raise InputError(f"a target goes beyond {_FARTHEST:g}", fix="send metres and radians")
        return np.array(numbers)

    def _force(self, entry: Any) -> AppliedForce:
        if not isinstance(entry, dict):
            raise InputError("a push is not an object", fix='{"body": "head", "force": [0, 60, 0]}')
        check_keys(entry, _PUSH_KEYS, "a push")
        if not isinstance(entry.get("body"), str) or "force" not in entry:
            raise InputError("a push needs a body and a force", fix='{"body": "head", "force": [0, 60, 0]}')
        body = find_body(self._responder, entry["body"])
        point = None if entry.get("point") is None else parse_numbers(entry["point"], "a point")
        force = parse_numbers(entry["force"], "a force")
        return AppliedForce(body, force, point, entry.get("axes", "world"))  # type: ignore[arg-type]

    def _describe(self, pose: Array) -> dict[str, Any]:
        facts: dict[str, Any] = {"time": self._frame * self._responder.frame_time, "pose": pose.tolist()}
        if self._bodies:
            character = self._responder.character
            placed = place(character.skeleton, pose[None])
            facts["places"] = {
                name: [*placed.positions[0, joint].tolist(), *placed.rotations[0, joint].tolist()]
                for name in character.bodies
                for joint in [character.body(name)]
            }
        return facts


def parse_clip_name(line: str | bytes) -> str:
    """Return the clip named by a first line {"clip": "walk.bvh"}."""
    asked = parse_object(line, _EXAMPLE)
    check_keys(asked, ("clip",), "the first line")
    name = asked.get("clip")
    if not isinstance(name, str) or not name.isprintable():
        raise InputError("no clip is named", fix='the first line is {"clip": "walk.bvh"}')
    return name
