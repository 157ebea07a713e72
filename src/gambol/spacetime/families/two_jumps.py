"""Motions of a family with two jumps, evaluated at any time: the links of a chain (L05 section 4.4.4).

Coordinates are cubic splines between frames, one per stage: a single spline would oscillate at a landing, where forces
set in suddenly. Splines on the ground start and end with the velocities of the neighbouring flights; the velocity of
the centre of mass there is that of its parabola.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gambol.body.dynamics import Dynamics
from gambol.contacts.contact import Contact
from gambol.contacts.views import list_constraints
from gambol.errors import InputError
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.vectors import UP
from gambol.spacetime.edits.time_map import TimeMap
from gambol.spacetime.families.family import Family

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

_TIME_TOLERANCE = 1e-6
"""Rounding error of frame times in seconds."""


@dataclass(frozen=True, eq=False)
class JumpFlight:
    """A flight, from the last frame on the ground to the first one on it again."""

    start: float
    """Seconds from the start of the motion."""
    end: float
    takeoff: Array
    """(3,) centre of mass at take-off, metres"""
    landing: Array
    """(3,) centre of mass at landing, metres"""
    gravity: float

    @property
    def duration(self) -> float:
        """Seconds."""
        return self.end - self.start

    @property
    def takeoff_velocity(self) -> Array:
        """Velocity (3,) of the centre of mass at take-off, m/s."""
        return np.asarray((self.landing - self.takeoff) / self.duration + 0.5 * self.gravity * self.duration * UP)

    @property
    def landing_velocity(self) -> Array:
        """Velocity (3,) of the centre of mass at landing, m/s."""
        return self.takeoff_velocity - self.gravity * self.duration * UP


@dataclass(frozen=True, eq=False)
class TwoJumpMotion:
    """A motion with two jumps."""

    curves: tuple[CubicSpline, ...]
    """Splines of ground, flight, ground, flight, ground."""
    edges: Array
    """(4,) seconds at which flights start and end"""
    first: JumpFlight
    second: JumpFlight
    contacts: tuple[Contact, ...]
    fps: float
    """Frames per second of the contacts."""
    time_map: TimeMap
    """Maps its times to those of the recording."""

    def q(self, seconds: Array) -> Array:
        """Return the coordinates (times, dofs) at times (s)."""
        stage = np.searchsorted(self.edges, seconds, side="right")
        out = np.empty((len(seconds), self.curves[0].c.shape[-1]))
        for n in np.unique(stage):
            out[stage == n] = self.curves[n](seconds[stage == n])
        return out

    @property
    def end(self) -> float:
        """Time of its last frame (s)."""
        return float(self.curves[-1].x[-1])

    def airborne(self, seconds: Array) -> NDArray[np.bool_]:
        """Return whether it is in flight at times (s), (times,)."""
        return np.asarray(np.searchsorted(self.edges, seconds + _TIME_TOLERANCE, side="right") % 2 == 1)

    def contacts_at(self, seconds: float) -> list[Contact]:
        """Return the contacts at a time (s), numbered as frame 0; between frames, those of both frames."""
        before = int(np.floor((seconds + _TIME_TOLERANCE) * self.fps))
        after = int(np.ceil((seconds - _TIME_TOLERANCE) * self.fps))
        out = []
        for contact in (contact for contact in self.contacts if contact.is_active(before)):
            if contact.is_active(after):
                out.append(replace(contact, first=0, last=0))
            for other in (other for other in self.contacts if other.is_active(after) and other is not contact):
                if other.body == contact.body:
                    near = [np.abs(other.points - p).max(axis=1).min() < 1e-9 for p in contact.points]
                    if any(near):
                        shared = replace(contact, points=contact.points[near], places=contact.places[near])
                        out.append(replace(shared, first=0, last=0))
        return out


def build_two_jumps(family: Family, values: Sequence[float], dynamics: Dynamics) -> TwoJumpMotion:
    """Build the motion at axis values of a family."""
    draft, motion = family.motion(values)
    flights = list(find_runs(draft.contacts.flight))
    if len(flights) != 2 or flights[0][0] == 0 or flights[1][1] == len(motion) - 1:
        raise InputError(
            f"the clip has {len(flights)} flights between ground stages, not 2",
            file=family.clip.fitted.source.name,
            fix="join two jumps: gambol join jump.bvh jump.bvh -o twice.bvh",
        )
    frames = [frame for first, last in flights for frame in (first - 1, last + 1)]
    times = motion.times
    centres = dynamics.center_of_mass(motion.q[frames])
    first, second = (
        JumpFlight(
            times[frames[n]], times[frames[n + 1]], centres[n], centres[n + 1], float(draft.gravity[frames[n] + 1])
        )
        for n in (0, 2)
    )
    feet = tuple(contact for contact in list_constraints(draft.contacts) if contact.body.endswith("foot"))
    curves = _curves(times, motion.q, frames, (first, second), dynamics)
    return TwoJumpMotion(curves, times[frames], first, second, feet, family.plan.fps, draft.time_map)


def _curves(
    times: Array, q: Array, frames: Sequence[int], flights: Sequence[JumpFlight], dynamics: Dynamics
) -> tuple[CubicSpline, ...]:
    from scipy.interpolate import CubicSpline

    ends = [0, *frames, len(times) - 1]
    parts = [slice(a, b + 1) for a, b in pairwise(ends)]
    curves = [CubicSpline(times[parts[n]], q[parts[n]]) for n in (1, 3)]
    up, down = (
        [
            (1, _with_centre_velocity(dynamics, q[frame], curve(times[frame], 1), velocity))
            for frame, curve, velocity in zip(of, curves, velocities, strict=True)
        ]
        for of, velocities in (
            (frames[::2], [flight.takeoff_velocity for flight in flights]),
            (frames[1::2], [flight.landing_velocity for flight in flights]),
        )
    )
    free = (2, np.zeros(q.shape[1]))
    first, second, third = (
        CubicSpline(times[parts[n]], q[parts[n]], bc_type=sides)
        for n, sides in ((0, (free, up[0])), (2, (down[0], up[1])), (4, (down[1], free)))
    )
    return first, curves[0], second, curves[1], third


def _with_centre_velocity(dynamics: Dynamics, pose: Array, velocity: Array, centre: Array) -> Array:
    """Shift velocities (dofs,) of the root so that the centre of mass has a velocity (3,)."""
    skeleton, out = dynamics.character.skeleton, velocity.copy()
    slides = skeleton.columns(0, "slide")
    has = dynamics.momentum(pose, velocity).linear / dynamics.character.mass
    out[slides] += np.array([skeleton.dofs[column].axis for column in slides]) @ (centre - has)
    return out
