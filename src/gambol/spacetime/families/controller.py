"""Steer a character that jumps without end: interactive control (L05 section 4.4.4).

The family varies the first and the last ground stage of a clip with two jumps, and so both jumps, d1 and d2. Motions
Q(d1, d2) are chained: the last flight of one blends into the first flight of the next, whose d1 is that d2. During the
flight poses are blended, the centre of mass follows the parabola of the take-off, and the root turns so that angular
momentum stays constant. The next motion is placed where the parabola lands. The difference between the landing velocity
and that of the next motion is removed on the ground by the legs, with planted feet.

At a take-off this jump and the next are already fixed, and steering sets the one after them. The lag is therefore
between one jump (flight and ground) and two.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body.dynamics import Dynamics
from gambol.contacts.contact import Contact
from gambol.contacts.move import Move
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.spacetime.families.chain import ChainLink, FlightBlend, turn_per_jump
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.steering import JumpSteering
from gambol.spacetime.families.two_jumps import TwoJumpMotion, build_two_jumps

CONTROL_FPS = 60.0
"""Frames per second."""


class ControlFrame(NamedTuple):
    """One frame of the controlled character."""

    q: Array
    """(dofs,)"""
    time: float
    contacts: tuple[Contact, ...]
    """Planted feet, in world coordinates."""
    airborne: bool
    source_times: Array
    """(3,) two times (s) of the recording, and the blend weight of the second"""


class Controller:
    """A character that jumps in the steered direction."""

    def __init__(self, family: Family, fps: float = CONTROL_FPS) -> None:
        self.family, self.fps = family, fps
        self.steering, self._steered = JumpSteering(family), np.zeros(2)
        self._dynamics = Dynamics(family.character)
        self._turn = turn_per_jump(family)
        self._count, self._takeoff, self._jump = 0, 0.0, 0.0
        self._running = self._run(self._live_directions())

    def steer(self, direction: Sequence[float]) -> None:
        """Set the direction (forward, left), each -1 to 1, in the initial heading of the clip; 0 is as recorded."""
        self._steered = np.clip(np.asarray(direction, dtype=float), -1.0, 1.0)

    def next(self, count: int) -> list[ControlFrame]:
        """Return the next `count` frames."""
        return list(itertools.islice(self._running, count))

    def frames(self) -> Iterator[ControlFrame]:
        """Iterate over all further frames, without end."""
        return self._running

    @property
    def time(self) -> float:
        """Time of the next frame (s)."""
        return self._count / self.fps

    @property
    def lag(self) -> float:
        """Seconds from now to the take-off of the first jump that steering can change, if jumps last as long as now."""
        return self._takeoff - self.time + self._jump

    def jumps(self, directions: Sequence[Sequence[float]]) -> Iterator[ControlFrame]:
        """Iterate over all frames of a chain from start to rest, one jump per direction."""
        if len(directions) < 2:
            raise InputError(f"a chain needs at least 2 directions, not {len(directions)}")
        self._count = 0
        return self._run(iter(directions))

    def _live_directions(self) -> Iterator[Sequence[float]]:
        while True:
            yield self._steered.tolist()

    def _run(self, directions: Iterator[Sequence[float]]) -> Iterator[ControlFrame]:
        first, jump = (self.steering.jump(next(directions)) for _ in range(2))
        here = ChainLink(self._dynamics, self._build(first, jump))
        flight, after, turn = here.motion.first, here.motion, 0.0
        self._takeoff, self._jump = flight.start, here.motion.second.start - flight.start
        yield from self._run_ground(here, 0.0)
        while True:
            start, blend = self._takeoff, FlightBlend(here, flight, after, turn)
            here, landing = blend.next_link, start + blend.duration
            self._jump = blend.duration + after.second.start - after.first.end
            self._takeoff = start + self._jump
            times = self._times(landing)
            shown = blend.source_times(times - start)
            yield from self._emit(blend.q(times - start), [()] * len(times), np.ones(len(times), dtype=bool), shown)
            yield from self._run_ground(here, landing - after.first.end)
            last, turn = Move(-self._turn).rotate(np.append(jump, 0.0))[:2], self._turn
            direction = next(directions, None)
            if direction is None:
                self._takeoff = self._takeoff + after.end - after.second.start
                yield from self._run_ground(here, landing - after.first.end)
                return
            steered = Move(-here.move.turn - turn).rotate(np.append(direction, 0.0))[:2]
            jump = self.steering.jump(np.clip(steered, -1.0, 1.0))
            flight, after = here.motion.second, self._build(last, jump)

    def _build(self, first: Array, second: Array) -> TwoJumpMotion:
        return build_two_jumps(self.family, self.steering.values(first, second), self._dynamics)

    def _run_ground(self, link: ChainLink, start: float) -> Iterator[ControlFrame]:
        """Yield the frames until the next take-off of a motion that started at a time."""
        times = self._times(self._takeoff) - start
        contacts = [link.contacts_at(t) for t in times]
        return self._emit(link.q(times), contacts, link.motion.airborne(times), link.source_times(times))

    def _times(self, until: float) -> Array:
        """Return the times of the frames before a time."""
        return np.arange(self._count, max(int(np.ceil(until * self.fps - 1e-9)), self._count)) / self.fps

    def _emit(
        self,
        q: Array,
        contacts: Sequence[tuple[Contact, ...]],
        airborne: NDArray[np.bool_],
        source_times: Array,
    ) -> Iterator[ControlFrame]:
        for pose, held, air, shown in zip(q, contacts, airborne, source_times, strict=True):
            time, self._count = self.time, self._count + 1
            yield ControlFrame(pose, time, held, bool(air), shown)
