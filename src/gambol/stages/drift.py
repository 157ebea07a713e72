"""Find how far the body of a clip is carried along: feet that skate, and a height that rises and falls.

An error of the body's path moves the feet too: none is still, or none is on the floor, although the gait is right.
Relative to each other, body and feet move as they should. So contacts are searched for on a floor that moves with the
feet that carry the body. Its velocity is, at first, the one of feet that are in contact by the shape of the movement
(`stance_network`); then contacts are found relative to it, and it follows from their velocities, in turns.

Contacts have different heights on stairs too. But a foot that stands on a step stays at its height, and one of a body
that floats rises and falls with it. So the heights are an error if feet in contact rise and fall as the heights do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gambol.contacts.contact import BodyPoint, Contact
from gambol.contacts.timeline import Contacts
from gambol.geometry.arrays import Array, find_runs
from gambol.motion.channels import replace_rotations
from gambol.motion.motion import Motion
from gambol.stages.contacts import ContactThresholds, find_foot_contacts
from gambol.stages.feet import SIDES, track_point
from gambol.stages.speed import compute_speed, compute_velocity

_ROUNDS = 4
"""How often contacts are found and the velocity, or the error of the height, is fitted."""
_CLOSE = ContactThresholds(touch_speed=0.15, leave_speed=0.3, touch_travel_share=0.12, leave_travel_share=0.2)
"""Contacts without the frames in which a foot rolls, which looks like a slide."""
_SLIDE_CUTOFF, _RISE_CUTOFF = 1.5, 0.7
"""Frequencies (Hz) up to which the velocity of a slide and the error of the height are followed."""
_OUTLYING = 0.1
"""Speed (m/s) of a point relative to the floor from which it counts less."""
_SLID, _SLIDING, _SHARE = 0.03, 0.15, 0.25
"""Metres and metres per second from which a stance slides, and the share of the time of all stances that must slide.
In 145 of 148 recordings it is less; the others are acrobatics, and a clip with a wrong frame rate."""
SHORTEST, _ENDS = 0.1, 0.2
"""Seconds of the shortest contact whose speed counts, and the share of it at either end in which it lands or lifts off.
"""
_LEFT = 0.6
"""Largest share of the speed of contacts that an error of the path may leave. Slides of 55 recordings that were made
left 0.02 to 0.58; what was found wrongly left 0.57 to 1.2."""
_COVERED = 0.3
"""Share of the frames that must have a contact."""
_UNEVEN = 0.05
"""Range (m) of the heights of contacts up to which they are set on one floor without moving the body."""
_FOLLOWED, _SURE = 0.4, 0.5
"""Share of the error of the height that feet in contact must follow, and the standard deviation of its estimate, 1,
before they are seen. Feet in recordings on stairs and rough ground follow 0.0 to 0.3; in clips that float, 0.4 to 1.4.
"""
_PIECE, _ROLL, _GAIN_DEVIATION = 0.25, 0.005, 0.007
"""Seconds of a piece of a contact; metres that a point rises in it as the foot rolls, which is also the standard
deviation of that, and standard deviation in a single piece."""


@dataclass(frozen=True, eq=False)
class Slide:
    """How a body is carried along over the floor while its feet are in contact."""

    offsets: Array
    """(frames, 2) metres, from the first frame."""
    stances: int
    slid: int
    """Number of stances that slide."""
    fastest: float
    """Highest mean speed of a stance (m/s)."""


def find_slide(motion: Motion, points: Sequence[BodyPoint], likely: Contacts) -> Slide | None:
    """Find how a character is carried along over the floor; None if its feet stay in place or contacts are not found.

    `points` are heels and balls of its feet, and `likely` when they are in contact by the shape of the movement.
    """
    if likely.touching().mean() < _COVERED:
        return None
    step, tracks = motion.frame_time, track_over_floor(motion, points)
    velocities = {name: compute_velocity(track, step) for name, track in tracks.items()}
    velocity = _fit_velocity(likely, velocities, np.zeros((len(motion), 2)))
    for thresholds in (ContactThresholds(), ContactThresholds(), _CLOSE, _CLOSE):
        carried = np.column_stack((step * np.cumsum(velocity, axis=0), np.zeros(len(motion))))
        contacts = find_foot_contacts(translate_root(motion, -carried), points, thresholds)
        if contacts.touching().mean() < _COVERED:
            return None
        velocity = _fit_velocity(contacts, velocities, velocity)
    offsets = step * np.cumsum(velocity, axis=0)
    first, last = np.array(_find_stances(contacts)).T
    moved = np.linalg.norm(offsets[last] - offsets[first], axis=1)
    speeds = moved / (step * (last - first + 1))
    slid = (moved > _SLID) & (speeds > _SLIDING)
    if np.average(slid, weights=last - first + 1) < _SHARE or not is_slower(likely, tracks, offsets):
        return None
    return Slide(offsets - offsets[0], len(moved), int(slid.sum()), float(speeds.max()))


def find_rise(motion: Motion, points: Sequence[BodyPoint]) -> Array | None:
    """Find the error (frames,) in metres of a character's height; None if its feet are on one floor, or on real steps.

    `points` are heels and balls of its feet. The median error is zero.
    """
    contacts = [one for one in find_foot_contacts(motion, points, _CLOSE).items if one.last - one.first > 2]
    if len(contacts) < 2:
        return None
    tracks = {point.name: track_point(motion, point)[:, 2] for point in points}
    spans = [slice(one.first, one.last + 1) for one in contacts]
    heights = [tracks[one.part][span] for one, span in zip(contacts, spans, strict=True)]
    rise: Array = np.zeros(len(motion))
    for _ in range(_ROUNDS):
        total, count = np.zeros((len(motion), 1)), np.zeros(len(motion))
        for name in {one.part for one in contacts}:
            mine = [(h, s) for one, h, s in zip(contacts, heights, spans, strict=True) if one.part == name]
            level = np.mean(np.concatenate([h - rise[s] for h, s in mine]))
            for h, s in mine:
                total[s, 0] += h - level
                count[s] += 1.0
        rise = _smooth(total, count, motion.frame_time, _RISE_CUTOFF)[:, 0]
    pieces = max(1, round(_PIECE / motion.frame_time))
    followed = _measure_following(contacts, tracks, rise, pieces)
    return rise - np.median(rise) if np.ptp(rise) > _UNEVEN and followed > _FOLLOWED else None


def _measure_following(contacts: Sequence[Contact], tracks: Mapping[str, Array], rise: Array, piece: int) -> float:
    """Return the share of an error of height (frames,) that points in contact follow, besides that feet roll.

    Contacts are divided into pieces of frames. A slow change that hardly shows in them, as on a floor that tilts by a
    degree, counts as followed.
    """
    rows = [
        (one.part.endswith("heel"), _measure_gain(tracks[one.part][frames]), _measure_gain(rise[frames]))
        for one in contacts
        for frames in np.array_split(np.arange(one.first, one.last + 1), -(-(one.last - one.first + 1) // piece))
    ]
    heels, seen, expected = np.array(rows).T
    design = np.column_stack((heels, 1.0 - heels, expected)) / _GAIN_DEVIATION
    likely = np.diag([1.0 / _ROLL, 1.0 / _ROLL, 1.0 / _SURE])
    targets = np.concatenate((seen / _GAIN_DEVIATION, (1.0, 1.0, 1.0 / _SURE)))
    solution, *_ = np.linalg.lstsq(np.vstack((design, likely)), targets, rcond=None)
    return float(solution[2])


def track_over_floor(motion: Motion, points: Sequence[BodyPoint]) -> dict[str, Array]:
    """Return the paths (frames, 2) of points over the floor, by name, from where the body is first."""
    begin = motion.placement.positions[0, 0, :2]
    return {point.name: track_point(motion, point)[:, :2] - begin for point in points}


def is_slower(likely: Contacts, tracks: Mapping[str, Array], offsets: Array) -> bool:
    """Return whether points in contact are so much slower without offsets (frames, 2) that these are an error."""
    without = {name: track - offsets for name, track in tracks.items()}
    return measure_creep(likely, without) < _LEFT * measure_creep(likely, tracks)


def measure_creep(likely: Contacts, tracks: Mapping[str, Array]) -> float:
    """Return the median speed (m/s) of points in the middle of their contacts; 0 without contacts."""
    speeds = {name: compute_speed(track, likely.frame_time) for name, track in tracks.items()}
    found = []
    for one in likely.items:
        frames = one.last - one.first + 1
        end = round(_ENDS * frames)
        if frames * likely.frame_time >= SHORTEST:
            found.append(np.mean(speeds[one.part][one.first + end : one.last + 1 - end]))
    return float(np.median(found)) if found else 0.0


def translate_root(motion: Motion, offsets: Array) -> Motion:
    """Return a character's motion with its root translated by offsets (frames, 3) in metres."""
    return replace_rotations(motion, None, motion.placement.positions[:, 0] + offsets)


