"""A motion on another rig keeps its poses, its steps and its feet on the ground."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.clips.retarget import retarget_motion, retarget_to_rig
from gambol.fit.load import load, load_for_rig
from gambol.fit.rig import fit
from gambol.geometry import quaternions as quat
from gambol.io import samples
from gambol.metrics.check import check
from gambol.motion.motion import Motion


def orientations(motion: Motion) -> np.ndarray:
    fitted = fit(Character.from_motion(motion), motion)
    names = fitted.character.skeleton.names
    bodies = (
        "pelvis",
        "chest",
        *(f"{s}_{p}" for s in ("left", "right") for p in ("upper_arm", "forearm", "thigh", "shank")),
    )
    return fitted.motion.placement.rotations[:, [names.index(body) for body in bodies]]


def apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    dots = np.abs(np.sum(one * other, axis=-1)).clip(0.0, 1.0)
    return np.degrees(2.0 * np.arccos(dots))


def test_onto_its_own_rig_nothing_changes() -> None:
    walk = samples.walk()
    again = retarget_motion(walk, walk)
    assert again.skeleton is walk.skeleton
    off = np.linalg.norm(again.placement.positions - walk.placement.positions, axis=2)
    feet = [walk.rig.parts[f"{side}_foot"] for side in ("left", "right")]
    assert off[:, feet].max() < 0.01
    assert off.mean() < 0.01


def test_knees_do_not_bend_on_a_rig_with_other_feet_and_hips() -> None:
    """Its ankles are higher, its shanks shorter and its hips wider and lower."""
    walk = samples.walk()
    assert walk.rig is not None
    offsets, parts = walk.skeleton.offsets.copy(), walk.rig.parts
    for side in ("left", "right"):
        offsets[parts[f"{side}_thigh"]] *= [1.3, 1.3, 1.3]
        offsets[parts[f"{side}_foot"]] *= 0.85
        offsets[parts[f"{side}_toes"]] *= [1.0, 1.0, 2.0]
    other = replace(walk, skeleton=replace(walk.skeleton, offsets=offsets))
    moved = retarget_motion(walk, other)
    bent, before = knee_flexion(moved), knee_flexion(walk)
    assert np.median(bent) == pytest.approx(np.median(before), abs=5.0)
    assert np.abs(bent - before).mean() < 4.0


def knee_flexion(motion: Motion) -> np.ndarray:
    """Degrees (2, frames)."""
    assert motion.rig is not None
    places, found = motion.placement.positions, []
    for side in ("left", "right"):
        hip, knee, ankle = (places[:, motion.rig.parts[f"{side}_{part}"]] for part in ("thigh", "shank", "foot"))
        thigh, shank = knee - hip, ankle - knee
        cosine = np.sum(thigh * shank, axis=1) / np.linalg.norm(thigh, axis=1) / np.linalg.norm(shank, axis=1)
        found.append(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
    return np.array(found)


@pytest.mark.parametrize("rig", ["cmu_bvh/walk/02_01.bvh", "cmu_asf_amc/35_01.amc"])
def test_poses_steps_and_feet_survive_the_way_to_another_rig(data: Path, rig: str) -> None:
    walk, other = samples.walk(), load(data / rig)
    moved = retarget_motion(walk, other)
    assert moved.skeleton.names == other.skeleton.names
    assert (len(moved), moved.frame_time) == (len(walk), walk.frame_time)
    # Rigs put the joints of the trunk at different places, which turns the frames they span by some degrees.
    assert np.median(apart(orientations(moved), orientations(walk))) < 8.0
    figures = {figure.name: figure for figure in check(moved).measures}
    assert figures["foot drift"].value < 15.0
    if rig.endswith(".bvh"):  # the hinges of an AMC cannot play every turn, and what they lose shows in the forces
        assert figures["missing force"].passes
    assert figures["flips"].passes


def test_a_recording_comes_onto_the_built_in_rig(data: Path) -> None:
    jump = load(data / "cmu_bvh" / "jump_hop_leap" / "13_11.bvh")
    moved = retarget_motion(jump, samples.stand())
    assert np.median(apart(orientations(moved), orientations(jump))) < 8.0
    falls = {figure.name: figure.value for figure in check(moved).measures}
    assert falls["fall in flight"] == pytest.approx(-9.81, abs=1.5)


def test_the_rotation_of_a_body_is_the_anatomical_one() -> None:
    """Standing upright all bodies have the identity: what makes orientations comparable between rigs."""
    stand = orientations(samples.stand())
    upright = np.broadcast_to(quat.IDENTITY, stand[:, :2].shape)
    assert apart(stand[:, :2], upright).max() < 8.0


def test_a_character_of_a_game_stands_on_its_feet(data: Path) -> None:
    """Its feet are long for its legs: a foot that rolls over its ball must not dip into the floor."""
    character = data / "wild" / "kaykit_knight.glb"
    walks = retarget_to_rig("walk", character).motion
    at_rest = load_for_rig(character)
    for side in ("left", "right"):
        toes = walks.rig.parts[f"{side}_toes"]  # type: ignore[union-attr]
        floor = at_rest.placement.positions[0, toes, 2]
        heights = walks.placement.positions[:, toes, 2]
        assert heights.min() > floor - 0.01
        assert np.percentile(heights, 20) < floor + 0.02
