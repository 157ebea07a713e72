"""Fit a body to markers; its estimated ground forces agree with force plates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.body.measure import measure_build
from gambol.errors import InputError, RigError
from gambol.fit.forces import estimate_ground_forces
from gambol.fit.markers import find_visible_frames, markers_to_rig
from gambol.fit.rig import fit
from gambol.geometry import quaternions as quat
from gambol.io import load_recording
from gambol.motion.recording import Markers, Recording

RAJAGOPAL = "gait_grf/opensim_rajagopal_walk_fullbody"
MASS = 85.27


@pytest.fixture(scope="module")
def markers(data: Path) -> Markers:
    loaded = load_recording(data / RAJAGOPAL / "markers_walk.trc")
    assert isinstance(loaded, Markers)
    return loaded


def test_the_fitted_person_has_a_plausible_build(markers: Markers) -> None:
    rig = markers_to_rig(markers)
    build = measure_build(rig)
    assert 1.65 < build.height < 1.90
    for side in ("left", "right"):
        assert 0.38 < -build.offsets[f"{side}_shank"][2] < 0.46
        assert 0.38 < -build.offsets[f"{side}_foot"][2] < 0.46
    assert fit(Character.from_motion(rig, MASS), rig).errors.mean() < 0.008


def test_forces_agree_with_the_plates(markers: Markers, data: Path) -> None:
    """Over the gait cycle in which both feet are on plates: of body weight, up 5 % and ahead 3 %."""
    rig = markers_to_rig(markers)
    fitted = fit(Character.from_motion(rig, MASS), rig)
    forces = estimate_ground_forces(fitted.character, fitted.motion, cutoff=6.0)
    plates = load_recording(data / RAJAGOPAL / "grf_walk.mot")
    cycle = (rig.times >= 0.45) & (rig.times <= 1.8)
    for side in ("left", "right"):
        measured = np.interp(rig.times, plates.times, plates[f"ground_force_{side[0]}_vy"])
        estimated = forces.force_on(f"{side}_foot")[:, 2]
        error = np.sqrt(np.mean((estimated - measured)[cycle] ** 2)) / (MASS * GRAVITY)
        assert error < 0.05
        ahead = np.interp(rig.times, plates.times, plates[f"ground_force_{side[0]}_vx"])
        error = np.sqrt(np.mean((forces.force_on(f"{side}_foot")[:, 0] - ahead)[cycle] ** 2)) / (MASS * GRAVITY)
        assert error < 0.03  # two feet that push against each other: the sum of the forces does not say how hard


def test_pressure_is_where_the_plates_have_it(markers: Markers, data: Path) -> None:
    """Along the direction of travel, without bias: an error of the trunk's centre shifts it by as much."""
    rig = markers_to_rig(markers)
    fitted = fit(Character.from_motion(rig, MASS), rig)
    forces = estimate_ground_forces(fitted.character, fitted.motion, cutoff=6.0)
    plates = load_recording(data / RAJAGOPAL / "grf_walk.mot")
    for side in ("left", "right"):
        load, where = (np.interp(rig.times, plates.times, plates[f"ground_force_{side[0]}_{a}"]) for a in ("vy", "px"))
        stance = (rig.times >= 0.45) & (rig.times <= 1.8) & (load > 100.0)
        off = (forces.center_of_pressure(f"{side}_foot")[:, 0] - where)[stance]
        assert abs(np.nanmean(off)) < 0.01
        assert np.nanstd(off) < 0.03


def test_joint_centres_go_with_the_body_wherever_it_goes(markers: Markers) -> None:
    turn = quat.from_axis_angle(np.array([0.6, 0.0, 0.8]), np.array(1.1))
    moved = replace(markers, positions=quat.rotate(turn, markers.positions) + [3.0, -2.0, 0.5])
    here, there = markers_to_rig(markers), markers_to_rig(moved)
    expected = quat.rotate(turn, here.placement.positions[:, 1:]) + [3.0, -2.0, 0.5]
    np.testing.assert_allclose(there.placement.positions[:, 1:], expected, atol=1e-9)
    for part in ("head", "left_foot"):
        joint = here.rig.parts[part]
        turned = quat.multiply(turn, here.placement.rotations[:, joint])
        dots = np.abs(np.sum(turned * there.placement.rotations[:, joint], axis=1))
        np.testing.assert_allclose(dots, 1.0, atol=1e-9)


