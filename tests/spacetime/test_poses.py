"""Transition poses (L05 section 3.5): content of examples, neighbours, eq. 3.7, inverse kinematics, the file."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from gambol.body.build import make_average_build
from gambol.body.character import Character
from gambol.body.human import make_human
from gambol.contacts.contact import Contact
from gambol.contacts.stage import Stage
from gambol.contacts.timeline import Contacts
from gambol.errors import InputError
from gambol.fit.load import load
from gambol.io import samples
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Dof, Skeleton
from gambol.spacetime import poses as room
from gambol.spacetime.poses import (
    WEIGHT,
    PoseDatabase,
    interpolate_points,
    is_same_example,
    move_points,
    open_poses,
    place_on_support,
    pose_from_points,
    scale_points,
    set_turns,
    similarity_weights,
    user_file,
)
from gambol.spacetime.transitions import (
    BOUNDS,
    Example,
    FlightParameters,
    find_carrying_feet,
    find_clip_examples,
    find_examples,
    make_transition,
    mass_groups,
    mass_points,
    measure_flight,
    pose_coordinates,
    standing_pose,
)

BOTH = ("left_foot", "right_foot")
GROUND, AIR = 20, 41
"""Frames on the ground before and after, and from the last to the first ground frame, at 100 frames per second."""


@pytest.fixture(scope="module")
def man() -> Character:
    return make_human(make_average_build(1.8), 75.0)


@pytest.fixture(scope="module")
def child() -> Character:
    return make_human(make_average_build(1.1), 19.0)


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    return find_clip_examples(samples.jump()) + find_clip_examples(samples.run())


def crouch(character: Character, side: float = 0.1) -> np.ndarray:
    """A lopsided pose well inside all limits."""
    turns = {
        "spine": (0.3, side), "chest": (0.1, side, 0.5 * side), "left_thigh": (0.9, 0.1, side), "left_shank": (1.1,),
        "left_foot": (0.3, 0.0), "right_thigh": (0.7, 0.05, 0.0), "right_shank": (0.9,), "right_foot": (0.2, 0.0),
        "left_upper_arm": (0.8, 0.3, 0.1), "left_forearm": (0.7,), "right_upper_arm": (-0.3, 0.2, 0.0),
        "right_forearm": (0.4,),
    }  # fmt: skip
    return set_turns(character, np.zeros(len(character.skeleton.dofs)), turns)


def hop(character: Character, feet: tuple[str, ...] = BOTH, spin: float = 0.8) -> tuple[Motion, Contacts, list[Stage]]:
    """A crouched body that flies 1.2 m ahead in 0.4 s, from rest to rest, and turns."""
    q = np.tile(crouch(character), (2 * GROUND + AIR - 2, 1))
    air = slice(GROUND - 1, GROUND + AIR - 1)
    times = 0.01 * np.arange(AIR)
    q[air, 0], q[air, 2], q[air, 3] = 3.0 * times, 1.962 * times - 4.905 * times**2, spin * times / 0.4
    q[GROUND + AIR - 1 :] = q[GROUND + AIR - 2]
    spans = ((0, GROUND - 1), (GROUND + AIR - 2, len(q) - 1))
    held = [Contact(foot, np.zeros(3), np.zeros(3), *span) for foot in feet for span in spans]
    stages = [
        Stage("ground", *spans[0]),
        Stage("flight", GROUND, GROUND + AIR - 3, "flight 1"),
        Stage("ground", *spans[1]),
    ]
    return Motion(character.skeleton, q, 0.01, "hop"), Contacts(tuple(held), len(q), 0.01), stages


def elsewhere(motion: Motion, yaw: float, shift: tuple[float, float, float]) -> Motion:
    """The same motion at another place and heading: the root of a person slides first, then turns about z first."""
    q = motion.q.copy()
    turn = np.array([[np.cos(yaw), -np.sin(yaw), 0.0], [np.sin(yaw), np.cos(yaw), 0.0], [0.0, 0.0, 1.0]])
    q[:, :3] = q[:, :3] @ turn.T + shift
    q[:, 3] += yaw
    return replace(motion, q=q)


def test_the_parameters_of_a_flight_that_is_known(man: Character) -> None:
    motion, _, stages = hop(man)
    flight = measure_flight(man, motion, stages, stages[1])
    assert flight.height == pytest.approx(1.962**2 / (2.0 * 9.81), abs=1e-3)
    assert flight.distance == pytest.approx(1.2, abs=0.1)  # the centre turns about the root
    assert flight.speed == pytest.approx(flight.distance / 0.4)
    assert flight.before == 0.0
    assert flight.spin == pytest.approx(0.8)
    straight, _, _ = hop(man, spin=0.0)
    flight = measure_flight(man, straight, stages, stages[1])
    assert flight.distance == pytest.approx(1.2)
    assert flight.takeoff_angle == pytest.approx(np.arctan2(1.962, 3.0), abs=1e-6)
    assert flight.landing_angle == pytest.approx(np.arctan2(1.962, 3.0), abs=1e-6)
    backward = replace(straight, q=straight.q * np.where(np.arange(motion.q.shape[1]) == 0, -1.0, 1.0))
    assert measure_flight(man, backward, stages, stages[1]).takeoff_angle == pytest.approx(np.pi - flight.takeoff_angle)


def test_the_flight_before_counts(man: Character) -> None:
    one, _, stages = hop(man, spin=0.0)
    q = np.concatenate((one.q, one.q[1:] + np.where(np.arange(one.q.shape[1]) == 0, 1.2, 0.0)))
    later = [replace(stage, first=stage.first + len(one) - 1, last=stage.last + len(one) - 1) for stage in stages]
    flight = measure_flight(man, replace(one, q=q), [*stages, *later], later[1])
    assert flight.before == pytest.approx(1.2)
    assert flight.distance == pytest.approx(1.2)


def test_neither_place_nor_heading_of_a_motion_is_in_an_example(man: Character) -> None:
    motion, contacts, stages = hop(man)
    here = find_examples(man, motion, contacts, stages)[0]
    there = find_examples(man, elsewhere(motion, 2.3, (5.0, -3.0, 0.4)), contacts, stages)[0]
    np.testing.assert_allclose(there.flight.array, here.flight.array, atol=1e-9)
    for side in ("takeoff", "landing"):
        a, b = getattr(here, side), getattr(there, side)
        for name in a.points:
            np.testing.assert_allclose(b.points[name], a.points[name], atol=1e-9)
        for name in a.pose:
            assert abs(a.pose[name] @ b.pose[name]) == pytest.approx(1.0, abs=1e-9)
    # Both ends are the same pose, however far the body turned between them.
    np.testing.assert_allclose(here.takeoff.points["arms"], here.landing.points["arms"], atol=1e-9)


def test_mass_points_are_those_of_the_segments(man: Character) -> None:
    found = mass_groups(man.skeleton)
    named = {group: {man.skeleton.names[j] for j in joints} & set(man.bodies) for group, joints in found.items()}
    assert named["upper"] == {"spine", "chest", "head"}
    assert {"left_collar", "right_hand", "left_upper_arm", "right_forearm"} <= named["arms"]
    assert named["lower"] == {"pelvis", *(f"{s}_{p}" for s in ("left", "right") for p in ("thigh", "shank", "foot"))}
    assert sum(len(joints) for joints in found.values()) == len(man.skeleton.names)
    points = mass_points(man, standing_pose(man), BOTH)
    ball = place(man.skeleton, standing_pose(man)[None]).positions[0, man.skeleton.index("left_ball_tip")]
    assert points["lower"][0] == pytest.approx(-ball[0], abs=0.05)  # the balls are ahead of the body
    assert all(abs(point[1]) < 1e-9 for point in points.values())
    assert 0.5 < points["lower"][2] < 0.9 < 1.1 < points["upper"][2] < 1.4
    left = mass_points(man, standing_pose(man), ("left_foot",))
    assert left["upper"][1] == pytest.approx(-0.0495 * 1.8, rel=0.02)


def test_supporting_feet(man: Character) -> None:
    motion, contacts, stages = hop(man, ("left_foot",))
    assert find_carrying_feet(man.skeleton, contacts, stages[1], motion.frame_time) == (("left_foot",), ("left_foot",))
    early = Contact("right_foot", np.zeros(3), np.zeros(3), 0, GROUND - 10)
    assert find_carrying_feet(man.skeleton, replace(contacts, items=(*contacts.items, early)), stages[1], 0.01)[0] == (
        "left_foot",
    )
    on_rig = [replace(c, body="LeftFoot", part="left_toe") for c in contacts.items]
    assert find_carrying_feet(man.skeleton, replace(contacts, items=tuple(on_rig)), stages[1], 0.01)[1] == (
        "left_foot",
    )


def test_a_flight_that_the_clip_cuts_is_no_example(man: Character) -> None:
    motion, contacts, stages = hop(man)
    cut = [replace(stages[1], last=len(motion) - 1)]
    assert find_examples(man, motion, contacts, [stages[0], *cut]) == []
    assert find_examples(man, motion, replace(contacts, items=()), stages) == []
    with pytest.raises(InputError, match="cut by the clip"):
        measure_flight(man, motion, cut, cut[0])


def test_pose_by_names_leads_back(man: Character, child: Character) -> None:
    q = place_on_support(man, crouch(man), BOTH)
    pose = make_transition(man, q, BOTH).pose
    np.testing.assert_allclose(place_on_support(man, pose_coordinates(man, pose), BOTH), q, atol=1e-9)
    np.testing.assert_allclose(pose_coordinates(child, pose)[6:], q[6:], atol=1e-9)
    np.testing.assert_allclose(standing_pose(man), 0.0, atol=1e-12)


def test_standing_somewhere(man: Character) -> None:
    q = place_on_support(man, crouch(man), BOTH, at=(1.0, 2.0, 0.3), facing=-2.0)
    turned = elsewhere(
        Motion(man.skeleton, place_on_support(man, crouch(man), BOTH)[None], 0.01), -2.0, (1.0, 2.0, 0.3)
    )
    np.testing.assert_allclose(
        place(man.skeleton, q[None]).positions, place(man.skeleton, turned.q).positions, atol=1e-9
    )


def test_the_mirror_image_of_an_example(man: Character) -> None:
    motion, contacts, stages = hop(man, ("left_foot",))
    example = find_examples(man, motion, contacts, stages)[0]
    mirrored = example.mirrored
    assert mirrored.takeoff.feet == ("right_foot",)
    assert mirrored.flight.spin == -example.flight.spin
    assert mirrored.flight.takeoff_left == example.flight.takeoff_right
    assert not is_same_example(mirrored, example)
    assert is_same_example(mirrored.mirrored, example)
    for name, turn in example.takeoff.pose.items():
        np.testing.assert_allclose(mirrored.mirrored.takeoff.pose[name], turn, atol=1e-12)
    # The mirrored pose on a body of two like halves has the mirrored mass points.
    q = pose_coordinates(man, mirrored.takeoff.pose)
    for name, point in mass_points(man, q, ("right_foot",)).items():
        np.testing.assert_allclose(point, example.takeoff.points[name] * (1.0, -1.0, 1.0), atol=1e-9)
    arm, leg = (man.skeleton.columns(man.skeleton.index(f"right_{part}")) for part in ("upper_arm", "thigh"))
    np.testing.assert_allclose(q[arm], (0.8, 0.3, 0.1), atol=1e-9)
    np.testing.assert_allclose(q[leg], (0.9, 0.1, 0.1), atol=1e-9)


def test_equation_3_7(man: Character, child: Character) -> None:
    mine, theirs = (mass_points(body, standing_pose(body), BOTH) for body in (man, child))
    points = mass_points(man, crouch(man), BOTH)
    for name, point in scale_points(points, mine, mine).items():
        np.testing.assert_allclose(point, points[name], atol=1e-12)
    for name, point in scale_points(points, mine, theirs).items():
        share = np.linalg.norm(theirs[name]) / np.linalg.norm(mine[name])
        assert share == pytest.approx(1.1 / 1.8, rel=1e-3)
        np.testing.assert_allclose(point, theirs[name] + share * (points[name] - mine[name]), atol=1e-12)
        np.testing.assert_allclose(point, 1.1 / 1.8 * points[name], atol=2e-3)


def test_weights_are_inverse_to_distances() -> None:
    np.testing.assert_allclose(similarity_weights([1.0, 2.0, 4.0]), np.array([4.0, 2.0, 1.0]) / 7.0)
    np.testing.assert_allclose(similarity_weights([0.0, 0.1]), [1.0, 0.0], atol=1e-6)


def test_an_example_is_its_own_nearest_neighbour(examples: list[Example]) -> None:
    database = PoseDatabase().with_examples(examples)
    for example in database.examples:
        for side in ("takeoff", "landing"):
            own = getattr(example, side)
            found = database.nearest(side, example.flight)
            assert found[0].name == example.name
            assert len(found) == (3 if example.name.startswith("run") else 1)  # those on the same feet
            for name, point in interpolate_points(found, own.standing).items():
                np.testing.assert_allclose(point, own.points[name], atol=1e-6)


def test_suggestions_for_another_body(examples: list[Example], man: Character, child: Character) -> None:
    database = PoseDatabase().with_examples(examples)
    flight = examples[0].flight
    for body in (man, child):
        suggested = database.suggest(flight, body)
        assert suggested is not None
        for one, own in zip(suggested, (examples[0].takeoff, examples[0].landing), strict=True):
            want = scale_points(own.points, own.standing, mass_points(body, standing_pose(body), own.feet))
            assert one.feet == BOTH
            assert sum(weight for _, weight in one.neighbours) == pytest.approx(1.0)
            for name, point in want.items():
                np.testing.assert_allclose(one.points[name], point, atol=1e-6)
    between = replace(flight, distance=flight.distance + 0.3)
    one, _ = database.suggest(between, man, k=1) or pytest.fail("no example serves")
    assert [weight for _, weight in one.neighbours] == [1.0]


def test_examples_on_the_feet_that_are_asked_for_go_first(examples: list[Example], man: Character) -> None:
    run = [example for example in examples if example.name.startswith("run")]
    database = PoseDatabase((examples[0], run[0]))
    jumping = examples[0].flight
    for feet, name in ((("left_foot",), run[0].name), (("right_foot",), run[0].name), (BOTH, examples[0].name)):
        one, _ = database.suggest(jumping, man, takeoff_feet=feet) or pytest.fail("no example serves")
        assert [n for n, _ in one.neighbours] == [name]
        assert one.feet == feet
    left, right = (database.suggest(jumping, man, takeoff_feet=(f,))[0] for f in BOTH)  # type: ignore[index]
    np.testing.assert_allclose(left.points["arms"], right.points["arms"] * (1.0, -1.0, 1.0), atol=1e-9)
    only = PoseDatabase((run[0],)).suggest(jumping, man, takeoff_feet=BOTH)
    assert only is not None
    assert only[0].feet == BOTH  # none agrees: what there is
    with pytest.raises(InputError, match="at least one"):
        database.suggest(jumping, man, k=0)


def creature(arms: bool = False, strange: bool = False) -> Character:
    """A pelvis on three legs with a neck; with unknown names it shares no joints with a person."""
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    rows = [("pelvis", "", (0.0, 0.0, 0.0)), ("neck", "pelvis", (0.1, 0.0, 0.2))]
    for side, (ahead, left) in {"left": (0.1, 0.2), "right": (0.1, -0.2), "hind": (-0.3, 0.0)}.items():
        rows += [
            (f"{side}_thigh", "pelvis", (ahead, left, 0.0)),
            (f"{side}_foot", f"{side}_thigh", (0.0, 0.0, -0.5)),
        ]
    rows += [("left_hand", "neck", (0.0, 0.2, 0.0))] if arms else []
    names = [name for name, _, _ in rows]
    dofs = [Dof(0, "slide", axis) for axis in (x, y, z)]
    dofs += [Dof(n, "turn", axis) for n, name in enumerate(names) for axis in ((z, y, x) if n == 0 else (y,))]
    parents = tuple(names.index(parent) if parent else -1 for _, parent, _ in rows)
    shown = tuple(f"{name[::-1]}" if strange else name for name in names)
    skeleton = Skeleton(shown, parents, np.array([offset for _, _, offset in rows]), tuple(dofs))
    count = len(names)
    return Character(skeleton, np.ones(count), np.full((count, 3), 0.05), np.tile(0.01 * np.eye(3), (count, 1, 1)))


def test_a_creature_takes_what_it_shares(examples: list[Example]) -> None:
    database = PoseDatabase().with_examples(examples)
    body = creature()
    assert set(mass_groups(body.skeleton)) == {"lower", "upper"}
    feet = ("hind_foot", "left_foot", "right_foot")
    takeoff, _ = database.suggest(examples[0].flight, body, takeoff_feet=feet, landing_feet=feet) or pytest.fail(
        "no example serves"
    )
    assert set(takeoff.points) == {"lower", "upper"}
    assert takeoff.feet == feet
    q = pose_from_points(body, takeoff.points, takeoff.start, takeoff.feet)
    assert np.isfinite(q).all()
    assert database.suggest(examples[0].flight, creature(strange=True)) is None
    assert PoseDatabase().suggest(examples[0].flight, body) is None


def test_an_example_without_arms_is_no_example_for_those_who_have_them(man: Character) -> None:
    body = creature()
    q = place_on_support(body, np.zeros(len(body.skeleton.dofs)), BOTH)
    side = make_transition(body, q, BOTH)
    armless = PoseDatabase((Example("creature", FlightParameters(*np.ones(11)), side, side),))
    assert armless.suggest(FlightParameters(*np.ones(11)), man) is None
    assert armless.suggest(FlightParameters(*np.ones(11)), body) is not None


def feet_off(character: Character, one: np.ndarray, other: np.ndarray) -> float:
    joints = [j for j, n in enumerate(character.skeleton.names) if "foot" in n or "toe" in n or "heel" in n]
    a, b = (place(character.skeleton, q[None]).positions[0, joints] for q in (one, other))
    return float(np.abs(a - b).max())


@pytest.mark.parametrize("feet", [BOTH, ("left_foot",), ("right_foot",)])
def test_inverse_kinematics_reaches_points_within_limits(man: Character, feet: tuple[str, ...]) -> None:
    start = place_on_support(man, crouch(man), feet)
    near = crouch(man, 0.2)
    near[6:] += np.random.default_rng(4).uniform(-0.06, 0.06, len(near) - 6) * (np.abs(near[6:]) > 0.0)
    points = mass_points(man, start, feet)
    change = mass_points(man, near, feet)
    goal = {name: points[name] + 0.5 * (change[name] - points[name]) for name in points}
    assert max(np.linalg.norm(goal[name] - points[name]) for name in points) > 0.015
    q = pose_from_points(man, goal, start, feet)
    for name, point in mass_points(man, q, feet).items():
        assert np.linalg.norm(point - goal[name]) < 1e-3
    lower, upper = (np.array([getattr(d, end) for d in man.skeleton.dofs]) for end in ("lower", "upper"))
    assert np.all((q >= lower) & (q <= upper))
    held = {foot: place(man.skeleton, p[None]).positions[0, man.skeleton.index(foot)] for foot in feet for p in (q,)}
    for foot, where in held.items():
        was = place(man.skeleton, start[None]).positions[0, man.skeleton.index(foot)]
        assert np.linalg.norm(where - was) < 1e-3
    assert np.abs(q - start)[6:].max() < 0.6
    np.testing.assert_allclose(pose_from_points(man, points, start, feet), start, atol=1e-6)


def test_limits_are_kept_where_points_cannot_be_reached(man: Character) -> None:
    start = place_on_support(man, crouch(man), BOTH)
    far = move_points(mass_points(man, start, BOTH), upper=(0.0, 0.0, 1.0), arms=(1.0, 1.0, 1.0))
    q = pose_from_points(man, far, start, BOTH)
    lower, upper = (np.array([getattr(d, end) for d in man.skeleton.dofs]) for end in ("lower", "upper"))
    assert np.all((q >= lower) & (q <= upper))
    assert np.isfinite(q).all()


def test_a_person_changes_what_was_suggested(man: Character) -> None:
    start = place_on_support(man, crouch(man), BOTH)
    points = mass_points(man, start, BOTH)
    raised = move_points(points, arms=(0.05, 0.0, 0.1))
    np.testing.assert_allclose(raised["arms"] - points["arms"], (0.05, 0.0, 0.1))
    np.testing.assert_array_equal(raised["lower"], points["lower"])
    q = pose_from_points(man, raised, start, BOTH)
    for name, point in mass_points(man, q, BOTH).items():
        assert np.linalg.norm(point - raised[name]) < 1e-3
    assert feet_off(man, q, start) < 1e-3
    bent = set_turns(man, start, {"left_forearm": (1.5,)})
    column = man.skeleton.columns(man.skeleton.index("left_forearm"))
    q = pose_from_points(man, raised, bent, BOTH, fixed=["left_forearm"])
    assert q[column] == pytest.approx(1.5)
    assert np.linalg.norm(mass_points(man, q, BOTH)["arms"] - raised["arms"]) < 1e-3
    assert set_turns(man, start, {"left_forearm": (9.0,)})[column] == pytest.approx(np.radians(165))
    # The more a pose counts, the nearer it is kept, and the points give way.
    sketch = set_turns(man, start, {"chest": (-0.3, 0.0, 0.0), "left_upper_arm": (2.0, 0.3, 0.0)})
    away, missed = [], []
    for weight in (WEIGHT, 0.05, 0.5):
        q = pose_from_points(man, points, start, BOTH, toward=sketch, weight=weight)
        away.append(float(np.linalg.norm((q - sketch)[6:])))
        missed.append(max(float(np.linalg.norm(p - points[name])) for name, p in mass_points(man, q, BOTH).items()))
    assert away[0] > away[1] > away[2]
    assert missed[0] < 1e-3 < missed[2]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda man, q, p: move_points(p, tail=(0.0, 0.0, 1.0)),
        lambda man, q, p: set_turns(man, q, {"left_forearm": (0.1, 0.2)}),
        lambda man, q, p: set_turns(man, q, {"tail": (0.1,)}),
        lambda man, q, p: pose_from_points(man, {}, q, BOTH),
        lambda man, q, p: pose_from_points(man, p, q, BOTH, weight=0.0),
        lambda man, q, p: pose_from_points(man, p, q, ["tail"]),
    ],
)
def test_invalid_input_is_refused(man: Character, wrong) -> None:
    q = place_on_support(man, crouch(man), BOTH)
    with pytest.raises(InputError):
        wrong(man, q, mass_points(man, q, BOTH))


def test_duplicates_are_found_by_content(examples: list[Example]) -> None:
    once = PoseDatabase().with_examples(examples)
    again = once.with_examples([replace(example, name="other") for example in examples])
    assert len(again) == len(once) < len(examples)  # the cycles of the built-in run repeat
    bigger = replace(examples[0], flight=replace(examples[0].flight, height=examples[0].flight.height + 0.01))
    assert len(once.with_examples([bigger])) == len(once) + 1


def test_round_trip_of_the_file(tmp_path: Path, examples: list[Example]) -> None:
    database = PoseDatabase().with_examples(examples)
    database.save(tmp_path / "poses.json")
    back = PoseDatabase.load(tmp_path / "poses.json")
    assert [e.name for e in back.examples] == [e.name for e in database.examples]
    for one, other in zip(back.examples, database.examples, strict=True):
        np.testing.assert_allclose(one.flight.array, other.flight.array, atol=1e-6)
        for side in ("takeoff", "landing"):
            a, b = getattr(one, side), getattr(other, side)
            assert a.feet == b.feet
            for what in ("points", "standing", "pose"):
                assert list(getattr(a, what)) == list(getattr(b, what))
                for name in getattr(a, what):
                    np.testing.assert_allclose(getattr(a, what)[name], getattr(b, what)[name], atol=2e-6)
    back.save(tmp_path / "again.json")
    assert len(PoseDatabase.load(tmp_path / "again.json").with_examples(examples)) == len(database)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.json", "poses.json"]
    assert (tmp_path / "poses.json").stat().st_size < 4000 * len(database)


def test_shipped_and_own_examples_open_together(tmp_path: Path, monkeypatch, examples: list[Example]) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(room, "SHIPPED", tmp_path / "shipped.json")
    assert len(open_poses()) == 0
    assert user_file() == tmp_path / "gambol" / "poses.json"
    PoseDatabase((examples[0],)).save(tmp_path / "shipped.json")
    assert len(open_poses()) == 1
    user_file().parent.mkdir()
    PoseDatabase((examples[0], examples[1])).save(user_file())
    assert [e.name for e in open_poses().examples] == [examples[0].name, examples[1].name]
    PoseDatabase((examples[2],)).save(tmp_path / "mine.json")
    assert len(open_poses(tmp_path / "mine.json")) == 2
    with pytest.raises(InputError, match=r"none\.json"):
        open_poses(tmp_path / "none.json")
    monkeypatch.setenv("XDG_DATA_HOME", "not/absolute")
    assert user_file().is_absolute()


def _edited(content: dict, *path: object, value: object) -> str:
    at = content
    for step in path[:-1]:
        at = at[step]  # type: ignore[index]
    at[path[-1]] = value  # type: ignore[index]
    return json.dumps(content)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["format"], "else"),
        (["version"], 2),
        (["version"], "x" * 10_000),
        (["examples"], {}),
        (["examples"], [None]),
        (["examples"], [[]]),
        (["examples", 0, "name"], 3),
        (["examples", 0, "name"], "a\x1b[31mb"),
        (["examples", 0, "flight"], []),
        (["examples", 0, "flight", "spin"], None),
        (["examples", 0, "flight", "spin"], True),
        (["examples", 0, "flight", "spin"], 10**400),
        (["examples", 0, "flight", "spin"], float("nan")),
        (["examples", 0, "flight"], {"spin": 1.0}),
        (["examples", 0, "takeoff"], None),
        (["examples", 0, "takeoff", "points"], {}),
        (["examples", 0, "takeoff", "points", "lower"], [1.0, 2.0]),
        (["examples", 0, "takeoff", "points", "tail"], [1.0, 2.0, 3.0]),
        (["examples", 0, "takeoff", "points", "lower"], "abc"),
        (["examples", 0, "takeoff", "standing", "lower"], [0.0, 0.0, 0.0]),
        (["examples", 0, "takeoff", "standing"], {"lower": [0.0, 0.0, 1.0]}),
        (["examples", 0, "takeoff", "pose", "spine"], [0.0, 0.0, 0.0, 0.0]),
        (["examples", 0, "takeoff", "pose"], {}),
        (["examples", 0, "takeoff", "feet"], []),
        (["examples", 0, "takeoff", "feet"], "left_foot"),
        (["examples", 0, "takeoff", "feet"], ["tail"]),
        (["examples", 0, "takeoff", "feet"], [["left_foot"]]),
    ],
)
def test_hostile_databases_are_refused_in_one_line(
    tmp_path: Path, examples: list[Example], path: list, value: object
) -> None:
    file = tmp_path / "poses.json"
    PoseDatabase((examples[0],)).save(file)
    PoseDatabase.load(file)
    file.write_text(_edited(json.loads(file.read_text()), *path, value=value))
    with pytest.raises(InputError, match=r"poses\.json") as refused:
        PoseDatabase.load(file)
    assert len(str(refused.value)) < 300
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    "content", [b"", b"[", b"\xff\xfe\x00", b"[" * 100_000, b"3", b"null", b'{"format": NaN}', b"\x00" * 100]
)
def test_files_that_are_not_databases(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.json").write_bytes(content)
    with pytest.raises(InputError, match=r"bad\.json"):
        PoseDatabase.load(tmp_path / "bad.json")
    with pytest.raises(InputError, match="cannot be read"):
        PoseDatabase.load(tmp_path)


def test_bounds_are_those_of_the_parameters() -> None:
    assert list(BOUNDS) == [field.name for field in fields(FlightParameters)]
    flight = FlightParameters(*BOUNDS.values())
    np.testing.assert_allclose(flight.scaled, 1.0)
    with pytest.raises(InputError, match="finite"):
        replace(flight, spin=np.inf)


def test_flights_of_the_built_in_motions(examples: list[Example]) -> None:
    jump, *run = examples
    assert jump.takeoff.feet == jump.landing.feet == BOTH
    assert 0.5 < jump.flight.distance < 1.0
    assert jump.takeoff.points["upper"][0] > 0.2  # it leans ahead of its feet
    assert jump.landing.points["lower"][0] < jump.takeoff.points["lower"][0]
    assert len(run) == 7
    assert {e.takeoff.feet for e in run} == {("left_foot",), ("right_foot",)}
    assert all(e.takeoff.feet != e.landing.feet for e in run)
    assert all(e.flight.speed == pytest.approx(3.2, abs=0.1) for e in run)
    assert find_clip_examples(samples.walk()) == []


def test_recorded_jumps_predict_each_other(data: Path) -> None:
    """Leave one clip out: the neighbours predict a take-off to 8.6 cm, the mean of all others to 16.7 cm."""
    clips = ["13_11", "13_13", "13_32", "13_39", "13_42", "118_01", "02_04"]
    found = [e for clip in clips for e in find_clip_examples(load(data / "cmu_bvh" / "jump_hop_leap" / f"{clip}.bvh"))]
    assert len(found) == len(clips)
    assert all(e.takeoff.feet == BOTH for e in found)
    near, mean = [], []
    for example in found:
        rest = PoseDatabase(tuple(e for e in found if e is not example))
        own = example.takeoff
        neighbours = rest.nearest("takeoff", example.flight, 3, own.feet)
        others = [one._replace(weight=1.0 / len(rest)) for one in rest.nearest("takeoff", example.flight, len(rest))]
        for errors, used in ((near, neighbours), (mean, others)):
            predicted = interpolate_points(used, own.standing)
            errors.append([np.linalg.norm(predicted[name] - own.points[name]) for name in own.points])
    assert np.mean(near) < 0.75 * np.mean(mean)
    assert np.mean(near) < 0.10
