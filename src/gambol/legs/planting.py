"""Put feet back to the places of their contacts in a re-sampled motion, and fade what that takes beside them.

A rig has other hips and leg lengths than its character. Where the foot of the character rests, the ankle of the rig
strays by millimetres, and no rotation of its foot alone puts heel and ball back: the leg has to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gambol.body.character import Character
from gambol.body.measure import require_rig
from gambol.contacts.contact import Contact
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.filters import fade_out
from gambol.geometry.vectors import find_median_place
from gambol.legs.character import find_character_legs
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.poses.feet import restore_feet
from gambol.stages.feet import SIDES, find_foot_points, track_point

_EASE = 0.1
"""Seconds over which corrections of the legs fade beside a contact."""


def replant_feet(character: Character, q: Array, contacts: Sequence[Contact], frame_time: float) -> Array:
    """Return coordinates (frames, dofs) with feet in contact at their places, by the angles of the legs."""
    resting = {side: np.zeros(len(q), dtype=bool) for side in SIDES}
    for contact in contacts:
        resting[contact.body.partition("_")[0]][contact.first : contact.last + 1] = True
    change = restore_feet(character, q, contacts) - q
    reach = max(1, round(_EASE / frame_time))
    corrected = q.copy()
    for leg, side in zip(find_character_legs(character), SIDES, strict=True):
        columns = list(leg.columns)
        corrected[:, columns] += fade_out(change[:, columns], resting[side], reach)
    return corrected


def counter_ankle_drift(character: Character, q: Array, played: Motion, contacts: Sequence[Contact]) -> list[Contact]:
    """Return places for the ankles of a character at which those of a rig stay fixed to its resting feet.

    `played` is the motion of the rig that follows the character's q (frames, dofs). In every stance its ankles go to
    their median places in the frames of the character's feet.
    """
    placed, out = place(character.skeleton, q), []
    for body in dict.fromkeys(one.body for one in contacts):
        joint, ankle = character.skeleton.index(body), require_rig(played).parts[body]
        rotations, positions = placed.rotations[:, joint], placed.positions[:, joint]
        offsets = quat.rotate(quat.conjugate(rotations), played.placement.positions[:, ankle] - positions)
        resting = np.zeros(len(q), dtype=bool)
        for one in contacts:
            resting[one.first : one.last + 1] |= one.body == body
        for first, last in find_runs(resting):
            drift = quat.rotate(rotations, offsets - np.median(offsets[first : last + 1], axis=0))
            goals = positions - drift
            out += [Contact(body, np.zeros((1, 3)), goals[n, None], n, n) for n in range(first, last + 1)]
    return out


def counter_point_drift(played: Motion, contacts: Sequence[Contact], ankles: Sequence[Contact]) -> list[Contact]:
    """Return places for the ankles of a character at which heels and balls of a rig stay nearer to theirs.

    `played` is the motion of the rig with planted feet. Ankles, one constraint per frame, move against how far the
    points in contact are from their median places, on average.
    """
    points = {point.name: point for point in find_foot_points(played)}
    bodies = {one.body for one in ankles}
    sums, counts = ({body: np.zeros((len(played), size)) for body in bodies} for size in (3, 1))
    for contact in (one for one in contacts if one.kind == "fixed" and one.part in points):
        path = track_point(played, points[contact.part])[contact.first : contact.last + 1]
        sums[contact.body][contact.first : contact.last + 1] += path - find_median_place(path)
        counts[contact.body][contact.first : contact.last + 1] += 1.0
    return [
        replace(one, places=one.places - sums[one.body][one.first] / np.maximum(counts[one.body][one.first], 1.0))
        for one in ankles
    ]
