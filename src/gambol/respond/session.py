"""A character that goes on for ever while somebody hits and pulls it: what a live scene runs, without the scene.

Places are metres in a frame that travels with the undisturbed motion: a hand that holds on walks with the body.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import Placement, place
from gambol.motion.pushes import AppliedForce, Pull, Push, check_vector
from gambol.motion.skeleton import Vector
from gambol.respond.push_response import RECOVERED_DEGREES
from gambol.respond.responder import Responder, check_body

PULL_STRENGTH = 150.0
"""Newtons that a pull has at most, where nothing else is said."""
_BLOW = 0.2
"""Seconds that a hit lasts."""
_LATE = 0.25
"""Seconds that are caught up with at most: a machine that slept does not race through what it missed."""


class ActingForce(NamedTuple):
    """A force (N) on a point (m): a blow, or the pull of a hand."""

    point: Array
    force: Array
    pull: bool


class Session:
    """Steps a responder through hits and pulls, in its own frames.

    `responder` may be changed for another with the same kind of state at any time.
    """

    def __init__(self, responder: Responder[Any]) -> None:
        self.responder = responder
        self.strength = PULL_STRENGTH
        """Newtons that a pull has at most; asked for when somebody grabs."""
        self.peak = 0.0
        """Degrees of the largest deviation since somebody began to push."""
        self.recovery: float | None = 0.0
        """Seconds from the last force until the body was back on its clip; None until it is."""
        self._frame = 0
        self._state = responder.start()
        self._origin = self._last_origin = responder.origin(self._state)
        self._pose = self._last = responder.target(self._state)
        self._behind = 0.0
        self._blows: list[Push] = []
        self._pull: Pull | None = None
        self._let_go = 0.0
        self._turns = [c for c, dof in enumerate(responder.character.skeleton.dofs) if dof.kind == "turn"]

    @property
    def time(self) -> float:
        """Seconds since the beginning."""
        return self._frame * self.responder.frame_time

    @property
    def pose(self) -> Array:
        """Coordinates (dofs,) between the last two frames, as far as time has come."""
        last, now = (_seen_from(o, p) for o, p in ((self._last_origin, self._last), (self._origin, self._pose)))
        return last + self._share * (now - last)

    @property
    def place(self) -> Array:
        """Where on the ground (3,) the undisturbed motion has come to."""
        return self._last_origin + self._share * (self._origin - self._last_origin)

    @property
    def placement(self) -> Placement:
        """Positions (joints, 3) and orientations (joints, 4) of the pose."""
        placed = place(self.responder.character.skeleton, self.pose[None])
        return Placement(placed.positions[0], placed.rotations[0])

    @property
    def _share(self) -> float:
        return self._behind / self.responder.frame_time

    @property
    def deviation(self) -> float:
        """Degrees by which the coordinate farthest off the undisturbed motion is off."""
        return float(np.degrees(np.abs(self._pose - self.responder.target(self._state))[self._turns].max()))

    @property
    def pushed(self) -> bool:
        """Whether a force acts."""
        return bool(self._blows) or self._pull is not None

    @property
    def acting(self) -> list[ActingForce]:
        """The forces of this moment."""
        if not self.pushed:
            return []
        placed, found = self.placement, []
        for blow in self._blows:
            found.append(ActingForce(self._at(placed, blow), np.array(blow.force), pull=False))
        if self._pull is not None:
            where = self._at(placed, self._pull)
            way = np.array(self._pull.hand) - where
            found.append(ActingForce(where, self._pull.stiffness(float(np.linalg.norm(way))) * way, pull=True))
        return found

    def _at(self, placed: Placement, acting: Push | Pull) -> Array:
        body = self.responder.character.body(acting.body)
        return placed.positions[body] + quat.rotate(placed.rotations[body], np.array(acting.point))

    def hit(self, body: str, force: Vector, point: Vector | None = None) -> None:
        """A force (N) on a body for a short while, at a point of space or at its centre of mass."""
        check_body(self.responder, body)
        character = self.responder.character
        local = character.centers[character.body(body)].tolist() if point is None else self._local(body, point)
        self._blows.append(Push(body, force, self.time, _BLOW, local))

    def grab(self, body: str, point: Vector) -> None:
        """Take hold of a body where it is at a point of space."""
        check_body(self.responder, body)
        self._pull = Pull(body, self._local(body, point), point, self.strength)

    def drag_to(self, hand: Vector) -> None:
        """Pull what is held, if anything is, to a place."""
        if self._pull is not None:
            self._pull = replace(self._pull, hand=hand)

    def release(self) -> None:
        """Let go."""
        self._pull = None

    def _local(self, body: str, point: Vector) -> Vector:
        placed, joint = self.placement, self.responder.character.body(body)
        way = np.array(check_vector(point, "a point")) - placed.positions[joint]
        return check_vector(quat.rotate(quat.conjugate(placed.rotations[joint]), way).tolist(), "a point")

    def advance(self, seconds: float) -> Array:
        """Let time pass: the pose (dofs,) then. Forces that no finite pose answers are dropped, and said."""
        frame_time = self.responder.frame_time
        self._behind = min(self._behind + seconds, max(_LATE, frame_time))
        while self._behind >= frame_time:
            self._behind -= frame_time
            self._step()
        return self.pose

    def _step(self) -> None:
        pushed, frame_time = self.pushed, self.responder.frame_time
        blows = [blow.during(self.time, frame_time) for blow in self._blows]
        forces: list[AppliedForce | Pull] = [force for force in blows if force is not None]
        forces += [] if self._pull is None else [self._pull]
        try:
            self._state, pose = self.responder.step(self._state, forces)
        except InputError:
            self._blows, self._pull, self._behind = [], None, 0.0
            raise
        self._frame += 1
        self._last, self._last_origin = self._pose, self._origin
        self._pose, self._origin = pose, self.responder.origin(self._state)
        self._blows = [blow for blow in self._blows if blow.end > self.time + 1e-9]
        self._watch(pushed)

    def _watch(self, pushed: bool) -> None:
        off = self.deviation
        if pushed:
            self.peak = self.peak if self.recovery is None else 0.0
            self._let_go = self.time
        if pushed or off >= RECOVERED_DEGREES:
            self.peak = max(self.peak, off)
            self.recovery = None
        elif self.recovery is None:
            self.recovery = self.time - self._let_go


def _seen_from(origin: Array, pose: Array) -> Array:
    """Coordinates (dofs,) of a pose of the world, seen from a place."""
    return np.concatenate((pose[:3] - origin, pose[3:]))
