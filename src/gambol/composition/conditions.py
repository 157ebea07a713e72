"""What must be true in a scene: hands that hold each other, bodies that meet, keep apart or arrive somewhere.

A condition adds itself to a block of the scene (`composition.blocks`). People who are not in the block are where they
were solved before; a hold is then a rubber band to where the other's hand is (L05 section 6.4.3). A condition may be
the goal of one person: blocks without that person leave it out, so that opponents can have goals that contradict each
other (section 6.4.4).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from gambol.geometry.arrays import Array
from gambol.terms.forces import Grasp, RubberBand, UnknownForce

if TYPE_CHECKING:
    from gambol.composition.blocks import BlockProblem

HAND_FORCE_COST, HIT_FORCE_COST = 100.0, 0.1
"""Costs per square kilonewton and second of the force between hands, which decides how much they pull, and of a hit."""
_ARMS = 0.1
"""Seconds after a hit at which the arms are around the other."""
_LATE = 1e-6
_BEFORE = 0.4
"""Seconds before somebody avoids another in which the way of that other is looked at."""
_EARLIER = 5
"""Frames before a meeting."""
TOUCH = 0.2
"""Seconds before a hit from which bodies may touch."""
_FORWARD, _HAND = 0.5, 0.03
"""Sine of how far around the other's body hands go, and metres from its surface to the middle of a hand."""
_ARM = ("upper_arm", "forearm", "hand")


@dataclass(frozen=True)
class BodyPart:
    """A point of somebody's body."""

    person: str
    body: str
    share: float = 0.5
    """Where along the body: 0 at its joint, 1 at its end."""
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Metres from there, in the body's frame."""

    def __str__(self) -> str:
        return f"{self.person}'s {self.body.replace('_', ' ')}"


class Condition(Protocol):
    """Something that must be true in a scene."""

    @property
    def people(self) -> tuple[str, ...]:
        """Who is concerned."""

    @property
    def goal_of(self) -> str | None:
        """Who sees to it; None for everybody who is concerned."""

    @property
    def span(self) -> tuple[float, float]:
        """When it begins and ends (s of the draft)."""

    @property
    def hits(self) -> tuple[float, ...]:
        """When (s) people are hit, who step where they must from then on."""

    def may_touch(self, one: BodyPart, other: BodyPart, time: float) -> bool:
        """Whether two parts of different people may intersect at a time (s)."""

    def presses(self, one: str, other: str, time: float) -> bool:
        """Whether two people are pressed together at a time (s): forces, not avoidance, keep them apart."""

    def find_forces(self, block: BlockProblem, person: str) -> Iterable[UnknownForce]:
        """Return the forces that it exerts on a person of the block."""

    def add(self, block: BlockProblem) -> None:
        """Add constraints and costs, after all people and forces of the block."""


class Gentle:
    """A condition that hits nobody, and presses nobody together."""

    @property
    def hits(self) -> tuple[float, ...]:
        """No times."""
        return ()

    def presses(self, one: str, other: str, time: float) -> bool:
        """Return no."""
        return False


class _Forceless(Gentle):
    """A condition that exerts no forces and lets nobody touch."""

    def may_touch(self, one: BodyPart, other: BodyPart, time: float) -> bool:
        """Return no."""
        return False

    def find_forces(self, block: BlockProblem, person: str) -> Iterable[UnknownForce]:
        """Return none."""
        return ()


@dataclass(frozen=True)
class Hold(Gentle):
    """Two parts of bodies that hold each other, and the force between them."""

    one: BodyPart
    other: BodyPart
    start: float | None = None
    end: float | None = None
    """Seconds of the draft; the whole scene by default."""
    cost: float = HAND_FORCE_COST
    goal_of: str | None = None

    @property
    def people(self) -> tuple[str, ...]:
        """Who is concerned."""
        return (self.one.person, self.other.person)

    @property
    def span(self) -> tuple[float, float]:
        """When it begins and ends (s of the draft)."""
        return 0.0 if self.start is None else self.start, np.inf if self.end is None else self.end

    def may_touch(self, one: BodyPart, other: BodyPart, time: float) -> bool:
        """Whether both are parts of the arms that hold each other."""
        held = {part.person: part for part in (self.one, self.other)}
        if {one.person, other.person} != set(held) or not all(_is_next_to(p, held[p.person]) for p in (one, other)):
            return False
        return (self.start is None or time >= self.start - _LATE) and (self.end is None or time <= self.end + _LATE)

    def find_forces(self, block: BlockProblem, person: str) -> Iterable[UnknownForce]:
        """Return the side of a grasp, or a rubber band where the other is not in the block."""
        first, last = block.find_frames(self.start, self.end, forces=True)
        if last < first:
            return ()
        parts = (self.one, self.other)
        number = self.people.index(person)
        if all(name in block.spaces for name in self.people):
            points = np.array([block.find_point(part) for part in parts])
            bodies = (self.one.body, self.other.body)
            (grasp,) = block.share(self, lambda: (Grasp(bodies, points, first, last, self.cost),))
            return (grasp.side(number),)
        if block.block.stiffness is None:
            return ()
        own, other = parts[number], parts[1 - number]
        anchors = block.track(other)[first : last + 1]
        return (RubberBand(own.body, block.find_point(own), first, anchors, block.block.stiffness, self.cost),)

    def add(self, block: BlockProblem) -> None:
        """Add nothing: the sides of the grasp add it."""