def _fit_velocity(contacts: Contacts, velocities: Mapping[str, Array], before: Array) -> Array:
    """Return the smooth velocity (frames, 2) that is nearest to those of points in contact."""
    for _ in range(_ROUNDS):
        total, weight = np.zeros_like(before), np.zeros(len(before))
        for contact in contacts.items:
            frames = slice(contact.first, contact.last + 1)
            own = velocities[contact.part][frames]
            share = _OUTLYING / np.maximum(np.linalg.norm(own - before[frames], axis=1), _OUTLYING)
            total[frames] += share[:, None] * own
            weight[frames] += share
        before = _smooth(total, weight, contacts.frame_time, _SLIDE_CUTOFF)
    return before


def _find_stances(contacts: Contacts) -> list[tuple[int, int]]:
    """Return the intervals in which heel or ball of a foot are in contact."""
    feet = ({one.part for one in contacts.items if one.part.startswith(side)} for side in SIDES)
    return [stance for names in feet if names for stance in find_runs(contacts.touching(*names))]


def _measure_gain(heights: Array) -> float:
    """Return by how much heights (frames,) end above where they begin, thirds against each other."""
    third = max(1, len(heights) // 3)
    return float(np.median(heights[-third:]) - np.median(heights[:third]))


def _smooth(total: Array, weights: Array, frame_time: float, cutoff: float) -> Array:
    """Return smooth curves (frames, n) through weighted sums of samples (frames, n), constant before and after them.

    Squared distances and squared second differences are least; frequencies above `cutoff` (Hz) are left out.
    """
    from scipy.linalg import solveh_banded

    seen = np.flatnonzero(weights)
    inner = slice(int(seen[0]), int(seen[-1]) + 1)
    frames = inner.stop - inner.start
    if frames < 3:
        mean = total.sum(axis=0) / weights.sum()
        return np.tile(mean, (len(total), 1))
    bend = (2.0 * np.pi * cutoff * frame_time) ** -4
    second = np.diff(np.eye(3), n=2, axis=0)[0]
    bands = np.zeros((3, frames))
    for row in range(3):
        for column in range(row, 3):
            k = column - row
            bands[k, row : frames - 2 + row] += bend * second[row] * second[column]
    bands[0] += weights[inner]
    curve = solveh_banded(bands, total[inner], lower=True)
    around = np.clip(np.arange(len(total)) - inner.start, 0, frames - 1)
    return curve[around]
