"""Both people are generated: hands meet where asked, in the style and at the pace that are asked for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.geometry.arrays import Array
from gambol.interaction.generation import MeetingPlan, generate_meeting
from gambol.interaction.trials import GroundFrame, Trial, find_trial
from tests.interaction.meetings import (
    APART,
    CONTACT,
    FRAMES,
    MEETING,
    make_model,
    make_paced_model,
    make_paced_trials,
    make_trial,
)

HERE = GroundFrame(np.zeros(3), 0.0)
GENTLE = {"gentle": 1.0}


def generate(**plan: object) -> Trial:
    return generate_meeting(make_model(), MeetingPlan(**plan), HERE)


def measure_height(trial: Trial) -> float:
    """Largest height (m) of the hand of person 1 over the line from its rest to the contact, before the contact."""
    path: Array = trial.paths[0][: trial.contact + 1]
    along = (path - path[0]) @ (path[-1] - path[0]) / np.sum((path[-1] - path[0]) ** 2)
    return float((path - path[0] - along[:, None] * (path[-1] - path[0]))[:, 2].max())


@pytest.mark.parametrize("shift", [(0.0, 0.0, 0.0), (0.0, 0.06, -0.05), (0.005, -0.08, 0.08)])
@pytest.mark.parametrize("style", [{}, GENTLE, {"gentle": 0.5}])
def test_hands_meet_where_they_should(shift: tuple[float, float, float], style: dict[str, float]) -> None:
    trial = generate(goal=MEETING + shift, style=style)
    assert trial.gap < 2e-3
    np.testing.assert_allclose(trial.place, MEETING + shift, atol=0.01)
    # They are nearest to each other at the contact.
    gaps = np.linalg.norm(trial.paths[0] - trial.paths[1], axis=1)
    assert abs(int(gaps.argmin()) - trial.contact) <= 1
    assert gaps[0] > 0.5
    assert trial.style == style


def test_neutral_people_move_as_in_the_trials() -> None:
    trial, shown = generate(goal=MEETING), make_trial()
    assert abs(len(trial) - FRAMES) <= 1
    assert abs(trial.contact - CONTACT) <= 1
    for person, same in zip(trial.people, shown.people, strict=True):
        apart = np.linalg.norm(person.placement.positions[:60] - same.placement.positions[:60], axis=-1)
        assert apart.max() < 0.03


def test_a_contact_that_was_not_asked_for_is_the_mean() -> None:
    np.testing.assert_allclose(generate().place, make_model().course.goal_space.mean, atol=0.01)


def test_a_contact_out_of_reach_is_the_nearest_that_was_learned() -> None:
    far = MEETING + [0.0, 3.0, 0.0]
    np.testing.assert_allclose(generate(goal=far).place, make_model().course.goal_space.clamp(far), atol=0.01)


def test_styles_are_monotone_in_height_and_duration() -> None:
    trials = [generate(style={"gentle": share}) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    heights, lengths = [measure_height(trial) for trial in trials], [len(trial) for trial in trials]
    assert (np.diff(heights) > 0.005).all()
    assert (np.diff(lengths) > 0).all()
    assert abs(lengths[-1] - 85) <= 1


def test_a_style_that_changes_begins_as_one_and_ends_as_the_other() -> None:
    changing, neutral, gentle = generate(until=GENTLE), generate(), generate(style=GENTLE)
    # On the way to the contact a quarter of the change is made.
    lowest, height, highest = (measure_height(trial) for trial in (neutral, changing, gentle))
    assert lowest + 0.1 * (highest - lowest) < height < lowest + 0.6 * (highest - lowest)
    assert len(neutral) < len(changing) < len(gentle)
    # Steps of phase are those of the mixture: at the end, those of the last style.
    model = make_model()
    rates = [
        1.0 / (model.frame_time * len(trial.people[0].q[trial.contact :])) for trial in (neutral, changing, gentle)
    ]
    assert rates[0] > rates[1] > rates[2]
    same = generate(style=GENTLE, until=GENTLE)
    np.testing.assert_array_equal(same.people[0].q, gentle.people[0].q)


def test_half_a_style_is_between_both() -> None:
    """At one phase rows are linear in style; poses at the contact are therefore too, but for the reach."""
    none, half, full = (generate(style={"gentle": share}).paths[1][0] for share in (0.0, 0.5, 1.0))
    np.testing.assert_allclose(half, 0.5 * (none + full), atol=1e-3)


def test_twice_the_pace_takes_half_the_time() -> None:
    once, twice = generate(), generate(pace=2.0)
    assert len(twice) - 1 == pytest.approx(0.5 * (len(once) - 1), abs=1)
    assert twice.contact == pytest.approx(0.5 * once.contact, abs=1)
    assert twice.frame_time == once.frame_time
    frames = 2 * np.arange(len(twice) - 2)
    # Frames are up to one apart, and hands move up to 3 cm per frame.
    assert np.linalg.norm(twice.paths[0][:-2] - once.paths[0][frames], axis=1).max() < 0.04


def test_people_are_generated_anywhere() -> None:
    frame = GroundFrame(np.array([4.0, -1.0, 0.0]), 1.1)
    here, there = generate(), generate_meeting(make_model(), MeetingPlan(), frame, "there")
    for person, moved in zip(here.people, there.people, strict=True):
        np.testing.assert_allclose(frame.to_world(person.placement.positions), moved.placement.positions, atol=1e-9)
    assert [person.name for person in there.people] == ["there-1", "there-2"]


def test_what_is_generated_is_a_trial() -> None:
    trial = generate()
    again = find_trial(*trial.people)
    assert abs(again.contact - trial.contact) <= 1
    assert [hand.side for hand in again.hands] == ["right", "right"]


def test_hands_that_a_course_leaves_apart_are_brought_together() -> None:
    model = make_model()
    mean = model.course.mean.copy()
    mean[[model.columns[1].start, model.columns[3].start]] += 0.03  # person 2 is 3 cm farther away
    apart = replace(model, course=replace(model.course, mean=mean))
    trial = generate_meeting(apart, MeetingPlan(goal=MEETING), HERE)
    assert trial.gap < 0.008
    np.testing.assert_allclose(trial.place, MEETING + [0.015, 0.0, 0.0], atol=0.01)
    np.testing.assert_allclose(trial.people[1].placement.positions[:, 0, 0], APART + 0.03, atol=5e-3)


def test_hands_do_not_wait_for_each_other_before_they_meet() -> None:
    model, trial = make_model(), generate(goal=MEETING)
    features = model.course.combine(np.zeros(1), MEETING)
    steps = model.frame_time * np.exp(model.log_rates[0, 0])
    for before in (4, 5, 6):
        row = model.course.evaluate(0.5 - before * steps, features)
        wanted = np.linalg.norm(row[model.columns[2]] - row[model.columns[3]])
        at = trial.contact - before
        assert 0.04 < wanted < 0.15
        assert np.linalg.norm(trial.paths[0][at] - trial.paths[1][at]) == pytest.approx(wanted, abs=0.012)


@pytest.mark.parametrize("pace", [5.6, 5.9, 7.3, 7.6])
def test_the_contact_is_on_a_frame(pace: float) -> None:
    """Hands are up to 5 cm below the contact half a frame before, at such a pace."""
    np.testing.assert_allclose(generate(goal=MEETING, pace=pace).place, MEETING, atol=0.01)


def test_seeds_vary_people_and_not_the_meeting() -> None:
    mean, one, same, other = (generate(seed=seed) for seed in (None, 1, 1, 2))
    np.testing.assert_array_equal(one.people[0].q, same.people[0].q)
    assert np.abs(one.people[0].q - mean.people[0].q).max() > 1e-4
    assert np.abs(one.people[0].q - other.people[0].q).max() > 1e-4
    assert max(trial.gap for trial in (one, other)) < 2e-3


def test_seeds_vary_the_time_course_like_that_of_the_trials() -> None:
    model = make_paced_model()
    plain = generate_meeting(model, MeetingPlan(), HERE)
    varied = [generate_meeting(model, MeetingPlan(seed=seed), HERE) for seed in range(40)]
    before = np.array([trial.contact for trial in varied])
    after = np.array([len(trial) - 1 - trial.contact for trial in varied])
    shown = np.log([trial.contact for trial in make_paced_trials()]).std()
    assert np.log(before).std() == pytest.approx(shown, rel=0.35)
    assert before.mean() == pytest.approx(plain.contact, abs=2.0)
    assert np.abs(after - (len(plain) - 1 - plain.contact)).max() <= 3
    # The middle of the way comes early or late, as in the trials.
    middles = [np.interp(0.5, _measure_way(trial), np.linspace(0.0, 1.0, trial.contact + 1)) for trial in varied]
    same = [
        np.interp(0.5, _measure_way(trial), np.linspace(0.0, 1.0, trial.contact + 1)) for trial in make_paced_trials()
    ]
    assert np.std(middles) == pytest.approx(np.std(same), rel=0.4)


def _measure_way(trial: Trial) -> Array:
    """Share (frames,) of the way that the hand of person 1 has made to the contact, which grows."""
    path = trial.paths[0][: trial.contact + 1]
    way = (path - path[0]) @ (path[-1] - path[0]) / np.sum((path[-1] - path[0]) ** 2)
    return np.maximum.accumulate(way)