def _is_next_to(part: BodyPart, held: BodyPart) -> bool:
    """Whether a part is the held one, or next to it along the same arm."""
    side, _, name = held.body.partition("_")
    if name not in _ARM:
        return part.body == held.body
    place = _ARM.index(name)
    return part.body in [f"{side}_{near}" for near in _ARM[max(place - 1, 0) : place + 2]]


@dataclass(frozen=True)
class Meet(_Forceless):
    """A part of one person is next to a part of another at a time."""

    one: BodyPart
    other: BodyPart
    time: float
    """Seconds of the draft."""
    distance: float = 0.0
    """Metres between the two points."""
    speed: float | None = None
    """m/s at which their centres of mass approach each other just before, at least."""
    goal_of: str | None = None

    @property
    def people(self) -> tuple[str, ...]:
        """Who is concerned."""
        return (self.one.person, self.other.person)

    @property
    def span(self) -> tuple[float, float]:
        """When it begins and ends (s of the draft)."""
        return self.time, self.time

    def add(self, block: BlockProblem) -> None:
        """Add three equality constraints in one frame, and an inequality of velocities on the step before it."""
        frame = block.find_frame(self.time)
        if frame is None:
            return
        way = find_way(block, self, frame)
        frames = np.array([frame])
        for axis in np.eye(3):
            constraints = block.problem.add_constraints(f"{self.one} meets {self.other}", [self.distance * way @ axis])
            block.add_difference(constraints, frames, self.one, self.other, axis)
        self.add_speed(block, frame)

    def add_speed(self, block: BlockProblem, frame: int) -> None:
        """Add an inequality of the velocities of centres of mass on the step before a frame."""
        if self.speed is not None and frame > 0:
            constraints = block.problem.add_constraints("approach speed", np.array([self.speed]), np.inf)
            block.add_approach(constraints, frame, *self.people)


def find_way(block: BlockProblem, meeting: Meet, frame: int) -> Array:
    """Return the level unit vector (3,) from the second to the first of two parts that meet, before they do."""
    for before in (frame, frame - _EARLIER):  # where they are through each other, take where they come from
        apart = (block.find_place(meeting.one, before) - block.find_place(meeting.other, before)) * [1.0, 1.0, 0.0]
        size = float(np.linalg.norm(apart))
        if size >= max(0.5 * meeting.distance, 1e-6):
            break
    return np.asarray(apart / max(size, 1e-9))


