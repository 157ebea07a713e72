"""Find the contacts of feet with the floor in noisy recordings.

L05 section 3.4 finds contacts from rigid motion alone (`rigid_contacts`), and states that this does not work well on
noisy recordings. Here every heel, ball and toe is classified by its speed, with hysteresis, and by its height. No floor
is assumed: recordings have floors that tilt by a degree, feet that differ by a centimetre, mats and stairs. So heights
are compared with the other points of the feet in the same frame. A point that is still for a moment at the top of a
jump is recognised by its downward acceleration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.assumptions import TOUCH_SPEED
from gambol.contacts.contact import BodyPoint, Contact, touch
from gambol.contacts.timeline import Contacts
from gambol.errors import InputError
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.vectors import find_median_place
from gambol.motion.motion import Motion
from gambol.stages.feet import find_foot_points, track_point
from gambol.stages.flight import MIN_FRAMES, SUPPORTED_ACCELERATION, compute_centre_heights, fit_acceleration
from gambol.stages.speed import compute_speed


@dataclass(frozen=True)
class ContactThresholds:
    """Thresholds of a contact between a point and the floor."""

    touch_speed: float = TOUCH_SPEED
    """Speed (m/s) that a point must fall below at least once in a contact."""
    leave_speed: float = 0.8
    """Speed (m/s) above which a point is not in contact."""
    touch_travel_share: float = 0.2
    """Share of the body's speed that replaces `touch_speed` if larger: feet of fast runners never quite stop."""
    leave_travel_share: float = 0.3
    """Share of the body's speed that replaces `leave_speed` if larger: set on recorded runs, by their free fall."""
    max_height: float = 0.04
    """Largest height (m) of a point above the lowest point of the feet at some moment of a contact."""
    rise: float = 0.03
    """Height (m) above its place of rest from which a point is not in contact, at any speed."""
    min_duration: float = 0.06
    """Shortest contact (s)."""

    def __post_init__(self) -> None:
        if not 0.0 < self.touch_speed <= self.leave_speed:
            raise InputError(
                f"touch_speed must be positive and at most leave_speed, not {self.touch_speed} and {self.leave_speed}"
            )


class _StillInterval(NamedTuple):
    """An interval in which a point hardly moves, and its median position."""

    point: BodyPoint
    first: int
    last: int
    place: Array


def find_foot_contacts(
    motion: Motion, points: Sequence[BodyPoint] | None = None, thresholds: ContactThresholds = ContactThresholds()
) -> Contacts:
    """Find the contacts of the heels, balls and toes of a motion, or of other points."""
    chosen = find_foot_points(motion) if points is None else points
    tracks = {point.name: track_point(motion, point) for point in chosen}
    lowest = np.min([places[:, 2] for places in tracks.values()], axis=0)
    travel, centre = _travel(motion), compute_centre_heights(motion)
    rests = [
        rest
        for point in chosen
        for rest in _still_intervals(point, tracks[point.name], lowest, motion.frame_time, travel, thresholds)
    ]
    items = [
        touch(rest.point, rest.place, rest.first, rest.last)
        for rest in rests
        if not _falls(
            tracks[rest.point.name][rest.first : rest.last + 1, 2],
            centre[rest.first : rest.last + 1],
            motion.frame_time,
        )
    ]
    return Contacts(tuple(sorted(items, key=_find_order)), len(motion), motion.frame_time)


def _find_order(contact: Contact) -> tuple[int, int, str]:
    return contact.first, contact.last, contact.part


def _travel(motion: Motion) -> Array:
    """Return the horizontal speed (frames,) of the body."""
    return compute_speed(motion.placement.positions[:, motion.mover] * (1.0, 1.0, 0.0), motion.frame_time, 2.0)


def _still_intervals(
    point: BodyPoint, places: Array, lowest: Array, frame_time: float, travel: Array, thresholds: ContactThresholds
) -> list[_StillInterval]:
    pace = compute_speed(places, frame_time) if len(places) > 1 else np.zeros(1)
    travel = travel if len(places) > 1 else pace
    still = pace <= np.maximum(thresholds.touch_speed, thresholds.touch_travel_share * travel)
    slow = pace <= np.maximum(thresholds.leave_speed, thresholds.leave_travel_share * travel)
    found = []
    for first, last in find_runs(slow):
        quiet = still[first : last + 1]
        if not quiet.any():
            continue
        base = float(np.median(places[first : last + 1, 2][quiet]))
        down = slow[first : last + 1] & (places[first : last + 1, 2] <= base + thresholds.rise)
        found += [
            _StillInterval(point, first + a, first + b, find_median_place(places[first + a : first + b + 1]))
            for a, b in find_runs(down)
            if _lasts(first + a, first + b, len(places), frame_time, thresholds)
            and _carries(
                places[first + a : first + b + 1, 2], lowest[first + a : first + b + 1], quiet[a : b + 1], thresholds
            )
        ]
    return found


def _lasts(first: int, last: int, frames: int, frame_time: float, thresholds: ContactThresholds) -> bool:
    """Return whether a contact is long enough, or cut off by the begin or end of the clip."""
    cut = first == 0 or last == frames - 1
    return cut or (last - first + 1) * frame_time >= thresholds.min_duration


def _carries(heights: Array, lowest: Array, quiet: NDArray[np.bool_], thresholds: ContactThresholds) -> bool:
    """Return whether a point is among the lowest of the feet at some moment while it is still."""
    return bool(np.any(quiet & (heights <= lowest + thresholds.max_height)))


def _falls(heights: Array, centre: Array, frame_time: float) -> bool:
    """Return whether a still point is at the top of a flight: point and body both accelerate downward."""
    return (
        len(heights) >= MIN_FRAMES
        and max(fit_acceleration(heights, frame_time), fit_acceleration(centre, frame_time)) < SUPPORTED_ACCELERATION
    )
