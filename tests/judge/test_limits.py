"""Movements that nobody reaches are seen: in the part that makes them, when it does, and as large as they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.geometry import quaternions as quat
from gambol.geometry.filters import smoothstep
from gambol.geometry.vectors import UP
from gambol.judge.finding import Finding, FindingKind
from gambol.judge.limits import (
    FAST_JOINT,
    FAST_LIMB,
    FAST_TURN,
    HARD_PUSH,
    HARD_SWING,
    HIGH_POWER,
    TRUNK_TWIST,
    TRUNK_WHIP,
    _clear_ends,
    find_beyond_limits,
)
from gambol.judge.seen import SeenPerson, see_person
from gambol.motion.mirroring import reflect_motion
from gambol.stages.feet import SIDES
from tests.judge.bodies import (
    BODY,
    BUILT_IN,
    bend_trunk,
    bump,
    clip,
    find_hips,
    fling_foot,
    head_elsewhere,
    name_leg,
    person,
    turn,
    whip_body,
)

START = 2.0


def found(seen: SeenPerson) -> list[Finding]:
    return [one for one in find_beyond_limits(seen) if one.severity > 1.0]


def of(kind: FindingKind, seen: SeenPerson) -> list[Finding]:
    return [one for one in found(seen) if one.kind.name == kind.name]


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("every", [1, 2])
def test_nothing_is_found_in_sound_clips(name: str, every: int) -> None:
    assert found(person(name).thin(every)) == []
    assert found(see_person(reflect_motion(clip(name)))) == []


@pytest.mark.parametrize("speed", [8.0, 10.0])
def test_a_foot_that_is_flung_is_found_when_and_as_fast_as_it_is(speed: float) -> None:
    everything = found(fling_foot(person("walk"), START, speed))
    assert {one.part for one in everything if one.kind.name != HIGH_POWER.name} == {"left_foot"}
    (fast,) = [one for one in everything if one.kind.name == FAST_LIMB.name]
    assert fast.value == pytest.approx(speed, abs=2.5)
    assert START < fast.start < fast.end < START + 0.3
    assert any(one.kind.name == HARD_SWING.name for one in everything)


def test_a_slower_swing_is_none() -> None:
    assert found(fling_foot(person("walk"), START, 1.0)) == []


def test_who_turns_with_it_may_kick_that_fast() -> None:
    flung = fling_foot(person("walk"), START, 6.0)
    (fast,) = of(FAST_LIMB, flung)
    share = np.clip((np.arange(len(flung)) * flung.frame_time - START) / 0.3, 0.0, 1.0)
    turned = quat.from_axis_angle(UP, -np.radians(90.0) * share)
    assert of(FAST_LIMB, turn(flung, turned, flung.places["pelvis"], BODY, SIDES)) == []
    assert fast.part == "left_foot"


def test_a_foot_of_who_runs_may_be_faster_than_that_of_who_stands() -> None:
    (standing,) = of(FAST_LIMB, fling_foot(person("stand"), START, 6.0))
    (running,) = of(FAST_LIMB, fling_foot(person("run"), 1.5, 12.0))
    assert standing.kind.limit == pytest.approx(4.2, abs=0.3)
    assert running.kind.limit > 8.0


@pytest.mark.parametrize("rate", [500.0, 650.0])
def test_a_body_that_whips_around_is_found(rate: float) -> None:
    whipped = whip_body(person("walk"), START, rate)
    assert max(one.value for one in of(FAST_TURN, whipped) if one.part == "pelvis") == pytest.approx(rate, rel=0.2)
    twists = of(TRUNK_TWIST, whipped)
    assert {one.part for one in twists} == {"pelvis", "chest"}
    assert all(one.value == pytest.approx(rate * 0.3 / np.pi, rel=0.2) for one in twists)
    assert all(abs(0.5 * (one.start + one.end) - START - 0.15) < 0.05 for one in twists)


@pytest.mark.parametrize("degrees", [15.0, -20.0])
def test_a_trunk_that_leans_and_comes_back_at_once_is_found(degrees: float) -> None:
    walk = person("walk")
    (one,) = found(bend_trunk(walk, degrees * bump(walk, START, 0.5)))
    assert (one.kind.name, one.part) == (TRUNK_WHIP.name, "chest")
    assert one.value == pytest.approx(abs(degrees), rel=0.15)
    assert START < one.start <= one.end < START + 0.5


def test_a_trunk_that_bows_slowly_or_stays_bent_is_not() -> None:
    walk = person("walk")
    assert found(bend_trunk(walk, 30.0 * bump(walk, 0.5, 3.0))) == []
    assert found(bend_trunk(walk, 25.0)) == []


def test_who_tumbles_may_move_the_trunk_as_nobody_who_stands_does() -> None:
    stand = person("stand")
    assert of(TRUNK_WHIP, bend_trunk(stand, 20.0 * bump(stand, START, 0.5)))
    assert of(TRUNK_WHIP, bend_trunk(stand, 80.0 + 20.0 * bump(stand, START, 0.5))) == []


@pytest.mark.parametrize("every", [1, 2])
def test_a_spin_does_not_come_back(every: int) -> None:
    stand = person("stand").thin(every)
    share = np.clip((np.arange(len(stand)) * stand.frame_time - 1.0) / 0.8, 0.0, 1.0)
    turned = quat.from_axis_angle(UP, np.radians(720.0) * smoothstep(share))
    spinning = turn(stand, turned, stand.places["pelvis"], BODY, SIDES)
    assert of(FAST_TURN, spinning)
    assert of(TRUNK_TWIST, spinning) == []


def test_a_knee_that_snaps_is_found() -> None:
    stand = person("stand")
    swing = quat.from_axis_angle(find_hips(stand), 2.0 * bump(stand, START, 0.2))
    (one,) = of(FAST_JOINT, turn(stand, swing, stand.places["right_shank"], name_leg("right")[1:], ["right"]))
    assert one.part == "right_knee"
    assert one.value == pytest.approx(1500.0, rel=0.2), "the knee bends by 115 degrees in a tenth of a second"
    assert START < one.start < one.end < START + 0.2


def test_a_pelvis_that_is_pushed_as_no_leg_does_is_found() -> None:
    stand = person("stand")
    way = 0.15 * bump(stand, START, 0.2)[:, None] * (0.0, 1.0, 0.0)
    pushed = replace(stand, places={part: path + way for part, path in stand.places.items()})
    assert {one.part for one in of(HARD_PUSH, pushed)} == {"pelvis"}


def speed_up(seen: SeenPerson, acceleration: float, speed: float) -> SeenPerson:
    """Return a person who is accelerated sideways (m/s²) up to a speed (m/s), and keeps that."""
    t = np.maximum(np.arange(len(seen)) * seen.frame_time - START, 0.0)
    until = speed / acceleration
    way = np.where(t < until, 0.5 * acceleration * t**2, speed * (t - 0.5 * until))[:, None] * (0.0, 1.0, 0.0)
    return replace(seen, places={part: path + way for part, path in seen.places.items()})


@pytest.mark.parametrize(("acceleration", "speed"), [(8.0, 2.5), (12.0, 3.0)])
@pytest.mark.parametrize("every", [1, 2])
def test_a_body_that_speeds_up_gains_energy_at_acceleration_times_speed(
    acceleration: float, speed: float, every: int
) -> None:
    (one,) = of(HIGH_POWER, speed_up(person("stand"), acceleration, speed).thin(every))
    assert one.part == "body"
    assert 0.55 * acceleration * speed < one.value < acceleration * speed, "an average of the last tenth of a second"
    assert START < one.start < one.end < START + speed / acceleration + 0.1


def test_who_speeds_up_slowly_or_brakes_gains_little() -> None:
    stand = person("stand")
    assert of(HIGH_POWER, speed_up(stand, 3.0, 2.5)) == []
    fast = speed_up(stand, 8.0, 2.5)
    backward = {part: path[::-1] for part, path in fast.places.items()}
    assert of(HIGH_POWER, replace(fast, places=backward)) == []


@pytest.mark.parametrize("every", [2, 4])
def test_the_frame_rate_hardly_matters(every: int) -> None:
    flung = fling_foot(person("walk"), START, 10.0)
    (full,), (few,) = of(FAST_LIMB, flung), of(FAST_LIMB, flung.thin(every))
    assert few.value == pytest.approx(full.value, rel=0.25)
    assert few.start == pytest.approx(full.start, abs=0.1)


def test_the_heading_does_not_matter() -> None:
    damaged = whip_body(fling_foot(person("walk"), 1.0, 9.0), START + 0.5, 600.0)
    here, there = found(damaged), found(head_elsewhere(damaged))
    assert [str(one) for one in here] == [str(one) for one in there] != []


def test_a_moment_is_too_short_to_be_judged() -> None:
    assert find_beyond_limits(see_person(clip("walk")[:6])) == []


def test_a_tenth_of_a_second_at_both_ends_is_left_out() -> None:
    kept = _clear_ends(np.ones(60), 1.0 / 60.0)
    np.testing.assert_array_equal(kept, np.repeat([0.0, 1.0, 0.0], [6, 48, 6]))
