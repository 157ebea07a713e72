"""Sizes of robots beside people, and hips over resting feet: neither thick feet nor uneven floors bend knees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gambol as gb
from gambol.body.build import make_average_build
from gambol.body.character import Character
from gambol.body.robot_description import JOINTS
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.poses import together
from gambol.robots.biped import Biped
from gambol.robots.references.hips import find_hip_rise, measure_scale, raise_hips
from gambol.robots.references.kinematic import plan_robot_soles
from gambol.robots.references.person import TrackedPerson, track_person
from gambol.robots.references.verb import make_reference
from gambol.robots.sole_shapes import locate_soles
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import SIDES
from tests.robots.test_whole_body import jvrc


@pytest.fixture(scope="module")
def biped() -> Biped:
    return jvrc()


def walk_up(slope: float, frames: int = 90) -> Motion:
    """Return the built-in walk on a floor that rises by `slope` metres per metre."""
    clip = gb.load("walk")[:frames]
    root = clip.placement.positions[:, clip.mover]
    return lift(clip, slope * np.linalg.norm((root - root[0])[:, :2], axis=1))


def lift(clip: Motion, height: Array | float) -> Motion:
    q = clip.q.copy()
    for column in clip.skeleton.columns(0, "slide"):
        q[:, column] += height * clip.skeleton.dofs[column].axis[2]
    return replace(clip, q=q)


def measure_legs(biped: Biped, clip: Motion) -> tuple[np.ndarray, TrackedPerson, TrackedPerson, float]:
    """Return the height (frames,) of a robot's hips above the ground, and the person before and after."""
    person = track_person(clip)
    scale = measure_scale(person.character, biped)
    soles = plan_robot_soles(biped, person, find_foot_contacts(person.rig), scale)
    raised = raise_hips(biped, person, soles, scale)
    ground = np.min([path.ground.min(axis=1) for path in soles.values()], axis=0)
    return scale * raised.bodies.positions["pelvis"][:, 2] - ground, person, raised, scale


def thicken_feet(person: Character, more: float) -> Character:
    offsets = person.skeleton.offsets.copy()
    for side in SIDES:
        offsets[person.skeleton.index(f"{side}_heel_tip"), 2] -= more
    return replace(person, skeleton=replace(person.skeleton, offsets=offsets))


def test_size_is_that_of_a_person_on_average_feet(biped: Biped) -> None:
    person = Character.from_motion(gb.load("walk")[:30])
    average = make_average_build(1.7)
    leg = -average.offsets["left_shank"][2] - average.offsets["left_foot"][2]
    feet = person.leg_length / leg * -average.tips["left_heel"][2]
    hips = [biped.locate(f"{side}_thigh")[2] - locate_soles(biped, biped.standing)[0, n, :, 2].min()
            for n, side in enumerate(SIDES)]  # fmt: skip
    assert measure_scale(person, biped) * (person.leg_length + feet) == pytest.approx(np.mean(hips), rel=5e-3)
    assert measure_scale(thicken_feet(person, 0.02), biped) == measure_scale(person, biped)


@pytest.mark.parametrize("floor", [0.0, 0.7])
def test_straight_legs_of_a_person_are_straight_on_the_robot(floor: float, biped: Biped) -> None:
    heights, person, raised, scale = measure_legs(biped, lift(gb.load("stand")[:40], floor))
    straight = [biped.locate(f"{side}_thigh")[2] - locate_soles(biped, biped.standing)[0, n, :, 2].min()
                for n, side in enumerate(SIDES)]  # fmt: skip
    places = person.bodies.positions
    ankles = np.mean([places[f"{side}_foot"][:, 2] for side in SIDES], axis=0)
    bent = person.character.leg_length - (places["pelvis"][:, 2] - ankles)
    np.testing.assert_allclose(heights, np.mean(straight) - scale * bent, atol=1e-3)
    moved = np.stack([raised.bodies.positions[part] - places[part] for part in places], axis=1)
    np.testing.assert_allclose(moved[..., :2], 0.0, atol=1e-12)
    np.testing.assert_allclose(moved[..., 2], moved[:, :1, 2] * np.ones(moved.shape[1]), atol=1e-12)


def test_heels_that_rise_late_in_a_stance_do_not_lower_the_hips(biped: Biped) -> None:
    tracked = track_person(clip := gb.load("walk")[:20])
    person = tracked.character
    soles = plan_robot_soles(biped, tracked, find_foot_contacts(clip), 0.9)
    soles = {side: replace(path, flat=((0, 19),)) for side, path in soles.items()}
    level = {side: np.full(20, 0.1) for side in SIDES}
    rolling = {side: 0.1 + 0.05 * (np.arange(20) > 14) for side in SIDES}
    flat, rolled = (find_hip_rise(biped, person, each, soles, 0.9, 0.02) for each in (level, rolling))
    np.testing.assert_allclose(rolled, flat)


def test_hips_follow_a_floor_that_rises(biped: Biped) -> None:
    level, up = (measure_legs(biped, walk_up(slope))[0] for slope in (0.0, 0.01))
    assert np.abs(up - level).max() < 0.004, "of 20 mm that the floor rises"


def test_a_clip_that_is_cut_has_the_same_poses_half_a_second_later(biped: Biped) -> None:
    clip = walk_up(0.02, 130)
    whole, part = (
        make_reference(each, biped, fast=True, keep_time=True, fps=30.0).motion.q[:, JOINTS]
        for each in (clip, clip[40:])
    )
    change = np.abs(whole[20:] - part).max(axis=1)
    assert change[15:].max() < 0.006
    assert change.max() < 0.1


def test_poses_are_solved_until_they_settle(biped: Biped, monkeypatch: pytest.MonkeyPatch) -> None:
    clip, found = gb.load("walk")[:60], []
    for settled in (together._SETTLED, 1e-10):
        monkeypatch.setattr(together, "_SETTLED", settled)
        found.append(make_reference(clip, biped, fast=True, fps=30.0).motion.q)
    np.testing.assert_allclose(found[0], found[1], atol=3e-3)


def test_a_person_whose_feet_do_not_rest_has_those_that_were_measured(biped: Biped) -> None:
    person = track_person(gb.load("walk")[:20])
    soles = {
        side: replace(path, flat=())
        for side, path in plan_robot_soles(biped, person, find_foot_contacts(person.rig), 0.9).items()
    }
    rises = []
    for more in (0.0, 0.01):
        raised = raise_hips(biped, replace(person, character=thicken_feet(person.character, more)), soles, 0.9)
        rises.append(raised.bodies.positions["pelvis"][:, 2] - person.bodies.positions["pelvis"][:, 2])
    heel = -person.character.skeleton.offsets[person.character.skeleton.index("left_heel_tip"), 2]
    hips = 0.9 * (rises[0] + person.character.leg_length + heel)
    soles_below = [biped.locate(f"{side}_thigh")[2] - locate_soles(biped, biped.standing)[0, n, :, 2].min()
                   for n, side in enumerate(SIDES)]  # fmt: skip
    np.testing.assert_allclose(hips, np.mean(soles_below), atol=1e-3)
    np.testing.assert_allclose(rises[0] - rises[1], 0.01)
