"""Motions of two jumps laid on the floor one after the other, and the flights between them (L05 section 4.4.4)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.body.soles import soles
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.legs.planted import planted_feet
from gambol.motion.kinematics import place
from gambol.spacetime.edits.moves import Move
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.two_jumps import JumpFlight, TwoJumpMotion, move_constraint
from gambol.terms.holds import UP, Hold

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

_STRAIGHT = np.radians(15.0)
"""A clip whose jumps turn less goes on straight; one that turns more goes on turning."""
_SETTLE = 0.8
"""Share of the ground after a landing within which the velocity becomes that of the motion again."""
_SWAYS, _EXACT = 3, 1e-6
"""How often the body is shifted, as legs that stay carry some of its mass; and metres that feet are off then."""
_SPIN_STEPS, _SPIN_ROUNDS = 48, 2
"""Steps of a flight in which its spin is made one, and how often."""


@dataclass(frozen=True, eq=False)
class ChainLink:
    """A motion somewhere on the floor, with a velocity of its own where it lands first."""

    dynamics: Dynamics
    segment: TwoJumpMotion
    move: Move = field(default_factory=Move)
    surplus: Array = field(default_factory=lambda: np.zeros(3))
    """(3,) metres a second, seen from the motion: what the body lands with beyond the velocity of the motion"""

    @property
    def character(self) -> Character:
        """Who moves."""
        return self.dynamics.character

    def q(self, seconds: Array) -> Array:
        """Coordinates (times, dofs) at times of the motion on the ground, its feet in their places."""
        bare = self.segment.q(seconds)
        if not len(bare):
            return bare
        held = [replace(h, first=n, last=n) for n, t in enumerate(seconds) for h in self.segment.held(float(t))]
        q = planted_feet(self.character, bare, held)
        begins, ends = self.segment.first.ends, self.segment.second.begins
        settle = _SETTLE * (ends - begins)
        part = np.clip((seconds - begins) / settle, 0.0, 1.0)
        swayed = np.outer(settle * part * (1.0 - part) ** 2, self.surplus)
        # The legs carry some of the mass: where they bring the feet back, the body gives way for the centre of mass.
        feet, wanted = _where_they_are(self.character, q), self.dynamics.center_of_mass(bare) + swayed
        for _ in range(_SWAYS):
            off = wanted - self.dynamics.center_of_mass(q)
            q = planted_feet(self.character, _shifted(self.character, q, off), feet, _EXACT)
        return move_coordinates(self.character, q, self.move)

    def shown(self, seconds: Array) -> Array:
        """(times, 3) as of a `Way`: one motion alone."""
        back = self.segment.time_map.to_source(seconds)
        return np.column_stack((back, back, np.zeros_like(back)))

    def held(self, seconds: float) -> tuple[Hold, ...]:
        """What is held at a time of the motion, where it is in the world."""
        return tuple(move_constraint(hold, self.move) for hold in self.segment.held(seconds))


class FlightBlend:
    """A flight from one motion to another: poses blend, the centre of mass falls freely, and spin stays what it is."""

    def __init__(self, here: ChainLink, flight: JumpFlight, after: TwoJumpMotion, turn: float) -> None:
        """`turn` (radians) is what the motion after is turned by more."""
        self._here, self._flight, self._after = here, flight, after
        self._leaves, self._velocity = here.move(flight.leaves), here.move.rotate(flight.rising)
        up, gravity = float(self._velocity[2]), flight.gravity
        drop = float(self._leaves[2] - after.first.lands[2])
        self.seconds = (up + np.sqrt(max(up**2 + 2.0 * gravity * drop, 0.0))) / gravity
        move = Move(here.move.turn + turn)
        shift = (self.centres(np.array([self.seconds]))[0] - move(after.first.lands)) * (1.0, 1.0, 0.0)
        surplus = self._velocity - gravity * self.seconds * UP - move.rotate(after.first.falling)
        self.lands = ChainLink(here.dynamics, after, replace(move, shift=shift), Move(-move.turn).rotate(surplus))
        self._turned = self._steadied()

    def centres(self, seconds: Array) -> Array:
        """(times, 3) where the centre of mass is, seconds after the take-off."""
        fallen = 0.5 * self._flight.gravity * seconds**2
        return np.asarray(self._leaves + np.outer(seconds, self._velocity) - np.outer(fallen, UP))

    def q(self, seconds: Array) -> Array:
        """Coordinates (times, dofs), seconds after the take-off."""
        q = self._blended(seconds)
        q[:, self._turns] += self._turned(seconds)
        if not len(q):
            return q
        return _shifted(self._here.character, q, self.centres(seconds) - self._here.dynamics.center_of_mass(q))

    def shown(self, seconds: Array) -> Array:
        """(times, 3) seconds of the recording that both motions show, and how much of the second is there."""
        own, next_, share = self._over(seconds)
        return np.column_stack((self._here.segment.time_map.to_source(own), self._after.time_map.to_source(next_), share))

    @property
    def _turns(self) -> list[int]:
        return self._here.character.skeleton.columns(0, "turn")

    def _blended(self, seconds: Array) -> Array:
        """Coordinates (times, dofs) that go from the one flight to the other."""
        own, next_, share = self._over(seconds)
        first = move_coordinates(self._here.character, self._here.segment.q(own), self._here.move)
        second = move_coordinates(self._here.character, self._after.q(next_), self.lands.move)
        return np.asarray((1.0 - share[:, None]) * first + share[:, None] * second)

    def _over(self, seconds: Array) -> tuple[Array, Array, Array]:
        """Seconds (times,) of both motions, and how much of the second is there."""
        part, own, next_ = seconds / self.seconds, self._flight, self._after.first
        # The share of both flights that is over: at the speed of the one at the beginning, of the other at the end.
        fast, slow = self.seconds / own.seconds, self.seconds / next_.seconds
        over = part**2 * (3.0 - 2.0 * part) + part * (1.0 - part) * (fast * (1.0 - part) - slow * part)
        return own.begins + over * own.seconds, next_.begins + over * next_.seconds, over**2 * (3.0 - 2.0 * over)

    def _steadied(self) -> CubicSpline:
        """How the root must turn more, over the seconds of the flight, for one spin from beginning to end."""
        from scipy.interpolate import CubicSpline

        spin, turns = self._here.dynamics.momentum, self._turns
        times = np.linspace(0.0, self.seconds, _SPIN_STEPS + 1)
        step = times[1]
        q = self._blended(times)
        own = q[:, turns].copy()
        for _ in range(_SPIN_ROUNDS):
            middle, velocity = 0.5 * (q[1:] + q[:-1]), np.diff(q, axis=0) / step
            has = spin(middle, velocity).angular
            unit = np.eye(q.shape[1])[turns]
            gives = np.stack([spin(middle, np.broadcast_to(way, middle.shape)).angular for way in unit], axis=-1)
            less = np.linalg.inv(gives)
            kept = np.linalg.solve(less.sum(axis=0), (less @ has[..., None]).sum(axis=0)[:, 0])
            q[1:, turns] += np.cumsum(step * (less @ (kept - has)[..., None])[..., 0], axis=0)
        return CubicSpline(times, q[:, turns] - own)


def turn_per_jump(family: Family) -> float:
    """Radians by which each motion of a chain is turned from the one before: as the clip turns from jump to jump."""
    yaw = _vertical(family.character)
    if yaw is None:
        return 0.0
    q, clip = family.q[tuple(count // 2 for count in family.plan.shape)], family.clip
    flights = [part for part in clip.stages if part.kind == "flight"]
    at = [0.5 * (part.first + part.last) * clip.frame_time for part in flights]
    first, last = np.interp([at[0], at[-1]], family.source_times, q[:, yaw])
    return float(last - first) if abs(last - first) > _STRAIGHT else 0.0


def move_coordinates(character: Character, q: Array, move: Move) -> Array:
    """Coordinates (frames, dofs) of a motion moved over the floor."""
    skeleton, out, yaw = character.skeleton, q.copy(), _vertical(character)
    slides = skeleton.columns(0, "slide")
    axes = np.array([skeleton.dofs[column].axis for column in slides])
    out[:, slides] = (move(q[:, slides] @ axes + skeleton.offsets[0]) - skeleton.offsets[0]) @ axes.T
    if yaw is not None:
        out[:, yaw] += move.turn
    return out


def _vertical(character: Character) -> int | None:
    """The column that turns the whole body about the vertical, if one does."""
    skeleton = character.skeleton
    first = skeleton.columns(0, "turn")[0]
    plain = np.allclose(quat.rotate(skeleton.rests[0], skeleton.dofs[first].axis), UP)
    return first if plain else None


def _shifted(character: Character, q: Array, way: Array) -> Array:
    """Coordinates of bodies moved by ways (frames, 3)."""
    skeleton, out = character.skeleton, q.copy()
    slides = skeleton.columns(0, "slide")
    out[:, slides] += way @ np.array([skeleton.dofs[column].axis for column in slides]).T
    return out


def _where_they_are(character: Character, q: Array) -> list[Hold]:
    """Every foot held as it is in every frame."""
    placed = place(character.skeleton, q)
    holds = []
    for sole in (sole for words, sole in soles(character).items() if words.endswith("foot")):
        joint, points = character.skeleton.index(sole.body), sole.corners[:3]
        turned = quat.to_matrix(placed.rotations[:, joint])
        places = placed.positions[:, joint, None] + points @ turned.transpose(0, 2, 1)
        holds += [Hold(sole.body, points, where, n, n) for n, where in enumerate(places)]
    return holds
