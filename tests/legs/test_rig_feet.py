"""Feet of a rig rest on one place, and toes do not sink."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.fit.rig import fit as fit_to
from gambol.io import samples
from gambol.legs.rig_feet import lift_toes, plant_feet
from gambol.spacetime.contact_plan import plan_contacts
from gambol.stages.feet import SIDES
from tests.legs.harm import measure_sinking, measure_slide, translate

WALK = samples.walk()[40:132]


def test_a_foot_of_the_rig_that_the_character_cannot_follow_is_planted_too() -> None:
    """The rig's ankle twists about the shin while the foot rests."""
    assert WALK.rig is not None
    rests = plan_contacts(fit_to(Character.from_motion(WALK), WALK)).foot_contacts
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
    stands = plan_contacts(fit_to(Character.from_motion(WALK), WALK))
    np.testing.assert_array_equal(lift_toes(WALK, WALK, stands.foot_contacts, stands.floor).q, WALK.q)
    deep = np.where(np.arange(len(WALK)) >= 50, -0.01, 0.0)
    lower = translate(WALK, np.stack((0.0 * deep, 0.0 * deep, deep), axis=1))
    found = lift_toes(lower, WALK, stands.foot_contacts, stands.floor)
    assert measure_sinking(lower, WALK, stands) == pytest.approx(10.0, abs=0.1)
    assert measure_sinking(found, WALK, stands) < 0.1
    toes = [c for side in SIDES for c in WALK.skeleton.columns(WALK.rig.parts[f"{side}_toes"], "turn")]
    np.testing.assert_array_equal(np.delete(found.q, toes, axis=1), np.delete(lower.q, toes, axis=1))
    np.testing.assert_array_equal(found.q[:30], lower.q[:30])


def test_a_foot_without_a_toe_joint_is_not_turned() -> None:
    fitted = fit_to(Character.from_motion(WALK), WALK)
    assert "left_toes" not in fitted.motion.skeleton.names
    lower = translate(fitted.motion, np.tile([0.0, 0.0, -0.01], (len(WALK), 1)))
    stands = plan_contacts(fitted)
    np.testing.assert_array_equal(lift_toes(lower, fitted.motion, stands.foot_contacts, stands.floor).q, lower.q)
