"""What a viewer sees of a person in a motion: where parts of the body and points of the soles are in every frame.

It is made of the joints of the rig as they are written, and of nothing that a solver knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gambol.assumptions import LEG_SHARE
from gambol.body.measure import require_rig
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths
from gambol.motion.motion import Motion
from gambol.stages.feet import SIDES, find_foot_points, track_point


@dataclass(frozen=True, eq=False)
class SeenPerson:
    """A person over time; made by `see_person`."""

    frame_time: float
    places: Mapping[str, Array]
    """(frames, 3) metres, of the joint of each part of the body that the rig has."""
    rotations: Mapping[str, Array]
    """(frames, 4) of the same joints."""
    soles: Mapping[str, Array]
    """(frames, points, 3) metres: heel, ball and toe of the left and the right foot, as far as the rig has them."""

    def __len__(self) -> int:
        return len(self.places["pelvis"])

    @cached_property
    def stature(self) -> float:
        """Height (m) of a person with such legs."""
        chains = [[f"{side}_{part}" for part in ("thigh", "shank", "foot")] for side in SIDES]
        bones = [lengths(self.places[one[n + 1]][0] - self.places[one[n]][0]) for one in chains for n in range(2)]
        return float(np.sum(bones)) / 2.0 / LEG_SHARE

    def thin(self, every: int) -> SeenPerson:
        """Return the person in every so many frames."""
        places, rotations, soles = (
            {name: path[::every] for name, path in paths.items()} for paths in (self.places, self.rotations, self.soles)
        )
        return SeenPerson(every * self.frame_time, places, rotations, soles)


def see_person(motion: Motion) -> SeenPerson:
    """Return what a viewer sees of a motion whose rig is known."""
    parts, placed = require_rig(motion).parts, motion.placement
    points = {point.name: track_point(motion, point) for point in find_foot_points(motion)}
    soles = {side: np.stack([path for name, path in points.items() if name.startswith(side)], axis=1) for side in SIDES}
    return SeenPerson(
        motion.frame_time,
        {part: placed.positions[:, joint] for part, joint in parts.items()},
        {part: placed.rotations[:, joint] for part, joint in parts.items()},
        soles,
    )
