"""A partner meets the hand of the other one, returns to rest when it goes away, and never jumps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.interaction.partner import Partner, PartnerFrame, PartnerState
from gambol.interaction.trials import NEUTRAL
from gambol.interaction.variations import move_contact
from tests.interaction.meetings import CONTACT, make_model, make_trial, make_trials, rise

WAIT = 20
"""Samples of a resting hand before it moves."""
FASTEST = 12.0
"""Radians per second of a joint; those of the trials turn with up to 5."""
GENTLE = {"gentle": 1.0}
Styles = Mapping[str, float]


def approach(style: str = "neutral", shift: Sequence[float] = (0.0, 0.05, -0.03)) -> Array:
    """Samples of the hand of person 2, who waits and meets elsewhere than in any trial."""
    path = move_contact(make_trial(style), shift).paths[1]
    return np.vstack([np.tile(path[0], (WAIT, 1)), path])


def run(
    partner: Partner, hands: Sequence[Array | None] | Array, styles: Styles | Sequence[Styles] = NEUTRAL
) -> list[PartnerFrame]:
    each = [styles] * len(hands) if isinstance(styles, Mapping) else styles
    state, frames = partner.start(each[0]), []
    for hand, style in zip(hands, each, strict=True):
        state, frame = partner.step(state, hand, style)
        frames.append(frame)
    return frames


def measure_speeds(frames: list[PartnerFrame]) -> Array:
    """(frames - 1,) angle per second of the joint that turns fastest."""
    turns = np.concatenate([frame.local.rotations for frame in frames])
    return quat.angle(quat.multiply(quat.conjugate(turns[:-1]), turns[1:])).max(axis=1) / make_model().frame_time


def locate(frames: list[PartnerFrame]) -> Array:
    """Places (frames, 3) of the hand of person 1."""
    return np.concatenate([make_model().people[0].arm.locate(frame.local) for frame in frames])


@pytest.mark.parametrize(("style", "contact"), [("neutral", CONTACT), ("gentle", 38)])
def test_hands_meet_at_an_unseen_place(style: str, contact: int) -> None:
    hands, styles = approach(style), GENTLE if style == "gentle" else NEUTRAL
    frames = run(Partner(make_model()), hands, styles)
    at = WAIT + contact
    assert np.linalg.norm(frames[at].hand - hands[at]) < 0.01  # before the hand follows
    assert np.linalg.norm(locate(frames)[at] - hands[at]) < 1e-3
    assert frames[at].estimate.phase == pytest.approx(0.5, abs=0.02)
    np.testing.assert_allclose(frames[at].estimate.goal, hands[at], atol=0.01)
    assert measure_speeds(frames).max() < FASTEST
    # Hands are apart but for the contact.
    gaps = np.linalg.norm(locate(frames) - hands, axis=1)
    together = np.flatnonzero(gaps < 0.005)
    assert abs(together.mean() - at) <= 2.0
    assert np.ptp(together) <= 10
    assert gaps[WAIT] > 0.5


def test_a_hand_goes_to_where_the_other_one_is_only_with_polish() -> None:
    # 15 cm aside is more than was shown: the contact point is followed to the border of what was.
    hands = make_trial().paths[1] + rise()[:, None] * [0.0, 0.15, 0.0]
    hands = np.vstack([np.tile(hands[0], (WAIT, 1)), hands])
    polished, plain = (run(Partner(make_model(), polish), hands) for polish in (True, False))
    at = WAIT + CONTACT
    assert np.linalg.norm(locate(polished)[at] - hands[at]) < 2e-3
    assert np.linalg.norm(locate(plain)[at] - hands[at]) > 0.01
    np.testing.assert_allclose(locate(plain)[at], plain[at].hand, atol=1e-9)
    assert measure_speeds(polished).max() < FASTEST


def test_the_pose_is_that_of_the_course_at_rest() -> None:
    trial = make_trial()
    frames = run(Partner(make_model()), np.tile(trial.paths[1][0], (60, 1)))
    assert measure_speeds(frames).max() < 0.1
    turned = quat.angle(quat.multiply(quat.conjugate(frames[-1].local.rotations[0]), trial.local[0].rotations[0]))
    assert np.degrees(turned).max() < 1.0


@pytest.mark.parametrize("cut", [15, 20, 26, 35])
def test_a_partner_who_is_left_returns_to_rest_within_a_second(cut: int) -> None:
    hands = approach()[: WAIT + cut]
    frames = run(Partner(make_model()), [*hands, *[np.array([1.0, 3.0, 1.0])] * 61])
    away = np.linalg.norm(locate(frames) - locate(frames)[WAIT // 2], axis=1)
    assert away[: WAIT + cut].max() > 0.1
    assert away[-1] < 0.06 * 0.6  # of the way to the contact
    assert measure_speeds(frames).max() < FASTEST
    # It does not freeze: the hand is on its way back before half a second has passed.
    assert away[-1] < away[-31] < away[WAIT + cut :].max()
    # The answer says how far the hand is from what was learned.
    assert frames[-1].outside == pytest.approx(np.linalg.norm([1.0, 3.0, 1.0] - hands[0]), abs=0.05)
    assert frames[WAIT].outside == 0.0


def test_after_having_been_left_it_meets_again() -> None:
    hands = approach()
    lost = [np.array([1.0, 3.0, 1.0])] * 60
    frames = run(Partner(make_model()), [*hands[: WAIT + 15], *lost, *hands])
    at = WAIT + 15 + 60 + WAIT + CONTACT
    assert np.linalg.norm(locate(frames)[at] - hands[WAIT + CONTACT]) < 2e-3


def test_one_meeting_follows_another() -> None:
    hands = approach()
    frames = run(Partner(make_model()), np.vstack([hands, hands]))
    at = len(hands) + WAIT + CONTACT
    assert np.linalg.norm(locate(frames)[at] - hands[WAIT + CONTACT]) < 2e-3
    assert measure_speeds(frames).max() < FASTEST


def test_missing_samples_do_not_stop_it() -> None:
    hands = list(approach())
    at = WAIT + CONTACT
    gapped = [None if at - 12 <= n < at else hand for n, hand in enumerate(hands)]  # 0.2 s
    frames = run(Partner(make_model()), gapped)
    assert np.linalg.norm(frames[at].hand - hands[at]) < 0.03
    assert measure_speeds(frames).max() < FASTEST
    assert max(frame.outside for frame in frames) == 0.0


@pytest.mark.parametrize("at", [WAIT + 8, WAIT + 12, WAIT + CONTACT])
def test_a_change_of_style_is_continuous(at: int) -> None:
    hands = approach()
    styles = [NEUTRAL if n < at else GENTLE for n in range(len(hands))]
    changed, plain = run(Partner(make_model()), hands, styles), run(Partner(make_model()), hands)
    assert measure_speeds(changed).max() < FASTEST
    # A style that changed at once would add 5 to 10 rad/s within one frame.
    assert measure_speeds(changed)[at - 1] < measure_speeds(plain)[at - 1] + 3.0


def test_a_style_that_slides_is_shown() -> None:
    hands = np.tile(approach("gentle")[WAIT + 20], (90, 1))
    shares = np.linspace(0.0, 1.0, 90)
    frames = run(Partner(make_model()), hands, [{"gentle": share} for share in shares])
    assert measure_speeds(frames)[20:].max() < FASTEST
    model = make_model()
    state = model.course.combine(np.array([1.0]), frames[-1].estimate.goal)
    shown = model.course.evaluate(frames[-1].estimate.phase, state)[model.columns[2]]
    plain = model.course.evaluate(
        frames[-1].estimate.phase, model.course.combine(np.zeros(1), frames[-1].estimate.goal)
    )[model.columns[2]]
    assert np.linalg.norm(frames[-1].hand - shown) < 0.5 * np.linalg.norm(plain - shown)


@pytest.mark.parametrize(("at", "frames"), [(18, 45), (20, 20), (20, 45)])
def test_a_hand_that_stops_on_its_way_does_not_make_the_arm_jump(at: int, frames: int) -> None:
    """The most likely phase changes by more than 0.2: the arm would turn with up to 65 rad/s."""
    hands = approach()
    held = np.tile(hands[WAIT + at], (frames, 1))
    shown = run(Partner(make_model()), np.vstack([hands[: WAIT + at], held, hands[WAIT + at :]]))
    assert measure_speeds(shown).max() < 20.0


def test_states_are_values() -> None:
    partner, hands = Partner(make_model()), approach()
    state: PartnerState = partner.start()
    for hand in hands[: WAIT + 15]:
        state, _ = partner.step(state, hand)
    for hand in (hands[WAIT + 15], None, hands[WAIT + 15] + 3.0):
        (one, first), (two, second) = partner.step(state, hand), partner.step(state, hand)
        np.testing.assert_array_equal(first.local.rotations, second.local.rotations)
        np.testing.assert_array_equal(one.bank.means, two.bank.means)
        assert one.phase == two.phase
    # Another partner of the same model goes on from the same state.
    _, third = Partner(make_model()).step(state, hands[WAIT + 15])
    np.testing.assert_array_equal(third.local.rotations, partner.step(state, hands[WAIT + 15])[1].local.rotations)


def test_two_short_steps_are_about_one_long_one() -> None:
    partner, hands = Partner(make_model()), approach()
    state, frames = partner.start(), []
    for hand in hands[1::2]:
        state, frame = partner.step(state, hand, seconds=2.0 / 60.0)
        frames.append(frame)
    at = (WAIT + CONTACT) // 2
    assert np.linalg.norm(locate(frames)[at] - hands[1::2][at]) < 0.01


def test_unknown_styles_are_told() -> None:
    partner = Partner(make_model())
    with pytest.raises(InputError, match="unknown style 'angry'"):
        partner.start({"angry": 1.0})
    with pytest.raises(InputError, match="unknown style 'angry'"):
        partner.step(partner.start(), None, {"angry": 1.0})


@pytest.mark.parametrize("change", [lambda path: path[::2], lambda path: np.vstack([path[:45], path[45::-1]])])
def test_no_joint_turns_faster_than_people_turn_it(change: Callable[[Array], Array]) -> None:
    """A hand that is twice as fast, or turns back: the phase that it tells jumps by 0.2 and more in a frame."""
    model = make_model()
    state, frames, phases = Partner(model, polish=False).start(), [], []
    for hand in change(approach()):
        state, frame = Partner(model, polish=False).step(state, hand)
        frames.append(frame.local.rotations[0])
        phases.append(state.phase)
    inside = np.diff(phases) > -0.5  # one meeting follows another
    recorded = np.stack([trial.local[0].rotations for trial in make_trials() if not trial.style])
    most = measure_turning(recorded).max(axis=(0, 1))
    shown = measure_turning(np.stack(frames))[inside]
    assert np.abs(np.diff(phases)).max() * 60.0 > 1.5 * float(np.exp(model.log_rates[0, 0]))  # in a hurry
    assert (shown.max(axis=0) < 1.3 * np.maximum(most, 0.2) + 0.1).all()


def measure_turning(rotations: Array) -> Array:
    """(..., frames - 1, joints) radians per second of rotations (..., frames, joints, 4)."""
    before, after = rotations[..., :-1, :, :], rotations[..., 1:, :, :]
    return quat.angle(quat.multiply(quat.conjugate(before), after)) / make_model().frame_time


def test_a_contact_point_that_is_elsewhere_is_gone_to_at_a_hands_pace() -> None:
    """The hand is 10 cm aside from one sample to the next: the point that it tells jumps."""
    hands = approach()
    hands[WAIT + 15 :] += [0.0, 0.1, 0.0]
    partner = Partner(make_model())
    state, goals = partner.start(), []
    for hand in hands[: WAIT + CONTACT]:
        state, _ = partner.step(state, hand)
        goals.append(state.goal)
    speeds = np.linalg.norm(np.diff(goals, axis=0), axis=1) / make_model().frame_time
    assert 0.5 < speeds.max() < 1.0 + 1e-9


def test_differences_of_poses_fade_from_rest() -> None:
    """Half is left after 0.21 s. If they faded at once, the velocity of every joint would change in one frame."""
    partner, hands = Partner(make_model()), np.tile(approach()[0], (60, 1))
    state = partner.start()._replace(fading=np.ones(len(make_model().course.mean)))
    left = [1.0]
    for hand in hands:
        state, _ = partner.step(state, hand)
        left.append(float(np.max(state.fading)))
    steps = -np.diff(left)
    assert steps.min() >= 0.0
    assert steps[0] < 0.01
    assert np.interp(0.5, left[::-1], np.arange(61)[::-1]) * make_model().frame_time == pytest.approx(0.21, abs=0.01)


def test_a_partner_who_is_left_withdraws_and_does_not_go_on() -> None:
    """Before the hands have met; a hand that is only not seen for some samples is another matter."""
    partner, phases = Partner(make_model()), []
    state = partner.start()
    for hand in [*approach()[: WAIT + 20], *[np.array([1.0, 3.0, 1.0])] * 60]:
        state, _ = partner.step(state, hand)
        phases.append(state.phase)
    assert max(phases) < 0.75
    assert phases[-1] < 0.05
    assert np.diff(phases).min() < 0.0
