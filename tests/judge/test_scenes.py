"""People of a scene are seen to overlap, off its floor, and where they let go of a hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.judge.finding import Finding
from gambol.judge.floor import OVER_FLOOR, UNDER_FLOOR
from gambol.judge.judgement import Judgement, judge, judge_all
from gambol.judge.scenes import PEOPLE_INSIDE, compare_bodies, compare_hands
from gambol.judge.seen import see_person
from gambol.motion.motion import Motion
from tests.judge.bodies import person
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


def test_one_of_a_crowd_who_floats_is_found_whoever_it_is() -> None:
    for floating in (1, 10):
        people = [place(f"walker {n}", 0.0, 2.0 * n, 0.08 if n == floating else 0.0) for n in range(12)]
        (one,) = judge_all(people).findings
        assert (one.person, one.kind.name) == (f"walker {floating}", OVER_FLOOR.name)


LEG, ARM = ("left_thigh", "left_shank", "left_foot"), ("left_upper_arm", "left_forearm", "left_hand")


def cross(limb: tuple[str, ...], apart: float) -> list[Finding]:
    """Two people, of whom one moves a limb, held level, through that of the other at 1 m/s, or beside it (m)."""
    stand = person("stand")
    ahead = np.clip(np.arange(len(stand)) * stand.frame_time - 2.003, -0.3, 0.3)
    middle = 0.5 * (stand.places[limb[1]] + stand.places[limb[2]]) + np.outer(ahead, [1.0, 0.0, 0.0])
    far = np.array([0.0, 0.0, 5.0])
    places = {name: path + far for name, path in stand.places.items()}
    places |= {part: middle + (0.0, apart + y, 0.0) for part, y in zip(limb, (-0.4, -0.12, 0.12), strict=True)}
    foot = places["left_foot"][:, None] + np.zeros_like(stand.soles["left"])
    other = replace(stand, places=places, soles={"left": foot, "right": stand.soles["right"] + far})
    return [one for one in compare_bodies(stand, other, np.ones(len(stand), dtype=bool)) if one.limbs]


@pytest.mark.parametrize("limb", [LEG, ARM])
def test_limbs_of_two_people_that_pass_through_each_other_are_found(limb: tuple[str, ...]) -> None:
    found = [one for one in cross(limb, 0.0) if one.severity > 1.5]
    assert any(limb[1].removeprefix("left_") in one.part for one in found)
    assert all(1.7 < one.start <= one.end < 2.3 for one in found)
    assert cross(limb, 0.8) == []


def follow(lag: float, when: float = 1.5) -> list[Finding]:
    """Two people hand in hand, side by side, of whom one falls behind by a distance (m) from a time on."""
    walk = person("walk")
    t = np.arange(len(walk)) * walk.frame_time
    side = np.array([0.0, 1.0, 0.0])
    hand = walk.places["left_hand"]
    partner = {name: path * (1.0, -1.0, 1.0) + 2.0 * hand * side for name, path in walk.places.items()}
    back = np.outer(lag * np.clip((t - when) / 0.5, 0.0, 1.0), [-1.0, 0.0, 0.0])
    behind = replace(walk, places={name: path + back for name, path in partner.items()})
    return list(compare_hands(walk, behind))


@pytest.mark.parametrize("lag", [0.25, 0.4])
def test_who_falls_behind_a_hand_that_is_held_is_found(lag: float) -> None:
    (one,) = (found for found in follow(lag) if found.severity > 1.0)
    assert one.part == "left_hand and left_hand"
    assert one.value == pytest.approx(100.0 * lag, abs=1.0)
    assert 1.5 < one.start < 2.2


def test_hands_that_meet_again_were_apart_until_then() -> None:
    """Held until 1.2 s and from 3 s on: they are apart in between, and the end is no fault."""
    walk = person("walk")
    t = np.arange(len(walk)) * walk.frame_time
    back = np.outer(0.3 * np.clip(np.minimum(t - 1.2, 3.0 - t) / 0.2, 0.0, 1.0), [-1.0, 0.0, 0.0])
    side = 2.0 * walk.places["left_hand"] * (0.0, 1.0, 0.0)
    other = {name: path * (1.0, -1.0, 1.0) + side + back for name, path in walk.places.items()}
    (one,) = (found for found in compare_hands(walk, replace(walk, places=other)) if found.severity > 1.0)
    assert one.part == "left_hand and left_hand"
    assert one.value == pytest.approx(30.0, abs=1.0)
    assert 1.2 < one.start < one.end < 3.0


def test_who_keeps_the_hand_or_lets_go_and_walks_away_is_no_fault() -> None:
    assert follow(0.05) == []
    assert follow(2.0) == []


def test_one_clip_may_have_its_own_floor_but_keeps_it() -> None:
    walk, raised = clip("walk"), place("walk", 0.0, 0.0, 0.08)
    assert judge(raised).findings == ()
    (found,) = judge(raised, original=walk).findings
    assert found.kind.name == OVER_FLOOR.name
    assert found.value == pytest.approx(6.1, abs=2.0)
    assert judge(walk, original=raised).findings == ()  # brought down to z = 0
