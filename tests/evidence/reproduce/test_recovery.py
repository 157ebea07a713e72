"""The claims about answers by steps fail on answers that are wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol_evidence.reproduce.recovery import random_pushes, steps
from gambol_evidence.reproduce.recovery.answers import LandedStep, MeasuredAnswer, PushedTrial, PushedWalks


class _Answered(PushedWalks):
    """Walks whose answers follow a rule instead of a solver."""

    def __init__(self, rule) -> None:
        super().__init__(Path("none"))
        object.__setattr__(self, "rule", rule)

    def answer(self, trials):
        return [self.rule(trial) for trial in trials]


def good(trial: PushedTrial) -> MeasuredAnswer:
    """A foot that lands where the extrapolated centre of mass went, alternating single and double support."""
    push = trial.push
    way = np.array([np.cos(np.radians(push.direction)), np.sin(np.radians(push.direction))])
    side = "left" if push.phase < 0.5 else "right"
    support = "both" if round(8 * push.phase) % 4 == 0 else {"left": "right", "right": "left"}[side]
    balance = 0.9 * push.speed * way
    crossing = support == ("left" if way[1] > 0 else "right")
    landed = (LandedStep(side, 0.4, balance, balance), LandedStep("left", 0.9, 1.1 * balance, balance))
    peak = 20.0 * push.speed * (1.3 if crossing else 1.0) * (0.6 if support == "both" else 1.0)
    facing = -1.0 if trial.name in ("136_26", "141_31", "76_11") else 1.0  # these walk backward
    peak *= 1.2 if facing * way[0] < -0.5 else 1.0
    return MeasuredAnswer(trial, True, support, landed, 0.0, peak, 0.05 * peak, 1e-4, 0.0, 0.4, 0.0, 0.5)


def _claims(rule) -> dict[str, bool]:
    walks = _Answered(rule)
    parts = (
        steps.measure_foot_placement,
        steps.measure_step_support,
        steps.measure_step_direction,
        random_pushes.measure_answers,
    )
    return {claim.id: claim.holds for part in parts for claim in part(walks)}


def test_good_answers_hold() -> None:
    found = _claims(good)
    assert [name for name, holds in found.items() if not holds] == []


def _standing(one: MeasuredAnswer) -> MeasuredAnswer:
    return replace(one, steps=tuple(step._replace(shift=0.0 * step.shift) for step in one.steps))


@pytest.mark.parametrize(
    ("broken", "fails"),
    [
        (_standing, {"placement-slope", "outward-wider", "inward-narrower"}),
        (lambda one: replace(one, peak=10.0), {"steps-single-over-double", "steps-other-side-over-same"}),
        (lambda one: replace(one, recovery=1.0), {"steps-backward-time"}),
        (lambda one: replace(one, peak=10.0), {"steps-backward-peak", "steps-backward-walk"}),
        (lambda one: replace(one, slide=0.02), {"random-slide"}),
        (lambda one: replace(one, sink=0.02), {"random-sink"}),
        (lambda one: replace(one, friction=0.9), {"random-friction"}),
        (lambda one: replace(one, outside=0.02), {"random-outside"}),
        (lambda one: replace(one, jump=2.0), {"random-jump"}),
        (lambda one: replace(one, recovery=np.nan), {"random-recovered"}),
        (lambda one: replace(one, converged=one.trial.push.phase > 0.2), {"random-answered"}),
    ],
)  # fmt: skip
def test_broken_answers_fail(broken, fails: set[str]) -> None:
    found = _claims(lambda trial: broken(good(trial)))
    assert fails <= {name for name, holds in found.items() if not holds}


def test_small_pushes_without_steps_hold_and_proportional_ones_fail() -> None:
    def ankle(trial: PushedTrial) -> MeasuredAnswer:
        return _standing(good(trial)) if trial.push.speed < 0.1 else good(trial)

    for rule, holds in ((ankle, True), (good, False)):
        (claim,) = steps.measure_small_pushes(_Answered(rule))
        assert claim.holds is holds


def test_random_pushes_are_the_same_every_time() -> None:
    assert random_pushes.draw_trials("35_01", 5, 3) == random_pushes.draw_trials("35_01", 5, 3)
    assert random_pushes.draw_trials("35_01", 5, 3) != random_pushes.draw_trials("35_01", 5, 4)
