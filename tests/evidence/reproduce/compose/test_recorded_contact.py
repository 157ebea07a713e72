"""Where recorded people hold each other is found in their bodies, and from when on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.body.dynamics import Dynamics
from gambol.composition.blocks import BlockProblem, Cast, solve_problem, track_part
from gambol.composition.cast import make_cast
from gambol.composition.composition import Composition
from gambol.composition.conditions import BodyPart
from gambol.progress import silent
from gambol.terms.momentum import NewtonEuler, sum_contact_forces
from gambol_evidence.reproduce.compose.recorded_contact import OutsideForce, find_hold
from tests.composition.scenes import ANNA, BEN

HANDS = BodyPart("anna", "right_hand", 1.0), BodyPart("ben", "right_hand", 1.0)


def _make_walkers(apart: float) -> Cast:
    """Return two people who walk alike, beside each other, in the direction of y."""
    people = (replace(ANNA, heading=90.0), replace(ANNA, name="ben", heading=90.0, at=(apart, 0.0)))
    return make_cast(Composition("test", people))[0]


def test_hands_are_held_in_the_middle_between_them() -> None:
    cast = _make_walkers(0.08)
    hold, take = find_hold(cast, *HANDS), cast.draft()
    assert hold.start == 0.0
    middle = 0.5 * (track_part(cast, take, HANDS[0]) + track_part(cast, take, HANDS[1]))
    for part in (hold.one, hold.other):
        away = np.linalg.norm(track_part(cast, take, part) - middle, axis=1)[cast.frames // 2 :]
        assert away.max() < 0.025


def test_people_who_are_far_apart_hold_each_other_at_no_time() -> None:
    cast = _make_walkers(1.5)
    hold = find_hold(cast, *HANDS)
    assert hold.start == pytest.approx(cast.frames * cast.frame_time)


def test_an_unknown_force_is_what_gravity_and_ground_leave_unexplained() -> None:
    cast = make_cast(Composition("test", (BEN,), (OutsideForce(BodyPart("ben", "right_hand", 1.0), 0.3),)))[0]
    made = BlockProblem(cast, cast.draft(), cast.whole)
    found = solve_problem(made)
    assert found.solution.converged
    space, force = made.spaces["ben"], found.take.forces[cast.conditions[0]][:, 0]
    terms = cast.energies["ben"].make_terms(made.people["ben"], (), silent)
    contacts = next(term for term in terms if isinstance(term, NewtonEuler)).contacts
    places = Dynamics(space.character).center_of_mass(found.take.tracks["ben"].q)
    falling = np.diff(places, n=2, axis=0) / cast.frame_time**2 + [0.0, 0.0, GRAVITY]
    ground = sum_contact_forces(space, contacts, found.solution.x)[1:-1]
    np.testing.assert_allclose(space.character.mass * falling - ground, force[1:-1], atol=0.01)
    assert not force[:8].any()
    assert np.abs(force[9:-1]).max() > 0.1
