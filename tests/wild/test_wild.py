"""Rigs that other people made: each is found to be what it is, and check and push work on the people among them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gambol as library
from gambol.errors import RigError
from gambol.fit.load import load
from gambol.fit.summary import describe_file
from gambol.motion.pushes import Push

PEOPLE = {
    "kaykit_knight.glb": ("hips", "upperleg.l"),
    "riggedfigure.glb": ("torso_joint_1", "leg_joint_L_1"),
    "pymo_av8walk.bvh": ("Hips", "LeftUpLeg"),
    "fair1_jumping.bvh": ("Hips", "LeftUpLeg"),
    "fair1_zombie.bvh": ("Hips", "LeftUpLeg"),
    "cmu1_jacks.bvh": ("Hips", "LeftHip"),
    "rokoko_dance.bvh": ("Hips", "LeftUpLeg"),
}
OTHERS = {"fox.glb": "not a person: four legs", "kenney_char.glb": "not a person: one bone per leg and arm"}


@pytest.fixture
def wild(data: Path) -> Path:
    """The folder of other people's files, which is not part of the project."""
    if not (data / "wild").is_dir():
        pytest.skip("the files of other people are not here: GAMBOL_DATA has no folder wild")
    return data / "wild"


@pytest.mark.parametrize("name", PEOPLE)
def test_people_are_recognised_with_their_sides(wild: Path, name: str) -> None:
    motion = load(wild / name)
    pelvis, thigh = PEOPLE[name]
    assert motion.rig is not None
    assert motion.skeleton.names[motion.rig.parts["pelvis"]] == pelvis
    assert motion.skeleton.names[motion.rig.parts["left_thigh"]] == thigh
    assert 0.5 < float(describe_file(wild / name)[0].facts["height_m"]) < 2.3  # type: ignore[arg-type]


@pytest.mark.parametrize("name", OTHERS)
def test_others_are_told_apart_and_can_still_be_described(wild: Path, name: str) -> None:
    (summary,) = describe_file(wild / name)
    assert summary.rig_error is None
    assert summary.facts["rig"] == OTHERS[name]
    with pytest.raises(RigError, match=OTHERS[name]):
        library.check(load(wild / name))


@pytest.mark.parametrize("name", ["kaykit_knight.glb", "riggedfigure.glb", "cmu1_jacks.bvh"])
def test_people_are_checked_and_pushed(wild: Path, name: str) -> None:
    clip = load(wild / name)[:90]
    assert library.check(clip).figures
    pushed = library.push(clip, [Push("chest", np.array([60.0, 0.0, 0.0]), 0.3, 0.2)]).motions[0]
    moved = np.linalg.norm(pushed.placement.positions - clip.placement.positions, axis=2)
    assert moved.max() > 0.005
    assert len(pushed) == len(clip)
