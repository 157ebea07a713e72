"""Tasks: what YAML says, and where it puts the steps of a recorded walk."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from gambol.contacts.timeline import remove_frames
from gambol.contacts.views import list_constraints, list_loads
from gambol.errors import InputError
from gambol.fit.load import load
from gambol.geometry import quaternions as quat
from gambol.motion.motion import Motion
from gambol.spacetime.edits.draft import Draft
from gambol.spacetime.edits.parts import EditableClip
from gambol.spacetime.edits.verb import prepare_clip
from gambol.styles.style import name_joints
from gambol.styles.task import (
    StyleTask,
    describe_task,
    draft_task,
    find_end_strides,
    find_shoe_give,
    make_task_scene,
    parse_task,
    sink_feet,
)
from gambol.terms.contacts import list_clearances

pytestmark = pytest.mark.slow


@cache
def walk() -> EditableClip:
    return prepare_clip(load("walk"), 1.0, 3.0)[0]


def draft(**task: Any) -> Draft:
    return draft_task(walk(), parse_task(task))


def travel(one: Draft) -> np.ndarray:
    return np.asarray(one.reference.placement.positions[-1, 0] - one.reference.placement.positions[0, 0])


def test_a_cycle_with_a_slope_is_refused_in_python_too() -> None:
    with pytest.raises(InputError, match="without 'slope'"):
        StyleTask(slope=3.0, cycle=True)


def test_nothing_asked_changes_nothing() -> None:
    assert parse_task({}) == StyleTask()
    assert describe_task(parse_task({"slope": 3})) == {"slope": 3.0}


def test_longer_strides_go_farther() -> None:
    ratio = np.linalg.norm(travel(draft(stride=1.2))[:2]) / np.linalg.norm(travel(draft())[:2])
    assert 1.1 < ratio < 1.25


def test_a_curve_turns_to_the_left() -> None:
    ends = [one.reference.placement.rotations[-1, 0] for one in (draft(curve=60.0), draft(), draft(curve=-60.0))]
    turns = [2.0 * np.degrees(np.arctan2(end[3], end[0])) for end in ends]
    change = [(turns[n] - turns[1] + 180.0) % 360.0 - 180.0 for n in (0, 2)]
    assert 45.0 < change[0] < 62.0
    assert -62.0 < change[1] < -45.0


def test_a_slope_lifts_feet_and_body_and_tilts_the_ground() -> None:
    level, up = draft(), draft(slope=6.0)
    rise = np.tan(np.radians(6.0))
    ahead = travel(level)[:2] / np.linalg.norm(travel(level)[:2])
    assert travel(up)[2] - travel(level)[2] == pytest.approx(rise * np.linalg.norm(travel(level)[:2]), rel=1e-6)
    contacts = zip(list_loads(up.contacts, up.character), list_loads(level.contacts, level.character), strict=True)
    for one, two in contacts:
        np.testing.assert_allclose(one.normal @ np.append(ahead, rise), 0.0, atol=1e-9)
        along = (two.places - two.places[0])[:, :2] @ ahead
        np.testing.assert_allclose((one.places - two.places)[:, 2] - (one.places - two.places)[0, 2], rise * along)
    for one, two in zip(list_clearances(up.contacts), list_clearances(level.contacts), strict=True):
        assert np.ptp(np.asarray(one.height) - np.asarray(two.height)) > 0.05


def test_skates_slide_along_the_feet() -> None:
    skating = draft(skate=True)
    for one in (*list_constraints(skating.contacts), *list_loads(skating.contacts, skating.character)):
        assert one.slide is not None
        assert abs(one.slide[2]) < 1e-6
    assert not any(one.kind == "fixed" for one in skating.contacts.items)


def test_springs_of_shoes_have_room_to_sink() -> None:
    shoes = parse_task({"shoes": 40.0})
    hard, soft = draft().contacts, make_task_scene(draft(), shoes).contacts
    give = find_shoe_give(shoes, draft().character)
    assert give == pytest.approx(9.81 * draft().character.mass / 40_000.0, rel=1e-3)
    for one, two in zip(list_clearances(soft), list_clearances(hard), strict=True):
        mine = [contact for contact in list_constraints(hard) if contact.body == one.body]
        standing = [any(contact.is_active(frame) for contact in mine) for frame in one.frames]
        sunk = np.asarray(two.height) - np.asarray(one.height)
        np.testing.assert_allclose(sunk, np.where(standing, 3.0 * give, 0.0), atol=1e-12)  # not where the foot swings
        assert 0.0 < np.mean(standing) < 1.0
    back = sink_feet(draft(), shoes).contacts  # no foot is planted on the rig
    assert {one.kind for one in back.items} == {"rolling"}
    assert back.floor.height == pytest.approx(hard.floor.height - 3.0 * give)
    assert find_shoe_give(StyleTask(), draft().character) == 0.0


def test_wrists_stay_outside_of_the_hips() -> None:
    """A draft, which has recorded arms, obeys; with its wrists at the middle of the body it would not."""
    one = draft(slope=6.0)
    scene, places = make_task_scene(one, parse_task({"slope": 6.0})), one.reference.placement.positions
    skeleton = one.character.skeleton
    arms = [separation for separation in scene.separations if separation.bodies[1] == "pelvis"]
    assert {separation.bodies[0] for separation in arms} == {"left_hand", "right_hand"}
    for separation in arms:
        hand, pelvis = (places[separation.frames, skeleton.index(body)] for body in separation.bodies)
        distance = np.sum((hand - pelvis) * separation.directions, axis=1)
        assert (distance >= np.asarray(separation.distance) - 1e-9).all()
        assert (np.asarray(separation.distance) > 0.1).all()
        hip = places[separation.frames, skeleton.index(separation.bodies[0].replace("hand", "thigh"))]
        room = np.asarray(separation.distance) - np.sum((hip - pelvis) * separation.directions, axis=1)
        assert (room <= 0.07 + 1e-9).all()  # nearer than recorded is allowed, up to the hip
        np.testing.assert_allclose(np.linalg.norm(separation.directions, axis=1), 1.0)
        np.testing.assert_allclose(separation.directions[:, 2], 0.0, atol=1e-12)


def test_legs_that_pass_each_other_stay_as_far_apart_as_in_the_draft_or_8_cm() -> None:
    one = draft()
    scene, places = make_task_scene(one, StyleTask()), one.reference.placement.positions
    legs = [separation for separation in scene.separations if separation.bodies[1] != "pelvis"]
    assert {separation.bodies for separation in legs} == {("left_shank", "right_shank"), ("left_foot", "right_foot")}
    for separation in legs:
        left, right = (places[separation.frames, one.character.skeleton.index(body)] for body in separation.bodies)
        apart = np.sum((left - right) * separation.directions, axis=1)
        np.testing.assert_allclose(separation.distance, 0.8 * np.minimum(apart, 0.1), atol=1e-12)
        assert len(separation.frames) > 0.9 * len(one.reference)


def test_uphill_the_trunk_leans_ahead_and_downhill_back_and_the_legs_stay() -> None:
    """By 0.44 and 0.12 degrees per degree, from the first frame on; half of it in the back."""
    for slope, share in ((10.0, 0.44), (-10.0, 0.12)):
        level, tilted = draft(), draft(slope=slope)
        turned = [measure_pitch(one.reference, "chest") for one in (level, tilted)]
        np.testing.assert_allclose(turned[1] - turned[0], share * slope, atol=0.3)
        for part, less in (("pelvis", 0.5), ("left_thigh", 0.0), ("right_shank", 0.0), ("head", 0.3)):
            turned = [measure_pitch(one.reference, part) for one in (level, tilted)]
            np.testing.assert_allclose(turned[1] - turned[0], less * share * slope, atol=0.4)


def measure_pitch(motion: Motion, part: str) -> np.ndarray:
    """Degrees (frames,) by which the vertical axis of a part leans along the heading of the pelvis."""
    rotations = motion.placement.rotations
    ahead = quat.rotate(rotations[:, motion.skeleton.index("pelvis")], np.array([1.0, 0.0, 0.0])) * [1.0, 1.0, 0.0]
    ahead /= np.linalg.norm(ahead, axis=1)[:, None]
    up = quat.rotate(rotations[:, motion.skeleton.index(part)], np.array([0.0, 0.0, 1.0]))
    return np.degrees(np.arctan2(np.sum(up * ahead, axis=1), up[:, 2]))


def test_a_task_changes_the_trunk_slowly_and_frees_the_arm_that_carries() -> None:
    task = {"load": {"right_hand": 8.0}, "slope": 5.0}
    scene = make_task_scene(draft(**task), parse_task(task))
    names = [(scene.character.skeleton.names[dof.joint], dof.kind) for dof in scene.character.skeleton.dofs]
    change, pose = (
        dict(zip(names, np.broadcast_to(one, len(names)), strict=True)) for one in (scene.change_cost, scene.pose_cost)
    )
    assert change["chest", "turn"] > 10.0 * change["left_forearm", "turn"] > 0.0
    assert change["right_forearm", "turn"] == pose["right_forearm", "turn"] == 0.0
    assert change["pelvis", "slide"] == pose["pelvis", "slide"] == 0.0
    assert pose["left_shank", "turn"] > 0.0
    pitch = next(
        n for n, dof in enumerate(scene.character.skeleton.dofs) if dof.kind == "turn" and abs(dof.axis[1]) > 0.5
    )
    assert np.broadcast_to(scene.pose_cost, len(names))[pitch] == 20.0


def test_strides_are_those_of_the_footprints() -> None:
    """The built-in walk strikes twice with each foot in two seconds; a stride lasts 1.07 s, 32 frames."""
    strides = find_end_strides(draft().contacts)
    assert strides is not None
    np.testing.assert_allclose(strides, 32, atol=1)
    assert find_end_strides(draft().contacts.cut(0, 25)) is None


def test_loads_and_locks_change_the_body() -> None:
    changed = draft(load={"right_hand": 3.0}, lock={"left_shank flexion": 10.0})
    assert changed.character.mass == pytest.approx(draft().character.mass + 3.0)
    skeleton = changed.character.skeleton
    dof = [dof for dof in skeleton.dofs if dof.joint][name_joints(skeleton).index("left_shank flexion")]
    assert np.degrees([dof.lower, dof.upper]) == pytest.approx([9.5, 10.5])


def test_a_body_that_hangs_on_something_is_refused() -> None:
    plan = walk().contacts
    late = np.arange(plan.frames) > 30
    items = tuple(part for one in plan.items for part in remove_frames(one, late))
    hanging = replace(walk(), contacts=replace(plan, items=items))
    with pytest.raises(InputError, match=r"held by something other than feet"):
        draft_task(hanging, StyleTask())


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ({"slop": 3}, "slop"),
        ({"slope": "steep"}, "must be a number"),
        ({"slope": 80}, "at most 30"),
        ({"skate": 3}, "must be true or false"),
        ({"cycle": True, "slope": 3}, "straight ahead on level ground, without 'slope'"),
        ({"loop": 12, "cycle": True}, "a number of seconds, without 'cycle'"),
        ({"loop": -1}, "a number of seconds"),
        ({"shoes": 1}, "at least 25 kN/m"),
        ({"shoes": "soft"}, "must be a number"),
        ({"stride": 0.1}, "stride must be"),
        ({"stride": 2.8}, "from the step before"),
        ({"load": {"tail": 3}}, "no part of the body is called 'tail'"),
        ({"load": {"right_hand": 0}}, "must weigh something"),
        ({"lock": {"left_wing flexion": 3}}, "no joint moves by 'left_wing flexion'"),
        ({"changes": [{"stage": "left step 99", "forward": 0.1}]}, "no stage 'left step 99'"),
    ],
)
def test_bad_tasks_are_refused(task: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        draft(**task)
