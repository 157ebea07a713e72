"""Errors of reactions are those of the partner; disturbed samples are disturbed as said; wrong partners fail."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import numpy as np
import pytest

from gambol.geometry.arrays import Array
from gambol.interaction.generation import MeetingPlan, generate_meeting
from gambol.interaction.partner import Partner
from gambol.interaction.trials import NEUTRAL, GroundFrame
from gambol_evidence.reproduce.interaction import leaving
from gambol_evidence.reproduce.interaction.generated import describe_gesture, measure_amplitude, measure_free_gap
from gambol_evidence.reproduce.interaction.reactions import (
    SPIKE,
    UNDISTURBED,
    Disturbance,
    ReactionError,
    disturb_samples,
    measure_reaction,
)
from tests.interaction.meetings import make_model, make_trial

PATH = np.cumsum(np.random.default_rng(0).normal(size=(4000, 3)), axis=0)


class Ghost:
    """A partner whose hand is where that of person 2 was some frames ago, with an offset."""

    def __init__(self, late: int = 0, offset: float = 0.0) -> None:
        self.late, self.offset = late, offset
        self.seen: list[Array] = []

    def start(self, style: Mapping[str, float]) -> int:
        self.seen = []
        return 0

    def step(self, state: int, hand: Array, style: Mapping[str, float], seconds: float) -> tuple[int, SimpleNamespace]:
        self.seen.append(hand)
        shown = self.seen[max(state - self.late, 0)] + [self.offset, 0.0, 0.0]
        return state + 1, SimpleNamespace(hand=shown, local=shown)


def react_as(ghost: Ghost) -> ReactionError:
    arm = SimpleNamespace(locate=lambda shown: shown[None])
    return measure_reaction(ghost, arm, make_trial(), UNDISTURBED, np.random.default_rng(0), rests=True)


def test_samples_are_disturbed_as_said() -> None:
    random = np.random.default_rng(1)
    noisy = disturb_samples(PATH, 100, 0.01, Disturbance(noise=0.01, dropped=0.1), random)
    kept = np.array([one is not None for one in noisy])
    assert 1.0 - kept.mean() == pytest.approx(0.1, abs=0.02)
    assert np.std([one - place for one, place in zip(noisy, PATH, strict=True) if one is not None]) == pytest.approx(
        0.01, rel=0.05
    )
    spikes = np.array(disturb_samples(PATH, 100, 0.01, Disturbance(spikes=0.05), random))
    away = np.linalg.norm(spikes - PATH, axis=1)
    assert (away > 0.0).mean() == pytest.approx(0.05, abs=0.01)
    np.testing.assert_allclose(away[away > 0.0], SPIKE)
    gap = disturb_samples(PATH, 100, 0.01, Disturbance(gap=0.25), random)
    assert [n for n, one in enumerate(gap) if one is None] == list(range(75, 100))


def test_errors_are_those_of_the_partner() -> None:
    right, aside, late = (react_as(ghost) for ghost in (Ghost(), Ghost(offset=0.03), Ghost(late=3)))
    assert right.before == right.after == 0.0
    assert abs(right.late) < 1e-6
    assert aside.before == pytest.approx(0.03)
    assert aside.after == pytest.approx(0.03)
    assert late.late == pytest.approx(3 * make_trial().frame_time, abs=1e-3)
    assert late.before > 0.0


class Frozen(Partner):
    """Stays as it is from the middle of its way to the contact."""

    def step(self, state, hand, style=NEUTRAL, seconds=None):
        after, frame = super().step(state, hand, style, seconds)
        return (state, super().step(state, None, style, 1e-9)[1]) if state.phase > 0.2 else (after, frame)


def test_partners_that_freeze_do_not_rest() -> None:
    model, trial = make_model(), make_trial()
    seconds, apart = leaving._leave(Partner(model), model, trial)
    assert seconds < 1.2
    assert apart < 0.03
    seconds, apart = leaving._leave(Frozen(model), model, trial)
    assert seconds > 1.2
    assert apart > 0.1


def test_generated_meetings_are_measured() -> None:
    model, here = make_model(), GroundFrame(np.zeros(3), 0.0)
    neutral, gentle = (MeetingPlan(style) for style in ({}, {"gentle": 1.0}))
    assert measure_free_gap(model, neutral) < 0.02
    assert measure_free_gap(model, MeetingPlan(goal=model.course.goal_space.mean + [0.0, 0.0, 5.0])) > 0.05
    one, other = (generate_meeting(model, plan, here) for plan in (neutral, gentle))
    assert measure_amplitude(one) == pytest.approx(measure_amplitude(generate_meeting(model, neutral, here)))
    assert np.isfinite(describe_gesture(one)).all()
    assert np.abs(describe_gesture(one) - describe_gesture(other)).max() > 0.01
    # A meeting that is turned and moved in the world has the same gesture.
    moved = generate_meeting(model, neutral, GroundFrame(np.array([3.0, -2.0, 0.0]), 0.0))
    np.testing.assert_allclose(describe_gesture(moved), describe_gesture(one), atol=1e-9)
