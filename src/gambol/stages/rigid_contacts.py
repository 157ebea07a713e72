"""Find the contacts that explain a body's motion: points, lines and planes that stay fixed or slide for an interval.

L05 section 3.4: the search is in order of decreasing restriction, fixed planes, lines and points first, then slides on
lines and planes. Chosen greedily, a foot that rolls slowly would be a chain of short planes, each within the tolerance.
So all intervals are chosen together: less restricted frames cost more, every interval has a constant cost, and dynamic
programming finds the sequence with the least total cost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from gambol.contacts.contact import Contact
from gambol.contacts.timeline import Contacts
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Vector
from gambol.stages.feet import find_foot_points
from gambol.stages.fixed import find_fixed_points
from gambol.stages.sliding import fit_slide, refine_slide, slides_far_enough
from gambol.stages.solids import Solid, make_solid

SearchKind = Literal["point", "line", "plane", "slide_line", "slide_plane"]
"""What stays fixed of a body, or how a point of it slides."""
FIXED_KINDS: tuple[SearchKind, ...] = ("plane", "line", "point")
SLIDING_KINDS: tuple[SearchKind, ...] = ("slide_line", "slide_plane")
_INTERVAL_COST = 5
"""Cost of an interval, in units of `min_frames` frames that are one kind less restricted."""


@dataclass(frozen=True)
class ContactSearch:
    """Settings of the search for contacts (L05: tolerance and minimal number of frames)."""

    tolerance: float = 0.01
    """Largest distance (m) of a fixed point from its mean place, or of a sliding point from its line or plane."""
    min_frames: int = 8
    """Least number of frames of a contact."""
    kinds: tuple[SearchKind, ...] = FIXED_KINDS
    """In order of decreasing restriction."""
    up: Vector | None = (0.0, 0.0, 1.0)
    """Slides must be perpendicular to it; None allows any line or plane."""

    def __post_init__(self) -> None:
        if not (self.tolerance > 0.0 and self.min_frames >= 3 and self.kinds):
            raise InputError(f"tolerance must be positive, min_frames 3 or more and kinds not empty, not {self}")


class ContactInterval(NamedTuple):
    """A contact over frames `first` to `last`, and the result of `find_fixed_points` or `fit_slide`."""

    kind: SearchKind
    first: int
    last: int
    geometry: Array


def find_rigid_contacts(
    motion: Motion, bodies: Sequence[str] | None = None, search: ContactSearch = ContactSearch()
) -> Contacts:
    """Find contacts of the named bodies (default: all) from rigid motion alone, with any surface."""
    skeleton = motion.skeleton
    names = [name for joint, name in enumerate(skeleton.names) if joint not in skeleton.ends]
    soles = _soles(motion)
    items = []
    for body in names if bodies is None else bodies:
        solid = make_solid(motion, body, soles.get(body))
        items += [_contact(solid, body, interval) for interval in find_contact_intervals(solid, search)]
    items.sort(key=lambda one: (one.first, one.last, one.part))
    return Contacts(tuple(items), len(motion), motion.frame_time)


def _soles(motion: Motion) -> dict[str, Array]:
    """Return the points of the feet by body: heels are not among the joints of a rig."""
    try:
        points = find_foot_points(motion)
    except InputError:
        return {}
    bodies = {point.body for point in points}
    return {body: np.vstack((np.zeros(3), *(p.point for p in points if p.body == body))) for body in bodies}


def find_contact_intervals(solid: Solid, search: ContactSearch = ContactSearch()) -> list[ContactInterval]:
    """Find the intervals of fixed and sliding contact that explain most of a body's motion with fewest contacts."""
    up = None if search.up is None else np.asarray(search.up) / np.linalg.norm(search.up)
    tests = [_test(solid, kind, search.tolerance, up) for kind in search.kinds]
    ends: list[list[int]] = []
    for test in tests:
        ends.append(_last_frames(solid.frames, search.min_frames, test, ends[-1] if ends else [-1] * solid.frames))
    found = []
    for choice, first, last in _cheapest(solid.frames, search.min_frames, ends):
        kind, geometry = search.kinds[choice], tests[choice](first, last)
        if geometry is None:
            continue
        if kind in SLIDING_KINDS:
            if not slides_far_enough(solid, kind, geometry, first, last, search.tolerance, up):
                continue
            geometry = refine_slide(solid, kind, geometry, first, last, up)
        found.append(ContactInterval(kind, first, last, geometry))
    return found


def _test(solid: Solid, kind: SearchKind, tolerance: float, up: Array | None) -> Callable[[int, int], Array | None]:
    if kind in SLIDING_KINDS:
        return lambda first, last: fit_slide(solid, kind, first, last, tolerance, up)
    return lambda first, last: find_fixed_points(solid, kind, first, last, tolerance)


def _last_frames(
    frames: int, min_frames: int, test: Callable[[int, int], Array | None], stricter: list[int]
) -> list[int]:
    """Return for every first frame the last frame up to which the test passes, -1 if it does not pass.

    A test that passes for an interval passes for its parts, so the last frame never decreases. A test that passes for
    a stricter kind of contact, up to the frames in `stricter`, passes for this kind.
    """
    found, last = [], -1
    for first in range(frames):
        least = first + min_frames - 1
        last = max(last, stricter[first])
        if last < least:
            last = least if least < frames and test(first, least) is not None else -1
        while 0 <= last < frames - 1 and test(first, last + 1) is not None:
            last += 1
        found.append(last)
    return found


def _cheapest(frames: int, min_frames: int, last_frames: list[list[int]]) -> list[tuple[int, int, int]]:
    """Return kind index, first and last frame of the intervals with the least total cost over all frames."""
    best = np.full(frames + 1, np.inf)
    best[0] = 0.0
    previous: list[tuple[int, int] | None] = [None] * (frames + 1)
    free_cost, interval_cost = float(len(last_frames)), float(_INTERVAL_COST * min_frames)
    for first in range(frames):
        if best[first] + free_cost < best[first + 1]:
            best[first + 1], previous[first + 1] = best[first] + free_cost, None
        for choice, last in enumerate(row[first] for row in last_frames):
            ends = np.arange(first + min_frames, last + 2)
            costs = best[first] + interval_cost + choice * (ends - first)
            for end in ends[costs < best[ends]] if len(ends) else ():
                best[end], previous[end] = best[first] + interval_cost + choice * (end - first), (choice, first)
    intervals, end = [], frames
    while end > 0:
        step = previous[end]
        if step is not None:
            intervals.append((step[0], step[1], end - 1))
        end = end - 1 if step is None else step[1]
    return intervals[::-1]


def _contact(solid: Solid, body: str, interval: ContactInterval) -> Contact:
    kind, first, last, geometry = interval
    if kind in SLIDING_KINDS:
        point, place, direction = geometry
        if kind == "slide_line":
            return Contact(body, point, place, first, last, slide=direction)
        return Contact(body, point, place, first, last, fixed=False, normal=direction)
    return Contact(body, geometry, solid.tracks(geometry, first, last).mean(axis=0), first, last)
