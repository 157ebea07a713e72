"""People of a scene are seen to overlap, and above or below its floor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.judge.floor import OVER_FLOOR, UNDER_FLOOR
from gambol.judge.judgement import Judgement, judge, judge_all
from gambol.judge.scenes import PEOPLE_INSIDE
from gambol.judge.seen import see_person
from gambol.motion.motion import Motion
from tests.judge.test_stances import clip, shift


def place(name: str, *way: float) -> Motion:
    motion = clip("walk")
    return replace(shift(motion, np.broadcast_to(way, (len(motion), 3))), name=name)


def kinds(found: Judgement) -> set[str]:
    return {one.kind.name for one in found.findings}


@pytest.mark.parametrize(("apart", "inside"), [(0.0, True), (0.15, True), (0.6, False), (3.0, False)])
def test_people_who_walk_through_each_other_are_seen(apart: float, inside: bool) -> None:
    found = judge_all([place("anna", 0.0, 0.0, 0.0), place("ben", 0.0, apart, 0.0)])
    assert (PEOPLE_INSIDE.name in kinds(found)) == inside
    assert all(one.person == "anna and ben" for one in found.findings if one.kind.name == PEOPLE_INSIDE.name)


def test_of_three_the_two_who_touch_are_named_with_their_depth() -> None:
    """Two trunks a hand apart: their capsules overlap by both radii, less the distance."""
    people = [place("anna", 0.0, 0.0, 0.0), place("ben", 0.0, 2.0, 0.0), place("carl", 0.0, 0.1, 0.0)]
    found = [one for one in judge_all(people).findings if one.kind.name == PEOPLE_INSIDE.name]
    assert {one.person for one in found} == {"anna and carl"}
    stature = see_person(people[0]).stature
    assert max(one.value for one in found) == pytest.approx(100.0 * (2.0 * 0.06 * stature - 0.1), abs=1.5)


def test_a_meeting_is_found_when_it_is() -> None:
    """One walks along; the other crosses that way once."""
    walk = clip("walk")
    middle = len(walk) // 2
    across = np.outer(np.arange(len(walk)) - middle, [0.0, 0.02, 0.0])
    pelvis = walk.placement.positions[:, 0] * [1.0, 1.0, 0.0]
    crossing = shift(walk, across + pelvis[middle] - pelvis)
    (found,) = (one for one in judge_all([walk, crossing]).findings if one.kind.name == PEOPLE_INSIDE.name)
    assert found.start < middle * walk.frame_time < found.end
    assert found.end - found.start < 1.0


@pytest.mark.parametrize(("height", "kind"), [(0.08, OVER_FLOOR), (-0.08, UNDER_FLOOR), (0.0, None)])
def test_everybody_stands_on_the_floor_of_a_scene(height: float, kind: object) -> None:
    found = judge_all([place("anna", 0.0, 0.0, height), place("ben", 0.0, 2.0, height)])
    assert {one.person for one in found.findings} == ({"anna", "ben"} if kind else set())
    assert kinds(found) == ({kind.name} if kind else set())  # type: ignore[attr-defined]


def test_one_clip_may_have_its_own_floor_but_keeps_it() -> None:
    walk, raised = clip("walk"), place("walk", 0.0, 0.0, 0.08)
    assert judge(raised).findings == ()
    (found,) = judge(raised, original=walk).findings
    assert found.kind.name == OVER_FLOOR.name
    assert found.value == pytest.approx(6.1, abs=2.0)
    assert judge(walk, original=raised).findings == ()  # brought down to z = 0
