"""Feet that slide under a body that they carry are seen, at the right time and as far as they do."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.judge.finding import Finding
from gambol.judge.seen import see_person
from gambol.judge.stances import BOTH_FEET_SLIDE, FOOT_SLIDE, UNSUPPORTED, find_slides, list_stances
from gambol.judge.support import find_support
from gambol.motion.mirroring import reflect_motion
from gambol.motion.motion import Motion
from gambol.stages.gait import find_gait_events

BUILT_IN = ("walk", "run", "jump", "stand")
STANCE = (0.80, 1.05)
"""Seconds in which the right foot alone carries the built-in walk."""


@cache
def clip(name: str) -> Motion:
    return load(name)


def shift(motion: Motion, way: Array) -> Motion:
    """Return a motion whose root is displaced by `way` (frames, 3) in metres of the world."""
    skeleton, q = motion.skeleton, motion.q.copy()
    for column, dof in enumerate(skeleton.dofs):
        if dof.joint == 0 and dof.kind == "slide":
            q[:, column] += way @ np.asarray(dof.axis)
    return replace(motion, q=q)


def slide(name: str, distance: float, start: float, end: float) -> Motion:
    """Return a clip that is carried sideways by a distance between two times, and stays there."""
    motion = clip(name)
    share = np.clip((np.arange(len(motion)) * motion.frame_time - start) / (end - start), 0.0, 1.0)
    return shift(motion, distance * np.outer(share, [0.0, 1.0, 0.0]))


def found(motion: Motion) -> list[Finding]:
    return [one for one in find_slides(see_person(motion)) if one.severity > 1.0]


def slides(motion: Motion) -> list[Finding]:
    return [one for one in found(motion) if one.kind is FOOT_SLIDE]


@pytest.mark.parametrize("name", BUILT_IN)
def test_nothing_is_found_in_sound_clips(name: str) -> None:
    assert found(clip(name)) == []


@pytest.mark.parametrize("distance", [0.04, 0.08])
def test_a_slide_is_found_where_it_is_and_as_long_as_it_is(distance: float) -> None:
    (one,) = slides(slide("walk", distance, *STANCE))
    assert one.value == pytest.approx(100.0 * distance, rel=0.25)
    assert one.start == pytest.approx(STANCE[0], abs=0.06)
    assert one.end == pytest.approx(STANCE[1], abs=0.06)
    seen = see_person(clip("walk"))
    carrying = seen.soles[one.part.removesuffix("_foot")][..., 2].min(axis=1)
    other = seen.soles["right" if one.part == "left_foot" else "left"][..., 2].min(axis=1)
    during = slice(round(STANCE[0] / seen.frame_time), round(STANCE[1] / seen.frame_time))
    assert carrying[during].mean() < other[during].mean(), "the foot that stands slides, not the one that swings"


def test_a_slide_too_short_to_be_seen_is_none() -> None:
    assert slides(slide("walk", 0.01, *STANCE)) == []


@pytest.mark.parametrize("seconds", [0.1, 0.3, 0.8])
def test_both_feet_of_somebody_who_stands_slide_at_once(seconds: float) -> None:
    (one,) = found(slide("stand", 0.06, 0.5, 0.5 + seconds))
    assert one.kind is BOTH_FEET_SLIDE
    assert one.limbs == {"left_leg", "right_leg"}
    assert one.value == pytest.approx(6.0, rel=0.1)
    assert (one.start, one.end) == (pytest.approx(0.5, abs=0.15), pytest.approx(0.5 + seconds, abs=0.15))


@pytest.mark.parametrize("seconds", [0.04, 0.08, 0.24])
def test_a_slide_is_found_however_fast_it_is(seconds: float) -> None:
    (one,) = slides(slide("walk", 0.1, 0.8, 0.8 + seconds))
    assert one.value == pytest.approx(10.0, rel=0.25)


def test_a_foot_that_turns_on_its_ball_does_not_slide() -> None:
    motion = clip("stand")
    seen = see_person(motion)
    ball = seen.soles["left"][:, 1:2]
    angle = np.clip(np.arange(len(seen)) * seen.frame_time - 0.5, 0.0, 0.5)
    turn = quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), angle)
    soles = {**seen.soles, "left": ball + quat.rotate(turn[:, None], seen.soles["left"] - ball)}
    rotations = {**seen.rotations, "left_foot": quat.multiply(turn, seen.rotations["left_foot"])}
    assert np.ptp(soles["left"][:, 0, :2], axis=0).max() > 0.03, "the heel moves"
    assert [one for one in find_slides(replace(seen, soles=soles, rotations=rotations)) if one.severity > 1.0] == []


@pytest.mark.parametrize("every", [2, 4])
def test_the_frame_rate_hardly_matters(every: int) -> None:
    dense = slide("walk", 0.06, *STANCE)
    (full,), (thin,) = slides(dense), slides(dense[::every])
    assert thin.part == full.part
    assert thin.value == pytest.approx(full.value, rel=0.3)


def test_the_heading_does_not_matter_and_a_mirrored_slide_is_of_the_other_foot() -> None:
    (one,) = slides(slide("walk", 0.06, *STANCE))
    ahead = shift(clip("walk"), np.tile([3.0, -2.0, 0.0], (len(clip("walk")), 1)))
    assert slides(ahead) == []
    (mirrored,) = slides(reflect_motion(slide("walk", 0.06, *STANCE)))
    assert {one.part, mirrored.part} == {"left_foot", "right_foot"}
    assert mirrored.value == pytest.approx(one.value, rel=1e-6)
    assert (mirrored.start, mirrored.end) == (one.start, one.end)


@pytest.mark.parametrize("name", ["walk", "run"])
def test_the_stances_are_those_of_the_gait(name: str) -> None:
    motion = clip(name)
    listed, events = list_stances(see_person(motion)), find_gait_events(motion)
    for side in ("left", "right"):
        own, gait = [one for one in listed if one.side == side], list(events.stances(side))
        assert len(gait) >= 3
        for start, end in gait:
            (stance,) = [one for one in own if one.start < end and start < one.end]
            assert start - 0.05 < stance.start < stance.end < end + 0.05
    assert [one.start for one in listed] == sorted(one.start for one in listed)
    assert max(one.slide for one in listed) < FOOT_SLIDE.limit


@pytest.mark.parametrize(("seconds", "speed"), [(0.25, 0.24), (0.08, 0.75)])
def test_a_stance_states_how_far_and_how_fast_it_slides(seconds: float, speed: float) -> None:
    """The built-in walk creeps by itself by up to 0.12 m/s, and speeds are averages of 0.05 s."""
    moved = slide("walk", 0.06, 0.85, 0.85 + seconds)
    worst = max(list_stances(see_person(moved)), key=lambda one: one.slide)
    assert (worst.side, worst.slide) == ("right", pytest.approx(6.0, rel=0.25))
    assert worst.start < 0.85 < worst.end
    assert worst.speed == pytest.approx(speed, abs=0.12)
    (one,) = slides(moved)
    assert one.speed == pytest.approx(worst.speed)
    assert f"cm at up to {worst.speed:.2g} m/s from" in str(one)
    others = [other for other in list_stances(see_person(moved)) if other != worst]
    assert max(other.slide for other in others) < FOOT_SLIDE.limit


def test_who_hangs_in_the_air_or_glides_has_no_stances() -> None:
    stand = clip("stand")
    gliding = shift(stand, np.outer(np.arange(len(stand)) * stand.frame_time, [2.5, 0.0, 0.0]))
    assert list_stances(see_person(gliding)) == ()
    assert [one.side for one in list_stances(see_person(stand))] == ["left", "right"]


def test_a_body_that_glides_is_carried_by_nothing() -> None:
    motion = clip("stand")
    gliding = shift(motion, np.outer(np.arange(len(motion)) * motion.frame_time, [2.5, 0.0, 0.0]))
    (one,) = found(gliding)
    assert one.kind is UNSUPPORTED
    assert one.value == pytest.approx(motion.duration, rel=0.05)


def test_who_jumps_falls_and_is_not_carried() -> None:
    support = find_support(see_person(clip("jump")))
    assert support.falling.sum() * clip("jump").frame_time == pytest.approx(0.4, abs=0.15)
    assert not support.down[support.falling].any()


def test_walks_of_recordings_are_sound_and_every_stance_that_sways_is_found(data) -> None:
    values, ways = [], []
    for folder, name in (("walk", "35_01"), ("walk", "07_04"), ("turn", "16_12")):
        motion = load(data / "cmu_bvh" / folder / f"{name}.bvh")
        assert slides(motion) == []
        t = np.arange(len(motion)) * motion.frame_time
        sway = 0.03 * np.column_stack((np.sin(8.2 * t), np.sin(5.7 * t + 1.0), np.zeros(len(t))))
        swaying, events = slides(shift(motion, sway)), find_gait_events(motion)
        for side in ("left", "right"):
            for start, end in events.stances(side):
                during = sway[(t >= start) & (t <= end)]
                way = 100.0 * np.linalg.norm(during[:, None] - during, axis=2).max()
                one = max((s for s in swaying if side in s.part and s.start < end and s.end > start), key=_value)
                values, ways = [*values, one.value], [*ways, way]
    assert min(ways) > 3.0
    assert len(values) >= 12
    assert np.mean(np.abs(np.divide(values, ways) - 1.0) < 0.25) >= 0.9
    assert np.median(np.divide(values, ways)) == pytest.approx(1.0, abs=0.12)


def _value(one: Finding) -> float:
    return one.value
