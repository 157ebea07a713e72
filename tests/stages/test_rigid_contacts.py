"""A body with a known fixed point, line, plane or slide is explained by it: clean, and with 1 mm of noise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gambol.errors import InputError
from gambol.fit.load import load
from gambol.geometry.arrays import Array
from gambol.stages.rigid_contacts import (
    FIXED_KINDS,
    SLIDING_KINDS,
    ContactSearch,
    find_contact_intervals,
    find_rigid_contacts,
)
from gambol.stages.solids import Solid, make_solid
from gambol_evidence.printed.fixed_sets import find_fixed_sets_as_printed
from tests.motion.bodies import person, standing

TIME = np.arange(120) / 120.0
SOLE = np.array([[-0.05, -0.04, -0.07], [0.2, -0.04, -0.07], [-0.05, 0.04, -0.07], [0.2, 0.04, -0.07], [0.0, 0.0, 0.0]])
TOE = np.array([0.2, 0.0, -0.07])
PLACE = np.array([1.0, 2.0, 0.0])
WOBBLE = np.stack((0.5 * np.sin(5 * TIME), 0.6 * np.sin(7 * TIME), 0.4 * np.sin(3 * TIME)), axis=1)
ROLL = np.stack((0 * TIME, 0.8 * TIME, 0 * TIME), axis=1)
EVERYTHING = ContactSearch(kinds=FIXED_KINDS + SLIDING_KINDS)


def foot(angles: Array, place: Array, noise: float = 0.0) -> Solid:
    """A foot that turns by z, y, x angles while its toe is at `place`; noise (metres) as markers would have it."""
    rng = np.random.default_rng(3)
    turn = Rotation.from_euler("zyx", angles)
    positions = place - turn.apply(TOE) + rng.normal(0.0, noise, (len(angles), 3))
    shaken = Rotation.from_rotvec(rng.normal(0.0, noise / 0.15, (len(angles), 3))) * turn
    return Solid(shaken.as_matrix(), positions, SOLE)


@pytest.mark.parametrize(("noise", "near"), [(0.0, 1e-3), (0.001, 5e-3)])
def test_a_fixed_point_is_found(noise: float, near: float):
    (interval,) = find_contact_intervals(foot(WOBBLE, PLACE, noise), EVERYTHING)
    assert (interval.kind, interval.first, interval.last) == ("point", 0, 119)
    np.testing.assert_allclose(interval.geometry[0], TOE, atol=near)


@pytest.mark.parametrize(("noise", "near"), [(0.0, 1e-3), (0.001, 5e-3)])
def test_a_fixed_line_is_found(noise: float, near: float):
    (interval,) = find_contact_intervals(foot(ROLL, PLACE, noise), EVERYTHING)
    assert (interval.kind, interval.first, interval.last) == ("line", 0, 119)
    np.testing.assert_allclose(interval.geometry[:, [0, 2]], np.tile(TOE[[0, 2]], (2, 1)), atol=near)
    assert abs(interval.geometry[1, 1] - interval.geometry[0, 1]) > 0.08


@pytest.mark.parametrize("noise", [0.0, 0.001])
def test_a_foot_that_stands_is_a_plane_and_then_rolls_over_its_toe_line(noise: float):
    angles = np.zeros((120, 3))
    angles[60:, 1] = 1.5 * np.arange(60) / 60
    flat, rolling = find_contact_intervals(foot(angles, PLACE, noise), EVERYTHING)
    assert (flat.kind, rolling.kind) == ("plane", "line")
    assert flat.first == 0
    assert abs(flat.last - 60) <= 4
    assert rolling.last == 119
    np.testing.assert_allclose(rolling.geometry[:, [0, 2]], np.tile(TOE[[0, 2]], (2, 1)), atol=5e-3)


@pytest.mark.parametrize(("noise", "near"), [(0.0, 1e-3), (0.001, 8e-3)])
def test_a_slide_along_a_line_is_found(noise: float, near: float):
    track = PLACE + np.stack((0.6 * TIME, 0.8 * TIME, 0 * TIME), axis=1)
    (slide,) = find_contact_intervals(foot(WOBBLE, track, noise), EVERYTHING)
    assert (slide.kind, slide.first, slide.last) == ("slide_line", 0, 119)
    point, _, direction = slide.geometry
    np.testing.assert_allclose(point, TOE, atol=near)
    np.testing.assert_allclose(np.abs(direction), (0.6, 0.8, 0.0), atol=0.01)


@pytest.mark.parametrize(("noise", "near"), [(0.0, 1e-3), (0.001, 8e-3)])
def test_a_slide_on_a_plane_is_found(noise: float, near: float):
    track = np.stack((np.cos(2 * TIME), np.sin(2 * TIME), 0 * TIME), axis=1)
    (slide,) = find_contact_intervals(foot(WOBBLE, track, noise), EVERYTHING)
    assert (slide.kind, slide.first, slide.last) == ("slide_plane", 0, 119)
    point, place, normal = slide.geometry
    np.testing.assert_allclose(point, TOE, atol=near)
    assert abs(place[2]) < near
    assert abs(normal[2]) > 0.999


def test_an_upright_slide_counts_only_without_up():
    track = PLACE + np.stack((0 * TIME, 0 * TIME, TIME), axis=1)
    assert find_contact_intervals(foot(WOBBLE, track), EVERYTHING) == []
    (slide,) = find_contact_intervals(foot(WOBBLE, track), ContactSearch(kinds=FIXED_KINDS + SLIDING_KINDS, up=None))
    assert slide.kind == "slide_line"


def test_up_needs_no_length():
    track = PLACE + np.stack((0.6 * TIME, 0.8 * TIME, 0 * TIME), axis=1)
    long, usual = (
        find_contact_intervals(foot(WOBBLE, track), ContactSearch(kinds=SLIDING_KINDS, up=up))
        for up in ((0.0, 0.0, 7.0), (0.0, 0.0, 1.0))
    )
    assert [one[:3] for one in long] == [one[:3] for one in usual] == [("slide_line", 0, 119)]
    upright = PLACE + np.stack((0.05 * TIME, 0 * TIME, TIME), axis=1)
    assert find_contact_intervals(foot(WOBBLE, upright), ContactSearch(kinds=SLIDING_KINDS, up=(0.0, 0.0, 0.1))) == []


@pytest.mark.parametrize("noise", [0.0, 0.001])
def test_a_foot_in_flight_has_no_contact(noise: float):
    track = np.stack((2 * TIME, 0 * TIME, 3 * TIME - 4.9 * TIME**2), axis=1)
    assert find_contact_intervals(foot(WOBBLE, track, noise), EVERYTHING) == []


def test_the_printed_form_is_exact_on_clean_motion_and_lost_in_noise():
    (line,) = find_fixed_sets_as_printed(foot(ROLL, PLACE))
    assert (line.kind, line.first, line.last) == ("line", 0, 119)
    np.testing.assert_allclose(line.points[:, [0, 2]], np.tile(TOE[[0, 2]], (2, 1)), atol=1e-6)
    (plane,) = find_fixed_sets_as_printed(foot(np.zeros((120, 3)), PLACE))
    assert plane.kind == "plane"
    points = find_fixed_sets_as_printed(foot(3.0 * WOBBLE, PLACE))
    assert any(one.kind == "point" and np.allclose(one.points[0], TOE, atol=1e-3) for one in points)
    assert find_fixed_sets_as_printed(foot(ROLL, PLACE, noise=0.001)) == []


def test_the_search_is_restricted_to_named_bodies():
    motion = standing(person())
    feet = find_rigid_contacts(motion, ["left_foot", "right_foot"])
    assert {contact.body for contact in feet.items} == {"left_foot", "right_foot"}
    assert all(len(contact.points) >= 3 for contact in feet.items)
    assert len({contact.body for contact in find_rigid_contacts(motion).items}) > 2
    with pytest.raises(InputError, match="no joint 'tail'"):
        find_rigid_contacts(motion, ["tail"])


def test_a_search_without_tolerance_is_refused():
    with pytest.raises(InputError, match="tolerance"):
        ContactSearch(tolerance=0.0)


def test_feet_of_a_recorded_walk_hold_once_a_step_where_the_printed_form_finds_nothing(data: Path):
    motion = load(data / "cmu_bvh" / "walk" / "02_01.bvh")
    contacts = find_rigid_contacts(motion, ["RightFoot"])
    planes = [c for c in contacts.items if len(c.points) >= 3]
    assert len(planes) == 2
    assert all(0.2 < len(range(c.first, c.last)) * motion.frame_time < 0.6 for c in planes)
    assert find_fixed_sets_as_printed(make_solid(motion, "RightFoot")) == []
