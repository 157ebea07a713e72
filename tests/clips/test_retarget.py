"""A motion on another rig keeps its poses, its steps and its feet on the ground."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.clips.retarget import retarget_motion
from gambol.fit.load import load
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
    assert off.mean() < 0.03  # the hips are lowered by a fiftieth of the leg


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
