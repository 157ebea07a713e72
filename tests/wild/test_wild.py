"""Rigs that other people made: each is found to be what it is, and check and push work on the people among them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gambol as library
from gambol.errors import RigError
from gambol.fit.load import load
from gambol.fit.summary import describe_file
from gambol.io import save
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
        library.push(load(wild / name), [Push("chest", np.array([60.0, 0.0, 0.0]), 0.3, 0.2)])


def test_a_figure_without_knees_is_checked(wild: Path) -> None:
    """Its idle stands; its walk hops by 0.15 m within 0.23 s, at which a floor would have to pull."""
    assert library.check(load(wild / "kenney_char.glb", animation="idle")).passes
    walk = library.check(load(wild / "kenney_char.glb", animation="walk"))
    assert walk.figures["strongest_fall_m_s2"] < -30.0
    assert not walk.passes


@pytest.mark.parametrize("name", [*PEOPLE, *OTHERS, "bmc_run.trc", "ktk_sprintbasket.c3d"])
def test_what_is_read_can_be_written_and_read_again(wild: Path, tmp_path: Path, name: str) -> None:
    clip = load(wild / name)[:12]
    for file in (tmp_path / "clip.bvh", tmp_path / "clip.glb"):
        save(clip, file)
        again = load(file, up="y", scale=1.0)
        shared = [n for n in clip.skeleton.names if n in again.skeleton.names and not n.lower().endswith("end")]
        assert len(shared) > 3
        one, other = (
            motion.placement.positions[:, [motion.skeleton.index(n) for n in shared]] for motion in (clip, again)
        )
        apart = [np.linalg.norm(places[:, :, None] - places[:, None], axis=3) for places in (one, other)]
        assert apart[0] / apart[0].max() == pytest.approx(apart[1] / apart[1].max(), abs=1e-3)


@pytest.mark.parametrize("animation", ["T-Pose", "Sit_Floor_Pose"])
def test_a_pose_of_a_character_is_drawn(wild: Path, tmp_path: Path, animation: str) -> None:
    pose = load(wild / "kaykit_knight.glb", animation=animation)
    assert len(pose) == 2
    assert library.render(pose, tmp_path / "pose.png").is_file()


def test_the_rig_is_the_same_in_every_animation(wild: Path) -> None:
    for name, animations in {
        "kaykit_knight.glb": ("T-Pose", "Walking_A", "Lie_Down"),
        "kenney_char.glb": ("static", "walk"),
    }.items():
        found = [describe_file(wild / name, animation=animation)[0].facts for animation in animations]
        assert len({fact["rig"] for fact in found}) == 1
        assert len({str(fact.get("parts")) for fact in found}) == 1


@pytest.mark.parametrize("name", ["kaykit_knight.glb", "riggedfigure.glb", "cmu1_jacks.bvh"])
def test_people_are_checked_and_pushed(wild: Path, name: str) -> None:
    clip = load(wild / name)[:90]
    assert library.check(clip).figures
    pushed = library.push(clip, [Push("chest", np.array([60.0, 0.0, 0.0]), 0.3, 0.2)]).motions[0]
    moved = np.linalg.norm(pushed.placement.positions - clip.placement.positions, axis=2)
    assert moved.max() > 0.005
    assert len(pushed) == len(clip)
