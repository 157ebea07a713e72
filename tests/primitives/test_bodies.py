"""Poses blended from tables, with locked feet."""

from __future__ import annotations

import numpy as np
import pytest

from gambol import load
from gambol.features.strides import find_strides
from gambol.geometry.arrays import Array
from gambol.legs.locks import FootLock
from gambol.motion.motion import Motion
from gambol.primitives.bodies import PoseBlender, WalkerStates, advance_walkers, pose_with_locked_feet
from gambol.primitives.prototypes import Prototypes, prototypes_of
from gambol_evidence.reproduce.slip_speeds import measure_slip_speeds
from tests.primitives.walking import gaits, walk

DT = 1.0 / 60.0


def played(prototypes: Prototypes, blend: Array, seconds: float) -> tuple[Motion, Array]:
    """A walker who goes where its steps lead, and its contacts."""
    bodies, local, places, contacts = PoseBlender(prototypes), [], [], []
    walkers = WalkerStates.unlocked(np.zeros(1), np.zeros((1, 2)), np.zeros(1))
    turned = np.array([2.0 * np.pi * DT / (blend @ prototypes.periods)])
    for _ in range(round(seconds / DT)):
        rows = bodies.blend(walkers.phases + turned, blend[None])
        moved = advance_walkers(prototypes.layout, walkers, rows.root, turned)
        walkers, poses = pose_with_locked_feet(prototypes.layout, bodies.legs, moved, rows, np.zeros((1, 2)), DT)
        local.append(poses.rotations[0])
        places.append(poses.places[0])
        contacts.append(bodies.blend(walkers.phases, blend[None]).contacts[0])
    motion = prototypes.layout.motion(np.array(local), np.array(places), DT, "played")
    return motion, np.array(contacts)


def test_a_walk_from_its_table_is_the_clip() -> None:
    prototypes = walk()
    motion, _ = played(prototypes, np.ones(1), 2.0)
    went = motion.placement.positions[-1, 0] - motion.placement.positions[0, 0]
    assert went[0] / motion.duration == pytest.approx(1.35, abs=0.03)
    assert abs(went[1]) < 0.05


@pytest.mark.parametrize("name", ["walk", "left", "long", "turn right", "stand"])
def test_feet_stay_where_they_stand(name: str) -> None:
    prototypes = gaits().prototypes
    blend = np.eye(len(prototypes.names))[prototypes.index(name)]
    motion, contacts = played(prototypes, blend, 2.5)
    assert measure_slip_speeds(motion[20:], contacts[20:]).max() < 0.05


@pytest.mark.parametrize("clip", ["walk/35_01", "styled_walk/82_12", "styled_walk/82_10", "walk/07_05"])
def test_feet_of_recorded_walks_stay_too(data, clip: str) -> None:
    motion = load(data / "cmu_bvh" / f"{clip}.bvh")
    found, contacts = played(prototypes_of(motion, {"walk": find_strides(motion)}), np.ones(1), 3.0)
    moving = measure_slip_speeds(found[60:], contacts[60:])
    assert moving.max() < 0.1
    assert np.mean(moving) < 0.015


@pytest.mark.parametrize("clip", ["16_58", "07_01", "35_01"])
def test_who_was_recorded_while_speeding_up_walks_as_far_as_the_feet_lead(data, clip: str) -> None:
    motion = load(data / "cmu_bvh" / "walk" / f"{clip}.bvh")
    prototypes = prototypes_of(motion, {"walk": find_strides(motion)})
    bodies, blend = PoseBlender(prototypes), np.ones((1, 1))
    walkers, turned, drops = WalkerStates.unlocked(np.zeros(1), np.zeros((1, 2)), np.zeros(1)), np.array([0.1]), []
    for _ in range(180):
        rows = bodies.blend(walkers.phases + turned, blend)
        moved = advance_walkers(prototypes.layout, walkers, rows.root, turned)
        walkers, _ = pose_with_locked_feet(prototypes.layout, bodies.legs, moved, rows, np.zeros((1, 2)), DT)
        drops.append(walkers.lock.drop[0])
    assert max(drops[60:]) < 0.04
    assert np.mean(drops[60:]) < 0.006


def test_who_is_led_is_where_the_way_is_and_steps_on_no_ice() -> None:
    prototypes = gaits().prototypes
    bodies, count = PoseBlender(prototypes), 3
    blend = gaits().blend(np.full(count, 0.18), np.array([-0.05, 0.0, 0.05]))
    speeds = 2.0 * np.pi / prototypes.periods[0]
    walkers = WalkerStates.unlocked(np.array([0.0, 2.0, 4.0]), np.zeros((count, 2)), np.zeros(count))
    local, places, contacts = [], [], []
    for frame in range(180):
        turned = speeds * DT
        headings = walkers.headings + np.array([-0.05, 0.0, 0.05]) * turned
        step = 0.18 * turned * np.stack((np.cos(headings), np.sin(headings)), axis=1)
        way = walkers._replace(phases=walkers.phases + turned, places=walkers.places + step, headings=headings)
        walkers, poses = bodies.follow(walkers, blend, way, DT)
        assert np.linalg.norm(poses.places[:, :2] - way.places, axis=1).max() < 0.08, frame
        local.append(poses.rotations)
        places.append(poses.places)
        contacts.append(bodies.blend(walkers.phases, blend).contacts)
    for one in range(count):
        motion = prototypes.layout.motion(np.array(local)[:, one], np.array(places)[:, one], DT, "led")
        assert measure_slip_speeds(motion[30:], np.array(contacts)[30:, one]).max() < 0.05


def test_many_walkers_are_posed_as_each_alone() -> None:
    bodies, count = PoseBlender(gaits().prototypes), 1500
    draw = np.random.default_rng(3)
    blend = draw.dirichlet(np.ones(len(bodies.prototypes.names)), count)
    walkers = WalkerStates.unlocked(draw.uniform(0, 6, count), draw.normal(size=(count, 2)), draw.normal(size=count))
    way = walkers._replace(phases=walkers.phases + 0.1)
    _, together = bodies.follow(walkers, blend, way, DT)
    for one in (0, 700, 1499):
        pick = slice(one, one + 1)
        alone = walkers._replace(
            phases=walkers.phases[pick],
            places=walkers.places[pick],
            headings=walkers.headings[pick],
            lock=FootLock.none(1),
        )
        led = alone._replace(phases=way.phases[pick])
        _, single = bodies.follow(alone, blend[pick], led, DT)
        np.testing.assert_allclose(single.rotations[0], together.rotations[one], atol=1e-12)
        np.testing.assert_allclose(single.places[0], together.places[one], atol=1e-12)
