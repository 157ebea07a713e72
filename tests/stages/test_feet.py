"""Heels, balls and toes of rigs and markers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.motion.recording import Markers
from gambol.motion.rig import recognise_rig
from gambol.stages.feet import feet_of_markers, feet_of_motion, find_foot_points, track_point
from tests.motion.bodies import PERSON, person, standing


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