def test_hips_and_lumbar_joint_lie_in_the_pelvis_as_published(markers: Markers) -> None:
    """A pelvis 25 cm wide and 20 deep, level: hips by Harrington's regression, lumbar joint by Dumas' shares."""
    positions = markers.positions.copy()
    spots = {"L.ASIS": (0.1, 0.125), "R.ASIS": (0.1, -0.125), "L.PSIS": (-0.1, 0.04), "R.PSIS": (-0.1, -0.04)}
    for name, (x, y) in spots.items():
        positions[:, markers.names.index(name)] = (x, y, 1.0)
    found = markers_to_rig(replace(markers, positions=positions))
    placed = {part: found.placement.positions[0, joint] for part, joint in found.rig.parts.items()}
    np.testing.assert_allclose(placed["left_thigh"], [0.1 - 0.0579, 0.0898, 1.0 - 0.0859], atol=1e-6)
    np.testing.assert_allclose(placed["right_thigh"], [0.1 - 0.0579, -0.0898, 1.0 - 0.0859], atol=1e-6)
    np.testing.assert_allclose(placed["spine"], [0.1 - 0.066, 0.0, 1.0315], atol=1e-6)


def test_a_head_turns_with_its_own_markers(data: Path) -> None:
    recording = load_recording(data / "gait_grf" / "btk_c3d" / "PiG_Motion-FlatFoot-One.c3d")
    assert isinstance(recording, Recording)
    worn = recording.markers
    head = [worn.names.index(name) for name in ("LFHD", "RFHD", "LBHD", "RBHD")]
    turn = quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.array(0.5))
    positions = worn.positions.copy()
    middle = positions[:, head].mean(axis=1, keepdims=True)
    positions[:, head] = middle + quat.rotate(turn, positions[:, head] - middle)
    before, after = markers_to_rig(worn), markers_to_rig(replace(worn, positions=positions))
    joint = before.rig.parts["head"]
    expected = quat.multiply(turn, before.placement.rotations[:, joint])
    dots = np.abs(np.sum(expected * after.placement.rotations[:, joint], axis=1))
    np.testing.assert_allclose(dots, 1.0, atol=1e-9)
    others = [j for part, j in before.rig.parts.items() if part != "head"]
    np.testing.assert_allclose(before.placement.positions[:, others], after.placement.positions[:, others], atol=1e-12)


def test_a_full_body_c3d_works_too(data: Path) -> None:
    recording = load_recording(data / "gait_grf" / "btk_c3d" / "PiG_Motion-FlatFoot-One.c3d")
    assert isinstance(recording, Recording)
    rig = markers_to_rig(recording.markers)
    assert measure_build(rig).height == pytest.approx(1.79, abs=0.12)


def test_markers_that_are_never_seen_are_done_without(data: Path) -> None:
    """Head, vertebra and breastbone hidden all the time: the body is there, its neck near where they had it."""
    recording = load_recording(data / "gait_grf" / "btk_c3d" / "PiG_Motion-FlatFoot-One.c3d")
    assert isinstance(recording, Recording)
    worn = recording.markers
    positions = worn.positions.copy()
    positions[:, [worn.names.index(name) for name in ("LFHD", "C7", "CLAV")]] = np.nan
    with_, without = markers_to_rig(worn), markers_to_rig(replace(worn, positions=positions))
    assert len(without) == len(with_)
    neck = with_.rig.parts["neck"]
    off = with_.placement.positions[:, neck] - without.placement.positions[:, neck]
    assert 0.001 < np.linalg.norm(off, axis=1).max() < 0.08


def test_short_gaps_are_bridged_and_long_ones_cut(markers: Markers) -> None:
    positions = markers.positions.copy()
    knee = markers.names.index("R.Knee")
    positions[50:60, knee] = np.nan
    bridged = markers_to_rig(replace(markers, positions=positions))
    assert len(bridged) == len(markers)
    joint = bridged.rig.parts["right_shank"]
    off = bridged.placement.positions[:, joint] - markers_to_rig(markers).placement.positions[:, joint]
    assert np.linalg.norm(off, axis=1).max() < 0.03
    positions[80:160, knee] = np.nan
    cut = markers_to_rig(replace(markers, positions=positions))
    assert len(cut) == 80
    assert find_visible_frames(replace(markers, positions=positions)) == slice(0, 80)
    assert "kept frames" in cut.notes[-1]


PLUG_IN_GAIT = {
    "asis": "ASI", "psis": "PSI", "knee": "KNE", "ankle": "ANK", "heel": "HEE", "toe": "TOE",
    "shoulder": "SHO", "elbow": "ELB", "wrist": "WRA",
}  # fmt: skip
OPTITRACK = {
    "asis": "WaistFront", "psis": "WaistBack", "knee": "KneeOut", "ankle": "AnkleOut", "heel": "Heel", "toe": "ToeTip",
    "shoulder": "ShoulderTop", "elbow": "ElbowOut", "wrist": "WristOut",
}  # fmt: skip


