"""Slower motions for robots that are too weak: the fastest that keeps the limits, else the nearest to them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import gambol as gb
from gambol.metrics.figures import Band, Check, Figure, list_values
from gambol.motion.ensemble import as_ensemble
from gambol.robots.references.feasible import SLOWED, find_feasible_variation
from gambol.robots.references.judgement import LOADS
from gambol.robots.references.variation import ReferenceVariation


def judge_by(load: Callable[[ReferenceVariation], float]) -> Callable[[ReferenceVariation], Check]:
    """A robot whose joints carry a load that depends on the variation; its speeds have no limits."""

    def judge(variation: ReferenceVariation) -> Check:
        values = (float("nan"), load(variation))
        figures = (Figure(n, v, "", "", Band(high=1.0), "none") for n, v in zip(LOADS, values, strict=True))
        measures = tuple(figures)
        return Check(motions=as_ensemble(gb.load("stand")), figures=list_values(measures), measures=measures)

    return judge


def test_a_motion_that_keeps_the_limits_is_not_changed() -> None:
    asked = ReferenceVariation(pace=1.2, mirror=True)
    assert find_feasible_variation(asked, judge_by(lambda _: 0.9)) == (asked, "")


def test_the_fastest_that_keeps_the_limits_is_chosen() -> None:
    found, note = find_feasible_variation(
        ReferenceVariation(stride=1.1), judge_by(lambda one: 1.0 if one.pace < 0.75 else 1.2)
    )
    assert (found.pace, found.stride) == pytest.approx((0.7, 0.85 * 1.1))
    assert note == "0.7 times as fast, 0.85 times as long steps, to keep the limits"


def test_what_the_robot_cannot_do_at_any_pace_is_said() -> None:
    loads = dict(zip((pace for pace, _ in SLOWED), (2.0, 1.5, 1.3, 1.4, 1.8), strict=True))
    found, note = find_feasible_variation(ReferenceVariation(), judge_by(lambda one: loads[one.pace]))
    assert found.pace == 0.7
    assert note == "beyond the robot: limits are exceeded at every pace, the least by 30 % at 0.7"
