"""What a viewer sees of a robot: slides, floating soles and pops, from the places of its links and soles alone."""

from __future__ import annotations

import numpy as np

from gambol.geometry.vectors import unit_vectors
from gambol.judge.floor import find_floor_faults
from gambol.judge.judgement import Judgement, judge_seen
from gambol.judge.pops import find_pops
from gambol.judge.seen import SeenPerson
from gambol.judge.stances import find_slides
from gambol.motion.motion import Motion
from gambol.robots.biped import Biped
from gambol.robots.sole_shapes import find_normals, locate_soles
from gambol.stages.feet import SIDES

_ANKLE = 0.03
"""Height (m) above the sole of the points of a foot: a rig has joints there."""


def judge_robot(biped: Biped, motion: Motion) -> Judgement:
    """Return what a viewer would see of a robot, beside limits that are only of people."""
    return judge_seen(see_robot(biped, motion), (find_slides, find_floor_faults, find_pops))


def see_robot(biped: Biped, motion: Motion) -> SeenPerson:
    """Return the links of a robot as the parts of a person, with heels and toes in the middle of its soles."""
    placed, places = motion.placement, biped.places
    corners = locate_soles(biped, placed)
    raised = corners + _ANKLE * unit_vectors(find_normals(corners))[..., None, :]
    points = np.stack((raised[..., :2, :].mean(axis=-2), raised[..., 2:, :].mean(axis=-2)), axis=-2)
    return SeenPerson(
        motion.frame_time,
        {part: place.locate(placed) for part, place in places.items()},
        {part: placed.rotations[:, place.joint] for part, place in places.items()},
        {side: points[:, n] for n, side in enumerate(SIDES)},
    )
