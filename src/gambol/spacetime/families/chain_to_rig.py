"""The way home of a chain of motions: on the rig of the clip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gambol.fit.home import to_rig
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.legs.rests import Rest
from gambol.legs.rig_feet import planted
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.spacetime.edits.to_rig import sample_fit
from gambol.spacetime.families.controller import ControlFrame
from gambol.spacetime.families.family import Family
from gambol.spacetime.stances import points_of
from gambol.stages.speed import runs
from gambol.terms.holds import UP


def return_chain_to_rig(family: Family, frames: Sequence[ControlFrame], rate: float) -> Motion:
    """Frames of a controller, played by the rig of the clip.

    What the rig does beyond the character is taken from the recording; over a flight from the one recorded flight to
    the other.
    """
    q, shown = np.array([frame.q for frame in frames]), np.array([frame.shown for frame in frames])
    first, second = (_played(family, q, shown[:, n], rate) for n in (0, 1))
    share = shown[:, 2, None]
    local = [local_frames(motion.skeleton, motion.q).rotations for motion in (first, second)]
    mixed = replace(first, q=(1.0 - share) * first.q + share * second.q)
    turned = replace_rotations(mixed, quat.slerp(local[0], local[1], share[:, None]))
    return planted(turned, _rests(family, frames))


def _played(family: Family, q: Array, shown: Array, rate: float) -> Motion:
    """The rig that does what it did at seconds of the recording (frames,), changed to coordinates of the character."""
    return to_rig(replace(sample_fit(family.clip.fitted, shown, 1.0 / rate), character=family.character), q)


def _rests(family: Family, frames: Sequence[ControlFrame]) -> list[Rest]:
    """Where heels and balls stay, each time that they do."""
    out = []
    for point in points_of(family.clip.fitted):
        places = np.full((len(frames), 3), np.nan)
        for n, frame in enumerate(frames):
            for hold in (hold for hold in frame.planted if hold.body == point.body):
                mine = np.abs(hold.points - point.point).max(axis=1) < 1e-6
                places[n] = hold.places[mine][0] if mine.any() else places[n]
        for first, last in runs(~np.isnan(places[:, 0])):
            out.append(Rest(point, first, last, places[first], UP))
    return out
