"""Marker names: every set in the recordings, and the spellings of one name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.io import opensim
from gambol.io.c3d import read as c3d
from gambol.motion.marker_names import find_marker_parts, make_unique

SIDED = ("collar", "upper_arm", "forearm", "hand", "thigh", "shank", "foot", "toes")
PARTS = {"pelvis", "spine", "chest", "neck", "head"} | {f"{s}_{p}" for s in ("left", "right") for p in SIDED}


@pytest.mark.parametrize(
    "name", ["RKNE", "R.Knee", "r_knee", "Right Knee", "Ann:RKNE", "RightKnee", "R.Knee.Medial", "RKNE_2"]
)
def test_spellings(name: str) -> None:
    assert find_marker_parts([name]) == {name: "right_thigh"}


def test_unique_names() -> None:
    assert make_unique(["a", "b", "a", "a_2", "a"]) == ("a", "b", "a_2", "a_2_2", "a_3")


def test_unknown_names_are_left_out() -> None:
    assert find_marker_parts(["*1", "", "LFEA", "CentreOfMass", "L", "R.", "Left"]) == {}


def test_midline_before_sides() -> None:
    assert find_marker_parts(["L5", "LELB", "C7", "RLFC", "LLMAL"]) == {
        "L5": "spine",
        "LELB": "left_upper_arm",
        "C7": "chest",
        "RLFC": "right_thigh",
        "LLMAL": "left_shank",
    }


def test_toe_markers_depend_on_the_set() -> None:
    assert find_marker_parts(["LTOE", "LHEE"])["LTOE"] == "left_foot"
    assert find_marker_parts(["L.Toe", "L.MT5"]) == {"L.Toe": "left_toes", "L.MT5": "left_foot"}


@pytest.mark.parametrize(
    "file",
    [
        "bmclab/walk1.trc",
        "bmclab/walk2.trc",
        "opensim_core_c3d_walking/walking2.c3d",
        "opensim_rajagopal_walk_fullbody/markers_walk.trc",
        "btk_c3d/Gait.c3d",
        "btk_c3d/sample01__Eb015pr.c3d",
    ],
)
def test_whole_sets_are_known(data: Path, file: str) -> None:
    path = data / "gait_grf" / file
    names = (c3d.read_c3d(path).markers if path.suffix == ".c3d" else opensim.read_trc(path)).names
    found = find_marker_parts(names)
    assert set(found) == set(names)
    assert set(found.values()) <= PARTS


@pytest.mark.parametrize(
    ("file", "count"), [("FunctionalWalk", 45), ("PiG_Motion-FlatFoot-One", 35), ("PiG_Motion3_FF", 16)]
)
def test_plug_in_gait_is_known(data: Path, file: str, count: int) -> None:
    """The real markers come first in these files; what follows is computed by the model."""
    names = c3d.read_c3d(data / "gait_grf" / "btk_c3d" / f"{file}.c3d").markers.names[:count]
    assert set(find_marker_parts(names)) == set(names)


def test_parts_are_where_they_should_be(data: Path) -> None:
    """Heights order the body, and left is left of right while the person walks along x."""
    markers = opensim.read_trc(data / "gait_grf" / "opensim_rajagopal_walk_fullbody" / "markers_walk.trc")
    parts = find_marker_parts(markers.names)

    def middle(part: str) -> np.ndarray:
        return markers.positions[:, [parts[name] == part for name in markers.names]].mean(axis=(0, 1))

    for side in ("left", "right"):
        order = [f"{side}_{part}" for part in ("foot", "shank", "thigh")] + [
            "pelvis",
            "chest",
            f"{side}_collar",
        ]
        heights = [middle(part)[2] for part in order]
        assert heights == sorted(heights)
    for part in ("foot", "shank", "thigh", "collar", "upper_arm", "forearm"):
        assert middle(f"left_{part}")[1] > middle(f"right_{part}")[1]
