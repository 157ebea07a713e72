"""Chain motions of two jumps on the floor, with the flights between them (L05 section 4.4.4)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.body.soles import find_soles
from gambol.contacts.contact import Contact
from gambol.contacts.move import Move
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import smoothstep
from gambol.geometry.vectors import UP
from gambol.motion.kinematics import place
from gambol.poses.feet import restore_feet
from gambol.spacetime.edits.moves import find_yaw_column, move_coordinates
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.two_jumps import JumpFlight, TwoJumpMotion

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

_STRAIGHT = np.radians(15.0)
"""Turns of a clip below this angle are ignored: the chain goes straight."""
_SETTLE = 0.8
"""Share of the ground stage after a landing in which the excess velocity is removed."""
_SWAYS, _EXACT = 3, 1e-6
"""Iterations that shift the body (planted legs carry part of its mass), and tolerance of the feet in metres."""
_SPIN_STEPS, _SPIN_ROUNDS = 48, 2
"""Steps per flight and iterations that make its angular momentum constant."""


@dataclass(frozen=True, eq=False)
class ChainLink:
    """A motion moved over the floor, with its own velocity at its first landing."""

    dynamics: Dynamics
    motion: TwoJumpMotion
    move: Move = field(default_factory=Move)
    excess_velocity: Array = field(default_factory=lambda: np.zeros(3))
    """(3,) m/s, in the frame of the motion: landing velocity minus that of the motion"""

    @property
    def character(self) -> Character:
        """The character that moves."""
        return self.dynamics.character

    def q(self, seconds: Array) -> Array:
        """Return the coordinates (times, dofs) at times (s) of the motion on the ground, with planted feet."""
        bare = self.motion.q(seconds)
        if not len(bare):
            return bare
        contacts = [
            replace(c, first=n, last=n) for n, t in enumerate(seconds) for c in self.motion.contacts_at(float(t))
        ]
        q = restore_feet(self.character, bare, contacts)
        start, end = self.motion.first.end, self.motion.second.start
        settle = _SETTLE * (end - start)
        part = np.clip((seconds - start) / settle, 0.0, 1.0)
        swayed = np.outer(settle * part * (1.0 - part) ** 2, self.excess_velocity)
        # Planting the feet moves the mass of the legs: shift the body until the centre of mass is on target.
        feet, target = _fix_feet(self.character, q), self.dynamics.center_of_mass(bare) + swayed
        for _ in range(_SWAYS):
            error = target - self.dynamics.center_of_mass(q)
            q = restore_feet(self.character, _shift_root(self.character, q, error), feet, _EXACT)
        return move_coordinates(self.character, q, self.move)

    def source_times(self, seconds: Array) -> Array:
        """Return (times, 3) as `FlightBlend.source_times`: one motion only."""
        times = self.motion.time_map.to_source(seconds)
        return np.column_stack((times, times, np.zeros_like(times)))

    def contacts_at(self, seconds: float) -> tuple[Contact, ...]:
        """Return the contacts at a time (s) of the motion, in world coordinates."""
        return tuple(self.move.contact(contact) for contact in self.motion.contacts_at(seconds))


class FlightBlend:
    """A flight between two motions: poses blend, the centre of mass falls freely, angular momentum is constant."""

    def __init__(self, here: ChainLink, flight: JumpFlight, after: TwoJumpMotion, turn: float) -> None:
        """`turn` (rad) is by how much more the next motion is turned."""
        self._here, self._flight, self._after = here, flight, after
        self._takeoff, self._velocity = here.move(flight.takeoff), here.move.rotate(flight.takeoff_velocity)
        up, gravity = float(self._velocity[2]), flight.gravity
        drop = float(self._takeoff[2] - after.first.landing[2])
        self.duration = (up + np.sqrt(max(up**2 + 2.0 * gravity * drop, 0.0))) / gravity
        move = Move(here.move.turn + turn)
        shift = (self.centres(np.array([self.duration]))[0] - move(after.first.landing)) * (1.0, 1.0, 0.0)
        excess = self._velocity - gravity * self.duration * UP - move.rotate(after.first.landing_velocity)
        self.next_link = ChainLink(here.dynamics, after, replace(move, shift=shift), Move(-move.turn).rotate(excess))
        self._extra_turn = self._keep_spin()

    def centres(self, seconds: Array) -> Array:
        """Return the centre of mass (times, 3), seconds after take-off."""
        fallen = 0.5 * self._flight.gravity * seconds**2
        return np.asarray(self._takeoff + np.outer(seconds, self._velocity) - np.outer(fallen, UP))

    def q(self, seconds: Array) -> Array:
        """Return the coordinates (times, dofs), seconds after take-off."""
        q = self._blend(seconds)
        q[:, self._turns] += self._extra_turn(seconds)
        if not len(q):
            return q
        return _shift_root(self._here.character, q, self.centres(seconds) - self._here.dynamics.center_of_mass(q))

    def source_times(self, seconds: Array) -> Array:
        """Return (times, 3): the recorded times (s) shown by both motions, and the blend weight of the second."""
        own, next_, share = self._blend_times(seconds)
        first = self._here.motion.time_map.to_source(own)
        return np.column_stack((first, self._after.time_map.to_source(next_), share))

    @property
    def _turns(self) -> list[int]:
        return self._here.character.skeleton.columns(0, "turn")

    def _blend(self, seconds: Array) -> Array:
        """Return coordinates (times, dofs) blended from one flight to the other."""
        own, next_, share = self._blend_times(seconds)
        first = move_coordinates(self._here.character, self._here.motion.q(own), self._here.move)
        second = move_coordinates(self._here.character, self._after.q(next_), self.next_link.move)
        return np.asarray((1.0 - share[:, None]) * first + share[:, None] * second)

    def _blend_times(self, seconds: Array) -> tuple[Array, Array, Array]:
        """Return the times (times,) of both motions and the blend weight of the second."""
        part, own, next_ = seconds / self.duration, self._flight, self._after.first
        # Phase of both flights: starts at the rate of the first flight and ends at that of the second.
        fast, slow = self.duration / own.duration, self.duration / next_.duration
        phase = smoothstep(part) + part * (1.0 - part) * (fast * (1.0 - part) - slow * part)
        return own.start + phase * own.duration, next_.start + phase * next_.duration, smoothstep(phase)

    def _keep_spin(self) -> CubicSpline:
        """Return the extra turn of the root over the flight that makes its angular momentum constant."""
        from scipy.interpolate import CubicSpline

        spin, turns = self._here.dynamics.momentum, self._turns
        times = np.linspace(0.0, self.duration, _SPIN_STEPS + 1)
        step = times[1]
        q = self._blend(times)
        own = q[:, turns].copy()
        for _ in range(_SPIN_ROUNDS):
            middle, velocity = 0.5 * (q[1:] + q[:-1]), np.diff(q, axis=0) / step
            angular = spin(middle, velocity).angular
            unit = np.eye(q.shape[1])[turns]
            inertia = np.stack([spin(middle, np.broadcast_to(row, middle.shape)).angular for row in unit], axis=-1)
            inverse = np.linalg.inv(inertia)
            constant = np.linalg.solve(inverse.sum(axis=0), (inverse @ angular[..., None]).sum(axis=0)[:, 0])
            q[1:, turns] += np.cumsum(step * (inverse @ (constant - angular)[..., None])[..., 0], axis=0)
        return CubicSpline(times, q[:, turns] - own)


def turn_per_jump(family: Family) -> float:
    """Return the turn (rad) from each motion of a chain to the next: that of the clip from jump to jump."""
    yaw = find_yaw_column(family.character)
    if yaw is None:
        return 0.0
    q, clip = family.q[tuple(count // 2 for count in family.plan.shape)], family.clip
    flights = [part for part in clip.stages if part.kind == "flight"]
    at = [0.5 * (part.first + part.last) * clip.frame_time for part in flights]
    first, last = np.interp([at[0], at[-1]], family.source_times, q[:, yaw])
    return float(last - first) if abs(last - first) > _STRAIGHT else 0.0


def _shift_root(character: Character, q: Array, shift: Array) -> Array:
    """Shift bodies by vectors (frames, 3)."""
    skeleton, out = character.skeleton, q.copy()
    slides = skeleton.columns(0, "slide")
    out[:, slides] += shift @ np.array([skeleton.dofs[column].axis for column in slides]).T
    return out


def _fix_feet(character: Character, q: Array) -> list[Contact]:
    """Return a contact constraint for every foot at its pose in every frame."""
    placed = place(character.skeleton, q)
    feet = []
    for sole in (sole for words, sole in find_soles(character).items() if words.endswith("foot")):
        joint, points = character.skeleton.index(sole.body), sole.corners[:3]
        turned = quat.to_matrix(placed.rotations[:, joint])
        places = placed.positions[:, joint, None] + points @ turned.transpose(0, 2, 1)
        feet += [Contact(sole.body, points, where, n, n) for n, where in enumerate(places)]
    return feet
