"""Soles of robots: who carries a body that does not fall, how far feet are apart, and footholds within reach."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import gambol as gb
from gambol.contacts.contact import Contact
from gambol.contacts.timeline import Contacts
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.robots.biped import Biped
from gambol.robots.capsules import find_self_contacts, measure_narrowest
from gambol.robots.references.hips import measure_scale
from gambol.robots.references.kinematic import find_widening, plan_robot_soles
from gambol.robots.references.person import PersonBodies, TrackedPerson, track_person
from gambol.robots.references.reach import bring_within_reach
from gambol.robots.references.sole_path import SolePath
from gambol.robots.references.soles import (
    _calibrate,
    _fix,
    _level_foot,
    _measure_clearance,
    _support,
    blend_stances,
    fade_between,
    find_unsupported,
    measure_durations,
    plan_soles,
    rest_sole,
)
from gambol.robots.sole_shapes import level_sole, locate_soles
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import SIDES
from tests.robots.test_whole_body import jvrc


def rest(place: np.ndarray, stance: tuple[int, int], heading: float = 0.0) -> Contact:
    """Return the contact of a sole in a flat stance."""
    return Contact("sole", np.zeros(3), place, *stance, forward=[np.cos(heading), np.sin(heading), 0.0])


@pytest.fixture(scope="module")
def biped() -> Biped:
    return jvrc()


@pytest.fixture(scope="module")
def person() -> TrackedPerson:
    return track_person(gb.load("walk")[:60])


def make_path(height: float, frames: int = 10) -> SolePath:
    level = np.tile([1.0, 0.0, 0.0, 0.0], (frames, 1))
    places, flat = np.tile([0.0, 0.0, height], (frames, 1)), ((0, frames - 1),)
    return SolePath(places, level, np.zeros((frames, 4)), np.zeros((frames, 2)), flat, np.zeros(frames, dtype=bool))


def test_the_lower_foot_carries_a_body_that_does_not_fall() -> None:
    aloft = np.arange(10) > 6
    found = _support({"left": make_path(0.3), "right": make_path(0.1)}, aloft)
    np.testing.assert_array_equal(found["right"].touching, aloft)
    assert not found["left"].touching.any()


def test_a_person_without_contacts_who_stays_up_is_unsupported_and_one_who_falls_is_not() -> None:
    stand = gb.load("stand")[:40]
    heel = Contact("left_foot", np.zeros((1, 3)), np.zeros(3), 0, 9, "left_heel")
    contacts = Contacts((heel,), 40, stand.frame_time)
    np.testing.assert_array_equal(find_unsupported(stand, contacts), np.arange(40) > 9)
    falling = stand.q.copy()
    column = max(stand.skeleton.columns(0, "slide"), key=lambda c: abs(stand.skeleton.dofs[c].axis[2]))
    sign = np.sign(stand.skeleton.dofs[column].axis[2])
    falling[:, column] -= sign * 0.5 * 9.81 * (np.arange(40) * stand.frame_time) ** 2
    assert not find_unsupported(replace(stand, q=falling), contacts).any()


def test_values_fade_to_zero_beside_stances_and_pass_over_in_short_gaps() -> None:
    at, values = np.array([10, 11, 12, 40, 41, 44]), np.array([[1.0], [2.0], [3.0], [5.0], [5.0], [5.0]])
    found = fade_between(np.arange(60), at, values, 10.0)[:, 0]
    np.testing.assert_allclose(found[at], values[:, 0])
    np.testing.assert_allclose(found[[0, 2, 22, 30, 54, 59]], [0.0, 0.104, 0.0, 0.0, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(found[42:44], 5.0)
    np.testing.assert_allclose(found[[7, 17]], [1.0 * 0.784, 3.0 * 0.5], atol=1e-12)
    rest = fade_between(np.arange(60), at[3:], values[3:], 10.0)[:, 0]
    np.testing.assert_array_equal(found[23:], rest[23:], "a stance that was cut off has no effect farther away")


def test_a_sole_turns_to_its_foothold_the_short_way() -> None:
    """Signs of quaternions say nothing."""
    path = replace(make_path(0.0, 30), flat=((0, 5), (20, 29)))
    path.rotations[10:] *= -1.0
    footholds = [rest(np.zeros(3), stance, angle) for stance, angle in zip(path.flat, (0.0, 1.0), strict=True)]
    found = _fix(path, footholds, partial(fade_between, longest=20.0))
    angles = 2.0 * np.arctan2(found.rotations[:, 3], found.rotations[:, 0])
    angles = (angles + np.pi) % (2.0 * np.pi) - np.pi
    np.testing.assert_allclose(angles[[0, 5, 20, 29]], [0.0, 0.0, 1.0, 1.0], atol=1e-9)
    assert (np.diff(angles) > -1e-9).all()


def test_near_and_long_stances_count() -> None:
    stances, values = [(0, 30), (60, 90), (93, 94)], np.array([[1.0, 0.0], [2.0, 0.0], [12.0, 0.0]])
    seconds = measure_durations(stances, 1.0 / 60.0)
    np.testing.assert_allclose(seconds, np.array([31, 31, 2]) / 60.0)
    found = blend_stances(stances, values, seconds, 100, 1.0 / 60.0)
    np.testing.assert_array_equal(found[:, 1], 0.0)
    assert found[15, 0] == pytest.approx(1.0, abs=0.02)
    assert found[45, 0] == pytest.approx(1.5, abs=0.2)
    assert 2.0 < found[75, 0] < 2.15, "a stance of two frames counts a sixth"
    later = blend_stances(stances[1:], values[1:], seconds[1:], 100, 1.0 / 60.0)
    assert np.abs(found - later)[60:].max() < 1e-3, "half a second away"
    with_all = blend_stances([(0, 99), (0, 99)], np.array([[1.0], [3.0]]), np.array([2.0, 2.0]), 100, 0.02)
    np.testing.assert_allclose(with_all, 2.0)


def test_a_sole_is_as_high_between_stances_as_in_them() -> None:
    path = replace(make_path(0.02, 100), flat=((0, 9), (40, 70)))
    found = _calibrate(path, [rest(np.zeros(3), stance) for stance in path.flat], 1.0 / 60.0)
    np.testing.assert_allclose(found.places[:, 2], 0.0, atol=1e-12)


def test_a_foot_is_level_between_stances_as_in_them_where_it_does_not_roll() -> None:
    """Its axes are tilted; it rolls in the first stance, of which a cut has left the end."""
    tilt = quat.exp(np.array([0.05, 0.1, 0.0]))
    rolling = np.clip(0.05 * (np.arange(100) - 2.0), 0.0, 0.4)
    true = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.where(np.arange(100) < 10, rolling, 0.0))
    toes = quat.rotate(true, np.array([0.14, 0.0, -0.05]))
    bodies = PersonBodies(
        {"left_foot": np.zeros((100, 3)), "left_toes": toes}, {"left_foot": quat.multiply(true, tilt)}
    )
    found = _level_foot(bodies, "left", ((0, 9), (40, 70)), 1.0 / 60.0)
    away = quat.log(quat.multiply(quat.conjugate(true), found.rotations["left_foot"]))
    assert np.abs(away[30:]).max() < 1e-3
    assert np.abs(away[:30]).max() < 0.1
    # Below the toe joint, ahead of the ankle.
    np.testing.assert_allclose(
        found.find_sole("left")[50], [0.035, 0.0, -0.05 - 0.17 * np.hypot(0.14, 0.05)], atol=1e-3
    )
    untold = _level_foot(bodies, "left", (), 1.0 / 60.0)
    np.testing.assert_array_equal(untold.rotations["left_foot"], bodies.rotations["left_foot"])


def test_legs_that_are_moved_to_the_narrowest_distance_touch(biped: Biped) -> None:
    contacts, placed = find_self_contacts(biped), biped.standing
    middles = locate_soles(biped, placed)[0].mean(axis=1)
    lower = {joint for side in SIDES for joint in range(len(biped.skeleton.names))
             if biped.places[f"{side}_shank"].joint in biped.skeleton.path_to_root(joint)}  # fmt: skip
    pairs = [pair for pair in contacts.pairs if {int(contacts.joints[n]) for n in pair} <= lower]
    right = biped.places["right_shank"].joint
    moved = placed.positions.copy()
    inward = (middles[0] - middles[1]) / np.linalg.norm(middles[0] - middles[1])
    nearer = np.linalg.norm(middles[0] - middles[1]) - measure_narrowest(biped)
    for joint in lower:
        if right in biped.skeleton.path_to_root(joint):
            moved[0, joint] += nearer * inward
    depth = replace(contacts, pairs=np.array(pairs)).find_nearest(placed._replace(positions=moved)).depth
    assert depth.max() == pytest.approx(0.0, abs=2e-3)


def test_feet_are_wider_apart_where_hips_are(biped: Biped, person: TrackedPerson) -> None:
    scale = measure_scale(person.character, biped)
    wider = find_widening(biped, person.character, scale)
    hips = np.linalg.norm(np.subtract(*(biped.locate(f"{side}_thigh") for side in SIDES)))
    own = [person.character.skeleton.offsets[person.character.skeleton.index(f"{side}_thigh")] for side in SIDES]
    assert wider >= hips - scale * np.linalg.norm(own[0] - own[1])
    assert wider > 0.0
    corners = {side: level_sole(biped, side) for side in SIDES}
    contacts = find_foot_contacts(person.rig)
    plain = plan_soles(person, contacts, scale, corners, 0.0)
    wide = plan_robot_soles(biped, person, contacts, scale)
    apart = [np.abs((paths["left"].places - paths["right"].places)[:, 1]) for paths in (plain, wide)]
    assert np.median(apart[1] - apart[0]) == pytest.approx(wider, rel=0.1)


def test_a_sole_that_its_ankle_cannot_lay_flat_moves_towards_the_hip(biped: Biped) -> None:
    """Legs are spread by 0.5 rad and ankles turn back by 0.3: soles are tilted by 0.2."""
    names = [biped.skeleton.names[dof.joint] for dof in biped.skeleton.dofs]
    q = np.repeat(biped.upright[None], 10, axis=0)
    for hip, ankle, sign in (("L_HIP_R", "L_ANKLE_R", 1.0), ("R_HIP_R", "R_ANKLE_R", -1.0)):
        q[:, names.index(hip)] += sign * 0.5
        q[:, names.index(ankle)] -= sign * 0.3
    placed = place(biped.skeleton, q)
    soles = locate_soles(biped, placed).mean(axis=2)
    paths = {side: replace(make_path(0.0), places=soles[:, n]) for n, side in enumerate(SIDES)}
    found = bring_within_reach(biped, paths, slice(None), placed)
    for n, side in enumerate(SIDES):
        hip = biped.places[f"{side}_thigh"]
        at = (placed.positions[:, hip.joint] + quat.rotate(placed.rotations[:, hip.joint], hip.point))[0]
        shift = found[side].places[0] - paths[side].places[0]
        assert abs(shift[0]) < 0.01
        assert np.sign(shift[1]) == np.sign(at[1] - soles[0, n, 1])
        assert np.linalg.norm(shift) == pytest.approx(0.1 * biped.leg_length, rel=1e-6), "no farther than that"
    slightly = {side: replace(path, rotations=quat.multiply(quat.from_axis_angle(
        np.array([1.0, 0.0, 0.0]), np.full(10, (0.17 if side == "left" else -0.17))), path.rotations))
        for side, path in paths.items()}  # fmt: skip
    near = bring_within_reach(biped, slightly, slice(None), placed)
    for n, side in enumerate(SIDES):
        hip = biped.places[f"{side}_thigh"]
        at = (placed.positions[:, hip.joint] + quat.rotate(placed.rotations[:, hip.joint], hip.point))[0]
        shift = near[side].places[0] - paths[side].places[0]
        assert np.linalg.norm(shift) == pytest.approx(1.1 * 0.03 * (at[2] - soles[0, n, 2]), rel=0.1)


def test_a_sole_that_is_longer_than_the_foot_swings_as_high_as_the_foot_does() -> None:
    """The foot swings 2 cm above the ground with its toes down: a longer sole that followed it would touch it."""
    frames, swing = np.arange(60), (np.arange(60) >= 20) & (np.arange(60) < 40)
    bump = np.where(swing, np.sin(np.pi * (frames - 20) / 20.0) ** 2, 0.0)
    turned = quat.from_axis_angle([0.0, 1.0, 0.0], 0.3 * bump)
    foot = np.array([[-0.05, 0.0, 0.0], [0.05, 0.0, 0.0]])
    sole = np.array([[x, y, 0.0] for x in (-0.05, 0.15) for y in (0.05, -0.05)])
    places = np.column_stack((0.01 * frames, np.zeros(60), bump * (0.02 + 0.05 * np.sin(0.3))))
    path = SolePath(places, turned, np.zeros((60, 4)), np.zeros((60, 2)), ((0, 19), (40, 59)), ~swing)
    held = [rest(places[at] * (1.0, 1.0, 0.0), stance) for at, stance in zip((10, 50), path.flat, strict=True)]
    planned = rest_sole(path, held, np.zeros(1), sole, foot, partial(fade_between, longest=12.0))
    heights = planned.find_heights(sole).min(axis=1)
    assert path.find_heights(sole).min(axis=1)[30] < 0.0
    np.testing.assert_allclose(heights[30], 0.02, atol=1e-6)
    np.testing.assert_allclose(heights[~swing], 0.0, atol=1e-9)


def test_a_heel_that_was_rolled_over_tells_how_low_it_is_on_the_ground() -> None:
    """A heel is 1 cm below the ground while the foot rests on it, as a round one is, and 1 cm above it afterwards."""
    path = replace(make_path(0.0, 20), touching=np.arange(20) < 10)
    path.places[:10, 2], path.places[10:, 2] = -0.01, 0.01
    clear = _measure_clearance(path, np.array([[-0.1, 0.0, 0.0], [0.1, 0.0, 0.0]]), np.zeros(20))
    np.testing.assert_allclose(clear, np.where(np.arange(20) < 10, 0.0, 0.02))
