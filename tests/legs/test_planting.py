"""Feet of re-sampled motions go back to their places, and ankles of a rig stay with the feet of its character."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.body.character import Character
from gambol.contacts.contact import Contact
from gambol.contacts.views import list_constraints
from gambol.fit.contacts import detect_contacts
from gambol.fit.rig import fit as fit_to
from gambol.fit.rig_mapping import map_to_rig
from gambol.geometry import quaternions as quat
from gambol.geometry.vectors import find_median_place
from gambol.io import samples
from gambol.legs.planting import counter_ankle_drift, counter_point_drift, replant_feet
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.stages.feet import find_foot_points, track_point

WALK = samples.walk()[40:132]


def test_ankles_of_a_rig_with_other_legs_stay_with_the_resting_feet_of_the_character() -> None:
    """Its shanks are longer by a twentieth, so that its ankles move as the legs turn over the feet."""
    assert WALK.rig is not None
    fitted = fit_to(Character.from_motion(WALK), WALK)
    offsets = WALK.skeleton.offsets.copy()
    offsets[[WALK.rig.parts["left_foot"], WALK.rig.parts["right_foot"]]] *= 1.05
    longer = replace(fitted, source=replace(WALK, skeleton=replace(WALK.skeleton, offsets=offsets)))
    q, character = fitted.motion.q, fitted.character
    contacts = [one for one in list_constraints(detect_contacts(fitted)) if one.body.endswith("foot")]
    placed = place(character.skeleton, q)

    def measure_drift(played: Motion) -> float:
        """Return the largest distance (mm) of ankles from their median places in the frames of resting feet."""
        found = []
        for body in ("left_foot", "right_foot"):
            joint = character.skeleton.index(body)
            away = played.placement.positions[:, WALK.rig.parts[body]] - placed.positions[:, joint]
            local = quat.rotate(quat.conjugate(placed.rotations[:, joint]), away)
            frames = sorted({n for one in contacts if one.body == body for n in range(one.first, one.last + 1)})
            stances = np.split(frames, np.flatnonzero(np.diff(frames) > 1) + 1)
            found += [np.linalg.norm(local[s] - np.median(local[s], axis=0), axis=1).max() for s in stances]
        return 1e3 * float(max(found))

    played = map_to_rig(longer, q)
    corrected = replant_feet(character, q, counter_ankle_drift(character, q, played, contacts), WALK.frame_time)
    assert measure_drift(played) > 3.0
    assert measure_drift(map_to_rig(longer, corrected)) < 0.25 * measure_drift(played)
    legs = [n for n, dof in enumerate(character.skeleton.dofs) if "thigh" in character.skeleton.names[dof.joint]]
    legs += [n for n, dof in enumerate(character.skeleton.dofs) if "shank" in character.skeleton.names[dof.joint]]
    np.testing.assert_allclose(np.delete(corrected, legs, axis=1), np.delete(q, legs, axis=1), atol=1e-12)


def test_ankles_move_against_heels_and_balls_that_leave_their_places() -> None:
    fitted = fit_to(Character.from_motion(WALK), WALK)
    contacts = [one for one in detect_contacts(fitted).items if one.fixed and one.body == "left_foot"]
    points = {point.name: point for point in find_foot_points(WALK)}
    ankles = [Contact("left_foot", np.zeros((1, 3)), np.ones((1, 3)), n, n) for n in range(len(WALK))]
    moved = np.array([one.places[0] for one in counter_point_drift(WALK, contacts, ankles)])
    strays: list[list[np.ndarray]] = [[] for _ in ankles]
    for one in contacts:
        path = track_point(WALK, points[one.part])[one.first : one.last + 1]
        for frame, away in enumerate(path - find_median_place(path), one.first):
            strays[frame].append(away)
    assert max(map(len, strays)) == 2
    expected = [1.0 - (np.mean(some, axis=0) if some else np.zeros(3)) for some in strays]
    np.testing.assert_allclose(moved, expected, atol=1e-12)
