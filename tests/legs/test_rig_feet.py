"""Feet of a rig rest on one place, and toes do not sink."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.fit.contacts import detect_contacts
from gambol.fit.rig import fit as fit_to
from gambol.geometry import quaternions as quat
from gambol.io import samples
from gambol.legs.rig_feet import lift_toes, plant_feet
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.stages.feet import SIDES, find_foot_points, track_point
from tests.legs.harm import measure_sinking, measure_slide, translate

WALK = samples.walk()[40:132]


def test_a_foot_of_the_rig_that_the_character_cannot_follow_is_planted_too() -> None:
    """The rig's ankle twists about the shin while the foot rests."""
    assert WALK.rig is not None
    rests = detect_contacts(fit_to(Character.from_motion(WALK), WALK)).items
    joint = WALK.rig.parts["left_foot"]
    q = WALK.q.copy()
    for column in WALK.skeleton.columns(joint, "turn"):
        q[:, column] += 0.1 * np.sin(2.0 * np.pi * WALK.times / 0.5)
    twisting = replace(WALK, q=q)
    still = plant_feet(twisting, rests)
    assert measure_slide(twisting, WALK) > 6.0
    assert measure_slide(still, WALK) < 0.4 * measure_slide(twisting, WALK)
    feet = WALK.skeleton.columns(joint, "turn") + WALK.skeleton.columns(WALK.rig.parts["right_foot"], "turn")
    np.testing.assert_array_equal(np.delete(still.q, feet, axis=1), np.delete(q, feet, axis=1))


def test_toes_bend_only_where_they_would_sink() -> None:
    assert WALK.rig is not None
    stands = detect_contacts(fit_to(Character.from_motion(WALK), WALK))
    np.testing.assert_array_equal(lift_toes(WALK, WALK, stands.items, stands.floor).q, WALK.q)
    deep = np.where(np.arange(len(WALK)) >= 50, -0.01, 0.0)
    lower = translate(WALK, np.stack((0.0 * deep, 0.0 * deep, deep), axis=1))
    found = lift_toes(lower, WALK, stands.items, stands.floor)
    assert measure_sinking(lower, WALK, stands) == pytest.approx(10.0, abs=0.1)
    assert measure_sinking(found, WALK, stands) < 0.1
    toes = [c for side in SIDES for c in WALK.skeleton.columns(WALK.rig.parts[f"{side}_toes"], "turn")]
    np.testing.assert_array_equal(np.delete(found.q, toes, axis=1), np.delete(lower.q, toes, axis=1))
    np.testing.assert_array_equal(found.q[:30], lower.q[:30])


def test_a_foot_without_a_toe_joint_is_not_turned() -> None:
    fitted = fit_to(Character.from_motion(WALK), WALK)
    assert "left_toes" not in fitted.motion.skeleton.names
    lower = translate(fitted.motion, np.tile([0.0, 0.0, -0.01], (len(WALK), 1)))
    stands = detect_contacts(fitted)
    np.testing.assert_array_equal(lift_toes(lower, fitted.motion, stands.items, stands.floor).q, lower.q)


def test_a_heel_that_lifts_before_the_ball_stays_until_then_and_does_not_turn_the_foot_at_once() -> None:
    """Thighs that swing aside move ankles under resting feet: what the heel held fades after it has lifted."""
    walk = samples.walk()
    contacts = detect_contacts(fit_to(Character.from_motion(walk), walk)).items
    q = walk.q.copy()
    for column, dof in enumerate(walk.skeleton.dofs):
        if walk.skeleton.names[dof.joint].endswith("UpLeg") and abs(dof.axis[0]) > 0.9:
            q[:, column] += 0.03 * np.sin(2.0 * np.pi * walk.times / 0.7)
    swung = replace(walk, q=q)

    def fastest_turn(motion: Motion) -> float:
        """Largest rotation (degrees) of a foot between two frames."""
        local = local_frames(motion.skeleton, motion.q).rotations
        turned = quat.angle(quat.multiply(quat.conjugate(local[:-1]), local[1:]))
        return float(np.degrees(turned[:, [motion.skeleton.index(f"{side}Foot") for side in ("Left", "Right")]].max()))

    def farthest(motion: Motion) -> float:
        """Metres aside between the first and the last frame of a heel in contact."""
        points = {point.name: point for point in find_foot_points(motion)}
        held = [one for one in contacts if one.kind == "fixed" and one.part.endswith("heel")]
        paths = [track_point(motion, points[one.part])[[one.first, one.last], 1] for one in held]
        return float(np.ptp(paths, axis=1).max())

    planted = plant_feet(swung, contacts)
    assert fastest_turn(planted) < 1.2 * fastest_turn(swung)  # formerly three times
    assert farthest(planted) < 0.4 * farthest(swung)  # formerly nearly all of it
