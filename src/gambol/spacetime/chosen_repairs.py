"""Repairs of which somebody chose one: feet are planted, or flights put on parabolas, and the rest is left alone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from gambol.contacts.contact import is_foot
from gambol.contacts.timeline import Contacts
from gambol.fit.rig import Fit
from gambol.geometry.arrays import Array, join_runs
from gambol.geometry.filters import smoothstep
from gambol.legs.planting import replant_feet
from gambol.progress import Progress, silent
from gambol.spacetime.windows import (
    FEWEST_FRAMES,
    Repair,
    choose_solved_frames,
    make_physical,
    move_to_rig,
)

REPAIRS = ("jitter", "rate", "feet", "flight")
"""Noise and lost frames; the frame rate; the path of the body and places of the feet; what falls."""
_BESIDE = 0.4
"""Seconds beside a flight that are solved with it, and over which its change fades."""


def repair_only(fitted: Fit, contacts: Contacts, kinds: Collection[str], progress: Progress = silent) -> Repair:
    """Plant the feet, or put flights on parabolas, where it is among `kinds`; other joints and frames stay."""
    every = choose_solved_frames(fitted.motion)
    if not {"feet", "flight"} & set(kinds):
        return Repair(fitted.source, fitted, fitted.motion.q, contacts, (), every)
    q, windows = fitted.motion.q.copy(), []
    if "flight" in kinds:
        beside = round(_BESIDE / fitted.motion.frame_time)
        for first, last in join_runs(contacts.flight, 2 * beside):
            begin, end = max(first - beside, 0) // every * every, min(last + beside, len(q) - 1)
            if end - begin + 1 >= FEWEST_FRAMES:
                part = make_physical(_cut(fitted, begin, end), contacts.cut(begin, end), progress=progress)
                q[begin : end + 1] += _fade(first - begin, end - last, end - begin + 1) * (part.q - q[begin : end + 1])
                at = begin // every
                windows += [replace(one, first=at + one.first, last=at + one.last) for one in part.windows]
    if "feet" in kinds:
        feet = [one for one in contacts.items if one.fixed and is_foot(one.part)]
        q = replant_feet(fitted.character, q, feet, fitted.motion.frame_time)
    return Repair(move_to_rig(fitted, q, contacts), fitted, q, contacts, tuple(windows), every)


def _cut(fitted: Fit, first: int, last: int) -> Fit:
    span = slice(first, last + 1)
    return replace(fitted, motion=fitted.motion[span], source=fitted.source[span], errors=fitted.errors[span])


def _fade(before: int, after: int, frames: int) -> Array:
    """Return weights (frames, 1): 1, rising over the frames before a flight and falling over those after it."""
    places, weights = (0, before, frames - 1 - after, frames - 1), (float(not before), 1.0, 1.0, float(not after))
    return smoothstep(np.interp(np.arange(frames), places, weights))[:, None]
