"""List the stances of a repaired clip: how sure each is, and how far and how fast its foot slid before and after.

Stances that the shape of the movement leads a viewer to expect (`stages.stance_network`) are counted beside those that
the repair planted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.contacts.contact import Contact, is_foot
from gambol.contacts.timeline import Contacts, group_stances
from gambol.fit.contacts import find_contact_points
from gambol.fit.rig import Fit
from gambol.geometry.arrays import find_runs, summarise_fields
from gambol.geometry.vectors import measure_extent
from gambol.motion.motion import Motion
from gambol.stages.feet import SIDES, find_foot_points, track_point
from gambol.stages.speed import compute_speed
from gambol.stages.stance_network import find_likely_contacts

_ENDS = 0.2
"""Share of a contact at either end in which the foot lands or leaves."""
_SHORTEST = 0.1
"""Seconds of the shortest stance that is listed or expected."""


@dataclass(frozen=True)
class PlantedStance:
    """A time in which a repair lets a foot stand."""

    __repr__ = summarise_fields

    side: str
    start: float
    end: float
    """Seconds of the repaired clip."""
    certainty: float
    """From 0 to 1: share of the time in which the foot was nearly at rest before, without the drift of the path."""
    slides: tuple[float, float]
    """Centimetres, before and after, from one side of the place where the foot stands to the other."""
    speeds: tuple[float, float]
    """Its highest speeds (m/s), before and after."""


def list_planted(clip: Motion, fixed: Motion, contacts: Contacts) -> tuple[PlantedStance, ...]:
    """Return the stances of a repaired clip in the order in which they begin."""
    found = []
    for side in SIDES:
        feet = [one for one in contacts.items if one.fixed and is_foot(one.part) and one.part.startswith(side)]
        for stay in group_stances(feet):
            first, end = stay[0].first * fixed.frame_time, (max(one.last for one in stay) + 1) * fixed.frame_time
            if end - first >= _SHORTEST:
                weights = [one.last - one.first + 1 for one in stay]
                sure = float(np.average([one.certainty for one in stay], weights=weights))
                before, after = _measure_movement(clip, stay), _measure_movement(fixed, stay)
                slides, speeds = zip(before, after, strict=True)
                found.append(PlantedStance(side, first, end, sure, slides, speeds))
    return tuple(sorted(found, key=lambda one: one.start))


def _measure_movement(motion: Motion, stay: list[Contact]) -> tuple[float, float]:
    """Return the largest slide (cm) and speed (m/s) of the points of a foot, each in the middle of its contacts."""
    points = {point.name: point for point in find_foot_points(motion)}
    slides, speeds = [0.0], [0.0]
    for one in stay:
        end = round(_ENDS * (one.last - one.first + 1))
        middle = slice(one.first + end, one.last + 1 - end)
        if one.part in points:
            track = track_point(motion, points[one.part]) * (1.0, 1.0, 0.0)
            slides.append(100.0 * measure_extent(track[middle]))
            speeds.append(float(compute_speed(track, motion.frame_time)[middle].max()))
    return max(slides), max(speeds)


def count_expected(fitted: Fit, contacts: Contacts) -> tuple[int, int]:
    """Return how many stances the shape of a movement leads to expect, and in how many of them feet are in contact."""
    points = [point for point in find_contact_points(fitted) if is_foot(point.name)]
    likely = find_likely_contacts(fitted.motion, points)
    expected = found = 0
    for side in SIDES:
        names = [point.name for point in points if point.name.startswith(side)]
        down = contacts.touching(*names)
        for first, last in find_runs(likely.touching(*names)):
            if (last - first + 1) * likely.frame_time >= _SHORTEST:
                expected += 1
                found += bool(down[first : last + 1].mean() > 0.5)
    return expected, found