def wear(names: dict[str, str], without: tuple[str, ...] = ()) -> tuple[Markers, dict[str, np.ndarray]]:
    """Markers on a known person who walks along x at 1 m/s with swinging legs, and the centres of the joints.

    Pelvis 26 cm wide and 20 deep, level. Outer markers are half a joint width outside the centres.
    """
    time = np.arange(120) / 100.0
    markers, centres = {}, {}
    middle = np.stack((time, 0.0 * time, 1.0 + 0.02 * np.sin(12.0 * time)), axis=1)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        swing = 0.4 * sign * np.sin(6.0 * time)
        hip = middle + [0.1 - 0.24 * 0.2 - 0.0099, sign * (0.33 * 0.26 + 0.0073), -(0.30 * 0.26 + 0.0109)]
        thigh = np.stack((np.sin(swing), 0.0 * swing, -np.cos(swing)), axis=1)
        shank = np.stack((np.sin(swing - 0.3), 0.0 * swing, -np.cos(swing - 0.3)), axis=1)
        knee, out = hip + 0.42 * thigh, sign * np.array([0.0, 1.0, 0.0])
        ankle = knee + 0.41 * shank
        ahead = np.stack((-shank[:, 2], 0.0 * swing, shank[:, 0]), axis=1)
        shoulder, elbow = (middle + [0.0, sign * y, z] for y, z in ((0.19, 0.40), (0.22, 0.11)))
        spots = {
            "asis": middle + [0.1, 0.13 * sign, 0.0],
            "psis": middle + [-0.1, 0.04 * sign, 0.0],
            "knee": knee + 0.05 * out,
            "ankle": ankle + 0.035 * out,
            "heel": ankle - 0.05 * ahead + 0.06 * shank,
            "toe": ankle + 0.13 * ahead + 0.06 * shank,
            "shoulder": shoulder + [0.0, 0.0, 0.05],
            "elbow": elbow + 0.035 * out,
            "wrist": elbow + [0.0, 0.0, -0.26] + 0.025 * out,
        }
        for landmark, path in spots.items():
            if landmark not in without:
                name = names[landmark]
                letter = side[0].upper()
                markers[name.replace("Waist", f"Waist{letter}") if "Waist" in name else letter + name] = path
        centres |= {f"{side}_thigh": hip, f"{side}_shank": knee, f"{side}_foot": ankle, f"{side}_upper_arm": shoulder}
    return Markers(tuple(markers), np.stack(list(markers.values()), axis=1), 0.01), centres


@pytest.mark.parametrize("names", [PLUG_IN_GAIT, OPTITRACK])
def test_joint_centres_of_a_known_person(names: dict[str, str]) -> None:
    worn, centres = wear(names)
    rig = markers_to_rig(worn)
    for part, path in centres.items():
        np.testing.assert_allclose(rig.placement.positions[:, rig.rig.parts[part]], path, atol=1e-9)
    assert not rig.notes
    assert fit(Character.from_motion(rig), rig).errors.max() < 0.03


def test_a_lower_body_gets_an_upright_trunk_and_hanging_arms() -> None:
    worn, centres = wear(PLUG_IN_GAIT, without=("shoulder", "elbow", "wrist"))
    rig = markers_to_rig(worn)
    assert rig.notes == ("without markers, as in an average person at ease: trunk, shoulders, elbows, wrists",)
    placed = {part: rig.placement.positions[:, joint] for part, joint in rig.rig.parts.items()}
    for part in ("left_thigh", "left_shank", "right_foot"):
        np.testing.assert_allclose(placed[part], centres[part], atol=1e-9)
    height = measure_build(rig).height
    assert height == pytest.approx(0.83 / 0.49, abs=0.08)
    trunk = placed["neck"] - placed["spine"]
    np.testing.assert_allclose(trunk[:, :2], 0.0, atol=1e-9)
    np.testing.assert_allclose(trunk[:, 2], 0.29 * height, atol=0.03)
    shoulders = placed["left_upper_arm"] - placed["right_upper_arm"]
    np.testing.assert_allclose(shoulders[:, 1], 0.21 * height, atol=0.02)
    for side in ("left", "right"):
        arm = placed[f"{side}_hand"] - placed[f"{side}_upper_arm"]
        np.testing.assert_allclose(arm[:, :2], 0.0, atol=1e-9)
        np.testing.assert_allclose(arm[:, 2], -0.33 * height, atol=0.03)
    assert fit(Character.from_motion(rig), rig).errors.max() < 0.03