@dataclass(frozen=True)
class Tackle:
    """A part of one person hits a part of another, and stays there: forces act between them from then on."""

    meeting: Meet
    arms: bool = True
    """Whether the hands go around the other."""

    @property
    def people(self) -> tuple[str, ...]:
        """Who is concerned."""
        return self.meeting.people

    @property
    def span(self) -> tuple[float, float]:
        """When it begins and ends (s of the draft)."""
        return self.meeting.span

    @property
    def hits(self) -> tuple[float, ...]:
        """When they meet."""
        return (self.meeting.time,)

    def may_touch(self, one: BodyPart, other: BodyPart, time: float) -> bool:
        """Whether they are the parts that hit, or hands on that part of the other, from shortly before the hit on."""
        parts = {part.person: part.body for part in (one, other)}
        if not self.presses(one.person, other.person, time):
            return False
        who, whom = self.people
        struck = {part.person: part.body for part in (self.meeting.one, self.meeting.other)}
        return parts == struck or (self.arms and parts[who].endswith("hand") and parts[whom] == struck[whom])

    def presses(self, one: str, other: str, time: float) -> bool:
        """Whether they are the two, from shortly before the hit on."""
        return {one, other} == set(self.people) and time > self.meeting.time - TOUCH

    @property
    def goal_of(self) -> str | None:
        """Who sees to it."""
        return self.meeting.goal_of

    def find_forces(self, block: BlockProblem, person: str) -> Iterable[UnknownForce]:
        """Return the sides of grasps between the parts, and between hands and the other's back."""
        if not all(name in block.spaces for name in self.people):
            return ()
        number = self.people.index(person)
        return tuple(grasp.side(number) for grasp in block.share(self, lambda: self._make_grasps(block)))

    def add(self, block: BlockProblem) -> None:
        """Add the approach speed; where the other is not in the block, the meeting itself."""
        if not all(name in block.spaces for name in self.people):
            self.meeting.add(block)
            return
        frame = block.find_frame(self.meeting.time)
        if frame is not None:
            self.meeting.add_speed(block, frame)

    def _make_grasps(self, block: BlockProblem) -> tuple[Grasp, ...]:
        first, last = block.find_frames(self.meeting.time, None, forces=True)
        if last < first:
            return ()
        one, other = self.meeting.one, self.meeting.other
        frame = round(self.meeting.time / block.cast.frame_time) - block.block.first  # may be before the block
        way = find_way(block, self.meeting, frame)
        half = 0.5 * self.meeting.distance
        points = [block.find_point(one) - half * block.into_body(one, frame, way)]
        points += [block.find_point(other) + half * block.into_body(other, frame, way)]
        made = [Grasp((one.body, other.body), np.array(points), first, last, HIT_FORCE_COST)]
        across = np.array([-way[1], way[0], 0.0])
        begin = min(max(frame + round(_ARMS / block.cast.frame_time), first), last)
        for side, sign in (("left", 1.0), ("right", -1.0)) if self.arms else ():
            hand = BodyPart(one.person, f"{side}_hand")
            # the one who comes looks against `way`: to the left is against `across`
            around = -sign * np.sqrt(1.0 - _FORWARD**2) * across - _FORWARD * way
            place = block.into_body(other, frame, (block.find_extent(other, frame, around) + _HAND) * around)
            pair = np.array([block.find_point(hand), block.find_point(other) + place])
            made.append(Grasp((hand.body, other.body), pair, begin, last, HAND_FORCE_COST))
        return tuple(made)


@dataclass(frozen=True)
class Avoid(_Forceless):
    """A part of a person keeps away from one of another between two times, to one side of the other's way."""

    one: BodyPart
    other: BodyPart
    start: float
    end: float
    """Seconds of the draft."""
    distance: float
    """Metres between the two points, at least, across the way of the other."""
    goal_of: str | None = None

    @property
    def people(self) -> tuple[str, ...]:
        """Who is concerned."""
        return (self.one.person, self.other.person)

    @property
    def span(self) -> tuple[float, float]:
        """When it begins and ends (s of the draft)."""
        return self.start, self.end

    def add(self, block: BlockProblem) -> None:
        """Add one inequality per frame, to the side of the other's way on which the person is already."""
        first, last = block.find_frames(self.start, self.end)
        if last < first:
            return
        frames = np.arange(first, last + 1)
        own, other = block.track(self.one), block.track(self.other)
        begin, middle = max(first - round(_BEFORE / block.cast.frame_time), 0), (first + last) // 2
        path = (other[middle] - other[begin]) - (own[middle] - own[begin])
        across = np.array([-path[1], path[0], 0.0]) / max(float(np.linalg.norm(path[:2])), 1e-9)
        side = 1.0 if (own - other)[middle] @ across >= 0.0 else -1.0
        constraints = block.problem.add_constraints(
            f"{self.one.person} avoids {self.other.person}", np.full(len(frames), self.distance), np.inf
        )
        block.add_difference(constraints, frames, self.one, self.other, side * across)


@dataclass(frozen=True)
class Reach(_Forceless):
    """A part of a body is above, or at, a place at a time."""

    part: BodyPart
    place: tuple[float, ...]
    """(2,) or (3,) metres"""
    time: float
    """Seconds of the draft."""
    goal_of: str | None = None

    @property
    def people(self) -> tuple[str, ...]:
        """Who is concerned."""
        return (self.part.person,)

    @property
    def span(self) -> tuple[float, float]:
        """When it begins and ends (s of the draft)."""
        return self.time, self.time

    def add(self, block: BlockProblem) -> None:
        """Add an equality constraint for every given coordinate."""
        frame = block.find_frame(self.time)
        if frame is None:
            return
        space, point = block.spaces[self.part.person], block.find_point(self.part)
        for axis, value in zip(np.eye(3), self.place, strict=False):
            constraints = block.problem.add_constraints(f"{self.part} at its place", np.array([value]))
            space.add_point(constraints, np.array([frame]), self.part.body, point, axis)


def find_opponents(conditions: Iterable[Condition]) -> set[str]:
    """Return people who have goals of their own, if there are several."""
    goals = {one.goal_of for one in conditions if one.goal_of is not None}
    return goals if len(goals) > 1 else set()


def find_surprises(conditions: Iterable[Condition]) -> list[Tackle]:
    """Return the tackles that only one of both sees to."""
    return [one for one in conditions if isinstance(one, Tackle) and one.goal_of is not None]
