"""A character that goes on for ever while somebody hits and pulls it: what a live scene runs, without the scene.

Places are metres in a frame that goes along with the clip, so that a hand which holds on walks with the body.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import Placement, place
from gambol.motion.pushes import Push, three
from gambol.motion.skeleton import Vector
from gambol.respond.answer import RECOVERED
from gambol.respond.endless import Endless
from gambol.respond.look import Look, Rows
from gambol.respond.model import Model
from gambol.respond.stepping import start, step

STRENGTH = 150.0
"""Newtons that a pull has at most, where nothing else is said."""
_BLOW = 0.2
"""Seconds that a hit lasts."""
_SPRING, _DAMPING = 500.0, 0.08
"""N/m between a hand and what it holds, and seconds by which this makes the damping."""
_LATE = 0.25
"""Seconds that are caught up with at most: a machine that slept does not race through what it missed."""


class Acting(NamedTuple):
    """A force (N) on a point (m): a blow, or the pull of a hand."""

    point: Array
    force: Array
    pull: bool


@dataclass
class _Hold:
    """A hand on a body: a spring that is solved together with the body, so that it cannot shake it."""

    body: int
    point: Array
    """In the body's frame."""
    hand: Array
    most: float

    def stiffness(self, place: Array) -> float:
        """N/m, less where the spring would pull with more than the hand has."""
        return min(_SPRING, self.most / max(float(np.linalg.norm(self.hand - place)), 1e-9))

    def __call__(self, look: Look) -> Rows:
        where = look.place(self.body, self.point)
        spring = self.stiffness(where)
        return Rows(look.velocity(self.body, self.point), where - self.hand, spring, _DAMPING * spring, outside=True)


class Session:
    """Steps the answer to hits and pulls along an endless clip, in frames of the clip's own length.

    `model` may be changed for another of the same character at any time.
    """

    def __init__(self, clip: Endless, model: Model) -> None:
        self._strength = STRENGTH
        self.model = model
        self.peak = 0.0
        """Degrees of the largest deviation since somebody began to push."""
        self.recovery: float | None = 0.0
        """Seconds from the last force until the body was back on its clip; None until it is."""
        self._clip = clip
        self._frame = 0
        self._state = start(model, clip.target(0), clip.target(-1))
        self._last = self._pose = clip.target(0)
        self._behind = 0.0
        self._blows: list[Push] = []
        self._hold: _Hold | None = None
        self._let_go = 0.0
        self._turns = [c for c, dof in enumerate(model.character.skeleton.dofs) if dof.kind == "turn"]

    @property
    def strength(self) -> float:
        """Newtons that a pull has at most."""
        return self._strength

    @strength.setter
    def strength(self, newtons: float) -> None:
        if not (isinstance(newtons, int | float) and 0.0 <= newtons < math.inf):
            raise InputError(f"a pull cannot have {newtons!r} N", fix="give newtons, 0 or more")
        self._strength = float(newtons)

    @property
    def time(self) -> float:
        """Seconds since the beginning."""
        return self._state.time

    @property
    def pose(self) -> Array:
        """Coordinates (dofs,) between the last two frames, as far as time has come."""
        return self._last + self._share * (self._pose - self._last)

    @property
    def place(self) -> Array:
        """Where on the ground (3,) the clip has come to."""
        before, now = self._clip.place(self._frame - 1), self._clip.place(self._frame)
        return before + self._share * (now - before)

    @property
    def placement(self) -> Placement:
        """Positions (joints, 3) and orientations (joints, 4) of the pose."""
        placed = place(self.model.character.skeleton, self.pose[None])
        return Placement(placed.positions[0], placed.rotations[0])

    @property
    def _share(self) -> float:
        return self._behind / self.model.frame_time

    @property
    def deviation(self) -> float:
        """Degrees by which the coordinate farthest off the clip is off."""
        return float(np.degrees(np.abs(self._pose - self._clip.target(self._frame))[self._turns].max()))

    @property
    def pushed(self) -> bool:
        """Whether a force acts."""
        return bool(self._blows) or self._hold is not None

    @property
    def acting(self) -> list[Acting]:
        """The forces of this moment."""
        if not self.pushed:
            return []
        placed, found = self.placement, []
        for blow in self._blows:
            where = _at(placed, self.model.character.body(blow.body), np.array(blow.point, dtype=float))
            found.append(Acting(where, np.array(blow.force, dtype=float), pull=False))
        if self._hold is not None:
            where = _at(placed, self._hold.body, self._hold.point)
            found.append(Acting(where, self._hold.stiffness(where) * (self._hold.hand - where), pull=True))
        return found

    def hit(self, body: str, force: Vector, point: Vector | None = None) -> None:
        """A force (N) on a body for a short while, at a point of space or at its centre of mass."""
        local = self.model.character.centers[self.model.character.body(body)]
        if point is not None:
            local = self._local(body, np.array(three(point, "a point"), dtype=float))
        self._blows.append(Push(body, three(force, "a force"), self.time, _BLOW, three(local.tolist(), "a point")))

    def grab(self, body: str, point: Vector) -> None:
        """Take hold of a body where it is at a point of space."""
        hand = np.array(three(point, "a point"), dtype=float)
        self._hold = _Hold(self.model.character.body(body), self._local(body, hand), hand, self.strength)

    def drag_to(self, hand: Vector) -> None:
        """Pull what is held, if anything is, to a place."""
        if self._hold is not None:
            self._hold.hand = np.array(three(hand, "a place"), dtype=float)

    def release(self) -> None:
        """Let go."""
        self._hold = None

    def _local(self, body: str, point: Array) -> Array:
        placed, joint = self.placement, self.model.character.body(body)
        return quat.rotate(quat.conjugate(placed.rotations[joint]), point - placed.positions[joint])

    def advance(self, seconds: float) -> Array:
        """Let time pass: the pose (dofs,) then."""
        self._behind = min(self._behind + seconds, max(_LATE, self.model.frame_time))
        while self._behind >= self.model.frame_time:
            self._behind -= self.model.frame_time
            self._step()
        return self.pose

    def _step(self) -> None:
        pushed = self.pushed
        held = () if self._hold is None else (self._hold,)
        target = self._clip.target(self._frame + 1)
        with np.errstate(all="ignore"):
            state, pose = step(self.model, self._state, target, self._blows, objectives=held)
        if not all(np.isfinite(part).all() for part in (pose, state.off, state.rate, state.torque, state.load)):
            self._blows, self._hold = [], None
            raise InputError("no finite pose answers this force", fix="push with newtons, at a point of the body")
        self._frame += 1
        self._last, self._pose, self._state = self._pose, pose, state
        self._blows = [blow for blow in self._blows if blow.end > self.time + 1e-9]
        self._watch(pushed)

    def _watch(self, pushed: bool) -> None:
        off = self.deviation
        if pushed:
            self.peak = self.peak if self.recovery is None else 0.0
            self._let_go = self.time
        if pushed or off >= RECOVERED:
            self.peak = max(self.peak, off)
            self.recovery = None
        elif self.recovery is None:
            self.recovery = self.time - self._let_go


def _at(placed: Placement, body: int, point: Array) -> Array:
    return placed.positions[body] + quat.rotate(placed.rotations[body], point)
