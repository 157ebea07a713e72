"""The frames in which a push is answered, and the footholds that may move in them.

A stance that is on the ground at the onset of the push, or lands before it is felt, keeps its place; those that land
later are unknown footholds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gambol.contacts.contact import Contact
from gambol.contacts.foothold import FREE_SHIFT_COST, Foothold
from gambol.contacts.views import is_within
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.motion.pushes import Push
from gambol.spacetime.grounded import GroundedMotion
from gambol.terms.forces import ExternalForce

PINNED = 2
"""Frames that the answer shares with the clip at the onset, and with the displaced clip at the end."""
REFLEX = 0.15
"""Seconds after the onset in which the body does not react yet; a foot that lands within them keeps its place."""
LEAST_CLOSED = 1.2
"""Seconds of the shortest window at whose end the clip is met again: two steps."""


@dataclass(frozen=True, eq=False)
class RecoveryWindow:
    """A part of a motion, at the frame rate at which it is solved; the push begins in its second frame."""

    start: float
    """Time of its first frame (s) in the motion that it is a part of."""
    reference: GroundedMotion
    footholds: tuple[tuple[Contact, Foothold | None], ...]
    """Stances of the reference by frame of touchdown, with their unknown footholds."""
    closed: bool
    """Whether it is long enough that its last frames are those of the clip, displaced."""

    @property
    def times(self) -> Array:
        """(frames,) seconds."""
        return self.start + self.reference.motion.times

    def give_footholds(self, contacts: Sequence[Contact]) -> tuple[Contact, ...]:
        """Return the contacts, each with the foothold of its stance."""

        def foothold(contact: Contact) -> Foothold | None:
            mine = (one for stance, one in self.footholds if is_within(contact, stance))
            return next(mine, None)

        return tuple(replace(one, foothold=foothold(one)) for one in contacts)

    def convert_push(self, push: Push) -> ExternalForce | None:
        """Return a push as a force in the frames of the window, with the same impulse; None if it does not act."""
        character, motion = self.reference.character, self.reference.motion
        step, times = motion.frame_time, self.times
        share = np.clip((np.minimum(push.end, times + step) - np.maximum(push.start, times)) / step, 0.0, 1.0)
        share[1] += share[0]  # no law of motion holds in the first frame
        frames = 1 + np.flatnonzero(share[1:] > 0.0)
        if not len(frames):
            return None
        body = character.body(push.body)
        forces = np.outer(share, push.force)
        if push.axes == "body":
            forces = quat.rotate(motion.placement.rotations[:, body], forces)
        point = character.centers[body] if push.point is None else np.array(push.point)
        return ExternalForce(push.body, point, int(frames[0]), forces[frames[0] : frames[-1] + 1])


def find_floor_normal(clip: GroundedMotion) -> Array:
    """Return the unit normal (3,) of the floor of a motion."""
    normal = UP - np.append(clip.contacts.floor.slope, 0.0)
    return np.asarray(normal / np.linalg.norm(normal))


def cut_window(clip: GroundedMotion, onset: float, seconds: float, fps: float) -> RecoveryWindow:
    """Sample a motion from one frame before the onset (s) of a push until `seconds` after it, or to its end."""
    step = 1.0 / fps
    start = max(onset - step, 0.0)
    count = int(np.floor((min(onset + seconds, clip.motion.duration) - start) * fps + 1e-6)) + 1
    reference = clip.sample(start + step * np.arange(count), step)
    normal = find_floor_normal(reference)
    first = PINNED - 1 + int(np.ceil(REFLEX * fps - 1e-6))
    footholds = tuple(
        (one, Foothold(one.place, weight=FREE_SHIFT_COST, normal=normal) if one.first >= first else None)
        for one in reference.stances
    )
    return RecoveryWindow(start, reference, footholds, reference.motion.duration >= LEAST_CLOSED)
