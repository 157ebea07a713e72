"""A running responder that a user hits and pulls: the engine of the live page, without the page.

Positions are in a frame that travels with the undisturbed motion, so that a hand that pulls travels along.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gambol.errors import InputError
from gambol.fit.rig import as_clip
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.judge.recent import LIVE_SECONDS, RecentFrames
from gambol.motion.kinematics import Placement, place
from gambol.motion.motion import Motion
from gambol.motion.pushes import AppliedForce, Pull, Push, check_vector
from gambol.motion.skeleton import Vector
from gambol.respond.push_response import RECOVERED_DEGREES
from gambol.respond.responder import Responder, find_body

PULL_STRENGTH = 150.0
"""Default largest force (N) of a pull."""
_BLOW = 0.2
"""Duration (s) of a hit."""
_LATE = 0.25
"""Longest delay (s) that is caught up with."""


class ActingForce(NamedTuple):
    """A force (N) on a point (m): a hit, or the pull of a hand."""

    point: Array
    force: Array
    pull: bool


class Session:
    """Steps a responder under hits and pulls, at its own frame rate.

    `responder` may be replaced at any time by another with the same kind of state.
    """

    def __init__(self, responder: Responder[Any]) -> None:
        self.responder = responder
        self.strength = PULL_STRENGTH
        """Largest force (N) of the next pull."""
        self.peak = 0.0
        """Largest deviation (degrees) since the last push began."""
        self.recovery: float | None = 0.0
        """Time (s) from the last force to recovery; None before recovery."""
        self.outside = 0.0
        """How far (m) the extrapolated centre of mass came outside feet that take no steps, since that push began."""
        self._unbalance: Array = np.zeros(2)
        self._frame = 0
        self._state = responder.start()
        self._origin = self._last_origin = responder.origin(self._state)
        self._pose = self._last = responder.target(self._state)
        skeleton = responder.character.skeleton
        self.recent = RecentFrames(as_clip(Motion(skeleton, self._pose[None], responder.frame_time)), LIVE_SECONDS)
        """The last frames."""
        self._behind = 0.0
        self._blows: list[Push] = []
        self._pull: Pull | None = None
        self._let_go = 0.0
        self._turns = [c for c, dof in enumerate(responder.character.skeleton.dofs) if dof.kind == "turn"]

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return self._frame * self.responder.frame_time

    @property
    def pose(self) -> Array:
        """Coordinates (dofs,), interpolated between the last two frames."""
        last, now = (_seen_from(o, p) for o, p in ((self._last_origin, self._last), (self._origin, self._pose)))
        return last + self._share * (now - last)

    @property
    def place(self) -> Array:
        """Place (3,) of the undisturbed motion on the ground."""
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
        """Largest deviation of a joint angle from the undisturbed motion (degrees)."""
        return float(np.degrees(np.abs(self._pose - self.responder.target(self._state))[self._turns].max()))

    @property
    def pushed(self) -> bool:
        """Whether a force acts."""
        return bool(self._blows) or self._pull is not None

    @property
    def acting(self) -> list[ActingForce]:
        """The forces that act now."""
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
        """Apply a short force (N) to a body, at a point of space (m) or at its centre of mass."""
        body = find_body(self.responder, body)
        character = self.responder.character
        local = character.centers[character.body(body)].tolist() if point is None else self._local(body, point)
        self._blows.append(Push(body, force, self.time, _BLOW, local))

    def grab(self, body: str, point: Vector) -> None:
        """Grab a body at a point of space (m)."""
        body = find_body(self.responder, body)
        self._pull = Pull(body, self._local(body, point), point, self.strength)

    def drag_to(self, hand: Vector) -> None:
        """Move the hand that pulls to a position (m)."""
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
        """Advance by some seconds; return the pose (dofs,). Forces without a finite response raise and are dropped."""
        frame_time = self.responder.frame_time
        self._behind = min(self._behind + seconds, max(_LATE, frame_time))
        while self._behind >= frame_time:
            self._behind -= frame_time
            self._step()
        return self.pose

    def _step(self) -> None:
        pushed, frame_time, acting = self.pushed, self.responder.frame_time, self.acting
        blows = [blow.during(self.time, frame_time) for blow in self._blows]
        forces: list[AppliedForce | Pull] = [force for force in blows if force is not None]
        forces += [] if self._pull is None else [self._pull]
        try:
            self._state, pose = self.responder.step(self._state, forces)
        except InputError:
            self._blows, self._pull, self._behind = [], None, 0.0
            raise
        self._frame += 1
        self.recent.add(pose)
        self._last, self._last_origin = self._pose, self._origin
        self._pose, self._origin = pose, self.responder.origin(self._state)
        self._blows = [blow for blow in self._blows if blow.end > self.time + 1e-9]
        self._watch(pushed)
        self._weigh(acting)

    def _watch(self, pushed: bool) -> None:
        off = self.deviation
        if pushed:
            if self.recovery is not None:
                self.peak = self.outside = 0.0
            self._let_go = self.time
        if pushed or off >= RECOVERED_DEGREES:
            self.peak = max(self.peak, off)
            self.recovery = None
        elif self.recovery is None:
            self.recovery = self.time - self._let_go

    def _weigh(self, acting: list[ActingForce]) -> None:
        """Follow the extrapolated centre of mass from a push to the recovery."""
        support = self.responder.support
        if support is None or self.recovery is not None:
            self._unbalance = np.zeros(2)
            return
        frame, force = self._frame % self.responder.period, sum((one.force for one in acting), np.zeros(3))
        self._unbalance = support.step(frame, self._unbalance, force)
        self.outside = max(self.outside, float(support.measure_outside(frame, self._unbalance)))


def _seen_from(origin: Array, pose: Array) -> Array:
    """Return a pose (dofs,) relative to a place (3,)."""
    return np.concatenate((pose[:3] - origin, pose[3:]))
