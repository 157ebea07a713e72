"""Contacts and stages are frozen, checked when made, and corrected by hand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.motion.contacts import Contact, Contacts, Stage, add_contact, move_boundary, remove_contact

HEEL = Contact("left_foot", "point", np.array([[-0.05, 0.0, -0.07]]), np.zeros(3), 3, 9, name="left_heel")
SKATE = Contact("right_foot", "slide_line", np.zeros((1, 3)), np.zeros(3), 5, 20, np.array([1.0, 0.0, 0.0]))


def test_a_contact_is_frozen_and_has_a_name():
    assert HEEL.name == "left_heel"
    assert SKATE.name == "right_foot"
    assert SKATE.slides
    assert not HEEL.slides
    with pytest.raises(ValueError, match="read-only"):
        HEEL.points[0, 0] = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        HEEL.first = 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "glue"}, "kinds: point"),
        ({"kind": "plane"}, "needs 3 points"),
        ({"kind": "slide_plane"}, "normal of its plane"),
        ({"first": 10}, "first <= last"),
        ({"location": np.full(3, np.nan)}, "finite"),
        ({"direction": np.array([2.0, 0.0, 0.0])}, "unit vector"),
    ],
)
def test_invalid_contacts_raise_errors(changes: dict[str, object], message: str):
    with pytest.raises(InputError, match=message):
        dataclasses.replace(HEEL, **changes)


def test_contacts_give_masks_of_active_frames():
    contacts = Contacts((SKATE, HEEL), 30, 0.01)
    assert contacts.items == (HEEL, SKATE)
    np.testing.assert_array_equal(np.flatnonzero(contacts.touching()), np.arange(3, 21))
    np.testing.assert_array_equal(np.flatnonzero(contacts.touching("left_foot")), np.arange(3, 10))
    with pytest.raises(InputError, match="ends at frame 20"):
        Contacts((SKATE,), 20, 0.01)


def test_contacts_are_added_and_removed_by_hand():
    contacts = add_contact(Contacts((HEEL,), 30, 0.01), SKATE)
    assert len(contacts) == 2
    assert remove_contact(contacts, HEEL).items == (SKATE,)
    with pytest.raises(InputError, match="contacts: right_foot 5-20"):
        remove_contact(remove_contact(contacts, HEEL), HEEL)


def test_a_boundary_between_stages_moves():
    stages = (Stage("ground", 0, 9), Stage("flight", 10, 19, "leap"), Stage("ground", 20, 29))
    moved = move_boundary(stages, 1, 12)
    assert [(s.kind, s.first, s.last) for s in moved] == [("ground", 0, 11), ("flight", 12, 19), ("ground", 20, 29)]
    assert moved[1].name == "leap"
    assert len(moved[1]) == 8
    for index, frame in ((0, 5), (3, 5), (1, 0), (1, 20)):
        with pytest.raises(InputError, match="choose"):
            move_boundary(stages, index, frame)
