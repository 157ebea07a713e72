"""What a motion lost of its source is seen: fast movement, the swing of an arm, symmetry."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.geometry import quaternions as quat
from gambol.geometry.filters import low_pass
from gambol.geometry.vectors import UP, cross, unit_vectors
from gambol.judge.finding import Finding
from gambol.judge.judgement import judge
from gambol.judge.likeness import _measure_swing, compare_likeness
from gambol.judge.seen import SeenPerson, see_person
from gambol.motion.mirroring import reflect_motion
from gambol.stages.feet import SIDES
from tests.judge.bodies import (
    BODY,
    BUILT_IN,
    TRUNK,
    clip,
    find_hips,
    head_elsewhere,
    lean_sideways,
    name_arm,
    name_leg,
    person,
    turn,
)


def found(seen: SeenPerson, source: SeenPerson) -> dict[str, list[Finding]]:
    out: dict[str, list[Finding]] = {}
    for one in compare_likeness(seen, source):
        if one.severity > 1.0:
            out.setdefault(one.kind.name, []).append(one)
    return out


def smooth(seen: SeenPerson, cutoff: float) -> SeenPerson:
    """Return a person whose joints move without frequencies above a cutoff (Hz)."""
    return replace(seen, places={part: low_pass(path, seen.frame_time, cutoff) for part, path in seen.places.items()})


def still_arms(seen: SeenPerson, share: float, *sides: str) -> SeenPerson:
    """Return a person whose arms swing against the chest by a share of what they did."""
    places, chest = dict(seen.places), seen.rotations["chest"]
    for side in sides:
        shoulder = places[f"{side}_upper_arm"]
        for part in (f"{side}_forearm", f"{side}_hand"):
            local = quat.rotate(quat.conjugate(chest), places[part] - shoulder)
            middle = local.mean(axis=0)
            places[part] = shoulder + quat.rotate(chest, middle + share * (local - middle))
    return replace(seen, places=places)


def shorten_steps(seen: SeenPerson, share: float) -> SeenPerson:
    """Return a person whose left thigh swings by a share of what it did."""
    hips = find_hips(seen)
    thigh = unit_vectors(seen.places["left_shank"] - seen.places["left_thigh"])
    ahead = np.sum(thigh * cross(hips, np.broadcast_to(UP, hips.shape)), axis=1)
    swing = np.arctan2(ahead, -thigh[:, 2])
    rotation = quat.from_axis_angle(hips, (share - 1.0) * (swing - swing.mean()))
    return turn(seen, rotation, seen.places["left_thigh"], name_leg("left"), ["left"])


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_clip_is_like_itself_at_any_rate_and_mirrored(name: str) -> None:
    source = person(name)
    for other in (source, source.thin(2), source.thin(4), head_elsewhere(source)):
        assert found(other, source) == {}
        assert found(source, other) == {}
    assert found(see_person(reflect_motion(clip(name))), source) == {}


@pytest.mark.parametrize("name", ["walk", "run", "jump"])
def test_smoothing_is_found_where_it_takes_movement_away(name: str) -> None:
    source = person(name)
    assert list(found(smooth(source, 3.0), source)) == ["over_smoothed"]
    assert found(smooth(source, 8.0), source) == {}
    assert found(source, smooth(source, 3.0)) == {}, "a motion may have more than its source"


def test_one_arm_that_hangs_still_is_found_and_named() -> None:
    walk = person("walk")
    (one,) = found(still_arms(walk, 0.0, "right"), walk)["lifeless_arms"]
    assert one.part == "right_upper_arm"
    both = found(still_arms(walk, 0.2, "left", "right"), walk)["lifeless_arms"]
    assert {one.part for one in both} == {"left_upper_arm", "right_upper_arm"}
    assert all(2.0 < one.value < 5.0 for one in both)
    assert "lifeless_arms" not in found(still_arms(walk, 0.8, "left", "right"), walk)


def test_arms_are_compared_with_the_chest_and_may_be_swapped() -> None:
    walk = person("walk")
    corner = quat.from_axis_angle(UP, np.radians(90.0) * np.linspace(0.0, 1.0, len(walk)))
    turning = turn(walk, corner, walk.places["pelvis"], BODY, SIDES)
    assert len(found(still_arms(turning, 0.0, "left", "right"), turning)["lifeless_arms"]) == 2
    left, right = still_arms(walk, 0.3, "left"), still_arms(walk, 0.3, "right")
    assert "lifeless_arms" not in found(left, right)


@pytest.mark.parametrize("degrees", [15.0, 25.0])
def test_an_arm_that_is_held_away_is_found_unless_both_are(degrees: float) -> None:
    walk = person("walk")
    ahead = cross(find_hips(walk), np.broadcast_to(UP, (len(walk), 3)))
    raised = walk
    for side, angle in (("left", -degrees), ("right", degrees)):
        rotation = quat.from_axis_angle(ahead, np.full(len(walk), np.radians(angle)))
        raised = turn(raised, rotation, walk.places[f"{side}_upper_arm"], name_arm(side)[1:])
        if side == "left":
            (one,) = found(raised, walk)["asymmetry"]
            assert one.part == "left_upper_arm and right_upper_arm"
            assert one.value == pytest.approx(degrees, rel=0.2)
            assert found(raised, raised) == {}
    assert found(raised, walk) == {}


def test_a_leg_that_swings_less_than_the_other_is_found_unless_the_source_limped() -> None:
    walk = person("walk")
    limping = shorten_steps(walk, 0.3)
    (one,) = found(limping, walk)["uneven_swing"]
    assert one.part in ("left_thigh and right_thigh", "left_shank and right_shank")
    assert found(limping, limping) == {}
    assert found(walk, limping) == {}


def test_a_trunk_that_leans_to_one_side_throughout_is_found() -> None:
    walk = person("walk")
    leaning = lean_sideways(walk, 10.0, TRUNK)
    (one,) = found(leaning, walk)["sideways_lean"]
    assert found(leaning, leaning) == {}
    assert one.value == pytest.approx(8.5, abs=2.0)
    assert (one.start, one.end) == (0.0, pytest.approx(clip("walk").duration))


def test_clips_of_other_durations_are_not_compared() -> None:
    walk = clip("walk")
    assert found(smooth(see_person(walk[:150]), 3.0), person("walk")) == {}
    assert compare_likeness(see_person(walk[:40]), see_person(walk[:40])) == []


def test_a_judge_compares_with_the_source_only_if_there_is_one() -> None:
    walk = clip("walk")
    smoothed = replace(walk, q=low_pass(walk.q, walk.frame_time, 2.0))
    assert "over_smoothed" in {one.kind.name for one in judge(smoothed, original=walk).findings}
    assert "over_smoothed" not in {one.kind.name for one in judge(smoothed).findings}
    assert judge(walk, original=walk).findings == ()


@pytest.mark.parametrize("degrees", [2.0, 30.0])
def test_a_bone_that_swings_to_both_sides_swings_by_its_angle(degrees: float) -> None:
    angles = np.radians(degrees) * np.resize([1.0, -1.0], 100)
    swing = _measure_swing(np.stack((np.cos(angles), np.sin(angles), 0.0 * angles), axis=1))
    assert swing == pytest.approx(degrees, rel=1e-6)


@pytest.mark.parametrize(("share", "compared"), [(1.08, True), (1.12, False)])
def test_clips_whose_durations_differ_by_more_than_a_tenth_are_others(share: float, compared: bool) -> None:
    walk = person("walk")
    slow = replace(walk, frame_time=share * walk.frame_time)
    assert ("tempo" in found(slow, walk)) == compared
