"""What people can do in a recovery: angles and torques worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.fit.rig import Fit, fit
from gambol.io import samples
from gambol.respond.human_limits import RecoveryEffort, measure_lean, measure_leg_torque


@pytest.fixture(scope="module")
def stand() -> Fit:
    clip = samples.stand()[:60]
    return fit(Character.from_motion(clip, 70.0), clip)


def test_lean_is_the_turn_of_the_trunk_in_any_direction(stand: Fit) -> None:
    skeleton, clip = stand.character.skeleton, stand.motion
    for column in skeleton.columns(0, "turn"):
        q = clip.q.copy()
        q[20, column] += np.radians(30.0)
        lean = measure_lean(stand.character, replace(clip, q=q), clip)
        upright = abs(skeleton.dofs[column].axis[2]) > 0.9
        assert lean == pytest.approx(0.0 if upright else 30.0, abs=4.0)


def test_a_crouch_needs_half_the_weight_at_the_arm_of_the_knees(stand: Fit) -> None:
    """Both feet carry half the weight each; the knee is ahead of the pressure, which is under the hips."""
    skeleton, clip = stand.character.skeleton, stand.motion
    q = clip.q.copy()
    for side in ("left", "right"):
        for part, degrees in (("thigh", -50.0), ("shank", 90.0), ("foot", -40.0)):
            columns = skeleton.columns(skeleton.index(f"{side}_{part}"), "turn")
            q[:, next(c for c in columns if abs(skeleton.dofs[c].axis[1]) > 0.9)] += np.radians(degrees)
    low = replace(clip, q=q).placement.positions[0, :, 2].min() - clip.placement.positions[0, :, 2].min()
    q[:, next(c for c in skeleton.columns(0, "slide") if abs(skeleton.dofs[c].axis[2]) > 0.9)] -= low
    crouch = replace(clip, q=q)
    placed = crouch.placement.positions[30]
    arm = np.linalg.norm((placed[skeleton.index("left_shank")] - placed[skeleton.index("left_thigh")])[:2])
    expected = 0.5 * GRAVITY * float(arm)
    assert measure_leg_torque(stand.character, crouch, 0) == pytest.approx(expected, rel=0.3)
    assert measure_leg_torque(stand.character, clip, 0) < 0.4 * expected
    assert measure_leg_torque(stand.character, crouch, len(clip)) == 0.0


def test_what_is_beyond_people_is_named() -> None:
    assert RecoveryEffort(45.0, 1.0, 6.0).excesses == ()
    lean, shift, torque = RecoveryEffort(59.0, 1.62, 7.5).excesses
    assert lean == "the trunk leans by 59 degrees (people: up to 45)"
    assert shift == "a foothold moves by 1.62 leg lengths (people: up to 1)"
    assert torque == "a leg joint needs 7.5 N m per kg (people: up to 6)"
