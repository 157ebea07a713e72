"""Sketches without a solution: the explanation names the contact or law that cannot be satisfied."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gambol.spacetime.evaluate import FrameErrors
from gambol.spacetime.obstacles import find_doubts, find_obstacle
from gambol.spacetime.poses import PoseDatabase
from gambol.spacetime.sketch import Key, Sketch, SupportSpec, WantedPose
from gambol.spacetime.synthesis import plan_sketch

FEET = ("left foot", "right foot")
STAGES = (SupportSpec(0.6, FEET), SupportSpec(1.0, ()), SupportSpec(1.6, FEET))
JUMP = Sketch("jump", 1.6, (Key(0.6, {"x": 0.0}), Key(1.0, {"x": 0.8})), STAGES, fps=10.0)


def test_feet_too_far_apart_are_named_with_time_and_distance():
    apart = replace(
        JUMP,
        keys=(Key(0.3, {"x": 0.0}), Key(1.0, {"x": 4.0})),
        stages=(SupportSpec(0.9, FEET[:1]), SupportSpec(1.6, FEET)),
    )
    why, possible = find_obstacle(plan_sketch(apart, PoseDatabase()))
    assert not possible
    assert "left foot" in why
    assert " m from its contact at " in why


def test_a_pose_that_contradicts_the_contacts_is_named():
    splits = WantedPose(0.3, {"left_thigh": (120.0,), "right_thigh": (-40.0,), "shank": (0.0,)}, exact=True)
    why, possible = find_obstacle(plan_sketch(replace(JUMP, poses=(splits,)), PoseDatabase()))
    assert not possible
    assert "foot" in why
    assert "at 0.30 s" in why


def test_an_impossible_jump_reports_its_residual_force():
    """Five metres in 0.4 s: contacts are feasible, momentum is not."""
    far = replace(JUMP, keys=(Key(0.6, {"x": 0.0}), Key(1.0, {"x": 5.0})))
    why, possible = find_obstacle(plan_sketch(far, PoseDatabase()))
    assert possible
    assert "body weights of force that contacts cannot give" in why


@pytest.mark.parametrize(("power", "count"), [(25.0, 0), (200.0, 1), (float("nan"), 0)])
def test_superhuman_power_is_doubted(power, count):
    assert len(find_doubts(FrameErrors(0.0, 0.0, 0.0, 1.0, 2.0, 0.3, 0.0, power))) == count
