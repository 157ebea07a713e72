"""Contacts that blend: begins and ends are where they were, and between two styles between theirs."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.legs.graded_contacts import grade_contacts

PHASES = np.linspace(0.0, 1.0, 65)


def _edges(row):
    """Phases at which a curve passes 1/2."""
    level = row - 0.5
    at = np.flatnonzero((level[:-1] > 0.0) != (level[1:] > 0.0))
    return (at + level[at] / (level[at] - level[at + 1])) / 64.0


def _contact(first, last):
    return ((first <= PHASES) & (last > PHASES)).astype(float)[:, None]


def test_contacts_begin_and_end_where_they_did():
    graded_ = grade_contacts(_contact(0.2, 0.7), repeats=True)[:, 0]
    np.testing.assert_allclose(_edges(graded_), [0.2, 0.7], atol=0.01)
    assert graded_.max() == 1.0
    assert graded_.min() == 0.0


def test_half_way_between_two_contacts_they_end_half_way():
    one, other = (grade_contacts(_contact(*ends), repeats=True)[:, 0] for ends in ((0.2, 0.6), (0.3, 0.74)))
    np.testing.assert_allclose(_edges(0.5 * (one + other)), [0.25, 0.67], atol=0.01)
    np.testing.assert_allclose(_edges(0.9 * one + 0.1 * other), [0.21, 0.614], atol=0.01)


@pytest.mark.parametrize("repeats", [True, False])
def test_who_rocks_at_the_strike_has_not_left_the_floor(repeats):
    contact = _contact(0.2, 0.7)
    contact[16:18] = 0.0
    np.testing.assert_array_equal(grade_contacts(contact, repeats), grade_contacts(_contact(0.2, 0.7), repeats))
    contact[30:40] = 0.0
    assert len(_edges(grade_contacts(contact, repeats)[:, 0])) == 4


def test_the_turn_goes_on_at_its_end_only_where_it_repeats():
    contact = 1.0 - _contact(0.3, 0.8)
    assert grade_contacts(contact, repeats=True)[0, 0] == pytest.approx(1.0)
    early = _contact(0.0, 0.05)
    assert grade_contacts(early, repeats=True)[0, 0] < 0.6
    assert grade_contacts(early, repeats=False)[0, 0] == pytest.approx(0.5 + 0.5 * 0.05 / 0.15, abs=0.05)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_always_and_never_stay(value):
    np.testing.assert_array_equal(grade_contacts(np.full((65, 4), value), repeats=True), value)
