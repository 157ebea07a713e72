"""Knees bend in the direction of the clip, in every prototype and for every walker of a crowd."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gambol import load
from gambol.body.measure import require_rig
from gambol.features.layout import HEIGHT
from gambol.features.strides import find_strides
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.legs.rig import measure_legs, place_rig_legs, reach_ankles
from gambol.motion.motion import Motion
from gambol.primitives.bodies import PoseBlender
from gambol.primitives.crowd.gaits import BASE_WALK, GaitPlane, make_walker_prototypes
from gambol.primitives.crowd.paths import pose_paths
from gambol.primitives.crowd.performance import CROWD_FPS, simulate_steered_walk
from gambol.primitives.navigation.scenarios import make_doorway
from gambol.primitives.prototypes import Prototypes, prototypes_of
from gambol.stages.feet import SIDES
from tests.primitives.walking import walk

# Recorded walks of which knees once bent backward by 10 to 18 cm in crowds.
CLIPS = ("walk/05_01", "walk/07_01", "walk/16_47", "styled_walk/82_12")


@cache
def recorded(data: Path, clip: str) -> tuple[Motion, Prototypes]:
    motion = load(data / "cmu_bvh" / f"{clip}.bvh")
    return motion, make_walker_prototypes(prototypes_of(motion, {BASE_WALK: find_strides(motion)}))


def bends(motion: Motion) -> Array:
    """(frames, 2, 3) thigh x shank of both legs seen from the thighs, for bones of length 1: sines of the flexion."""
    parts, placed = require_rig(motion).parts, motion.placement
    out = []
    for side in SIDES:
        hip, knee, ankle = (placed.positions[:, parts[f"{side}_{part}"]] for part in ("thigh", "shank", "foot"))
        bend = np.cross(knee - hip, ankle - knee)
        bend /= (np.linalg.norm(knee - hip, axis=1) * np.linalg.norm(ankle - knee, axis=1))[:, None]
        out.append(quat.rotate(quat.conjugate(placed.rotations[:, parts[f"{side}_thigh"]]), bend))
    return np.stack(out, axis=1)


def flexions(motion: Motion, source: Motion) -> Array:
    """(frames, 2) sines of the flexion about the axes that the knees of the source bend about."""
    axes = bends(source).sum(axis=0)
    return np.einsum("fsi,si->fs", bends(motion), axes / np.linalg.norm(axes, axis=1)[:, None])


@pytest.mark.parametrize("clip", CLIPS)
def test_no_knee_in_a_crowd_bends_backward_or_flips(data, clip: str) -> None:
    source, prototypes = recorded(data, clip)
    floor = make_doorway(1)
    floor = replace(floor, starts=floor.starts[:4], goals=floor.goals[:4], headings=floor.headings[:4])
    _, ways = simulate_steered_walk(floor, GaitPlane(prototypes), 5.0, 1)
    for motion in pose_paths(PoseBlender(prototypes), ways, 1.0 / CROWD_FPS):
        flexion = flexions(motion, source)
        assert flexion.min() > np.sin(np.radians(2.3))
        assert np.abs(np.diff(np.arcsin(flexion), axis=0)).max() < np.radians(25.0)


@pytest.mark.parametrize("clip", CLIPS)
def test_no_prototype_has_a_knee_past_straight(data, clip: str) -> None:
    source, prototypes = recorded(data, clip)
    layout = prototypes.layout
    for name, channels in zip(prototypes.names, prototypes.channels, strict=True):
        roots = np.zeros((len(channels), 3))
        roots[:, 2] = layout.leg * channels[:, HEIGHT] + layout.floor
        motion = layout.motion(layout.rotations(channels), roots, 1.0 / CROWD_FPS, name)
        assert flexions(motion, source).min() > np.sin(np.radians(2.3)), name


def test_a_leg_past_straight_reaches_its_goal_with_the_knee_bent_forward() -> None:
    layout = walk().layout
    legs, draw, count = measure_legs(layout), np.random.default_rng(0), 50
    rotations, places = np.tile(layout.reference, (count, 1, 1)), np.zeros((count, 3))
    shanks = legs.joints[:, 1]
    # Sideways a little too: rigs have knees that are no hinges.
    turns = quat.exp(legs.bend * draw.uniform(-1.0, -0.4, (count, 2, 1)) + draw.normal(scale=0.05, size=(count, 2, 3)))
    rotations[:, shanks] = quat.multiply(turns, rotations[:, shanks])
    limbs = place_rig_legs(legs, rotations, places)
    goals = limbs.hips + draw.uniform(0.6, 0.97, (count, 2, 1)) * legs.straight[:, None] * [0.0, 0.0, -1.0]
    bent = layout.motion(reach_ankles(legs, rotations, places, goals, limbs.feet), places, 0.1, "bent")
    np.testing.assert_allclose(
        place_rig_legs(legs, reach_ankles(legs, rotations, places, goals, limbs.feet), places).ankles, goals
    )
    assert np.einsum("fsi,si->fs", bends(bent), legs.bend).min() > 0.2


def test_knees_of_a_straight_mean_pose_bend_about_the_axis_from_hip_to_hip() -> None:
    layout = walk().layout
    legs, reference = measure_legs(layout), layout.reference.copy()
    for shank, foot in legs.joints[:, 1:]:
        bone = quat.rotate(reference[shank], layout.skeleton.offsets[foot])
        reference[shank] = quat.multiply(quat.shortest_arc(bone, layout.skeleton.offsets[shank]), reference[shank])
    straight = measure_legs(replace(layout, reference=reference))
    assert (np.sum(straight.bend * legs.bend, axis=1) > 0.9).all()
    np.testing.assert_allclose(np.sum(straight.bend * straight.bones[:, 1], axis=1), 0.0, atol=1e-12)
