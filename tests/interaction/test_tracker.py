"""Phase, pace and contact point are found from the path of a hand, through gaps and outliers."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.geometry.arrays import Array
from gambol.interaction.course import GoalSpace
from gambol.interaction.tracker import BankState, HandCourse, MeetingEstimate, follow_hand, start_bank

REST = np.array([0.9, 0.2, 0.8])
SPACE = GoalSpace(np.array([0.5, 0.0, 1.2]), np.diag([0.02, 0.06, 0.06]) ** 2)
STEP = 1.0 / 60.0
RATE = 0.8
HIGH, LOW = SPACE.mean + [0.0, 0.08, 0.1], SPACE.mean + [0.0, -0.08, -0.1]


def make_course() -> HandCourse:
    """A hand on a straight line to the contact point and back; the style adds an arc."""
    phases = np.linspace(0.0, 1.0, 201)
    way = np.sin(np.pi * phases) ** 2
    table = np.zeros((2, 201, 10, 3))
    table[0, :, 0] = REST + way[:, None] * (SPACE.mean - REST)
    table[0, :, 1:4] = 0.1 * way[:, None, None] * np.eye(3)
    table[1, :, 0, 2] = 0.2 * way * (1.0 - way)
    slopes = np.gradient(table, 1.0 / 200.0, axis=1)
    return HandCourse(SPACE, table, slopes, 0.03, np.array([np.log(RATE), 0.1]), 0.2, 0.3)


COURSE = make_course()


def locate(phase: float, goal: Array, intensity: float = 1.0) -> Array:
    return COURSE.predict(np.array([[phase, 0.0, *goal, intensity]]))[0][0]


def move(goal: Array, rate: float = RATE, wait: float = 0.5) -> tuple[Array, Array]:
    """Phases (samples,) and places (samples, 3) of a hand that waits, then meets at a goal and returns."""
    phases = np.clip((np.arange(0.0, wait + 1.0 / rate, STEP) - wait) * rate, 0.0, 1.0)
    return phases, np.array([locate(phase, goal) for phase in phases])


def follow(hands: list[Array | None]) -> tuple[list[BankState], list[MeetingEstimate]]:
    bank, banks, estimates = start_bank(COURSE), [], []
    for hand in hands:
        bank, estimate = follow_hand(COURSE, bank, hand, STEP)
        banks.append(bank)
        estimates.append(estimate)
    return banks, estimates


def test_derivatives_of_the_path() -> None:
    means = np.array([[0.3025, 0.1, *HIGH, 0.7], [0.6125, -0.2, *LOW, 1.3]])
    slopes = COURSE.predict(means)[1]
    for column, size in ((0, 1e-4), (1, 1e-4), (2, 1e-5), (3, 1e-5), (4, 1e-5), (5, 1e-4)):
        step = np.eye(6)[column] * size
        change = (COURSE.predict(means + step)[0] - COURSE.predict(means - step)[0]) / (2.0 * size)
        # By the phase, slopes are those of the table's phase before: half a step times the acceleration, 2 pi² m.
        np.testing.assert_allclose(slopes[:, :, column], change, atol=0.05 if column == 0 else 1e-7)


def test_places_are_those_of_the_table() -> None:
    np.testing.assert_allclose(locate(0.0, HIGH), REST, atol=1e-12)
    np.testing.assert_allclose(locate(0.5, HIGH), HIGH, atol=1e-12)
    np.testing.assert_allclose(locate(1.0, LOW), REST, atol=1e-12)
    np.testing.assert_allclose(locate(0.25, SPACE.mean, 2.0), 0.5 * (REST + SPACE.mean) + [0.0, 0.0, 0.1], atol=1e-12)


@pytest.mark.parametrize("goal", [HIGH, LOW])
@pytest.mark.parametrize("rate", [0.6, 0.8, 1.1])
def test_a_hand_is_followed(goal: Array, rate: float) -> None:
    phases, hands = move(goal, rate)
    hands = hands + np.random.default_rng(0).normal(0.0, 0.005, hands.shape)
    _, found = follow(list(hands))
    moving = (phases > 0.25) & (phases < 0.9)
    errors = np.abs(np.array([one.phase for one in found]) - phases)
    assert errors[moving].max() < 0.05
    at = int(np.abs(phases - 0.45).argmin())
    assert np.linalg.norm(found[at].goal - goal) < 0.03
    assert found[at].rate == pytest.approx(rate, rel=0.25)


def test_a_resting_hand_is_not_followed_to_anywhere() -> None:
    _, found = follow([REST] * 120)
    assert max(one.phase for one in found[30:]) < 0.12
    assert np.linalg.norm(found[-1].goal - SPACE.mean) < 0.02
    assert found[-1].unexplained == 0.0


def test_missing_samples_go_on() -> None:
    phases, hands = move(HIGH)
    gap = (phases > 0.3) & (phases < 0.48)  # 0.22 s
    _, found = follow([None if missing else hand for hand, missing in zip(hands, gap, strict=True)])
    at = np.flatnonzero(gap)
    assert abs(found[at[-1]].phase - phases[at[-1]]) < 0.05
    steps = np.diff([found[n].phase for n in at])
    assert (steps > 0.0).all()
    assert found[at[-1]].unexplained == 0.0


@pytest.mark.parametrize("spike", [(1.0, 0.0, 0.0), (0.0, -0.6, 0.8)])
def test_outliers_change_nothing_visible(spike: tuple[float, float, float]) -> None:
    phases, hands = move(LOW)
    spoiled = hands.copy()
    spoiled[::12] += spike
    (_, clean), (_, found) = follow(list(hands)), follow(list(spoiled))
    moving = phases > 0.25
    apart = np.array([abs(one.phase - other.phase) for one, other in zip(clean, found, strict=True)])
    goals = np.array([np.linalg.norm(one.goal - other.goal) for one, other in zip(clean, found, strict=True)])
    assert apart[moving].max() < 0.02
    assert goals[moving].max() < 0.02


def test_what_nothing_explains_is_counted_until_something_does() -> None:
    far = REST + [0.0, 3.0, 0.0]
    _, found = follow([*[REST] * 30, *[far] * 12, None, None, *[far] * 6, *[REST] * 3])
    assert found[29].unexplained == 0.0
    np.testing.assert_allclose([one.unexplained for one in found[30:42]], STEP * np.arange(1, 13))
    # Missing samples are neither explained nor unexplained.
    assert found[43].unexplained == pytest.approx(12 * STEP)
    assert found[49].unexplained == pytest.approx(18 * STEP)
    assert found[-1].unexplained == 0.0


def test_weights_are_probabilities_and_covariances_are_positive() -> None:
    random = np.random.default_rng(4)
    _, hands = move(HIGH, 1.0)
    noisy = [None if random.random() < 0.2 else hand + random.normal(0.0, 0.03, 3) for hand in hands]
    banks, found = follow([*noisy, *[REST + 5.0] * 20, None, *noisy])
    for bank in banks:
        assert bank.weights.sum() == pytest.approx(1.0, abs=1e-6)
        assert (bank.weights >= 0.0).all()
        assert np.linalg.eigvalsh(bank.covariances).min() > -1e-9
        assert ((bank.means[:, 0] >= 0.0) & (bank.means[:, 0] <= 1.0)).all()
    assert np.isfinite([[one.phase, one.rate, *one.goal] for one in found]).all()


def test_goals_keep_to_those_that_were_shown() -> None:
    _, hands = move(SPACE.mean + [0.0, 0.5, 0.5])
    _, found = follow(list(hands))
    for one in found:
        np.testing.assert_allclose(SPACE.clamp(one.goal), one.goal, atol=1e-9)


def test_states_are_values() -> None:
    _, hands = move(HIGH)
    banks, _ = follow(list(hands[:50]))
    bank = banks[-1]
    before = [array.copy() for array in bank[:3]]
    first = follow_hand(COURSE, bank, hands[50], STEP)
    second = follow_hand(COURSE, bank, hands[50], STEP)
    for array, same in zip(bank[:3], before, strict=True):
        np.testing.assert_array_equal(array, same)
    for one, other in zip(first[0][:3], second[0][:3], strict=True):
        np.testing.assert_array_equal(one, other)
    assert first[1].phase == second[1].phase
    np.testing.assert_array_equal(first[1].goal, second[1].goal)


def test_steps_of_other_lengths_follow_too() -> None:
    phases, hands = move(HIGH)
    bank = start_bank(COURSE)
    for n in range(0, len(hands), 3):
        bank, found = follow_hand(COURSE, bank, hands[n], 3.0 * STEP)
        if 0.3 < phases[n] < 0.9:
            assert abs(found.phase - phases[n]) < 0.05


@pytest.mark.parametrize("held", [0.0, 0.3, 0.5])
def test_a_hand_that_is_held_for_minutes_is_followed_without_loss(held: float) -> None:
    """At irregular intervals, as in a live page; covariances stay positive."""
    hand, random = locate(held, HIGH), np.random.default_rng(0)
    bank = start_bank(COURSE)
    for seconds in random.uniform(0.001, 0.25, 1200):
        bank, estimate = follow_hand(COURSE, bank, hand + random.normal(0.0, 1e-6, 3), seconds)
    assert np.isfinite(estimate.phase)
    assert np.linalg.eigvalsh(bank.covariances).min() > -1e-12
    np.testing.assert_allclose(bank.covariances, bank.covariances.transpose(0, 2, 1), atol=1e-9)
