"""Return the frames of a controller to the rig of the clip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gambol.contacts.contact import Contact, touch
from gambol.fit.contacts import find_contact_points
from gambol.fit.rig_mapping import map_to_rig
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, find_runs
from gambol.legs.rig_feet import plant_feet
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.spacetime.families.controller import ControlFrame
from gambol.spacetime.families.family import Family
from gambol.spacetime.resampling import sample_fit


def return_chain_to_rig(family: Family, frames: Sequence[ControlFrame], fps: float) -> Motion:
    """Map the frames of a controller to the rig of the clip.

    Motion of the rig that the character does not have is taken from the recording; over a flight it is blended from one
    recorded flight to the other.
    """
    q, source_times = np.array([frame.q for frame in frames]), np.array([frame.source_times for frame in frames])
    first, second = (_map_motion(family, q, source_times[:, n], fps) for n in (0, 1))
    share = source_times[:, 2, None]
    local = [local_frames(motion.skeleton, motion.q).rotations for motion in (first, second)]
    mixed = replace(first, q=(1.0 - share) * first.q + share * second.q)
    blended = replace_rotations(mixed, quat.slerp(local[0], local[1], share[:, None]))
    return plant_feet(blended, _find_contacts(family, frames))


def _map_motion(family: Family, q: Array, source_times: Array, fps: float) -> Motion:
    """Map coordinates to the rig; what they do not determine is taken at times (s) of the recording (frames,)."""
    return map_to_rig(replace(sample_fit(family.clip.fitted, source_times, 1.0 / fps), character=family.character), q)


def _find_contacts(family: Family, frames: Sequence[ControlFrame]) -> list[Contact]:
    """Return the contacts of heels and balls, one for each range of frames in which they stay."""
    out = []
    for point in find_contact_points(family.clip.fitted):
        places = np.full((len(frames), 3), np.nan)
        for n, frame in enumerate(frames):
            for contact in (contact for contact in frame.contacts if contact.body == point.body):
                mine = np.abs(contact.points - point.point).max(axis=1) < 1e-6
                places[n] = contact.places[mine][0] if mine.any() else places[n]
        for first, last in find_runs(~np.isnan(places[:, 0])):
            out.append(touch(point, places[first], first, last))
    return out
