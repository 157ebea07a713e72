"""Contacts that are written, corrected by hand and read back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gambol as gb
from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.contacts.move import Move
from gambol.contacts.timeline import Contacts
from gambol.contacts.views import find_stances
from gambol.errors import InputError
from gambol.fit.contact_file import parse_contacts, use_contacts, write_contacts
from gambol.fit.contacts import detect_contacts
from gambol.fit.rig import Fit, fit
from gambol.geometry import quaternions as quat
from gambol.geometry.vectors import UP
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.motion.own_frame import OwnFrame
from gambol.spacetime.edits.verb import prepare_clip

STEP = samples.jump().frame_time


@pytest.fixture(scope="module")
def jump() -> Fit:
    motion = samples.jump()
    return fit(Character.from_motion(motion), motion)


@pytest.fixture(scope="module")
def walk() -> Fit:
    motion = samples.walk()
    return fit(Character.from_motion(motion), motion)


def rows(contacts: Contacts) -> list[tuple[Any, ...]]:
    return sorted((c.part, c.first, c.last, c.fixed, *np.round(c.place, 6)) for c in contacts.items)


def span(first: int, end: int, **more: object) -> dict[str, object]:
    return {"start": first * STEP, "end": end * STEP, **more}


@pytest.mark.parametrize("name", ["jump", "walk"])
def test_found_contacts_come_back_as_they_were(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    fitted: Fit = request.getfixturevalue(name)
    found = detect_contacts(fitted)
    again = use_contacts(fitted, write_contacts(found, tmp_path / "contacts.yaml", name))
    assert rows(again) == rows(found)
    np.testing.assert_array_equal(again.flight, found.flight)
    np.testing.assert_allclose(again.ground, found.ground, atol=1e-3)
    assert {one.given for one in again.items} == {True}
    np.testing.assert_array_equal(again.floor.at(np.zeros(2)), pytest.approx(found.floor.at(np.zeros(2)), abs=2e-3))


def test_flights_alone_leave_the_contacts_to_be_found(jump: Fit) -> None:
    found = detect_contacts(jump)
    assert np.flatnonzero(found.flight)[[0, -1]].tolist() == [69, 92]
    longer = use_contacts(jump, {"flights": [span(66, 94)]})
    np.testing.assert_array_equal(longer.touching(), ~longer.flight)
    assert np.flatnonzero(longer.flight)[[0, -1]].tolist() == [66, 93]


def test_a_corrected_flight_is_solved_as_one() -> None:
    corrected = {"flights": [span(66, 94)]}
    result = gb.edit(
        samples.jump(), changes=[{"stage": "ground 2", "forward": 0.1}], solve_fps=30.0, contacts=corrected
    )
    solved = result.edited
    flight = solved.draft.contacts.flight
    np.testing.assert_array_equal(np.flatnonzero(flight), np.arange(33, 47))
    centre = Dynamics(solved.draft.character).center_of_mass(solved.outcome.motion.q)
    falls = np.diff(centre, 2, axis=0)[flight[1:-1]] / (2.0 * STEP) ** 2
    np.testing.assert_allclose(falls, np.tile([0.0, 0.0, -GRAVITY], (len(falls), 1)), atol=1e-5)


def test_a_flight_that_is_none_stands_on_its_lowest_points(jump: Fit) -> None:
    ground = use_contacts(jump, {"flights": []})
    assert ground.touching().all()
    assert not ground.unseen.any()
    new = [c for c in ground.items if c.first >= 69 and c.last < 93]
    assert {contact.body for contact in new} == {"left_foot", "right_foot"}


def test_a_flight_in_the_middle_of_a_contact_divides_it() -> None:
    given = {"flights": [span(20, 30), span(69, 93)]}
    clip, _ = prepare_clip(samples.jump(), contacts=given)
    assert [(part.name, part.first, part.last + 1) for part in clip.stages] == [
        ("ground 1", 0, 20), ("flight 1", 20, 30), ("ground 2", 30, 69), ("flight 2", 69, 93), ("ground 3", 93, 175)
    ]  # fmt: skip
    np.testing.assert_array_equal(clip.contacts.touching(), ~clip.contacts.flight)
    assert "left step 3" in [part.name for part in clip.parts]


def test_given_contacts_are_the_only_ones_and_stay_where_they_are_put(jump: Fit) -> None:
    given = {
        "contacts": [
            span(0, 69, part="left_ball", place=[0.1, 0.2, 0.3], surface="box"),
            span(0, 69, part="right_ball"),
            span(93, 175, part="right_ball", kind="rolling"),
        ]
    }
    found = use_contacts(jump, given)
    assert sorted((one.part, one.first, one.last, one.kind) for one in found.items) == [
        ("left_ball", 0, 68, "fixed"),
        ("right_ball", 0, 68, "fixed"),
        ("right_ball", 93, 174, "rolling"),
    ]
    (left,) = found.named("left_ball")
    np.testing.assert_array_equal(left.place, [0.1, 0.2, 0.3])
    assert left.surface == "box"
    # Where the motion has it: as detected.
    seen = next(one for one in detect_contacts(jump).items if one.part == "right_ball" and one.first == 0)
    mine = next(one for one in found.items if one.part == "right_ball" and one.first == 0)
    np.testing.assert_allclose(mine.place, seen.place, atol=0.02)
    np.testing.assert_array_equal(found.flight, ~found.touching())


KINDS = [
    span(0, 60, part="pelvis", surface="chair", place=[0.1, 0.2, 0.9]),
    span(0, 69, part="left_knee", kind="rolling"),
    span(93, 175, part="left_ball", kind="sliding", along=[3.0, -4.0, 0.0]),
    span(20, 60, part="right_hand", surface="bar", grip=True),
    span(20, 60, part="head", certainty=0.4, given=False),
]


def test_all_kinds_of_contacts_of_any_part_come_back_as_they_were(jump: Fit, tmp_path: Path) -> None:
    given = use_contacts(jump, {"contacts": KINDS, "flights": []})
    assert {one.part: (one.kind, one.surface, one.grip) for one in given.items} == {
        "pelvis": ("fixed", "chair", False),
        "left_knee": ("rolling", "floor", False),
        "left_ball": ("sliding", "floor", False),
        "right_hand": ("fixed", "bar", True),
        "head": ("fixed", "floor", False),
    }
    np.testing.assert_allclose(given.named("left_ball")[0].slide, [0.6, -0.8, 0.0], rtol=1e-15)
    file = write_contacts(given, tmp_path / "one.yaml", "jump")
    again = use_contacts(jump, file)
    assert rows(again) == rows(given)
    for one in given.items:
        (other,) = again.named(one.part)
        assert (one.kind, one.surface, one.grip, one.body) == (other.kind, other.surface, other.grip, other.body)
        np.testing.assert_array_equal(one.points, other.points)
        np.testing.assert_array_equal(one.slide, other.slide)
    assert write_contacts(again, tmp_path / "two.yaml", "jump").read_text() == file.read_text()


def test_a_part_without_a_place_is_where_the_motion_has_it(jump: Fit) -> None:
    parts = {"left_knee": "left_shank", "right_elbow": "right_forearm", "pelvis": "pelvis"}
    found = use_contacts(jump, {"contacts": [span(0, 60, part=part) for part in parts], "flights": []})
    for one in found.items:
        joint = jump.motion.skeleton.index(parts[one.part])
        seen = np.median(jump.motion.placement.positions[:60, joint], axis=0)
        away = 0.12 if one.part == "pelvis" else 0.02  # a segment touches at its centre of mass
        assert np.linalg.norm(one.place - seen) < away
    assert not use_contacts(jump, {"contacts": [span(0, 60, part="left_knee")]}).unseen[:60].any()


def test_a_line_is_in_the_world() -> None:
    stand = move_clip(samples.stand()[:20], 0.7, (30.0, -20.0, 0.0))
    slide = {"part": "left_ball", "start": 0, "end": 0.3, "kind": "sliding", "along": [1, 0, 0]}
    (found,) = gb.find_contacts(stand, contacts={"contacts": [slide]}).items
    np.testing.assert_allclose(found.slide, [1.0, 0.0, 0.0], atol=1e-12)


def move_clip(motion: Motion, turn: float, shift: tuple[float, float, float]) -> Motion:
    """Stand a clip elsewhere in the world: turned about the vertical, then shifted."""
    frame = OwnFrame(quat.rotate(quat.from_axis_angle(UP, -turn), shift), quat.from_axis_angle(UP, turn))
    return replace(motion, skeleton=frame.enter(motion.skeleton))


def test_contacts_stand_where_the_clip_stands() -> None:
    walk, move = samples.walk()[:120], Move(0.7, np.array([30.0, -20.0, 0.0]))
    here, there = gb.find_contacts(walk), gb.find_contacts(move_clip(walk, move.turn, tuple(move.shift)))
    feet = np.array([walk.placement.positions[one.first, walk.rig.parts[one.body]] for one in here.items])
    assert np.linalg.norm(feet - [one.place for one in here.items], axis=1).max() < 0.3  # in the world of the clip
    for one, other in zip(here.items, there.items, strict=True):
        assert (one.part, one.first, one.last, one.kind) == (other.part, other.first, other.last, other.kind)
        np.testing.assert_allclose(other.places, move(one.places), atol=1e-6)
        np.testing.assert_allclose(other.forward, move.rotate(one.forward), atol=1e-6)
    at = np.array([1.0, 2.0, 0.0])
    assert there.floor.at(move(at)) == pytest.approx(here.floor.at(at), abs=1e-6)
    back = move.inverse().table(there)
    np.testing.assert_allclose(back.items[0].places, here.items[0].places, atol=1e-6)


def test_a_foot_that_a_file_plants_stays_there(tmp_path: Path) -> None:
    """The right foot of somebody who stands is said to rest 2 cm ahead for a while: `fix` puts it there."""
    turn = 2.0
    stand = move_clip(samples.stand()[:40], turn, (30.0, -20.0, 0.0))
    found = gb.find_contacts(stand)
    ahead = 0.02 * np.array([np.cos(turn), np.sin(turn), 0.0])
    moved = found.change(lambda one: replace(one, places=one.places + ahead) if one.body == "right_foot" else one)
    file = write_contacts(moved, tmp_path / "contacts.yaml", "stand")
    fixed = gb.fix(stand, contacts=file)
    foot = fixed.motion.placement.positions[:, fixed.motion.rig.parts["right_foot"]]  # type: ignore[union-attr]
    before = stand.placement.positions[:, stand.rig.parts["right_foot"]]  # type: ignore[union-attr]
    np.testing.assert_allclose(np.median(foot - before, axis=0)[:2], ahead[:2], atol=0.004)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "mapping"),
        ([], "mapping"),
        ({}, "neither contacts nor flights"),
        ({"stages": []}, "no key 'stages'"),
        ({"contacts": {}}, "list"),
        ({"contacts": []}, "no contact"),
        ({"contacts": ["left_heel"]}, "mapping"),
        ({"contacts": [{"part": "tail", "start": 0, "end": 1}]}, "no part 'tail'.*parts: .*left_ or right_.*knee"),
        ({"contacts": [{"part": "left_foot", "start": 0, "end": 1}]}, "no part 'left_foot'"),
        ({"contacts": [{"part": ["left_heel"], "start": 0, "end": 1}]}, "no part"),
        ({"contacts": [{"part": "left_heel", "end": 1}]}, "'start' must be a number"),
        ({"contacts": [{"part": "left_heel", "start": 0, "end": float("nan")}]}, "'end' must be a number"),
        ({"contacts": [{"part": "left_heel", "start": 1, "end": 1}]}, "lasts from 1 to 1 s"),
        ({"contacts": [{"part": "left_heel", "start": 0, "end": 9}]}, "between 0 and 2.917 s"),
        ({"contacts": [{"part": "left_heel", "start": 0, "end": 1, "kind": "glued"}]}, "no kind 'glued'"),
        ({"contacts": [{"part": "left_heel", "start": 0, "end": 1, "place": [1, 2]}]}, "has 2 numbers"),
        ({"contacts": [{"part": "left_heel", "start": 0, "end": 1, "place": [1, 2, "up"]}]}, "must be a number"),
        ({"contacts": [{"part": "left_heel", "start": 0, "end": 1, "kind": "sliding"}]}, "left_heel has no line"),
        (
            {"contacts": [{"part": "left_heel", "start": 0, "end": 1, "along": [1, 0, 0]}]},
            "fixed contact .* has a line",
        ),
        ({"contacts": [span(0, 9, part="left_heel", kind="sliding", along=[0, 0, 0])]}, "left_heel has no line"),
        ({"contacts": [span(0, 9, part="left_heel", kind="sliding", along=[1, 0])]}, "'along' of left_heel has 2"),
        ({"contacts": [{"part": "left_hand", "start": 0, "end": 1, "grip": "yes"}]}, "must be true or false"),
        ({"contacts": [span(0, 30, part="left_heel"), span(20, 40, part="left_heel")]}, "left_heel overlap at 0.33"),
        ({"flights": [{"start": 2, "end": 1}]}, "a flight lasts from 2 to 1 s"),
    ],
)
def test_what_makes_no_contacts_is_told(content: Any, words: str, jump: Fit) -> None:
    with pytest.raises(InputError, match=words):
        parse_contacts(content, jump)


def test_contacts_of_another_clip_are_refused(jump: Fit, walk: Fit) -> None:
    with pytest.raises(InputError, match="contacts of 175 frames"):
        use_contacts(walk, detect_contacts(jump))


def list_corrected() -> list[dict[str, object]]:
    """The contacts of the built-in walk without the first stance of the left foot."""
    found = gb.find_contacts("walk")
    first = find_stances(found)[0]
    assert first.part == "left_foot"
    return [
        span(one.first, one.last + 1, part=one.part, kind=one.kind)
        for one in found.items
        if one.kind == "fixed" and not (one.body == first.body and first.is_active(one.first))
    ]


def test_a_check_judges_the_contacts_that_are_given() -> None:
    walk, given = gb.load("walk"), {"contacts": [span(0, 20, part="left_ball"), span(30, 50, part="left_hand")]}
    found = gb.check(walk, contacts=given)
    assert {one.part for one in found.contacts.items} == {"left_ball", "left_hand"}
    assert found.stages[0].kind == "ground"
    still = gb.check(walk)
    assert found.figures["foot_drift_mm"] != still.figures["foot_drift_mm"]
    assert found.physics.bodies == ("left_foot", "left_hand", "right_foot")
    feet = gb.check(walk, contacts={"contacts": given["contacts"][:1]})
    assert feet.figures["missing_force_percent"] == still.figures["missing_force_percent"]


def test_soles_of_a_robot_rest_where_contacts_are_given() -> None:
    walk = gb.load("walk")
    given = {"contacts": list_corrected(), "flights": []}
    references = [
        gb.retarget(walk, "jvrc1", fast=True, keep_time=True, contacts=one).reference for one in (None, given)
    ]
    frame = round(0.6 / references[0].motion.frame_time)  # both feet stand
    assert [one.touching[frame].tolist() for one in references] == [[True, True], [False, True]]
    with pytest.raises(InputError, match="robots only: contacts"):
        gb.retarget(walk, "run", contacts=given)
    mirrored = gb.ReferenceVariation(mirror=True)
    with pytest.raises(InputError, match="not those of a mirrored"):
        gb.retarget(walk, "jvrc1", fast=True, contacts=given, variation=mirrored)


def test_steps_that_answer_a_push_are_on_given_contacts(tmp_path: Path) -> None:
    walk, hit = gb.load("walk"), [gb.Push("chest", (0.0, 150.0, 0.0), 1.2)]
    with pytest.raises(InputError, match="beyond its end it has no given contacts"):
        gb.push(walk[: round(1.6 / walk.frame_time)], hit, method=gb.Replan(contacts={"flights": []}))
    with pytest.raises(InputError, match="contacts of 2 frames for a clip of"):
        gb.push(walk, hit[:1], method=gb.Replan(contacts=gb.find_contacts(walk).cut(0, 1)))
