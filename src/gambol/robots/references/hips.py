"""How large a robot is beside a person, and how high its hips are: its legs are straight where the person's are.

Both follow from the lengths of legs and the heights of ankles. The height of the ground and the thickness of feet, as
measured, differ by millimetres from one part of a recording to another, which would bend knees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gambol.body.character import Character
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.robots.biped import Biped
from gambol.robots.references.person import TrackedPerson
from gambol.robots.references.sole_path import SolePath
from gambol.robots.references.soles import blend_stances, measure_durations
from gambol.robots.sole_shapes import locate_soles
from gambol.stages.feet import SIDES

_FOOT = 0.039 / 0.491
"""Height of the ankles of an average person above the soles, as a share of the length of a leg (Winter 2009)."""
_LOW = 10.0
"""Percentile of the height of an ankle in a stance: later in it, heels rise."""


def measure_scale(person: Character, biped: Biped) -> float:
    """Return the size of a robot relative to a person on feet of average height: that of its hips above its soles."""
    return _measure_hips(biped) / ((1.0 + _FOOT) * person.leg_length)


def raise_hips(biped: Biped, person: TrackedPerson, soles: Mapping[str, SolePath], scale: float) -> TrackedPerson:
    """Return a person who is raised as `find_hip_rise` finds."""
    ankles = {side: person.bodies.positions[f"{side}_foot"][:, 2] for side in SIDES}
    rise = find_hip_rise(biped, person.character, ankles, soles, scale, person.rig.frame_time)
    return replace(person, bodies=person.bodies.shift(rise[:, None] * UP))


def find_hip_rise(
    biped: Biped,
    person: Character,
    ankles: Mapping[str, Array],
    soles: Mapping[str, SolePath],
    scale: float,
    frame_time: float,
) -> Array:
    """Return by how much (frames,) a person is raised so that straight legs on resting feet are straight on the robot.

    `ankles` are the heights (frames,) of the person's (m). Between stances the rise is a mean, in which near ones
    count; without stances, the person has the feet that were measured.
    """
    stances, heights = [], []
    for side, path in soles.items():
        for first, last in path.flat:
            low = float(np.percentile(ankles[side][first : last + 1], _LOW))
            stances.append((first, last))
            heights.append(path.places[first, 2] / scale - low)
    frames = len(ankles[SIDES[0]])
    if not stances:
        heels = [person.skeleton.offsets[person.skeleton.index(f"{side}_heel_tip"), 2] for side in SIDES]
        stances, heights = [(0, frames - 1)], [float(np.mean(heels))]
    straight = _measure_hips(biped) / scale - person.leg_length
    seconds = measure_durations(stances, frame_time)
    return straight + blend_stances(stances, np.array(heights)[:, None], seconds, frames, frame_time)[:, 0]


def _measure_hips(biped: Biped) -> float:
    """Return the mean height (m) of the hips above the soles as a robot stands."""
    soles = locate_soles(biped, biped.standing)[0, ..., 2].min(axis=1)
    return float(np.mean([biped.locate(f"{side}_thigh")[2] - sole for side, sole in zip(SIDES, soles, strict=True)]))
