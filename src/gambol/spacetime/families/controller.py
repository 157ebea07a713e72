"""A character that jumps on without end where a pad points: interactive control (L05 section 4.4.4).

Its family varies the first and the last ground of a clip with two jumps: where each jump goes, d1 and d2. Motions
Q(d1, d2) are chained: the last flight of one blends into the first flight of the next, whose d1 is that d2. Over a
flight poses go from one to the other; the centre of mass falls from the take-off of the one along its parabola, the
body turns so that spin stays the same, and the next motion is laid on the floor where that comes down. What its
velocity is then off the next motion's own is taken out on the ground, by the legs, while the feet stay.

The character knows two jumps: as it takes off, where it will land and where it goes from there. So what the pad says at
a take-off is the jump after that: a key waits between one jump (flight and ground) and two.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gambol.body.dynamics import Dynamics
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.spacetime.edits.moves import Move
from gambol.spacetime.families.chain import ChainLink, FlightBlend, turn_per_jump
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.steering import JumpSteering
from gambol.spacetime.families.two_jumps import Mask, build_two_jumps
from gambol.terms.holds import Hold

CONTROL_RATE = 60.0
"""Frames a second."""


class ControlFrame(NamedTuple):
    """What the character does at a moment."""

    q: Array
    """(dofs,)"""
    seconds: float
    planted: tuple[Hold, ...]
    """What is held, and where in the world."""
    flies: bool
    shown: Array
    """(3,) two seconds of the recording, and how much of the second is shown"""


class Controller:
    """A character that jumps where it is steered."""

    def __init__(self, family: Family, rate: float = CONTROL_RATE) -> None:
        self.family, self.rate = family, rate
        self.pad, self._steered = JumpSteering(family), np.zeros(2)
        self._dynamics = Dynamics(family.character)
        self._turn = turn_per_jump(family)
        self._count, self._leaves, self._jump = 0, 0.0, 0.0
        self._running = self._run(self._live())

    def steer(self, direction: Sequence[float]) -> None:
        """Where to go from now on: forward and left, -1 to 1, as the clip faces at its beginning; 0 is as recorded."""
        self._steered = np.clip(np.asarray(direction, dtype=float), -1.0, 1.0)

    def next(self, count: int) -> list[ControlFrame]:
        """The next frames."""
        return list(itertools.islice(self._running, count))

    def frames(self) -> Iterator[ControlFrame]:
        """All frames from here on, without end."""
        return self._running

    @property
    def seconds(self) -> float:
        """The time of the frame that comes next."""
        return self._count / self.rate

    @property
    def lag(self) -> float:
        """Seconds from now to the take-off of the first jump that steering now changes, as long as jumps last now."""
        return self._leaves - self.seconds + self._jump

    def jumps(self, directions: Sequence[Sequence[float]]) -> Iterator[ControlFrame]:
        """All frames of a chain from its beginning to rest, a jump for every direction of a pad."""
        if len(directions) < 2:
            raise InputError("a chain has two jumps or more")
        self._count = 0
        return self._run(iter(directions))

    def _live(self) -> Iterator[Sequence[float]]:
        while True:
            yield self._steered.tolist()

    def _run(self, pads: Iterator[Sequence[float]]) -> Iterator[ControlFrame]:
        first, jump = (self.pad.jump(next(pads)) for _ in range(2))
        here = ChainLink(self._dynamics, build_two_jumps(self.family, self.pad.values(first, jump), self._dynamics))
        flight, after, turn = here.segment.first, here.segment, 0.0
        self._leaves, self._jump = flight.begins, here.segment.second.begins - flight.begins
        yield from self._stood(here, 0.0)
        while True:
            begins, way = self._leaves, FlightBlend(here, flight, after, turn)
            here, lands = way.lands, begins + way.seconds
            self._jump = way.seconds + after.second.begins - after.first.ends
            self._leaves = begins + self._jump
            times = self._times(lands)
            shown = way.shown(times - begins)
            yield from self._given(way.q(times - begins), [()] * len(times), np.ones(len(times), dtype=bool), shown)
            yield from self._stood(here, lands - after.first.ends)
            last, turn = Move(-self._turn).rotate(np.append(jump, 0.0))[:2], self._turn
            pad = next(pads, None)
            if pad is None:
                self._leaves = self._leaves + after.ends - after.second.begins
                yield from self._stood(here, lands - after.first.ends)
                return
            wish = Move(-here.move.turn - turn).rotate(np.append(pad, 0.0))[:2]
            jump = self.pad.jump(np.clip(wish, -1.0, 1.0))
            flight, after = here.segment.second, build_two_jumps(self.family, self.pad.values(last, jump), self._dynamics)

    def _stood(self, link: ChainLink, begins: float) -> Iterator[ControlFrame]:
        """The frames until the next take-off, of a motion that began at a time."""
        times = self._times(self._leaves) - begins
        held = [link.held(t) for t in times]
        return self._given(link.q(times), held, link.segment.flies(times), link.shown(times))

    def _times(self, until: float) -> Array:
        """Of the frames before a time."""
        return np.arange(self._count, max(int(np.ceil(until * self.rate - 1e-9)), self._count)) / self.rate

    def _given(self, q: Array, planted: Sequence[tuple[Hold, ...]], flies: Mask, shown: Array) -> Iterator[ControlFrame]:
        for pose, held, air, of in zip(q, planted, flies, shown, strict=True):
            seconds, self._count = self.seconds, self._count + 1
            yield ControlFrame(pose, seconds, held, bool(air), of)
