"""Ground stages are split by the feet in contact, and every frame belongs to one stage."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.contacts.contact import Contact
from gambol.contacts.stage import Stage
from gambol.contacts.timeline import Contacts
from gambol.io import samples
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.flight import drop_supported_flights, find_stages, fit_parabola, measure_fall
from gambol.stages.support import SUPPORTS, split_by_support


def touching(name: str, first: int, last: int) -> Contact:
    return Contact(name, np.zeros((1, 3)), np.zeros(3), first, last)


def named(stages: tuple[Stage, ...]) -> list[tuple[str, int, int]]:
    return [(stage.name, stage.first, stage.last) for stage in stages]


def test_the_ground_is_split_by_the_feet_that_hold() -> None:
    """Heel and toe of a foot are one foot; without a foot in contact it is other support."""
    items = (
        touching("left_heel", 0, 20),
        touching("left_toe", 10, 40),
        touching("right_heel", 30, 59),
        touching("right_toe", 80, 99),
    )
    stages = (Stage("ground", 0, 59), Stage("flight", 60, 69), Stage("ground", 70, 99))
    found = split_by_support(Contacts(items, 100, 0.01), stages)
    assert named(found) == [
        ("left foot", 0, 29),
        ("both feet", 30, 40),
        ("right foot", 41, 59),
        ("flight", 60, 69),
        ("other support", 70, 79),
        ("right foot", 80, 99),
    ]


def test_a_brief_support_joins_its_neighbour_but_never_a_flight() -> None:
    """At 100 frames per second two frames are too brief: one between, one right after a flight."""
    items = (
        touching("left_toe", 0, 20),
        touching("right_toe", 20, 49),
        touching("left_toe", 60, 99),
        touching("right_toe", 62, 99),
    )
    stages = (Stage("ground", 0, 49), Stage("flight", 50, 59), Stage("ground", 60, 99))
    assert named(split_by_support(Contacts(items, 100, 0.01), stages)) == [
        ("left foot", 0, 20),
        ("right foot", 21, 49),
        ("flight", 50, 59),
        ("both feet", 60, 99),
    ]


def test_a_change_in_the_last_frame_of_a_stage_is_seen() -> None:
    items = (touching("left_toe", 0, 9), touching("right_toe", 9, 9))
    stages = (Stage("ground", 0, 9), Stage("flight", 10, 19))
    found = named(split_by_support(Contacts(items, 20, 0.01), stages, min_duration=0.0))
    assert found == [("left foot", 0, 8), ("both feet", 9, 9), ("flight", 10, 19)]


@pytest.mark.parametrize("name", samples.names())
def test_every_frame_has_one_support_and_flights_stay_as_they_are(name: str) -> None:
    motion = samples.by_name(name)
    contacts = find_foot_contacts(motion)
    stages = drop_supported_flights(motion, find_stages(contacts))
    found = split_by_support(contacts, stages)
    assert [f for s in found for f in range(s.first, s.last + 1)] == list(range(len(motion)))
    assert {s.name for s in found} <= set(SUPPORTS) - {"other support"}
    flights = [(s.first, s.last) for s in stages if s.kind == "flight"]
    assert [(s.first, s.last) for s in found if s.name == "flight"] == flights
    expected = {
        "stand": {"both feet"},
        "walk": {"left foot", "right foot", "both feet"},
        "jump": {"both feet", "flight"},
    }
    assert {s.name for s in found} == expected.get(name, {"left foot", "right foot", "flight"})


def test_the_parabola_is_the_one_whose_fall_is_measured() -> None:
    jump = samples.jump()
    flight = next(s for s in find_stages(find_foot_contacts(jump)) if s.kind == "flight")
    heights = fit_parabola(jump, flight)
    assert len(heights) == len(flight)
    np.testing.assert_allclose(np.diff(heights, n=2) / jump.frame_time**2, measure_fall(jump, flight), rtol=1e-6)
    assert measure_fall(jump, flight) == pytest.approx(-9.81, abs=1.0)


def test_a_hand_on_the_ground_is_no_foot() -> None:
    items = (touching("right_heel", 0, 9), touching("left_hand", 0, 19))
    found = split_by_support(Contacts(items, 20, 0.01), (Stage("ground", 0, 19),))
    assert named(found) == [("right foot", 0, 9), ("other support", 10, 19)]
