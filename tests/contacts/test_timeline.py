"""Contacts and stages are frozen and checked when made; tables are cut, thinned, sampled and changed."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from gambol.contacts.contact import Contact
from gambol.contacts.move import Move, shift_stances
from gambol.contacts.stage import Stage
from gambol.contacts.timeline import Contacts, group_stances, limit_contacts, remove_frames
from gambol.errors import InputError

HEEL = Contact("left_foot", np.array([[-0.05, 0.0, -0.07]]), np.zeros(3), 3, 9, "left_heel")
SKATE = Contact("right_foot", np.zeros((1, 3)), np.zeros(3), 5, 20, slide=np.array([1.0, 0.0, 0.0]))


def test_a_contact_is_frozen_and_has_a_part_and_a_kind() -> None:
    assert HEEL.part == "left_heel"
    assert SKATE.part == "right_foot"
    assert [SKATE.kind, HEEL.kind, dataclasses.replace(HEEL, fixed=False).kind] == ["sliding", "fixed", "rolling"]
    with pytest.raises(ValueError, match="read-only"):
        HEEL.points[0, 0] = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        HEEL.first = 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"first": 10}, "first <= last"),
        ({"places": np.full(3, np.nan)}, "finite"),
        ({"places": np.zeros((2, 3))}, "one place"),
        ({"slide": np.array([2.0, 0.0, 0.0])}, "unit vector"),
    ],
)
def test_invalid_contacts_raise_errors(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        dataclasses.replace(HEEL, **changes)


def test_contacts_give_masks_of_active_frames() -> None:
    contacts = Contacts((HEEL, SKATE), 30, 0.01)
    np.testing.assert_array_equal(np.flatnonzero(contacts.touching()), np.arange(3, 21))
    np.testing.assert_array_equal(np.flatnonzero(contacts.touching("left_foot")), np.arange(3, 10))
    np.testing.assert_array_equal(contacts.flight, ~contacts.touching())
    assert not contacts.unseen.any()
    held = dataclasses.replace(contacts, flight=np.zeros(30, dtype=bool))
    np.testing.assert_array_equal(held.unseen, ~contacts.touching())
    with pytest.raises(InputError, match="ends at frame 20"):
        Contacts((SKATE,), 20, 0.01)


def test_a_table_that_is_cut_thinned_or_sampled_touches_in_the_same_frames() -> None:
    contacts = Contacts((HEEL, SKATE), 30, 0.01)
    for part in ("left_foot", "right_foot"):
        mask = contacts.touching(part)
        np.testing.assert_array_equal(contacts.cut(6, 25).touching(part), mask[6:26])
        np.testing.assert_array_equal(contacts.thin(4).touching(part), mask[::4])
        np.testing.assert_array_equal(contacts.sample(0.01 * np.arange(0, 30, 3), 0.03).touching(part), mask[::3])
    assert contacts.thin(4).frame_time == pytest.approx(0.04)
    np.testing.assert_array_equal(contacts.cut(6, 25).flight, contacts.flight[6:26])


def test_new_frames_show_frames_of_a_table_or_moments_between() -> None:
    contacts = Contacts((HEEL, SKATE), 30, 0.01)
    shown = np.array([2, 2, 4, 4, 12, 19, 20, 29])
    slowed = contacts.show(shown, 0.02)
    for part in ("left_foot", "right_foot"):
        np.testing.assert_array_equal(slowed.touching(part), contacts.touching(part)[shown])
    np.testing.assert_array_equal(slowed.flight, contacts.flight[shown])
    assert (len(slowed.flight), slowed.frame_time) == (8, 0.02)
    between = contacts.show(np.array([2.5, 3.0 - 1e-9, 8.5, 9.0 + 1e-9, 9.5]), 0.01)
    assert [(one.first, one.last) for one in between.named("left_foot")] == [(1, 3)]


def test_contacts_are_limited_to_frames_that_are_counted_as_before() -> None:
    assert [(one.first, one.last) for one in limit_contacts((HEEL, SKATE), 7, 12)] == [(7, 9), (7, 12)]
    assert [(one.first, one.last) for one in limit_contacts((HEEL, SKATE), 10, 40)] == [(10, 20)]


def test_contacts_of_a_stance_are_shifted_with_it() -> None:
    left = dataclasses.replace(HEEL, first=3, last=9, part="left_foot")
    later, shift = dataclasses.replace(HEEL, first=15, last=20), np.array([0.1, -0.2, 0.3])
    shifted = shift_stances(Contacts((HEEL, SKATE, later), 30, 0.01), {left: shift})
    np.testing.assert_array_equal([one.place for one in shifted.items], [shift, np.zeros(3), np.zeros(3)])


def test_frames_are_taken_out_of_a_contact() -> None:
    gone = np.zeros(30, dtype=bool)
    gone[[5, 6, 20]] = True
    assert [(one.first, one.last) for one in remove_frames(HEEL, gone)] == [(3, 4), (7, 9)]
    assert [(one.first, one.last) for one in remove_frames(SKATE, gone)] == [(7, 19)]
    assert remove_frames(HEEL, np.ones(30, dtype=bool)) == []


def test_contacts_without_a_gap_are_one_stance() -> None:
    ball = dataclasses.replace(HEEL, part="left_ball", first=8, last=14)
    later = dataclasses.replace(HEEL, first=16, last=18)
    assert group_stances([later, ball, HEEL]) == [[HEEL, ball], [later]]


def test_a_move_turns_and_shifts_a_contact() -> None:
    walker = dataclasses.replace(HEEL, places=np.array([[1.0, 0.0, 0.0]]), forward=np.array([1.0, 0.0, 0.0]))
    moved = Move(np.pi / 2.0, np.array([0.0, 0.0, 0.3])).contact(walker)
    np.testing.assert_allclose(moved.places, [[0.0, 1.0, 0.3]], atol=1e-12)
    np.testing.assert_allclose(moved.forward, [0.0, 1.0, 0.0], atol=1e-12)
    np.testing.assert_array_equal(moved.normal, walker.normal)
    np.testing.assert_array_equal(moved.points, walker.points)


def test_a_stage_has_a_name_and_frames() -> None:
    leap = Stage("flight", 10, 19, "leap")
    assert (leap.name, len(leap), Stage("ground", 0, 9).name) == ("leap", 10, "ground")
    with pytest.raises(InputError, match="kinds: ground, flight"):
        Stage("swim", 0, 1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="first <= last"):
        Stage("ground", 4, 1)
