"""Flexion and turn of knees, and legs that are turned back; walks with bad knees make good walkers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from gambol import load
from gambol.body.measure import require_rig
from gambol.geometry.arrays import Array
from gambol.io import samples
from gambol.legs.knees import face_knees_forward, measure_knees
from gambol.legs.two_bone import MIN_FLEXION
from gambol.motion.motion import Motion
from gambol.motion.rig import rig_from_mapping
from gambol.motion.rig_names import BODY_PARTS
from gambol.primitives.bodies import PoseBlender
from gambol.primitives.crowd.dance_steps import place_stride
from gambol.primitives.crowd.gaits import GaitPlane
from gambol.primitives.crowd.paths import pose_paths
from gambol.primitives.crowd.performance import CROWD_FPS, simulate_steered_walk
from gambol.primitives.crowd.verb import make_step_prototypes
from gambol.primitives.navigation.scenarios import make_doorway
from gambol.stages.feet import SIDES
from gambol_evidence.reproduce.crowd.knees import find_faults
from gambol_evidence.reproduce.interaction.real_pairs import mirror_motion
from tests.legs.bent import change_flexion, find_bends, turn_legs
from tests.motion.bodies import person, standing

WALK = samples.walk()
BENDS = np.stack([find_bends(WALK, side) for side in SIDES], axis=1)


def overextended(degrees: float) -> Motion:
    return change_flexion(WALK, lambda bend: bend - np.radians(degrees))


def flipped(degrees: float) -> Motion:
    """A walk with overextended knees as solvers with positive limits give it."""
    motion = overextended(degrees)
    for column, side in enumerate(SIDES):
        motion = turn_legs(motion, side, np.radians(degrees) > BENDS[:, column])
    return motion


def test_flexion_is_the_angle_between_the_bones_and_negative_beyond_straight() -> None:
    np.testing.assert_allclose(measure_knees(WALK).flexion, BENDS, atol=1e-3)
    np.testing.assert_allclose(measure_knees(overextended(20.0)).flexion, BENDS - np.radians(20.0), atol=1e-3)
    assert np.abs(measure_knees(WALK).turn).max() < np.radians(20.0)


def test_knees_that_are_bent_backward_all_the_time_are_told() -> None:
    always = change_flexion(WALK, lambda bend: -bend)
    np.testing.assert_allclose(measure_knees(always).flexion, -BENDS, atol=2e-3)


def test_knees_do_not_depend_on_size_and_follow_a_mirror(data) -> None:
    large = replace(WALK, skeleton=replace(WALK.skeleton, offsets=3.0 * WALK.skeleton.offsets))
    for one, other in zip(measure_knees(large), measure_knees(WALK), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)
    clip = load(data / "cmu_bvh" / "walk" / "35_01.bvh")
    here, there = measure_knees(clip), measure_knees(mirror_motion(clip))
    np.testing.assert_allclose(there.flexion, here.flexion[:, ::-1], atol=1e-6)
    np.testing.assert_allclose(there.turn, -here.turn[:, ::-1], atol=1e-6)


def test_a_leg_that_is_turned_half_around_is_turned_back_and_its_foot_stays() -> None:
    assert face_knees_forward(WALK) is WALK
    bad = flipped(12.0)
    assert np.degrees(np.abs(measure_knees(bad).turn).max()) > 150.0
    good, parts = face_knees_forward(bad), require_rig(bad).parts
    found = measure_knees(good)
    assert np.degrees(np.abs(found.turn).max()) < 25.0
    np.testing.assert_allclose(found.flexion, np.abs(BENDS - np.radians(12.0)), atol=2e-3)
    feet = [parts[f"{side}_foot"] for side in SIDES]
    np.testing.assert_allclose(good.placement.positions[:, feet], bad.placement.positions[:, feet], atol=1e-9)
    same = np.abs(np.sum(good.placement.rotations[:, feet] * bad.placement.rotations[:, feet], axis=2))
    np.testing.assert_allclose(same, 1.0, atol=1e-9)


def noisy() -> Motion:
    noise = np.radians(4.0) * np.random.default_rng(0).normal(size=len(WALK))
    return change_flexion(WALK, lambda bend: bend + noise)


@cache
def hostile() -> dict[str, Motion]:
    return {
        "straight": change_flexion(WALK, lambda bend: 0.2 * bend),
        "overextended by 5": change_flexion(WALK, lambda bend: bend - BENDS.min() - np.radians(5.0)),
        "backward on average": overextended(30.0),
        "flipped": flipped(12.0),
        "noisy": noisy(),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["straight", "overextended by 5", "backward on average", "flipped", "noisy"])
def test_walkers_made_of_a_walk_with_bad_knees_have_good_ones(name: str) -> None:
    prototypes = make_step_prototypes(hostile()[name], None)
    for step in prototypes.names:
        found = measure_knees(place_stride(prototypes, step))
        assert found.flexion.min() > 0.9 * MIN_FLEXION, step
        assert np.abs(found.turn).max() < np.radians(60.0), step
    floor = make_doorway(1)
    floor = replace(floor, starts=floor.starts[:3], goals=floor.goals[:3], headings=floor.headings[:3])
    _, paths = simulate_steered_walk(floor, GaitPlane(prototypes), 3.0, 1)
    faults = find_faults(pose_paths(PoseBlender(prototypes), paths, 1.0 / CROWD_FPS))
    assert (faults.backward, faults.pops) == (0, 0)
    assert faults.least > 0.9 * MIN_FLEXION


def test_a_mirrored_walk_makes_mirrored_steps() -> None:
    left, right = (change_flexion(WALK, lambda bend: bend + np.radians(8.0), (side,)) for side in SIDES)
    steps = [make_step_prototypes(walk, None) for walk in (left, right)]
    for step in ("stand", "long"):
        here, there = (_quantiles(measure_knees(place_stride(one, step)).flexion) for one in steps)
        np.testing.assert_allclose(there, here[:, ::-1], atol=np.radians(0.5))


def _quantiles(flexion: Array) -> Array:
    return np.quantile(flexion, [0.05, 0.5, 0.95], axis=0)


def test_straight_legs_have_a_hinge_too() -> None:
    """Nothing shows its axis in the clip: it is that from hip to hip."""
    skeleton = person()
    still = replace(standing(skeleton, frames=3), rig=rig_from_mapping(skeleton, {part: part for part in BODY_PARTS}))
    flexion, turn = measure_knees(still)
    np.testing.assert_allclose(flexion, 0.0, atol=1e-9)
    np.testing.assert_allclose(turn, 0.0, atol=1e-6)


def test_legs_without_length_have_straight_knees() -> None:
    base = person()
    offsets = base.offsets.copy()
    offsets[[base.index(f"{side}_{part}") for side in SIDES for part in ("thigh", "shank", "foot")]] = 0.0
    skeleton = replace(base, offsets=offsets)
    motion = replace(standing(skeleton), rig=rig_from_mapping(skeleton, {part: part for part in BODY_PARTS}))
    with np.errstate(all="raise"):
        knees = measure_knees(motion)
    assert not knees.flexion.any()
    assert not knees.turn.any()
