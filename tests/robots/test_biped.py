"""Limbs and soles of robots are found by shape, beside what people wrote into robot files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.motion.skeleton import Skeleton
from gambol.robots.biped import Biped, find_biped
from gambol.robots.biped_file import load_biped
from gambol.robots.sole_shapes import find_sole
from gambol.stages.feet import SIDES


@pytest.fixture(scope="module")
def biped() -> Biped:
    return load_biped()


def test_joints_are_those_of_the_robot_file(biped: Biped) -> None:
    names = biped.character.skeleton.names
    for side, foot in zip(SIDES, biped.feet, strict=True):
        assert biped.places[f"{side}_foot"].joint == foot.joint
        first = side[0].upper()
        assert names[biped.places[f"{side}_shank"].joint] == f"{first}_KNEE"
        assert names[biped.places[f"{side}_forearm"].joint] == f"{first}_ELBOW_P"
    assert names[biped.places["head"].joint] == "NECK_P"
    assert biped.locate("left_thigh")[1] > 0.05 > -0.05 > biped.locate("right_thigh")[1]


def test_axes_of_a_hip_and_of_an_ankle_meet_in_their_centre(biped: Biped) -> None:
    """JVRC-1 has its hips 0.192 m apart, and 0.749 m of thigh and shank."""
    np.testing.assert_allclose(biped.locate("left_thigh") - biped.locate("right_thigh"), [0, 0.192, 0], atol=1e-6)
    assert biped.leg_length == pytest.approx(0.749, abs=0.001)


def test_soles_are_those_of_the_robot_file(biped: Biped) -> None:
    for side, foot in zip(SIDES, biped.feet, strict=True):
        corners = find_sole(biped, side)
        np.testing.assert_allclose(corners.mean(axis=0), foot.center, atol=0.01)
        share = np.ptp(corners, axis=0)[:2] / (2.0 * foot.half)
        assert 0.8 < share.min() <= share.max() < 1.05  # the edges of the meshes are rounded


def test_a_foot_without_shapes_is_an_average_one(biped: Biped) -> None:
    bare = replace(biped, description=replace(biped.description, collisions=(), visuals=()))
    corners = find_sole(bare, "left")
    assert 0.15 < np.ptp(corners[:, 0]) < 0.3
    assert corners[:, 2].max() < -0.05


def test_a_robot_may_face_any_way(biped: Biped) -> None:
    """Its base is turned about the vertical: what is found turns with it."""
    turn = quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), 2.0)
    character = biped.description.character
    skeleton = character.skeleton
    below = np.array([parent == 0 for parent in skeleton.parents])
    offsets = np.where(below[:, None], quat.rotate(turn, skeleton.offsets), skeleton.offsets)
    rests = np.where(below[:, None], quat.multiply(turn, skeleton.rests), skeleton.rests)
    turned = replace(character, skeleton=replace(skeleton, offsets=offsets, rests=rests))
    other = find_biped(replace(biped.description, character=turned))
    np.testing.assert_allclose(other.frame, turn, atol=1e-9)
    for part in biped.places:
        np.testing.assert_allclose(other.locate(part), quat.rotate(turn, biped.locate(part)), atol=1e-9)


def test_a_body_without_legs_is_refused(biped: Biped) -> None:
    character = biped.description.character
    skeleton = character.skeleton
    still = replace(skeleton, dofs=tuple(dof for dof in skeleton.dofs if not _in_leg(skeleton, dof.joint)))
    with pytest.raises(InputError, match="no two legs"):
        find_biped(replace(biped.description, character=replace(character, skeleton=still)))


def _in_leg(skeleton: Skeleton, joint: int) -> bool:
    return any(word in skeleton.names[joint] for word in ("HIP", "KNEE", "ANKLE"))