def test_a_trunk_without_markers_leans_with_the_pelvis() -> None:
    """A person who lies on the back: the trunk is within 30 degrees of the pelvis, not upright."""
    worn, _ = wear(PLUG_IN_GAIT, without=("shoulder", "elbow", "wrist"))
    down = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.array(-np.pi / 2))
    rig = markers_to_rig(replace(worn, positions=quat.rotate(down, worn.positions)))
    placed = {part: rig.placement.positions[:, joint] for part, joint in rig.rig.parts.items()}
    trunk = placed["neck"] - placed["spine"]
    along = trunk @ quat.rotate(down, np.array([0.0, 0.0, 1.0])) / np.linalg.norm(trunk, axis=1)
    np.testing.assert_allclose(along, np.cos(np.radians(30.0)), atol=1e-9)


def test_arms_without_elbows_hang_from_the_shoulders() -> None:
    worn, centres = wear(PLUG_IN_GAIT, without=("elbow", "wrist"))
    rig = markers_to_rig(worn)
    assert rig.notes[-1].endswith("elbows, wrists")
    elbow = rig.placement.positions[:, rig.rig.parts["left_forearm"]]
    np.testing.assert_allclose((elbow - centres["left_upper_arm"])[:, :2], 0.0, atol=1e-9)


def test_a_foot_without_heel_marker_rotates_with_its_toes() -> None:
    worn, _ = wear(PLUG_IN_GAIT)
    without, _ = wear(PLUG_IN_GAIT, without=("heel",))
    one, other = (fit(Character.from_motion(rig), rig).motion for rig in map(markers_to_rig, (worn, without)))
    joint = one.skeleton.names.index("left_foot")
    turn = quat.multiply(quat.conjugate(one.placement.rotations[:, joint]), other.placement.rotations[:, joint])
    assert 2.0 * np.abs(turn[:, 1:]).max() < np.radians(3.0)


def test_exchanged_sides_are_found() -> None:
    worn, centres = wear(PLUG_IN_GAIT)
    exchanged = replace(worn, names=tuple(("R" if name[0] == "L" else "L") + name[1:] for name in worn.names))
    rig = markers_to_rig(exchanged)
    assert rig.notes == ("markers named left are on the right: sides exchanged",)
    np.testing.assert_allclose(rig.placement.positions[:, rig.rig.parts["left_foot"]], centres["left_foot"], atol=1e-9)


def test_virtual_copies_stand_in_for_markers_that_were_taken_off() -> None:
    """Inner markers of a calibration are often gone in the trial, and computed from the others with a v appended."""
    worn, centres = wear(PLUG_IN_GAIT)
    knee = worn.names.index("LKNE")
    positions = np.concatenate((worn.positions, worn.positions[:, [knee]]), axis=1)
    positions[:, knee] = np.nan
    rig = markers_to_rig(replace(worn, names=(*worn.names, "LKNEv"), positions=positions))
    found = rig.placement.positions[:, rig.rig.parts["left_shank"]]
    np.testing.assert_allclose(found, centres["left_shank"], atol=1e-9)


def test_unknown_names_can_be_mapped() -> None:
    worn, centres = wear(PLUG_IN_GAIT)
    numbered = replace(worn, names=tuple(f"M{n}" for n in range(len(worn.names))))
    with pytest.raises(RigError, match=r"no left asis marker .*--markers"):
        markers_to_rig(numbered)
    roles = {
        name: f"{side}_{role}"
        for side in ("left", "right")
        for role, end in PLUG_IN_GAIT.items()
        for name in [side[0].upper() + end]
    }
    mapping = {roles[old]: new for old, new in zip(worn.names, numbered.names, strict=True)}
    rig = markers_to_rig(numbered, mapping)
    np.testing.assert_allclose(rig.placement.positions[:, rig.rig.parts["left_foot"]], centres["left_foot"], atol=1e-9)


def test_missing_markers_are_named(markers: Markers) -> None:
    kept = [n for n, name in enumerate(markers.names) if name != "L.Knee"]
    less = replace(markers, names=tuple(markers.names[n] for n in kept), positions=markers.positions[:, kept])
    with pytest.raises(InputError, match="no left knee marker"):
        markers_to_rig(less)
    with pytest.raises(InputError, match="never visible together"):
        markers_to_rig(replace(markers, positions=np.full_like(markers.positions, np.nan)))
