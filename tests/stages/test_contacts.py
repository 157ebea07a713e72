"""Feet touch when they are slow and low: made motions with known contacts, and recordings with floors of all kinds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.body.build import make_average_build
from gambol.body.human import make_human
from gambol.contacts.contact import BodyPoint
from gambol.errors import InputError
from gambol.fit.load import load
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Dof, Skeleton
from gambol.stages.contacts import ContactThresholds, find_foot_contacts
from gambol.stages.feet import feet_of_motion, find_foot_points, track_point
from gambol.stages.flight import drop_supported_flights, find_stages, measure_fall
from tests.motion.bodies import X, Y, Z, person, standing

RATE = 120.0
JUMPS = ("02_04", "118_01", "118_03", "127_25", "13_11", "13_13", "13_32", "13_39", "13_42")
"""Clips of one jump at the right frame rate."""


def jump(toes: bool = False, floor: float = 0.0) -> Motion:
    """A stiff character that stands for half a second, jumps for 0.4 s and stands again."""
    build = make_average_build(1.75)
    skeleton = make_human(build, 70.0, toes=toes).skeleton
    leg = sum(float(build.offsets[f"left_{part}"][2]) for part in ("thigh", "shank", "foot"))
    time = np.arange(168) / RATE
    aloft = np.clip(time - 0.5, 0.0, 0.4)
    q = np.zeros((len(time), len(skeleton.dofs)))
    q[:, 2] = floor - leg - float(build.tips["left_heel"][2]) + 0.5 * 9.81 * aloft * (0.4 - aloft)
    return Motion(skeleton, q, 1.0 / RATE)


@pytest.mark.parametrize("toes", [False, True])
@pytest.mark.parametrize("floor", [0.0, 0.2])
def test_stages_of_a_made_jump(toes: bool, floor: float):
    motion = jump(toes, floor)
    contacts = find_foot_contacts(motion)
    assert {c.part for c in contacts.items} == {f"{s}_{p}" for s in ("left", "right") for p in ("heel", "ball", "toe")}
    assert all(abs(c.place[2] - floor) < 0.005 for c in contacts.items)
    before, flight, after = find_stages(contacts)
    assert [s.name for s in (before, flight, after)] == ["ground 1", "flight 1", "ground 2"]
    # The smoothing of the speeds blurs an edge that is sharper than any leg makes it.
    assert abs(flight.first - 60) <= 5
    assert abs(flight.last - 107) <= 5
    assert measure_fall(motion, flight) == pytest.approx(-9.81, abs=0.01)


def test_the_toe_of_a_character_with_toes_is_on_its_toes():
    bodies = {point.name: point.body for point in find_foot_points(jump(toes=True))}
    assert bodies["left_toe"] == "left_toes"
    assert bodies["left_heel"] == bodies["left_ball"] == "left_foot"


def test_the_heel_of_a_rig_lies_behind_the_ankle_level_with_the_toe_joint(data: Path):
    motion = load(data / "cmu_bvh" / "walk" / "35_01.bvh")
    feet = feet_of_motion(motion)
    heels = find_foot_contacts(motion).named("left_heel", "right_heel")
    whole = [contact for contact in heels if contact.first > 0 and contact.last < len(motion) - 1]
    assert len(whole) >= 3
    for contact in whole:
        middle = (contact.first + contact.last) // 2
        foot = feet.tracks[contact.part.partition("_")[0]]
        assert abs(foot.heel[middle, 2] - foot.toe[middle, 2]) < 0.02


def test_a_foot_that_hovers_does_not_touch():
    motion = standing(person(), frames=120)
    column = next(
        c for c, d in enumerate(motion.skeleton.dofs)
        if motion.skeleton.names[d.joint] == "left_thigh" and d.axis == (0.0, 1.0, 0.0)
    )  # fmt: skip
    q = motion.q.copy()
    q[:, 0], q[:, column] = 0.0, -0.8
    lifted = Motion(motion.skeleton, q, motion.frame_time)
    points = find_foot_points(replace(lifted, rig=_rig_by_name(lifted)))
    assert {c.part.partition("_")[0] for c in find_foot_contacts(lifted, points).items} == {"right"}


def _rig_by_name(motion: Motion):
    from gambol.motion.rig import recognise_rig

    upright = motion.placement.positions[0]
    return recognise_rig(motion.skeleton, upright, np.array([0.0, 0.0, 1.0]))


def test_a_motion_without_known_feet_says_so():
    with pytest.raises(InputError, match=r"not recognised as a person: no .*left_thigh"):
        find_foot_contacts(standing(person({part: part.upper() for part in ("pelvis", "spine")})))
    with pytest.raises(InputError, match="touch_speed must be positive and at most leave_speed"):
        ContactThresholds(touch_speed=1.0, leave_speed=0.5)


def test_one_frame_and_no_ground():
    motion = jump()
    assert len(find_foot_contacts(motion[60:61])) > 0
    aloft = find_foot_contacts(motion[70:95])
    assert len(aloft) == 0
    assert [stage.kind for stage in find_stages(aloft)] == ["flight"]


@pytest.mark.parametrize("clip", JUMPS)
def test_a_recorded_jump_has_one_flight_and_falls_at_g(data: Path, clip: str):
    motion = load(data / "cmu_bvh" / "jump_hop_leap" / f"{clip}.bvh")
    stages = find_stages(find_foot_contacts(motion))
    flights = [s for s in stages if s.kind == "flight" and len(s) * motion.frame_time > 0.1]
    assert len(flights) == 1
    assert measure_fall(motion, flights[0]) == pytest.approx(-9.81, abs=0.8)


@pytest.mark.parametrize("clip", ["75_01", "75_02", "75_09"])
def test_a_wrong_frame_rate_shows_in_the_fall(data: Path, clip: str):
    motion = load(data / "cmu_bvh" / "jump_hop_leap" / f"{clip}.bvh")
    flight = max((s for s in find_stages(find_foot_contacts(motion)) if s.kind == "flight"), key=len)
    assert measure_fall(motion, flight) == pytest.approx(-4 * 9.81, rel=0.1)


def test_no_recorded_walk_has_a_flight(data: Path):
    for file in sorted((data / "cmu_bvh" / "walk").glob("*.bvh")):
        stages = find_stages(find_foot_contacts(load(file)))
        assert [s.kind for s in stages] == ["ground"], file.name


@pytest.mark.parametrize("clip", ["02_03", "09_01", "09_02", "09_03", "09_04", "16_35", "16_36", "16_37", "16_45"])
def test_runs_fly_between_steps(data: Path, clip: str):
    motion = load(data / "cmu_bvh" / "run" / f"{clip}.bvh")
    stages = find_stages(find_foot_contacts(motion))
    whole = [s for s in stages if s.kind == "flight" and s.first > 0 and s.last < len(motion) - 1]
    assert len(whole) >= 2
    assert all(0.05 < len(s) * motion.frame_time < 0.2 for s in whole)
    assert np.median([measure_fall(motion, s) for s in whole]) == pytest.approx(-9.81, abs=1.5)


def test_built_in_motions_fly_where_they_should():
    assert [s.kind for s in find_stages(find_foot_contacts(samples.walk()))] == ["ground"]
    assert [s.kind for s in find_stages(find_foot_contacts(samples.stand()))] == ["ground"]
    leap = samples.jump()
    _, flight, _ = find_stages(find_foot_contacts(leap))
    assert 0.35 < len(flight) * leap.frame_time < 0.5
    assert measure_fall(leap, flight) == pytest.approx(-9.81, abs=0.3)
    run = find_stages(find_foot_contacts(samples.run()))
    assert sum(s.kind == "flight" for s in run) == 8


def test_feet_touch_on_mats_and_stairs(data: Path):
    mat = load(data / "cmu_bvh" / "fall_stumble_slip" / "90_17.bvh")
    first = min(find_foot_contacts(mat).items, key=lambda c: c.first)
    assert 0.1 < first.place[2] < 0.3
    stairs = load(data / "cmu_bvh" / "terrain_stairs" / "13_35.bvh")
    contacts = find_foot_contacts(stairs)
    assert np.ptp([c.place[2] for c in contacts.items]) > 0.4
    assert all(s.kind == "ground" for s in find_stages(contacts))


def test_a_body_on_its_hands_does_not_fly(data: Path):
    motion = load(data / "cmu_bvh" / "acrobatics" / "49_06.bvh")
    by_feet = find_stages(find_foot_contacts(motion))
    assert any(s.kind == "flight" for s in by_feet)
    assert [s.kind for s in drop_supported_flights(motion, by_feet)] == ["ground"]


def test_contacts_hold_still(data: Path):
    motion = load(data / "cmu_bvh" / "walk" / "07_01.bvh")
    points = {point.name: point for point in find_foot_points(motion)}
    for contact in find_foot_contacts(motion).items:
        places = track_point(motion, points[contact.part])[contact.first : contact.last + 1]
        inner = places[len(places) // 4 : -len(places) // 4 or None]
        assert np.linalg.norm(inner - contact.place, axis=1).max() < 0.05


def _points(a: np.ndarray, b: np.ndarray, travel: float = 0.0) -> tuple[Motion, list[BodyPoint]]:
    """Two points on given tracks (frames, 3), with a root that travels at some m/s, at 100 frames per second."""
    dofs = [Dof(joint, "slide", axis) for joint in range(3) for axis in (X, Y, Z)]
    root = np.zeros_like(a)
    root[:, 0] = travel * 0.01 * np.arange(len(a))
    skeleton = Skeleton(("root", "a", "b"), (-1, 0, 0), np.zeros((3, 3)), tuple(dofs))
    motion = Motion(skeleton, np.hstack([root, a - root, b - root]), 0.01)
    return motion, [BodyPoint(name, name, np.zeros(3)) for name in ("a", "b")]


def _found(motion: Motion, points: list[BodyPoint], name: str = "a", **more: float) -> list[tuple[int, int]]:
    contacts = find_foot_contacts(motion, points, replace(ContactThresholds(), **more))
    return [(one.first, one.last) for one in contacts.items if one.part == name]


def _moving(*speeds: float, frames: int = 100) -> np.ndarray:
    """A track along x that moves at each speed (m/s) for an equal part of the frames."""
    track = np.zeros((frames, 3))
    track[:, 0] = np.cumsum(np.repeat(speeds, frames // len(speeds))) * 0.01
    return track


def test_a_point_touches_below_one_speed_and_leaves_above_another():
    floor = np.zeros((100, 3))
    for speed, touches in ((0.25, True), (0.35, False), (0.5, False)):
        assert _found(*_points(_moving(speed), floor)) == ([(0, 99)] if touches else [])
    for speed, stays in ((0.7, True), (0.9, False)):  # it has touched before
        ((first, last),) = _found(*_points(_moving(0.1, speed), floor))
        assert first == 0
        assert last == 99 if stays else 45 < last < 55


def test_both_speeds_grow_with_the_speed_of_a_runner():
    """At 5 m/s: a fifth and three tenths of it."""
    floor = np.zeros((100, 3))
    for speed, touches in ((0.95, True), (1.05, False)):
        assert _found(*_points(_moving(speed), floor, 5.0)) == ([(0, 99)] if touches else [])
    for speed, stays in ((1.4, True), (1.6, False)):
        ((_, last),) = _found(*_points(_moving(0.1, speed), floor, 5.0))
        assert last > 90 if stays else last < 60


def test_a_contact_lasts_long_enough_or_is_cut_by_an_end_of_the_clip():
    motion, points = _points(_moving(3.0, 0.0, 3.0, 3.0, 3.0), np.zeros((100, 3)))
    ((first, last),) = _found(motion, points)
    seconds = 0.01 * (last - first + 1)
    assert 0.1 < seconds < 0.3
    assert _found(motion, points, min_duration=seconds - 1e-6) == [(first, last)]
    assert _found(motion, points, min_duration=seconds + 1e-6) == []
    for cut in (motion[first:], motion[: last + 1]):
        assert len(_found(cut, points, min_duration=9.0)) == 1
    middle = find_foot_contacts(motion, points).items
    place = next(one.place for one in middle if one.part == "a")
    np.testing.assert_allclose(place, np.median(motion.placement.positions[first : last + 1, 1], axis=0))


def test_a_point_that_is_still_must_be_near_the_lowest_of_the_feet():
    for height, touches in ((0.039, True), (0.041, False)):
        above = np.tile([0.0, 0.0, height], (100, 1))
        assert len(_found(*_points(above, np.zeros((100, 3))))) == int(touches)
        assert len(_found(*_points(above, np.zeros((100, 3))), name="b")) == 1


def test_a_point_that_rises_leaves_three_centimetres_above_its_rest():
    track = np.zeros((100, 3))
    track[60:, 2] = 0.005 * np.arange(40)
    ((first, last),) = _found(*_points(track, np.zeros((100, 3))))
    assert first == 0
    assert track[last, 2] <= 0.03 < track[last + 1, 2]


def test_points_that_fall_with_the_body_do_not_touch_it_and_others_do():
    """At the top of a flight a point is still for a moment; a hand that is lowered falls alone."""
    time = 0.01 * (np.arange(9) - 4.0)
    for gravity, falls in ((5.2, True), (4.8, False)):
        track = np.zeros((9, 3))
        track[:, 2] = -0.5 * gravity * time**2
        motion, points = _points(track, track)
        together = Motion(motion.skeleton, motion.q + np.pad(track, ((0, 0), (0, 6))), 0.01)
        assert len(find_foot_contacts(together, points)) == (0 if falls else 2)
        assert len(find_foot_contacts(motion, points)) == 2  # the body does not fall
