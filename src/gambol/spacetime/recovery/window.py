"""The frames in which a push is answered, and the footholds that may move in them.

A stance that is on the ground at the onset of the push, or lands before it is felt, keeps its place; those that land
later are unknown footholds, as far from their places as a foot can get until then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gambol.contacts.contact import BodyPoint, Contact, is_foot
from gambol.contacts.foothold import FREE_SHIFT_COST, Foothold
from gambol.contacts.timeline import mark_frames
from gambol.contacts.views import is_within
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.motion.pushes import Push
from gambol.spacetime.grounded import GroundedMotion
from gambol.stages.feet import track_point
from gambol.terms.forces import ExternalForce

PINNED = 2
"""Frames that the answer shares with the clip at the onset, and with the displaced clip at the end."""
REACTION = 0.1
"""Seconds after the onset in which the body does not react yet; a foot that lands within them keeps its place."""
_FOOT_ACCELERATION = 45.0
"""By how much (m/s²) a foot is accelerated to another foothold, at most. Ankles of recorded walks reach 39 (median of
24, at most 51), those of runs 65 (12, at most 77), low-passed at 8 Hz."""
_PEAK = 10.0 / np.sqrt(3.0)
"""Largest acceleration of the quintic that goes from rest to rest over one metre in one second (m/s²)."""
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


def list_approaches(window: RecoveryWindow) -> tuple[Contact, ...]:
    """Return contacts of points of feet, a frame each, in which their feet are about to stand or have just stood.

    Their places are those of the clip, with the foothold: feet come and leave as they do in the clip. The frames are
    those beside a point's fixed ones, and those in which it travels while it carries load.
    """
    clip, out = window.reference, list[Contact]()
    contacts = window.give_footholds([one for one in clip.contacts.items if is_foot(one.part)])
    for one in contacts:
        path = track_point(clip.motion, BodyPoint(one.part, one.body, one.points[0]))
        stands = mark_frames([rest for rest in contacts if rest.fixed and rest.body == one.body], len(path))
        frames = (one.first - 1, one.last + 1) if one.fixed else ()
        beside = [frame for frame in frames if 0 <= frame < len(path) and not stands[frame]]
        out += [replace(one, places=path[frame], first=frame, last=frame) for frame in beside]
    return tuple(out)


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
    footholds = tuple((one, _free_foothold(one, (one.first - PINNED + 1) * step, normal)) for one in reference.stances)
    return RecoveryWindow(start, reference, footholds, reference.motion.duration >= LEAST_CLOSED)


def _free_foothold(stance: Contact, after: float, normal: Array) -> Foothold | None:
    """Return the unknown foothold of a stance that begins some seconds after the onset, within reach of its swing."""
    if after <= REACTION + 1e-6:
        return None
    reach = np.full(2, _FOOT_ACCELERATION / _PEAK * (after - REACTION) ** 2)
    return Foothold(stance.place, -reach, reach, weight=FREE_SHIFT_COST, normal=normal)
