"""The contacts that explain how a body moves: what of it stays fixed or slides, from when to when.

L05 section 3.4: the search goes in the order of decreasing restriction, fixed planes, lines and points first, then
slides on lines and planes. Taken one after the other, a foot that rolls over slowly would be a chain of short planes,
each within the tolerance. So all stretches are chosen together: a frame costs the more, the less restricted it is, a
stretch costs as much as a few frames, and the cheapest way through the clip is found by dynamic programming.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.contacts import Contact, ContactKind, Contacts
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Vector
from gambol.stages.feet import find_foot_points
from gambol.stages.fixed import find_fixed_points
from gambol.stages.sliding import refine_slide, fit_slide, slides_far_enough
from gambol.stages.solids import Solid, make_solid

FIXED_KINDS: tuple[ContactKind, ...] = ("plane", "line", "point")
SLIDING_KINDS: tuple[ContactKind, ...] = ("slide_line", "slide_plane")
_STRETCH = 5
"""What a stretch costs, in shortest stretches of one step of restriction less."""


@dataclass(frozen=True)
class ContactSearch:
    """What counts as held (L05: tolerance and minimal frames), and the direction that levels slides."""

    tolerance: float = 0.01
    """Metres that a held point may stray."""
    min_frames: int = 8
    """Frames that a contact lasts at least."""
    kinds: tuple[ContactKind, ...] = FIXED_KINDS
    """In order of decreasing restriction."""
    up: Vector | None = (0.0, 0.0, 1.0)
    """Slides are level across it; None lets them be on any line or plane."""

    def __post_init__(self) -> None:
        if not (self.tolerance > 0.0 and self.min_frames >= 3 and self.kinds):
            raise InputError(f"a search needs a tolerance, 3 frames or more and kinds of contacts, not {self}")


class ContactInterval(NamedTuple):
    """A kind of contact over frames `first` to `last`, and what `held` or `slid` says of it."""

    kind: ContactKind
    first: int
    last: int
    answer: Array


def find_contacts(motion: Motion, bodies: Sequence[str] | None = None, search: ContactSearch = ContactSearch()) -> Contacts:
    """Contacts of the named bodies (all if not given) by rigid motion alone, whatever the bodies touch."""
    skeleton = motion.skeleton
    names = [name for joint, name in enumerate(skeleton.names) if joint not in skeleton.ends]
    soles = _soles(motion)
    items = []
    for body in names if bodies is None else bodies:
        solid = make_solid(motion, body, soles.get(body))
        items += [_contact(solid, body, stretch) for stretch in find_contact_intervals(solid, search)]
    return Contacts(tuple(items), len(motion), motion.frame_time)


def _soles(motion: Motion) -> dict[str, Array]:
    """The points of feet by body: heels are not among the joints of a rig."""
    try:
        points = find_foot_points(motion)
    except InputError:
        return {}
    bodies = {point.body for point in points}
    return {body: np.vstack((np.zeros(3), *(p.point for p in points if p.body == body))) for body in bodies}


def find_contact_intervals(solid: Solid, search: ContactSearch = ContactSearch()) -> list[ContactInterval]:
    """The stretches of fixed and sliding contact that together explain most of a body's motion with fewest contacts."""
    up = None if search.up is None else np.asarray(search.up) / np.linalg.norm(search.up)
    tests = [_test(solid, kind, search.tolerance, up) for kind in search.kinds]
    reaches: list[list[int]] = []
    for test in tests:
        reaches.append(_reaches(solid.frames, search.min_frames, test, reaches[-1] if reaches else [-1] * solid.frames))
    found = []
    for choice, first, last in _cheapest(solid.frames, search.min_frames, reaches):
        kind, answer = search.kinds[choice], tests[choice](first, last)
        if answer is None:
            continue
        if kind in SLIDING_KINDS:
            if not slides_far_enough(solid, kind, answer, first, last, search.tolerance, up):
                continue
            answer = refine_slide(solid, kind, answer, first, last, up)
        found.append(ContactInterval(kind, first, last, answer))
    return found


def _test(solid: Solid, kind: ContactKind, tolerance: float, up: Array | None) -> Callable[[int, int], Array | None]:
    if kind in SLIDING_KINDS:
        return lambda first, last: fit_slide(solid, kind, first, last, tolerance, up)
    return lambda first, last: find_fixed_points(solid, kind, first, last, tolerance)


def _reaches(frames: int, shortest: int, test: Callable[[int, int], Array | None], stricter: list[int]) -> list[int]:
    """For every first frame the last one to which the test holds, -1 where it holds nowhere.

    What holds over a stretch holds over its parts, so the last frame never goes back as the first goes on; and what
    holds for a stricter kind of contact, to the frames in `stricter`, holds for this one.
    """
    reaches, reach = [], -1
    for first in range(frames):
        least = first + shortest - 1
        reach = max(reach, stricter[first])
        if reach < least:
            reach = least if least < frames and test(first, least) is not None else -1
        while 0 <= reach < frames - 1 and test(first, reach + 1) is not None:
            reach += 1
        reaches.append(reach)
    return reaches


def _cheapest(frames: int, shortest: int, reaches: list[list[int]]) -> list[tuple[int, int, int]]:
    """Choice, first and last frame of the stretches on the cheapest way through all frames."""
    best = np.full(frames + 1, np.inf)
    best[0] = 0.0
    came: list[tuple[int, int] | None] = [None] * (frames + 1)
    loose, price = float(len(reaches)), float(_STRETCH * shortest)
    for first in range(frames):
        if best[first] + loose < best[first + 1]:
            best[first + 1], came[first + 1] = best[first] + loose, None
        for choice, reach in enumerate(row[first] for row in reaches):
            ends = np.arange(first + shortest, reach + 2)
            costs = best[first] + price + choice * (ends - first)
            for end in ends[costs < best[ends]] if len(ends) else ():
                best[end], came[end] = best[first] + price + choice * (end - first), (choice, first)
    stretches, end = [], frames
    while end > 0:
        step = came[end]
        if step is not None:
            stretches.append((step[0], step[1], end - 1))
        end = end - 1 if step is None else step[1]
    return stretches[::-1]


def _contact(solid: Solid, body: str, stretch: ContactInterval) -> Contact:
    kind, first, last, answer = stretch
    if kind in SLIDING_KINDS:
        point, location, direction = answer
        return Contact(body, kind, point[None], location, first, last, direction)
    places = solid.tracks(answer, first, last).mean(axis=0)
    way = places[1] - places[0] if kind == "line" else None
    direction = None if way is None else way / np.linalg.norm(way)
    return Contact(body, kind, answer, places.mean(axis=0), first, last, direction)
