"""Schedules: in which order blocks of a scene are solved (L05 section 6.4).

The thesis composes scenes by block coordinate descent and continuation, since one problem of everybody and all frames
was out of reach. Here it is the default: it is faster and ends lower. A schedule is a small object with one method; to
write a new one, call `solve` with a state of the scene and a block of it as often as needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

import numpy as np

from gambol.composition.block_person import KEPT_FRAMES
from gambol.composition.blocks import Block, Cast, Take
from gambol.composition.clearance import find_intersections
from gambol.composition.conditions import TOUCH, Avoid, find_opponents, find_surprises
from gambol.errors import InputError
from gambol.spacetime.recovery.crossing import find_crossings


class SolveBlocks(Protocol):
    """Solves blocks, reports them, and stores the state of the scene after each."""

    def __call__(self, take: Take, block: Block, *, label: str = "") -> Take:
        """Return the state after a block is solved."""

    def solve_all(self, take: Take, blocks: list[Block], *, label: str = "") -> Take:
        """Return the state after blocks are solved that do not depend on each other."""

    def find_timing(self, take: Take, block: Block, rounds: int) -> Take:
        """Return the state after times are found too."""


class Schedule(Protocol):
    """A way to solve a scene."""

    def run(self, cast: Cast, take: Take, solve: SolveBlocks) -> Take:
        """Return the state of the scene after all blocks."""


_MOST = 600
"""Largest product of people and frames for which one problem is solved; it takes about half a minute."""


_PRESSED_ROUNDS = 10
"""How often bodies that press are looked at: where they touch changes as forces push them apart."""
_LEAD = 0.5
"""Seconds before a goal that everybody needs to plan for it."""


@dataclass(frozen=True)
class Together:
    """Everybody and all frames in one problem (eq. 6.7)."""

    def run(self, cast: Cast, take: Take, solve: SolveBlocks) -> Take:
        """Solve the whole problem."""
        return solve(take, cast.whole, label="everybody")


@dataclass(frozen=True)
class TimeWarped:
    """Times first, with the laws of motion relaxed, then with them; then another schedule (section 6.4.1)."""

    then: Schedule = Together()
    rounds: int = 4
    relaxed: bool = False
    """Whether times are found while residual forces are allowed, as printed: without dynamics."""

    def run(self, cast: Cast, take: Take, solve: SolveBlocks) -> Take:
        """Find times, then run the other schedule."""
        whole = cast.whole
        if self.relaxed:
            take = solve.find_timing(take, replace(whole, relaxed=True), self.rounds)
            return self.then.run(cast, take, solve)
        return solve.find_timing(take, whole, self.rounds)


@dataclass(frozen=True)
class TimeLayered:
    """Parts of the time one after the other, then parts that straddle their seams, repeated (section 6.4.2)."""

    seconds: float = 2.0
    """Length of a part."""
    rounds: int = 2

    def run(self, cast: Cast, take: Take, solve: SolveBlocks) -> Take:
        """Solve parts with their ends kept, those between with the seams inside."""
        people = tuple(cast.roles)
        for number in range(self.rounds):
            for shifted, label in ((False, "part"), (True, "seam")):
                blocks = [Block(people, *part) for part in self._divide(cast, shifted)]
                if blocks:
                    take = solve.solve_all(take, blocks, label=f"round {number + 1}, {label}s")
        return take

    def _divide(self, cast: Cast, shifted: bool) -> Iterator[tuple[int, int]]:
        last = cast.frames - 1
        count = max(2, round(last * cast.frame_time / self.seconds))
        edges = np.linspace(0, last, count + 1).round().astype(int)
        if shifted:
            middles = (edges[:-1] + edges[1:]) // 2
            yield from ((int(a), int(b)) for a, b in pairwise(middles))
        else:
            for a, b in pairwise(edges):
                yield int(a), int(min(b + KEPT_FRAMES - 1, last))  # two parts share the frames that both keep


@dataclass(frozen=True)
class Alternating:
    """One person after the other, with rubber bands between them that grow stiffer (section 6.4.3)."""

    stiffness: float = 1e2
    """N/m of the bands in the first cycle."""
    factor: float = 100.0
    """By which they grow stiffer in each cycle."""
    cycles: int = 4
    order: tuple[str, ...] = ()
    """Who is solved first; the order of the scene by default."""

    def run(self, cast: Cast, take: Take, solve: SolveBlocks) -> Take:
        """Solve everybody in turn, in every cycle."""
        for cycle in range(self.cycles):
            stiffness = self.stiffness * self.factor**cycle
            for name in self.order or tuple(cast.roles):
                block = Block((name,), 0, cast.frames - 1, stiffness)
                take = solve(take, block, label=f"cycle {cycle + 1}, {name}, {stiffness:.0e} N/m")
        return take


@dataclass(frozen=True)
class DecreasingHorizon:
    """Opponents in turn, each for the last half of what was planned before (section 6.4.4).

    Halves are those of the time up to what they have as goals. Whoever plans last prevails; there are as many cycles as
    leave everybody some time before that.
    """

    order: tuple[str, ...] = ()
    """Who plans after whom; the order of the scene by default."""
    cycles: int = 2
    """At most."""

    def run(self, cast: Cast, take: Take, solve: SolveBlocks) -> Take:
        """Solve everybody without goals first, then in turn, for shorter and shorter times up to the end."""
        last, order = cast.frames - 1, self.order or tuple(cast.roles)
        take = solve.solve_all(take, [Block((name,), 0, last, goals=False) for name in order], label="without goals")
        begins, ends = _find_goal_times(cast)
        for cycle in range(self.cycles):
            latest = ends * (1.0 - 0.5 ** (cycle + 1))
            if cycle and latest > begins - _LEAD:
                break
            for turn, name in enumerate(order):
                share = 0.0 if cycle == turn == 0 else 1.0 - 0.5 ** (cycle + (turn > 0))
                block = Block((name,), round(ends * share / cast.frame_time), last)
                take = solve(take, block, label=f"cycle {cycle + 1}, {name}")
        if any(isinstance(one, Avoid) and one.goal_of == order[-1] for one in cast.conditions):
            return Cleared(_OneBlock(block, f"apart, {order[-1]}")).clear(cast, take, solve)
        return take


def _find_goal_times(cast: Cast) -> tuple[float, float]:
    """Return when the last goals begin and end (s)."""
    whole = (cast.frames - 1) * cast.frame_time
    spans = [one.span for one in cast.conditions if one.goal_of is not None]
    begins, ends = zip(*spans, strict=True) if spans else ((whole,), (whole,))
    return max(begins), min(max(ends), whole)


@dataclass(frozen=True)
class Surprise:
    """Somebody is hit who does not expect it: what leads to the hit is planned by the one who hits alone.

    Everybody is solved without goals, then whoever hits, then everybody from shortly before the first hit on.
    """

    def run(self, cast: Cast, take: Take, solve: SolveBlocks) -> Take:
        """Solve the times before and after the hit."""
        last, tackles = cast.frames - 1, find_surprises(cast.conditions)
        if not tackles:
            raise InputError("nobody is hit by surprise", fix="a 'tackle' that is the 'goal of' one person")
        take = solve.solve_all(take, [Block((name,), 0, last, goals=False) for name in cast.roles], label="unaware")
        for tackle in tackles:
            who = tackle.goal_of or tackle.people[0]
            whom = next(name for name in tackle.people if name != who)
            planned = solve(take, Block((who,), 0, last), label=f"{who} alone")
            if planned is take:  # no solution
                fix = "begin nearer, or hit later"
                raise InputError(f"'{who}' cannot hit '{whom}' at {tackle.meeting.time:g} s as asked for", fix=fix)
            take = planned
        hit = min(round((one.meeting.time - TOUCH) / cast.frame_time) for one in tackles)
        after = Block(tuple(cast.roles), max(hit - KEPT_FRAMES, 0), last)
        return Cleared(_OneBlock(after, "from the hit on"), _PRESSED_ROUNDS).run(cast, take, solve)


@dataclass(frozen=True)
class _OneBlock:
    """A schedule of one block."""

    block: Block
    label: str

    def run(self, cast: Cast, take: Take, solve: SolveBlocks) -> Take:
        """Solve the block."""
        return solve(take, self.block, label=self.label)


@dataclass(frozen=True)
class Cleared:
    """Another schedule, then everybody again with bodies and legs that intersect kept apart, until none do."""

    then: Schedule
    rounds: int = 3

    def run(self, cast: Cast, take: Take, solve: SolveBlocks) -> Take:
        """Run the schedule, look for bodies that intersect, and run it again with them apart."""
        return self.clear(cast, self.then.run(cast, take, solve), solve)

    def clear(self, cast: Cast, take: Take, solve: SolveBlocks) -> Take:
        """Return a state in which no bodies intersect, if there is one."""
        for _ in range(self.rounds):
            apart = _keep_apart(cast, take)
            if apart is take:
                break
            cleared = self.then.run(cast, apart, solve)
            if cleared is apart:  # no solution
                break
            take = cleared
        return take


def _keep_apart(cast: Cast, take: Take) -> Take:
    """Return the state with separations of what intersects; the same state if nothing does."""
    found = find_intersections(cast, take)
    crossed = {name: find_crossings(role.draft, take.tracks[name].q) for name, role in cast.roles.items()}
    if not found and not any(crossed.values()):
        return take
    crossings = {name: (*take.crossings.get(name, ()), *mine) for name, mine in crossed.items()}
    return replace(take, separations=(*take.separations, *found), crossings=crossings)


SCHEDULES: dict[str, Schedule] = {
    "together": Together(),
    "timed": TimeWarped(),
    "layered": TimeLayered(),
    "alternating": Alternating(),
    "horizon": DecreasingHorizon(),
    "surprise": Surprise(),
}
"""By the name that a user gives."""


def choose_schedule(cast: Cast, timing: bool, order: tuple[str, ...] = ()) -> Schedule:
    """Return the schedule that suits a scene: opponents in turn, long scenes in parts, else everybody at once."""
    if find_opponents(cast.conditions):
        return DecreasingHorizon(order)
    if find_surprises(cast.conditions):
        return Surprise()
    chosen: Schedule = TimeLayered() if len(cast.roles) * cast.frames > _MOST else Together()
    return Cleared(TimeWarped(chosen) if timing else chosen)
