"""Legs of a rig: positions, inverse kinematics to goals, locked feet."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.features.layout import HEIGHT
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.legs.expressions import MOST_RISE
from gambol.legs.locks import FootLock, RootGoals, lock_feet
from gambol.legs.rig import RigLegs, measure_legs, place_rig_legs, reach_ankles
from gambol.legs.two_bone import MIN_FLEXION, SOFT_FLEXION
from gambol.primitives.prototypes import Prototypes
from tests.primitives.walking import walk

DT = 1.0 / 60.0


def standing(count: int, seed: int) -> tuple[Prototypes, Array, Array]:
    """Bodies in random phases of a walk, turned and placed at random."""
    prototypes, draw = walk(), np.random.default_rng(seed)
    channels = prototypes.channels[0, draw.integers(64, size=count)]
    rotations = prototypes.layout.rotations(channels)
    turned = quat.exp(draw.normal(scale=0.5, size=(count, 3)))
    rotations[:, 0] = quat.multiply(turned, rotations[:, 0])
    heights = prototypes.layout.leg * channels[:, HEIGHT] + prototypes.layout.floor
    return prototypes, rotations, np.column_stack((draw.normal(size=(count, 2)), heights))


def reach_bent(legs: RigLegs, bend: float) -> Array:
    """(2,) distances from hip to ankle of legs that are drawn with a flexion."""
    upper, lower = np.linalg.norm(legs.bones[:, 1:], axis=2).T
    return np.hypot(lower * np.sin(bend), upper + lower * np.cos(bend))


def test_legs_are_where_kinematics_puts_them_and_reach_their_goals() -> None:
    prototypes, rotations, places = standing(40, 1)
    layout, legs = prototypes.layout, measure_legs(prototypes.layout)
    parts = layout.rig.parts
    motion = layout.motion(rotations, places, DT, "placed")
    limbs = place_rig_legs(legs, rotations, places)
    for side, name in enumerate(("left", "right")):
        for ours, part in ((limbs.hips, "thigh"), (limbs.ankles, "foot")):
            there = motion.placement.positions[:, parts[f"{name}_{part}"]]
            np.testing.assert_allclose(ours[:, side], there, atol=1e-9)
    goals = limbs.ankles + np.random.default_rng(2).uniform(-0.05, 0.03, limbs.ankles.shape)
    far = np.linalg.norm(goals - limbs.hips, axis=2)
    eased = legs.straight - reach_bent(legs, SOFT_FLEXION)
    near, soft = far < legs.straight - eased, far < legs.straight
    bent = layout.motion(reach_ankles(legs, rotations, places, goals, limbs.feet), places, DT, "reached")
    for side, name in enumerate(("left", "right")):
        foot = parts[f"{name}_foot"]
        off = np.linalg.norm(bent.placement.positions[:, foot] - goals[:, side], axis=1)
        assert off[near[:, side]].max() < 1e-6
        assert off[soft[:, side]].max() < 0.4 * eased.max()
        same = np.abs(np.sum(bent.placement.rotations[:, foot] * limbs.feet[:, side], axis=-1))
        np.testing.assert_allclose(same, 1.0, atol=1e-9)


def test_a_leg_that_is_where_it_should_be_is_left_alone() -> None:
    prototypes, rotations, places = standing(30, 4)
    legs = measure_legs(prototypes.layout)
    limbs = place_rig_legs(legs, rotations, places)
    loose = (np.linalg.norm(limbs.ankles - limbs.hips, axis=2) < 0.999 * legs.straight).all(axis=1)
    same = reach_ankles(legs, rotations, places, limbs.ankles, limbs.feet)
    away = 1.0 - np.abs(np.sum(same * rotations, axis=-1))
    assert loose.sum() > 10
    assert away[loose].max() < 1e-9


def test_a_locked_foot_stays_and_the_body_is_lowered_by_at_most_the_limit() -> None:
    prototypes, rotations, places = standing(1, 5)
    rotations[:] = prototypes.layout.reference
    legs, down = measure_legs(prototypes.layout), np.array([[0.501, 1.0, 0.0, 0.0]])  # the heel is about to leave
    lock, before, deepest, heels = FootLock.none(1), None, 0.0, []
    for frame in range(60):
        way = RootGoals(places + [[0.01 * frame, 0.001 * frame, 0.0]], np.zeros(1), np.zeros((1, 2)))
        lock, stance = lock_feet(legs, lock, rotations, way, down, DT)
        bent = rotations.copy()
        bent[:, 0], bent[:, legs.joints] = stance.root, stance.joints
        limbs = place_rig_legs(legs, bent, stance.places.copy())
        ball = limbs.ankles[0, 0] + quat.rotate(limbs.feet[0, 0], legs.soles[0, 1])
        before = ball[:2] if before is None else before
        deepest = max(deepest, lock.drop[0])
        if lock.drop[0] < 0.059:  # else the foot is dragged
            assert np.linalg.norm(ball[:2] - before) < 1e-9
            heels.append(float((limbs.ankles[0, 0] + quat.rotate(limbs.feet[0, 0], legs.soles[0, 0]))[2]))
    foot = float(np.linalg.norm(legs.soles[0, 1] - legs.soles[0, 0]))
    assert 0.8 * foot * MOST_RISE < max(heels) - heels[20] < foot * MOST_RISE
    assert 0.0 <= lock.drop[0] <= 0.06
    assert deepest > 0.03


@pytest.mark.parametrize("ahead", [0.24, 0.28])
def test_the_knee_of_a_stretched_leg_does_not_jump_as_its_foot_leaves(ahead: float) -> None:
    """The body is ahead of its foot, the leg all but straight; a contact ends smoothly, and so does what it asks."""
    prototypes, rotations, places = standing(1, 5)
    rotations[:] = prototypes.layout.reference
    legs, lock, knees = measure_legs(prototypes.layout), FootLock.none(1), []
    upper, lower = np.linalg.norm(legs.bones[0, 1:], axis=1)
    for frame, down in enumerate(np.concatenate((np.ones(60), np.linspace(0.51, 0.49, 200)))):
        way = RootGoals(places + [[min(ahead, 0.01 * frame), 0.0, 0.0]], np.zeros(1), np.zeros((1, 2)))
        seconds = DT if frame < 60 else 1e-4  # so that nothing else changes
        lock, stance = lock_feet(legs, lock, rotations, way, np.array([[min(down, 0.51), down, 0.0, 0.0]]), seconds)
        bent = rotations.copy()
        bent[:, 0], bent[:, legs.joints] = stance.root, stance.joints
        limbs = place_rig_legs(legs, bent, stance.places.copy())
        reach = float(np.linalg.norm(limbs.ankles[0, 0] - limbs.hips[0, 0]))
        knees.append(float(np.arccos((reach**2 - upper**2 - lower**2) / (2.0 * upper * lower))))
    assert knees[60] < np.radians(8.0)
    assert np.abs(np.diff(knees[60:])).max() < np.radians(0.8)


def test_a_leg_slows_down_before_it_is_straight() -> None:
    layout = walk().layout
    legs, count = measure_legs(layout), 2000
    rotations, places = np.tile(layout.reference, (count, 1, 1)), np.zeros((count, 3))
    limbs = place_rig_legs(legs, rotations, places)
    far = np.linspace(0.98, 1.02, count)[:, None] * legs.straight
    goals = limbs.hips + far[..., None] * np.array([0.0, 0.0, -1.0])
    turned = reach_ankles(legs, rotations, places, goals, limbs.feet)
    there = place_rig_legs(legs, turned, places).ankles
    reach = np.linalg.norm(there - limbs.hips, axis=2)
    assert (reach <= legs.straight + 1e-12).all()
    np.testing.assert_allclose(reach[-1], reach_bent(legs, MIN_FLEXION), rtol=1e-5)
    speeds = np.diff(reach, axis=0) / np.diff(far, axis=0)
    np.testing.assert_allclose(speeds[0], 1.0)
    assert (np.diff(speeds, axis=0) < 1e-6).all()
    # The knee: no faster than a tenth more than where the leg begins to ease out, and its speed has no jumps.
    upper, lower = np.linalg.norm(legs.bones[:, 1:], axis=2).T
    bend = np.arccos((reach**2 - upper**2 - lower**2) / (2.0 * upper * lower))
    rates = -np.diff(bend, axis=0) / np.diff(far, axis=0)
    soft = np.argmax(far[:-1] > reach_bent(legs, SOFT_FLEXION), axis=0)
    assert (rates.max(axis=0) < 1.1 * rates[soft, [0, 1]]).all()
    assert (np.abs(np.diff(rates, axis=0)) < 0.02 * rates.max()).all()
