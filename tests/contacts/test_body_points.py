"""Every body of a person but the feet has a point that can touch, and every joint one."""

from __future__ import annotations

import numpy as np

from gambol.body.character import Character
from gambol.contacts.body_points import list_body_points
from gambol.io import samples

PERSON = Character.from_motion(samples.stand()[:1])


def test_joints_and_segments_are_named_and_feet_are_left_to_their_ends() -> None:
    points = {point.name: point for point in list_body_points(PERSON)}
    assert len(points) == len(list_body_points(PERSON))
    feet = {"left_foot", "right_foot"}
    assert {point.body for point in points.values()} == set(PERSON.bodies) - feet
    joints = {f"left_{joint}" for joint in ("shoulder", "elbow", "wrist", "hip", "knee")}
    assert {name for name in points if name.startswith("left") and name not in PERSON.bodies} == joints


def test_a_joint_is_at_its_centre_and_a_segment_at_its_mass() -> None:
    points = {point.name: point for point in list_body_points(PERSON)}
    assert points["left_knee"].body == "left_shank"
    np.testing.assert_array_equal(points["left_knee"].point, 0.0)
    shank = PERSON.skeleton.index("left_shank")
    np.testing.assert_array_equal(points["left_shank"].point, PERSON.centers[shank])
    ankle = PERSON.skeleton.offsets[PERSON.skeleton.index("left_foot")]
    assert 0.3 < points["left_shank"].point[2] / ankle[2] < 0.6
