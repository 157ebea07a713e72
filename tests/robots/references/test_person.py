"""Bodies of a person: heads look where the rig's do."""

from __future__ import annotations

import numpy as np
import pytest

import gambol as gb
from gambol.body.character import Character
from gambol.fit.rig import fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.motion.neutral_pose import NeutralPose
from gambol.robots.references.person import track_person


def turn_head(clip: Motion, axis: Array, angle: float) -> Motion:
    """Return a clip whose head is turned about an axis of the chest (ahead, left, up) in all frames."""
    assert clip.rig is not None
    local, head = local_frames(clip.skeleton, clip.q).rotations.copy(), clip.rig.parts["head"]
    local[:, head] = quat.multiply(quat.from_axis_angle(axis, angle), local[:, head])
    return replace_rotations(clip, local)


def test_a_head_that_is_turned_to_a_side_in_all_frames_is_so() -> None:
    clip = gb.load("walk")[:30]
    turned = turn_head(clip, UP, 0.3)
    one, other = (track_person(fit(Character.from_motion(each), each)).rotations["head"] for each in (clip, turned))
    np.testing.assert_allclose(
        quat.log(quat.multiply(quat.conjugate(one), other)), 0.3 * np.tile(UP, (30, 1)), atol=0.02
    )


def test_a_rig_that_does_not_stand_in_its_rest_pose_is_taken_to_look_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    clip = turn_head(gb.load("walk")[:30], UP, 0.3)
    fitted = fit(Character.from_motion(clip), clip)
    monkeypatch.setattr(NeutralPose, "rests", property(lambda _: False, lambda *_: None), raising=False)
    own = fitted.motion.placement.rotations[:, fitted.character.skeleton.index("head")]
    np.testing.assert_array_equal(track_person(fitted).rotations["head"], own)
