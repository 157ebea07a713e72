"""Marker names: every set in the recordings, and the spellings of one name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml

from gambol.errors import InputError
from gambol.io import opensim
from gambol.io.c3d import read as c3d
from gambol.motion.marker_names import LANDMARKS, find_landmarks, find_marker_parts, format_marker_template, make_unique

SIDED = ("collar", "upper_arm", "forearm", "hand", "thigh", "shank", "foot", "toes")
PARTS = {"pelvis", "spine", "chest", "neck", "head"} | {f"{s}_{p}" for s in ("left", "right") for p in SIDED}


@pytest.mark.parametrize(
    "name", ["RKNE", "R.Knee", "r_knee", "Right Knee", "Ann:RKNE", "RightKnee", "R.Knee.Medial", "RKNE_2"]
)
def test_spellings(name: str) -> None:
    assert find_marker_parts([name]) == {name: "right_thigh"}


SETS = {
    "Plug-in-Gait": "LASI LPSI LKNE LANK LHEE LTOE LSHO LELB LWRA LWRB LFHD LBHD",
    "CMU": "LFWT LBWT LKNE LANK LHEE LTOE LSHO LELB LWRA LWRB LFHD LBHD",
    "OptiTrack": "WaistLFront WaistLBack LKneeOut LAnkleOut LHeel LToeIn LShoulderTop LElbowOut LWristOut LWristIn",
    "OpenSim": "L.ASIS L.PSIS L.Knee.Lat L.Ankle.Lat L.Heel L.Toe.Tip L.Acromium L.Elbow L.Wrist.Lat L.Wrist.Med",
    "OpenCap": "L.ASIS_study L.PSIS_study L_knee_study L_ankle_study L_calc_study L_toe_study L_shoulder_study "
    "L_lelbow_study L_lwrist_study L_mwrist_study",
    "ISB": "LIAS LIPS LFLE LFAL LFCC LFM2 LCAJ LHLE LRSP LUSP",
    "sides last": "ASIS_L PSIS_L KNE.L ANK-L HEE_L TOE_L AcromionL LateralEpicondyleL WristL ulnaL",
}
ROLES = (
    "asis",
    "psis",
    "knee",
    "ankle",
    "heel",
    "toe",
    "shoulder",
    "elbow",
    "wrist",
    "wrist_in",
    "head_front",
    "head_back",
)


def mirror(name: str) -> str:
    """The marker on the right: the side is the first or the last L of a name, or follows Waist."""
    if name.startswith("Waist"):
        return name.replace("WaistL", "WaistR")
    return f"R{name[1:]}" if name[0] == "L" and name not in ("LateralEpicondyleL",) else f"{name[:-1]}R"


@pytest.mark.parametrize("kind", SETS)
def test_sets_by_their_published_names(kind: str) -> None:
    left = SETS[kind].split()
    found = find_landmarks([*left, *map(mirror, left)])
    assert found == {f"left_{role}": (name,) for role, name in zip(ROLES, left, strict=False)} | {
        f"right_{role}": (mirror(name),) for role, name in zip(ROLES, left, strict=False)
    }


@pytest.mark.parametrize("kind", SETS)
@pytest.mark.parametrize(
    "spell", [str.lower, str.upper, "Ann:{}".format, "ann_{}".format, "Skeleton 001_{}".format, "Lab:Ann Lee:{}".format]
)
def test_prefixes_and_letter_case_do_not_matter(kind: str, spell: Callable[[str], str]) -> None:
    names = SETS[kind].split()
    expected = {landmark: tuple(map(spell, own)) for landmark, own in find_landmarks(names).items()}
    assert find_landmarks(map(spell, names)) == expected


def test_a_heel_without_a_side_is_not_the_left_one() -> None:
    assert find_landmarks(["HEEL", "Heel", "TOE", "Marker1", "Foot_Marker1"]) == {}


def test_the_preferred_marker_of_a_landmark_is_first() -> None:
    assert find_landmarks(["L.MT1", "L.MT5", "L.MT2", "L.Toe"]) == {
        "left_toe": ("L.Toe", "L.MT2", "L.MT1"),
        "left_ball_out": ("L.MT5",),
    }


def test_landmarks_are_those_of_one_subject() -> None:
    found = find_landmarks(["A:LASI", "B:LASI", "B:RASI", "A:LKNE", "B:LKNE", "SACR"])
    assert found == {
        "left_asis": ("B:LASI",),
        "right_asis": ("B:RASI",),
        "left_knee": ("B:LKNE",),
        "sacrum": ("SACR",),
    }


def test_a_mapping_has_precedence() -> None:
    assert find_landmarks(["LKNE", "M17"], {"left_knee": "M17"}) == {"left_knee": ("M17",)}
    with pytest.raises(InputError, match="unknown landmark 'knee'"):
        find_landmarks(["M17"], {"knee": "M17"})
    with pytest.raises(InputError, match="no marker 'M18' for left_knee; markers: M17"):
        find_landmarks(["M17"], {"left_knee": "M18"})


def test_the_template_has_every_landmark_and_what_is_known() -> None:
    text = format_marker_template(["Ann:LKNE", "M17"])
    lines = yaml.safe_load(text)
    assert tuple(lines) == LANDMARKS
    assert {name: marker for name, marker in lines.items() if marker} == {"left_knee": "Ann:LKNE"}
    assert "right_knee:  # needed" in text
    assert "#   M17" in text


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
