"""Hands, contact and frame of a trial are found, wherever two people are in the world."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gambol as gb
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.interaction.trials import GroundFrame, find_trial, fit_hands, parse_style, shorten_hands
from gambol.interaction.variations import move_contact
from gambol.motion.kinematics import local_frames, place_local
from gambol.motion.rig import Rig
from tests.interaction.meetings import APART, CONTACT, FRAMES, MEETING, make_people, make_trial, move_person


def test_hands_and_contact_are_found() -> None:
    trial = make_trial()
    assert [hand.side for hand in trial.hands] == ["right", "right"]
    assert trial.contact == CONTACT
    np.testing.assert_allclose(trial.place, MEETING, atol=1e-3)
    assert trial.gap < 5e-3  # hands were sent to one place; touching points keep to the palms a little
    np.testing.assert_array_equal(trial.phases[[0, CONTACT, FRAMES - 1]], [0.0, 0.5, 1.0])
    assert np.diff(trial.phases, 2)[: CONTACT - 2] == pytest.approx(0.0, abs=1e-12)


def test_paths_are_those_of_the_joints_in_the_world() -> None:
    trial = find_trial(*(move_person(person, 0.7, np.array([3.0, -2.0, 0.0])) for person in make_people()))
    for person, hand, path in zip(trial.people, trial.hands, trial.paths, strict=True):
        joint = person.rig.parts["right_hand"]
        placed = person.placement
        world = placed.positions[:, joint] + quat.rotate(placed.rotations[:, joint], hand.point)
        np.testing.assert_allclose(trial.frame.to_world(path), world, atol=1e-9)


@pytest.mark.parametrize(
    ("heading", "shift"), [(0.0, (5.0, -3.0, 0.0)), (2.3, (0.0, 0.0, 0.0)), (-3.0, (1.0, 1.0, 0.0))]
)
def test_moving_both_people_changes_nothing_in_the_frame_of_the_trial(
    heading: float, shift: tuple[float, float, float]
) -> None:
    before = make_trial()
    after = find_trial(*(move_person(person, heading, np.array(shift)) for person in make_people()))
    assert after.contact == before.contact
    # The frame is that of person 1: on the ground below the root, with x towards person 2.
    one, two = (person.placement.positions[0, 0] for person in after.people)
    np.testing.assert_allclose(after.frame.from_world(one), [0.0, 0.0, one[2]], atol=1e-9)
    np.testing.assert_allclose(after.frame.from_world(two), [APART, 0.0, two[2]], atol=1e-9)
    np.testing.assert_allclose(after.place, before.place, atol=1e-9)
    for hand, same in zip(after.hands, before.hands, strict=True):
        np.testing.assert_allclose(hand.point, same.point, atol=1e-9)
    for local, same, path, other in zip(after.local, before.local, after.paths, before.paths, strict=True):
        np.testing.assert_allclose(path, other, atol=1e-9)
        np.testing.assert_allclose(local.positions, same.positions, atol=1e-9)
        np.testing.assert_allclose(np.abs((local.rotations * same.rotations).sum(axis=-1)), 1.0, atol=1e-12)


def test_points_go_to_a_frame_on_the_ground_and_back() -> None:
    frame = GroundFrame(np.array([1.0, 2.0, 0.0]), np.pi / 2.0)
    np.testing.assert_allclose(frame.to_world(np.array([[1.0, 0.0, 3.0]])), [[1.0, 3.0, 3.0]], atol=1e-12)
    points = np.random.default_rng(0).normal(size=(4, 5, 3))
    np.testing.assert_allclose(frame.from_world(frame.to_world(points)), points, atol=1e-12)


def test_a_frame_sees_roots_only() -> None:
    person = make_people()[1]
    local = local_frames(person.skeleton, person.q)
    frame = GroundFrame(np.array([1.0, 2.0, 0.0]), 0.4)
    placed = place_local(person.skeleton, frame.see(local))
    np.testing.assert_allclose(frame.to_world(placed.positions), person.placement.positions, atol=1e-9)
    np.testing.assert_array_equal(frame.see(local).rotations[:, 1:], local.rotations[:, 1:])


def test_hands_that_are_far_apart_are_not_stretched_to_each_other() -> None:
    one, two = make_people()
    hands = fit_hands((one, move_person(two, 0.0, np.array([1.0, 0.0, 0.0]))), ("right", "right"), CONTACT)
    for hand in hands:
        assert np.linalg.norm(hand.point) == pytest.approx(0.25)


def test_touching_points_are_shortened_to_the_palms_of_the_rigs() -> None:
    """Wrists 0.46 m apart, as in recordings whose arms are too short, meet by reaching farther."""
    one, two = make_people()
    trial = find_trial(one, move_person(two, 0.0, np.array([0.3, 0.0, 0.0])))
    short = shorten_hands(trial)
    for person, hand, fitted in zip(short.people, short.hands, trial.hands, strict=True):
        parts, places = person.rig.parts, person.placement.positions[0]
        below = [
            n for n, _ in enumerate(person.skeleton.names) if parts["right_hand"] in person.skeleton.path_to_root(n)
        ]
        palm = 0.43 * max(np.linalg.norm(places[below] - places[parts["right_hand"]], axis=1))
        assert np.linalg.norm(fitted.point) > palm
        assert np.linalg.norm(hand.point) == pytest.approx(palm)
        np.testing.assert_allclose(np.cross(hand.point, fitted.point), 0.0, atol=1e-9)
    assert short.gap > 0.05
    met = move_contact(short)
    assert met.gap < 2e-3
    wrists = [person.placement.positions[CONTACT, person.rig.parts["right_hand"]] for person in met.people]
    assert np.linalg.norm(wrists[0] - wrists[1]) <= sum(np.linalg.norm(hand.point) for hand in met.hands) + 2e-3
    # Points near the palms stay.
    near = find_trial(one, two)
    for hand, same in zip(shorten_hands(near).hands, near.hands, strict=True):
        np.testing.assert_allclose(hand.point, same.point, atol=0.01)


def drop_hands(rig: Rig) -> dict[str, int]:
    return {part: joint for part, joint in rig.parts.items() if "hand" not in part}


def test_people_who_do_not_meet_are_told_from_those_who_do() -> None:
    one, two = make_people()
    for pair, message in (
        ((one, two[:-1]), "'one' has 61 frames of 0.0166667 s, 'two' 60 of 0.0166667 s"),
        ((one, replace(two, frame_time=0.02)), "on one clock"),
        ((one, move_person(two, 0.0, np.array([0.7, 0.0, 0.0]))), r"never touch: their wrists stay 0\.\d\d m apart"),
        ((one, replace(two, rig=replace(two.rig, parts=drop_hands(two.rig)))), "of 'one' or of 'two' has no hands"),
    ):
        with pytest.raises(InputError, match=message) as error:
            find_trial(*pair)
        assert "\n" not in str(error.value)


def test_hands_that_are_near_each_other_all_the_time_do_not_meet() -> None:
    """People side by side who gesticulate; clips that begin just before the contact are refused too."""
    one, two = make_people()
    aside = move_person(two, 0.0, np.array([0.15, 0.0, 0.0]))
    find_trial(one, aside)
    with pytest.raises(
        InputError, match=r"do not meet: their wrists are 0\.\d\d m apart in the first frame and 0\.\d\d m"
    ):
        find_trial(one[CONTACT - 6 :], aside[CONTACT - 6 :])
    find_trial(one[CONTACT - 6 :], two[CONTACT - 6 :])  # palms that touch do so wherever they come from


def test_people_who_hold_hands_all_the_time_do_not_meet() -> None:
    one, two = make_people()
    held = [replace(person, q=np.tile(person.q[CONTACT : CONTACT + 1], (30, 1))) for person in (one, two)]
    with pytest.raises(InputError, match="do not meet"):
        find_trial(*held)


def test_a_rig_that_is_not_recognised_is_an_error() -> None:
    one, two = make_people()
    with pytest.raises(InputError, match="rig"):
        find_trial(one, replace(two, rig=None))


@pytest.mark.parametrize(
    ("name", "shares"),
    [
        ("neutral", {}),
        ("", {}),
        ("happy", {"happy": 1.0}),
        (" happy = 0.5, sad=0.25 ", {"happy": 0.5, "sad": 0.25}),
        ("happy=0,sad", {"sad": 1.0}),
        ("neutral=0.5,sad=0.5", {"sad": 0.5}),
    ],
)
def test_styles_are_parsed(name: str, shares: dict[str, float]) -> None:
    assert parse_style(name) == shares


@pytest.mark.parametrize("name", ["happy=much", "happy=1=2", "happy=nan", "happy=inf", "=0.5"])
def test_styles_that_are_not_shares_are_errors(name: str) -> None:
    with pytest.raises(InputError, match=r"happy=0\.5,sad=0\.5"):
        parse_style(name)


def test_a_trial_has_its_style() -> None:
    assert find_trial(*make_people(), "happy=0.5").style == {"happy": 0.5}
    assert find_trial(*make_people(), {"sad": 1.0}).style == {"sad": 1.0}


def test_walkers_of_other_scenes_are_not_a_pair() -> None:
    walk = gb.load("walk")
    with pytest.raises(InputError, match="never touch"):
        find_trial(walk, move_person(walk, 0.0, np.array([0.0, 3.0, 0.0])))
