"""Give a motion that stands two steps after a push: a foot on the side of the push swings, then the other follows.

The swings are raised in the reference, by the angles of the legs; where the feet land is unknown, as in walks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gambol.contacts.contact import Contact
from gambol.contacts.timeline import remove_frames
from gambol.contacts.views import find_side, list_constraints
from gambol.geometry.arrays import Array
from gambol.poses.feet import restore_feet
from gambol.spacetime.grounded import GroundedMotion

_SWINGS = ((0.2, 0.55), (0.7, 1.05))
"""Seconds after the onset at which the first and the second foot leave the ground and land."""
_HEIGHT = 0.06
"""Metres by which a swinging foot is raised."""


def is_standing(clip: GroundedMotion, onset: float) -> bool:
    """Whether both feet stay on the ground for as long as two inserted steps last."""
    first, last = (round(time / clip.motion.frame_time) for time in (onset, onset + _SWINGS[-1][1]))
    sides = {find_side(stance) for stance in clip.stances if stance.first <= first and stance.last >= last}
    return len(sides) == 2


def insert_steps(clip: GroundedMotion, onset: float, push: Array) -> GroundedMotion:
    """Return a motion that steps after a push (3,), first with the foot on the side to which the push points."""
    places = {find_side(stance): stance.place for stance in clip.stances}
    first = "left" if float(push @ (places["left"] - places["right"])) > 0.0 else "right"
    order = (first, "right" if first == "left" else "left")
    step, frames = clip.motion.frame_time, len(clip.motion)
    contacts, raised = list(clip.contacts.items), list[Contact]()
    for side, (lift, land) in zip(order, _SWINGS, strict=True):
        begin, end = (min(round((onset + time) / step), frames) for time in (lift, land))
        raised += _raise(list_constraints(clip.contacts), side, begin, end)
        swung = (np.arange(frames) >= begin) & (np.arange(frames) < end)
        contacts = [
            part for one in contacts for part in (remove_frames(one, swung) if one.body.startswith(side) else [one])
        ]
    q = restore_feet(clip.character, clip.motion.q, raised)
    return clip.replan(replace(clip.motion, q=q), contacts)


def _raise(contacts: Sequence[Contact], side: str, begin: int, end: int) -> list[Contact]:
    """Return one contact per frame of a swing, raised and lowered again."""
    out = []
    for frame in range(begin, end):
        height = _HEIGHT * np.sin(np.pi * (frame + 1 - begin) / (end + 1 - begin))
        for contact in contacts:
            if contact.body.startswith(side) and contact.is_active(frame):
                out.append(replace(contact, first=frame, last=frame, places=contact.places + [0.0, 0.0, height]))
    return out
