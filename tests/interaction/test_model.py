"""A model of two people: columns, rates of styles, frame times, and what cannot be learned from."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.interaction.model import InteractionModel, learn_interaction_model, register_trial
from gambol.interaction.trials import Trial, find_trial
from tests.interaction.meetings import (
    APART,
    CONTACT,
    FRAMES,
    make_model,
    make_paced_model,
    make_paced_trials,
    make_people,
    make_trial,
    make_trials,
    move_person,
)


@cache
def learn_one() -> InteractionModel:
    return learn_interaction_model([make_trial()])


def test_columns_are_both_people_and_both_hands() -> None:
    model, trial = make_model(), make_trials()[4]
    features = model.course.combine(np.zeros(1), trial.place)
    row = model.course.evaluate(0.5, features)
    one, two, first, second = (row[columns] for columns in model.columns)
    assert (len(one), len(two), len(first), len(second)) == (66, 66, 3, 3)
    np.testing.assert_allclose(one[:3], [0.0, 0.0, trial.local[0].positions[0, 0, 2]], atol=2e-3)
    np.testing.assert_allclose(two[:2], [APART, 0.0], atol=2e-3)
    # A sharp turn of the hand is smoothed a little.
    np.testing.assert_allclose(first, trial.place, atol=0.01)
    np.testing.assert_allclose(second, trial.place, atol=0.01)


def test_rates_are_those_of_the_styles() -> None:
    model = make_model()
    assert model.emotions == ("gentle",)
    assert model.trials == 18
    step = 1.0 / 60.0
    before, after = (0.5 / (frames * step) for frames in (CONTACT, FRAMES - 1 - CONTACT))
    np.testing.assert_allclose(np.exp(model.log_rates[:, 0]), [before, after])
    np.testing.assert_allclose(np.exp(model.log_rates.sum(axis=1)), [0.5 / (38 * step), 0.5 / (46 * step)])


def test_the_course_of_a_hand_has_a_neutral_part_and_one_of_the_style() -> None:
    model = make_model()
    course = model.find_hand_course(np.array([0.5]))
    features = np.append(1.0, course.space.describe(model.course.goal_space.mean + 0.03))
    for intensity in (0.0, 1.0):
        path = features @ (course.table[0] + intensity * course.table[1])
        goal = model.course.goal_space.mean + 0.03
        rows = model.course.evaluate_all(
            np.linspace(0.0, 1.0, 201), model.course.combine(np.array([0.5 * intensity]), goal)
        )
        np.testing.assert_allclose(path, rows[:, model.columns[3]], atol=1e-12)
    assert course.log_rate.sum() == pytest.approx(model.log_rates[0] @ [1.0, 0.5])
    np.testing.assert_allclose(course.slopes[:, 50], 100.0 * (course.table[:, 51] - course.table[:, 49]), atol=1e-9)


def test_people_who_end_where_they_began_are_told_from_walkers() -> None:
    assert make_model().closed
    one, two = make_people()
    away = np.linspace(0.0, 0.5, FRAMES)[:, None] * [0.0, 1.0, 0.0]
    leaving = find_trial(move_person(one, 0.0, away), move_person(two, 0.0, away))
    assert not learn_interaction_model([leaving]).closed


def test_fast_recordings_are_learned_at_60_frames_per_second() -> None:
    fast = [replace(person, frame_time=1.0 / 240.0) for person in make_people(0.0, 241, 104)]
    slow = learn_one()
    model = learn_interaction_model([find_trial(*fast)])
    assert model.frame_time == pytest.approx(1.0 / 60.0)
    np.testing.assert_allclose(model.log_rates, slow.log_rates, atol=1e-9)
    apart = (model.course.table - slow.course.table)[:, 0]
    assert np.abs(apart).max() < 0.01


def test_one_trial_is_enough() -> None:
    model = learn_one()
    row = model.course.evaluate(0.5, model.course.combine(np.zeros(0), make_trial().place))
    np.testing.assert_allclose(row[model.columns[2]], make_trial().place, atol=0.01)


def test_trials_are_registered_to_the_course() -> None:
    model = make_model()
    for trial in (make_trials()[1], make_trials()[12]):
        phases = register_trial(model, trial)
        assert phases.shape == (len(trial),)
        assert (np.diff(phases) > 0.0).all()
        assert phases[trial.contact] == pytest.approx(0.5)
        # These trials are in step with the course already.
        np.testing.assert_allclose(phases, trial.phases, atol=0.02)


def test_variations_are_what_trials_differ_from_the_course_by() -> None:
    model, squares = make_model(), 0.0
    grid = np.linspace(0.0, 1.0, model.variations.shape[1])
    for trial in make_trials():
        phases = register_trial(model, trial)
        features = model.course.combine(model.course.share_styles(trial.style), trial.place)
        people = [person.encode(local) for person, local in zip(model.people, trial.local, strict=True)]
        apart = np.hstack((*people, *trial.paths)) - model.course.evaluate_all(phases, features)
        squares = squares + np.stack([np.interp(grid, phases, column) for column in apart.T], axis=1) ** 2
    # All 18 components are kept: their squares sum to the mean square of the differences, the largest first.
    np.testing.assert_allclose((model.variations**2).sum(axis=0), squares / len(make_trials()), atol=1e-9)
    sizes = ((model.variations / model.course.noise) ** 2).sum(axis=(1, 2))
    assert (np.diff(sizes) <= 1e-9).all()


def test_paces_are_those_of_the_trials() -> None:
    model = make_paced_model()
    sizes = np.sqrt((model.pace_variations**2).sum(axis=0))
    faster, steps = 0.1, np.log(0.56 / 0.44) / 2.0  # what a half of the way is faster by, in the mean
    np.testing.assert_allclose(sizes[[1, 4]], np.hypot(faster, steps), rtol=0.25)
    assert sizes[7:].max() < 0.02  # soon after the contact, paces are all alike
    # Paces of both halves are opposite but for the pace of the whole way.
    halves = model.pace_variations[:, 1] @ model.pace_variations[:, 4]
    assert halves == pytest.approx(faster**2 - steps**2, abs=0.3 * steps**2)


def test_spreads_are_those_of_the_trials_and_of_the_ones_assumed_before() -> None:
    model, n = make_paced_model(), 20
    frames = [trial.contact for trial in make_paced_trials()]
    assert model.trials == n
    assert model.log_rate_spread == pytest.approx(np.sqrt((10 * 0.2**2 + n * np.log(frames).var()) / (10 + n)))
    walk = np.log(0.56 / 0.44) / np.sqrt(0.5 * CONTACT / 60.0)
    assert model.log_rate_walk == pytest.approx(np.sqrt((10 * 0.3**2 + n * walk**2) / (10 + n)), rel=0.15)
    noise = model.course.noise[model.columns[3]].mean()
    spread = model.find_hand_course(np.zeros(0)).spread
    assert spread == pytest.approx(np.sqrt((10 * 0.03**2 + n * (2.0 * noise) ** 2) / (10 + n)))
    # One trial does not tell how others differ.
    assert learn_one().log_rate_spread == pytest.approx(0.2 * np.sqrt(10 / 11))
    assert learn_one().log_rate_walk > 0.25


def test_no_trials_are_an_error() -> None:
    with pytest.raises(InputError, match="no trials to learn from"):
        learn_interaction_model([])


def test_people_who_do_not_move_are_learned() -> None:
    people = make_people()
    still = [replace(person, q=np.tile(person.q[CONTACT], (20, 1))) for person in people]
    model = learn_interaction_model([Trial((still[0], still[1]), find_trial(*people).hands, 10)])
    assert np.isfinite(model.course.table).all()


@pytest.mark.parametrize(
    ("column", "change", "closed"), [(0, 0.1, True), (0, 0.5, False), (5, 0.1, True), (5, 2.0, False)]
)
def test_a_meeting_is_closed_if_person_1_ends_where_and_as_it_began(column: int, change: float, closed: bool) -> None:
    table = np.zeros((3, 1, 12))
    table[-1, 0, column] = change
    model = SimpleNamespace(course=SimpleNamespace(table=table), columns=(slice(0, 9),))
    assert InteractionModel.closed.func(model) is closed
