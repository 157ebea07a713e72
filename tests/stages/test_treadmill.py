"""Motions in place: those made from recorded gaits get their own path back, and nothing else is taken for one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton
from gambol.motion.translate import translate
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.treadmill import find_treadmill, restore_travel, settle_travel

TRAVELLING = ("walk/07_01", "walk/16_47", "run/09_01", "turn/16_11", "backward_sideways/136_26")
IN_PLACE = ("wild/fair1_jumping", "wild/cmu1_jacks", "wild/rokoko_dance", "wild/fair1_zombie")


def take_travel(motion: Motion, steady: bool) -> Motion:
    """Remove the travel of the pelvis as exporters do: all of it, or its mean where it is `steady`."""
    path = find_path(motion)
    if steady:
        path = np.linspace(0.0, 1.0, len(path))[:, None] * path[-1]
    above = motion.skeleton.path_to_root(motion.mover)
    return replace(motion, q=translate(motion.skeleton, motion.q, above, -path, motion.name))


def find_path(motion: Motion) -> Array:
    path = motion.placement.positions[:, motion.mover] * (1.0, 1.0, 0.0)
    return path - path[0]


def measure_error(motion: Motion, steady: bool) -> float:
    """Return how far a motion that lost its travel and got it back ends from where it ended, as a share of its path."""
    stripped = take_travel(motion, steady)
    found = find_treadmill(stripped)
    assert found is not None, motion.name
    back, was = find_path(restore_travel(stripped, found)), find_path(motion)
    length = np.linalg.norm(np.diff(was[:: round(0.1 / motion.frame_time)], axis=0), axis=1).sum()
    return float(np.linalg.norm(back[-1] - was[-1]) / length)


@pytest.mark.parametrize("steady", [False, True])
@pytest.mark.parametrize("name", ["walk", "run"])
def test_a_built_in_gait_gets_its_path_back(name: str, steady: bool) -> None:
    assert measure_error(load(name), steady) < 0.06


def test_recorded_gaits_get_their_paths_back(data: Path) -> None:
    clips = [load(data / "cmu_bvh" / f"{name}.bvh")[::4] for name in TRAVELLING]
    errors = [measure_error(clip, steady) for clip in clips for steady in (False, True)]
    assert np.median(errors) < 0.04
    assert max(errors) < 0.08


def test_a_body_that_skates_is_not_in_place() -> None:
    """Its feet slide back, but it goes ahead by more than a third of their speed."""
    walk = load("walk")
    for share, found in ((1.0, True), (0.6, False)):
        above = walk.skeleton.path_to_root(walk.mover)
        slowed = translate(walk.skeleton, walk.q, above, -share * find_path(walk), walk.name)
        assert (find_treadmill(replace(walk, q=slowed)) is not None) == found


def test_the_velocity_turns_with_the_world_and_scales_with_time() -> None:
    stripped = take_travel(load("walk"), True)
    found = find_treadmill(stripped)
    assert found is not None
    angle = 1.2
    c, s = np.cos(angle), np.sin(angle)
    turned = replace(stripped, skeleton=stripped.skeleton.change_axes(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])))
    elsewhere = find_treadmill(turned)
    slower = find_treadmill(replace(stripped, frame_time=1.2 * stripped.frame_time))
    assert elsewhere is not None
    assert slower is not None
    assert elsewhere.velocity.mean(axis=0) == pytest.approx(np.array([[c, -s], [s, c]]) @ found.velocity.mean(axis=0))
    assert slower.speed == pytest.approx(found.speed / 1.2, rel=0.02)


def test_feet_stand_where_they_slid() -> None:
    stripped = take_travel(load("walk"), False)
    found = find_treadmill(stripped)
    assert found is not None
    contacts = find_foot_contacts(restore_travel(stripped, found))
    assert find_foot_contacts(stripped).touching().mean() < 0.3
    assert contacts.touching().mean() > 0.9


@pytest.mark.parametrize("name", ["stand", "walk", "run", "jump"])
def test_a_motion_as_it_was_performed_is_left_alone(name: str) -> None:
    motion = load(name)
    assert find_treadmill(motion) is None
    assert settle_travel(motion, False) is motion
    assert settle_travel(motion, True).notes[-1].startswith("--travel has no effect")


def test_dances_and_jumps_in_place_are_left_alone(data: Path) -> None:
    dances = sorted((data / "cmu_bvh" / "dance").glob("*.bvh")) + sorted((data / "cmu_bvh" / "sports").glob("*.bvh"))
    for file in [data / f"{name}.bvh" for name in IN_PLACE] + dances:
        assert find_treadmill(load(file)[::3]) is None, file.name


@pytest.mark.parametrize(
    ("animation", "ahead", "aside"),
    [("Walking_A", 0.8, 0.0), ("Walking_Backwards", -0.8, 0.0), ("Running_Strafe_Left", 2.1, 3.6), ("Idle", 0, 0)],
)
def test_animations_of_a_game(data: Path, animation: str, ahead: float, aside: float) -> None:
    found = find_treadmill(load(data / "wild" / "kaykit_knight.glb", animation=animation))
    velocity = np.zeros(2) if found is None else found.velocity.mean(axis=0)
    assert velocity == pytest.approx([ahead, aside], abs=0.25)


def test_a_rig_without_position_channels_cannot_travel() -> None:
    stripped = take_travel(load("walk"), True)
    turns = [n for n, dof in enumerate(stripped.skeleton.dofs) if dof.kind == "turn"]
    fixed: Skeleton = replace(stripped.skeleton, dofs=tuple(stripped.skeleton.dofs[n] for n in turns))
    assert find_treadmill(replace(stripped, skeleton=fixed, q=stripped.q[:, turns])) is None
