"""Rows are linear in style and smooth in the contact point, tables are the process, contact points keep in reach."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.interaction.course import (
    Course,
    CourseSamples,
    GoalSpace,
    combine_features,
    find_goal_space,
    learn_course,
    stretch_phases,
)
from tests.interaction.meetings import make_model, make_trials

SPACE = GoalSpace(np.array([0.5, 0.0, 1.2]), np.diag([0.0, 0.05**2, 0.1**2]))
NOISE = 0.01


def draw_samples(trials: int = 30, frames: int = 60) -> CourseSamples:
    """Two emotions and contact points in a box; rows whose dependence on all of them is known."""
    random = np.random.default_rng(3)
    phases = np.tile(np.linspace(0.0, 1.0, frames), trials)
    styles = np.repeat(np.vstack([np.zeros(2), np.eye(2)])[np.arange(trials) % 3], frames, axis=0)
    goals = np.repeat(SPACE.mean + random.uniform(-0.1, 0.1, (trials, 3)), frames, axis=0)
    rows = find_rows(phases, styles, goals)
    return CourseSamples(phases, styles, goals, rows + NOISE * random.normal(size=rows.shape))


def find_rows(phases: Array, styles: Array, goals: Array) -> Array:
    units = (goals - SPACE.mean) / 0.1
    rise = np.sin(np.pi * phases) ** 2
    first = rise * (1.0 + 0.3 * styles[:, 0] + units[:, 1]) + 0.2 * styles[:, 1] * units[:, 2] * phases
    second = 2.0 + rise * (0.5 * units[:, 0] * units[:, 2] - 0.4 * styles[:, 1])
    return np.column_stack([first, second])


@pytest.fixture(scope="module")
def course() -> Course:
    return learn_course(draw_samples(), ("happy", "sad"))


def test_known_rows_are_learned(course: Course) -> None:
    # Unseen contact points and mixtures of styles.
    phases = np.linspace(0.02, 0.98, 40)
    shares, goal = np.array([0.5, 0.5]), SPACE.mean + [0.03, -0.05, 0.06]
    found = course.evaluate_all(phases, course.combine(shares, goal))
    assert np.abs(found - find_rows(phases, np.tile(shares, (40, 1)), np.tile(goal, (40, 1)))).max() < 2.0 * NOISE
    np.testing.assert_allclose(course.noise, NOISE, rtol=0.15)


def test_styles_are_mixed_linearly(course: Course) -> None:
    one, two = (course.combine(np.array(shares), SPACE.mean + 0.05) for shares in ((1.0, 0.0), (0.0, 1.0)))
    middle = course.combine(np.array([0.5, 0.5]), SPACE.mean + 0.05)
    for phase in (0.0, 0.31, 0.5, 1.0):
        mean = 0.5 * (course.evaluate(phase, one) + course.evaluate(phase, two))
        np.testing.assert_allclose(course.evaluate(phase, middle), mean, atol=1e-12)


def test_the_table_is_the_process(course: Course) -> None:
    samples = draw_samples()
    features = combine_features(samples.styles, course.goal_space.describe(samples.goals))
    stretched = np.interp(samples.phases, np.linspace(0.0, 1.0, len(course.stretched)), course.stretched)
    rows = course.mean + course.scales * course.process.predict(stretched, features)
    # The table is linear between 201 phases, which leaves (1 / 200)² / 8 of an acceleration of 2 pi².
    np.testing.assert_allclose(course.evaluate_all(samples.phases, features), rows, atol=5e-4)


def test_all_frames_are_those_of_each(course: Course) -> None:
    phases = np.array([-0.1, 0.0, 0.4026, 1.0, 1.3])
    features = course.combine(np.array([0.2, 0.0]), SPACE.mean + np.outer(np.arange(5), [0.01, 0.0, 0.02]))
    each = [course.evaluate(phase, one) for phase, one in zip(phases, features, strict=True)]
    np.testing.assert_array_equal(course.evaluate_all(phases, features), each)
    # Before the beginning and after the end people stay.
    np.testing.assert_array_equal(course.evaluate(-0.1, features[0]), course.evaluate(0.0, features[0]))
    np.testing.assert_array_equal(course.evaluate(1.3, features[0]), course.evaluate(1.0, features[0]))


@pytest.mark.parametrize("shares", [(0.0, 0.0), (1.0, 0.0), (0.3, 0.7)])
def test_a_fixed_style_gives_the_same_rows(course: Course, shares: tuple[float, float]) -> None:
    goal = SPACE.mean + [0.02, 0.05, -0.03]
    fixed = course.fix_style(np.array(shares))
    features = np.append(1.0, course.goal_space.describe(goal))
    expected = [course.evaluate(phase, course.combine(np.array(shares), goal)) for phase in np.linspace(0.0, 1.0, 201)]
    np.testing.assert_allclose(features @ fixed, expected, atol=1e-12)


def test_shares_of_styles_are_checked(course: Course) -> None:
    np.testing.assert_array_equal(course.share_styles({"sad": 0.5}), [0.0, 0.5])
    np.testing.assert_array_equal(course.share_styles({}), [0.0, 0.0])
    with pytest.raises(InputError, match=r"unknown style 'angry'.*this model has neutral, happy, sad"):
        course.share_styles({"angry": 1.0})
    for share in (-0.1, 2.1, float("nan"), float("inf")):
        with pytest.raises(InputError, match=r"a share of .* of 'sad'.*use 0 to 2"):
            course.share_styles({"sad": share})


def test_derivatives_of_goal_features() -> None:
    goals = SPACE.mean + np.random.default_rng(0).normal(0.0, 0.1, (4, 3))
    slopes = SPACE.differentiate(goals)
    step = 1e-6
    for axis, move in enumerate(step * np.eye(3)):
        change = (SPACE.describe(goals + move) - SPACE.describe(goals - move)) / (2.0 * step)
        np.testing.assert_allclose(slopes[..., axis], change, atol=1e-6)


def test_features_of_goals_are_coordinates_and_their_products() -> None:
    features = SPACE.describe(SPACE.mean + [0.1, 0.2, -0.3])
    np.testing.assert_allclose(features, [1.0, 2.0, -3.0, 1.0, 2.0, -3.0, 4.0, -6.0, 9.0])


def test_contact_points_are_brought_within_those_shown() -> None:
    inside = SPACE.mean + [0.009, -0.13, 0.25]
    np.testing.assert_allclose(SPACE.clamp(inside), inside, atol=1e-12)
    np.testing.assert_allclose(SPACE.clamp(SPACE.mean + [1.0, -1.0, 1.0]), SPACE.mean + [0.01, -0.135, 0.26])
    some = np.random.default_rng(0).normal(1.0, 1.0, (50, 3))
    np.testing.assert_allclose(SPACE.clamp(SPACE.clamp(some)), SPACE.clamp(some), atol=1e-12)


def test_contact_points_are_brought_within_those_shown_along_their_own_axes() -> None:
    axes = np.array([[0.6, 0.48, 0.64], [-0.8, 0.36, 0.48], [0.0, -0.8, 0.6]])
    space = GoalSpace(SPACE.mean, axes.T @ np.diag([0.1, 0.04, 0.02]) ** 2 @ axes)
    for axis, reach in zip(axes, (0.26, 0.11, 0.06), strict=True):
        np.testing.assert_allclose(space.clamp(space.mean + axis), space.mean + reach * axis, atol=1e-12)
    inside = space.mean + np.array([0.2, -0.1, 0.05]) @ axes
    np.testing.assert_allclose(space.clamp(inside), inside, atol=1e-12)


def test_contact_points_of_one_trial_are_a_space() -> None:
    space = find_goal_space(np.tile([0.5, 0.1, 1.0], (30, 1)))
    np.testing.assert_allclose(space.clamp(np.array([2.0, 0.1, 1.0])), [0.51, 0.1, 1.0])
    np.testing.assert_allclose(find_goal_space(np.array([[0.5, 0.1, 1.0]])).covariance, 0.0)


def test_phases_are_stretched_where_rows_bend() -> None:
    phases = np.linspace(0.0, 1.0, 201)
    sharp = np.abs(phases - 0.3)[:, None]
    bent = stretch_phases(phases, sharp)
    assert bent[0] == 0.0
    assert bent[-1] == 1.0
    assert (np.diff(bent) > 0.0).all()
    assert np.abs(np.diff(bent).argmax() - 60) <= 1
    # Rows that bend evenly do not stretch phases. Means next to both ends are less exact.
    rates = np.diff(stretch_phases(phases, phases[:, None] ** 2))[10:-10]
    np.testing.assert_allclose(rates, rates[0], rtol=1e-3)


def test_people_who_do_not_move_have_an_even_pace() -> None:
    np.testing.assert_allclose(stretch_phases(np.linspace(0.0, 1.0, 50), np.zeros((50, 2))), np.linspace(0.0, 1.0, 201))


def test_a_course_after_another_keeps_its_width_and_scales(course: Course) -> None:
    again = learn_course(draw_samples(), ("happy", "sad"), replace(course, noise=np.array([0.02, 0.04])))
    assert again.process.width_ == course.process.width_
    np.testing.assert_array_equal(again.scales, [0.02, 0.04])


def test_trials_are_reconstructed_to_a_degree() -> None:
    model = make_model()
    for trial in (make_trials()[4], make_trials()[9]):
        features = model.course.combine(model.course.share_styles(trial.style), trial.place)
        rows = model.course.evaluate_all(trial.phases, features)
        errors = rows[:, model.columns[0]] - model.people[0].encode(trial.local[0])
        assert np.degrees(np.sqrt((errors[:, 3:] ** 2).mean())) < 1.0
