"""One motion of a family with two jumps, at any time between its frames: a link of a chain (L05 section 4.4.4).

Between frames coordinates are cubic curves, stage by stage: across a landing, where forces set in at once, one curve
would swing. Curves on the ground begin and end with the velocities of the flights beside them, and those of the centre
of mass with what it has on its parabola.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gambol.body.dynamics import Dynamics
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.spacetime.edits.time_map import TimeMap
from gambol.spacetime.edits.moves import Move
from gambol.spacetime.families.family import Family
from gambol.stages.speed import runs
from gambol.terms.holds import UP, Hold

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

Mask = NDArray[np.bool_]
_SOON = 1e-6
"""Seconds by which times of frames are off what they should be."""


@dataclass(frozen=True, eq=False)
class JumpFlight:
    """From the last frame on the ground to the first on it again."""

    begins: float
    """Seconds of the motion."""
    ends: float
    leaves: Array
    """(3,) metres: the centre of mass at the beginning"""
    lands: Array
    gravity: float

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return self.ends - self.begins

    @property
    def rising(self) -> Array:
        """(3,) metres a second: of the centre of mass at the beginning."""
        return np.asarray((self.lands - self.leaves) / self.seconds + 0.5 * self.gravity * self.seconds * UP)

    @property
    def falling(self) -> Array:
        """(3,) metres a second: at the end."""
        return self.rising - self.gravity * self.seconds * UP


@dataclass(frozen=True, eq=False)
class TwoJumpMotion:
    """A motion with two jumps somewhere on the floor."""

    curves: tuple[CubicSpline, ...]
    """Ground, flight, ground, flight, ground."""
    edges: Array
    """(4,) seconds where flights begin and end"""
    first: JumpFlight
    second: JumpFlight
    holds: tuple[Hold, ...]
    rate: float
    """Frames a second in which holds count."""
    clock: TimeMap
    """Which second of the recording is shown when."""

    def q(self, seconds: Array) -> Array:
        """Coordinates (times, dofs)."""
        stage = np.searchsorted(self.edges, seconds, side="right")
        out = np.empty((len(seconds), self.curves[0].c.shape[-1]))
        for n in np.unique(stage):
            out[stage == n] = self.curves[n](seconds[stage == n])
        return out

    @property
    def ends(self) -> float:
        """Its last second."""
        return float(self.curves[-1].x[-1])

    def flies(self, seconds: Array) -> Mask:
        """(times,) whether it is in the air."""
        return np.asarray(np.searchsorted(self.edges, seconds + _SOON, side="right") % 2 == 1)

    def held(self, seconds: float) -> list[Hold]:
        """What is held at a time, as for the first frame of a motion; between two frames what is held in both."""
        before, after = int(np.floor((seconds + _SOON) * self.rate)), int(np.ceil((seconds - _SOON) * self.rate))
        out = []
        for hold in (hold for hold in self.holds if hold.holds(before)):
            if hold.holds(after):
                out.append(replace(hold, first=0, last=0))
            for other in (other for other in self.holds if other.holds(after) and other is not hold):
                if other.body == hold.body:
                    both = [n for n, p in enumerate(hold.points) if np.abs(other.points - p).max(axis=1).min() < 1e-9]
                    if both:
                        out.append(replace(hold, points=hold.points[both], places=hold.places[both], first=0, last=0))
        return out


def build_two_jumps(family: Family, values: Sequence[float], dynamics: Dynamics) -> TwoJumpMotion:
    """The motion at a place of a family."""
    draft, motion = family.motion(values)
    flights = list(runs(draft.contact_plan.flight))
    if len(flights) != 2 or flights[0][0] == 0 or flights[1][1] == len(motion) - 1:
        raise InputError(
            f"the clip has {len(flights)} flights from ground to ground, not two",
            file=family.clip.fitted.source.name,
            fix="join two jumps: gambol join jump.bvh jump.bvh -o twice.bvh",
        )
    frames = [frame for first, last in flights for frame in (first - 1, last + 1)]
    times = motion.times
    centres = dynamics.center_of_mass(motion.q[frames])
    first, second = (
        JumpFlight(times[frames[n]], times[frames[n + 1]], centres[n], centres[n + 1], float(draft.gravity[frames[n] + 1]))
        for n in (0, 2)
    )
    holds = tuple(hold for hold in draft.contact_plan.holds if hold.body.endswith("foot"))
    curves = _curves(times, motion.q, frames, (first, second), dynamics)
    return TwoJumpMotion(curves, times[frames], first, second, holds, family.plan.rate, draft.time_map)


def _curves(
    times: Array, q: Array, frames: Sequence[int], flights: Sequence[JumpFlight], dynamics: Dynamics
) -> tuple[CubicSpline, ...]:
    from scipy.interpolate import CubicSpline

    ends = [0, *frames, len(times) - 1]
    parts = [slice(a, b + 1) for a, b in pairwise(ends)]
    curves = [CubicSpline(times[parts[n]], q[parts[n]]) for n in (1, 3)]
    up, down = (
        [
            (1, _fallen(dynamics, q[frame], curve(times[frame], 1), velocity))
            for frame, curve, velocity in zip(of, curves, velocities, strict=True)
        ]
        for of, velocities in (
            (frames[::2], [flight.rising for flight in flights]),
            (frames[1::2], [flight.falling for flight in flights]),
        )
    )
    free = (2, np.zeros(q.shape[1]))
    first, second, third = (
        CubicSpline(times[parts[n]], q[parts[n]], bc_type=sides)
        for n, sides in ((0, (free, up[0])), (2, (down[0], up[1])), (4, (down[1], free)))
    )
    return first, curves[0], second, curves[1], third


def _fallen(dynamics: Dynamics, pose: Array, velocity: Array, centre: Array) -> Array:
    """Velocities (dofs,) whose centre of mass has a velocity (3,): the whole body goes along."""
    skeleton, out = dynamics.character.skeleton, velocity.copy()
    slides = skeleton.columns(0, "slide")
    has = dynamics.momentum(pose, velocity).linear / dynamics.character.mass
    out[slides] += np.array([skeleton.dofs[column].axis for column in slides]) @ (centre - has)
    return out


def move_constraint(hold: Hold, move: Move) -> Hold:
    """A hold somewhere else on the floor."""
    return replace(hold, places=move(hold.places), normal=move.rotate(hold.normal))
