"""Heels, balls and toes of rigs and markers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.vectors import UP
from gambol.motion.recording import Markers
from gambol.motion.rig import recognise_rig
from gambol.stages.feet import feet_of_markers, feet_of_motion, find_flat_foot, find_foot_points, track_point
from tests.motion.bodies import PERSON, X, Y, Z, person, standing


def test_a_heel_lies_behind_the_ankle_level_with_the_toe_joint():
    motion = standing(person())
    motion = replace(
        motion, rig=recognise_rig(motion.skeleton, motion.placement.positions[0], np.array([0.0, 0.0, 1.0]))
    )
    points = {point.name: track_point(motion, point)[0] for point in find_foot_points(motion)}
    assert list(points) == [f"{side}_{part}" for side in ("left", "right") for part in ("heel", "ball", "toe")]
    for side in ("left", "right"):
        ankle = motion.placement.positions[0, motion.skeleton.index(f"{side}_foot")]
        np.testing.assert_allclose(points[f"{side}_ball"] - ankle, (0.13, 0.0, -0.05), atol=1e-9)
        np.testing.assert_allclose(points[f"{side}_heel"] - ankle, (-0.4 * 0.13, 0.0, -0.05), atol=1e-9)
        np.testing.assert_allclose(points[f"{side}_toe"] - ankle, (0.2, 0.0, -0.05), atol=1e-9)
    feet = feet_of_motion(motion)
    np.testing.assert_allclose(feet.tracks["left"].toe[0], points["left_ball"])


@pytest.mark.parametrize(
    ("pitch", "speed", "tells"),
    [(0.2, 0.2, "the clip"), (0.4, 0.2, "the rest pose"), (-0.4, 0.2, "the rest pose"), (0.4, 0.08, "the clip")],
)
@pytest.mark.parametrize("spread", [0.0, 0.3])
def test_what_is_up_in_a_foot_that_is_never_still_and_flat_is_told_by_the_rest_pose(pitch, speed, tells, spread):
    """Legs may rest spread, and feet lean with them: then what is up is along the leg."""
    skeleton, leg = person(), np.array([0.0, -np.sin(spread), np.cos(spread)])
    offsets = skeleton.offsets.copy()
    offsets[[skeleton.index(f"left_{part}") for part in ("shank", "foot")]] = -0.43 * leg
    offsets[skeleton.index("left_toes")] = 0.13 * np.array(X) - 0.05 * leg
    motion = standing(replace(skeleton, offsets=offsets))
    motion = replace(motion, rig=recognise_rig(skeleton, motion.placement.positions[0], UP))
    q = motion.q.copy()
    q[:, 0] = speed * motion.frame_time * np.arange(len(motion))
    columns = {(skeleton.names[dof.joint], dof.axis): column for column, dof in enumerate(skeleton.dofs)}
    for joint in ("left_thigh", "left_shank", "left_foot"):
        q[:, [columns[joint, axis] for axis in (X, Y, Z)]] = 0.0
    q[:, columns["left_foot", Y]] = pitch
    q[:, columns["left_thigh", X]] = -spread
    motion = replace(motion, q=q)
    found, toe = find_flat_foot(motion, "left")
    np.testing.assert_allclose(toe, 0.13 * np.array(X) - 0.05 * leg)
    joint = motion.placement.rotations[0, skeleton.index("left_foot")]
    expected = quat.rotate(quat.conjugate(joint), UP) if tells == "the clip" else leg
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_without_toes_the_ankle_stands_for_heel_and_ball():
    parts = [part for part, _, _ in PERSON if not part.endswith("toes")]
    motion = standing(person({part: part for part in parts}))
    motion = replace(
        motion, rig=recognise_rig(motion.skeleton, motion.placement.positions[0], np.array([0.0, 0.0, 1.0]))
    )
    points = find_foot_points(motion)
    assert [point.name for point in points] == ["left_heel", "left_ball", "right_heel", "right_ball"]
    for point in points:
        np.testing.assert_array_equal(point.point, np.zeros(3))


def _markers(*names: str) -> Markers:
    """Markers that stand in a row along y, one every 10 cm, and walk along y."""
    places = np.zeros((5, len(names), 3))
    places[:, :, 1] = 0.1 * np.arange(len(names)) + 0.2 * np.arange(5)[:, None]
    return Markers(names, places, 0.01)


def test_markers_are_chosen_by_name_and_else_by_the_direction_of_travel():
    named = feet_of_markers(_markers("LTOE", "LHEE", "RTOE", "RHEE"))
    assert named.tracks["left"].heel[0, 1] == pytest.approx(0.1)
    assert named.tracks["right"].toe[0, 1] == pytest.approx(0.2)
    ordered = feet_of_markers(_markers("LFT1", "LFT2", "RFT1", "RFT2", "RFT3"))
    assert ordered.tracks["left"].heel[0, 1] == pytest.approx(0.0)
    assert ordered.tracks["left"].toe[0, 1] == pytest.approx(0.1)
    assert ordered.tracks["right"].heel[0, 1] == pytest.approx(0.2)
    assert ordered.tracks["right"].toe[0, 1] == pytest.approx(0.4)
    with pytest.raises(InputError, match="left foot"):
        feet_of_markers(_markers("LTOE", "RTOE", "RHEE"))
