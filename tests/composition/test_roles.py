"""Drafts: steps, turns, joined clips, children, standing at the ends, and where somebody begins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.composition.composition import Action, Person
from gambol.composition.roles import Role, draft_role, find_mass
from gambol.contacts.views import find_side
from gambol.errors import InputError
from gambol.stages.feet import find_foot_points, track_point
from tests.composition.scenes import ANNA

RATE = 30.0


def _heading(role: Role) -> np.ndarray:
    places = role.draft.motion.placement.positions[:, 0, :2]
    way = places[20:] - places[:-20]
    return np.unwrap(np.arctan2(way[:, 1], way[:, 0]))


def test_somebody_begins_where_they_are_put_and_goes_where_they_are_sent() -> None:
    moved = draft_role(replace(ANNA, at=(2.0, -1.0), heading=120.0), RATE)
    first, last = moved.draft.motion.placement.positions[[0, -1], 0, :2]
    np.testing.assert_allclose(first, (2.0, -1.0), atol=1e-9)
    assert np.degrees(np.arctan2(*(last - first)[::-1])) == pytest.approx(120.0, abs=3.0)
    plain = draft_role(ANNA, RATE)
    turned = np.exp(1j * np.radians(120.0))
    for one, other in zip(plain.draft.stances, moved.draft.stances, strict=True):
        expected = complex(*one.place[:2]) * turned + complex(2.0, -1.0)
        np.testing.assert_allclose(other.place[:2], (expected.real, expected.imag), atol=1e-6)
    assert moved.draft.contacts.floor.height == 0.0


def test_steps_turn_by_the_angle_that_is_asked_for() -> None:
    straight = draft_role(replace(ANNA, actions=(Action("walk", steps=6),)), RATE)
    turning = draft_role(replace(ANNA, actions=(Action("walk", steps=6, turn=90.0),)), RATE)
    bent = np.degrees(_heading(turning)[-1] - _heading(straight)[-1])
    assert 60.0 < bent <= 95.0  # of the whole way; the mean heading of the last steps lags behind
    assert len(straight.draft.stances) >= 6


def test_longer_strides_go_farther_and_a_faster_pace_takes_less_time() -> None:
    plain, long, quick = (
        draft_role(replace(ANNA, actions=(replace(ANNA.actions[0], steps=4, **change),)), RATE).draft.motion
        for change in ({}, {"stride": 1.2}, {"pace": 1.25})
    )
    far = [np.linalg.norm(np.diff(one.placement.positions[[0, -1], 0, :2], axis=0)) for one in (plain, long, quick)]
    assert far[1] / far[0] == pytest.approx(1.2, abs=0.05)
    assert plain.duration / quick.duration == pytest.approx(1.25, abs=0.03)
    assert far[2] == pytest.approx(far[0], rel=0.03)


def test_clips_are_joined_in_the_order_of_the_actions() -> None:
    role = draft_role(Person("anna", (Action("walk", steps=3), Action("run", steps=4))), RATE)
    flight = role.draft.contacts.flight
    speed = np.linalg.norm(np.diff(role.draft.motion.placement.positions[:, 0, :2], axis=0), axis=1) * RATE
    assert not flight[:30].any()
    assert flight[-30:].any()
    assert speed[-20:].mean() > 1.5 * speed[:20].mean()
    assert len(role.seams) == 1
    assert speed[role.clip_times[1:] > role.seams[0] + 0.2].min() > 1.8


def test_a_child_has_shorter_legs_and_quicker_steps() -> None:
    adult, child = (draft_role(replace(ANNA, height=height), RATE) for height in (None, 1.2))
    bodies = [role.draft.character.skeleton for role in (adult, child)]
    leg = [one.offsets[one.index("left_shank")] for one in bodies]
    size = np.linalg.norm(leg[1]) / np.linalg.norm(leg[0])
    assert 0.5 < size < 0.7
    assert child.draft.motion.duration / adult.draft.motion.duration == pytest.approx(np.sqrt(0.62), abs=0.06)
    assert child.draft.character.mass == pytest.approx(22.3, abs=0.2)
    assert find_mass(replace(ANNA, height=1.2, mass=30.0)) == 30.0


@pytest.mark.parametrize("where", ["begins", "ends"])
def test_standing_is_on_both_feet_side_by_side_and_still(where: str) -> None:
    role = draft_role(replace(ANNA, actions=(Action("walk", steps=4),), **{f"{where}_standing": True}), RATE)
    motion, frame = role.draft.motion, 0 if where == "begins" else len(role.draft.motion) - 1
    standing = [one for one in role.draft.stances if one.first <= frame <= one.last]
    assert {find_side(one) for one in standing} == {"left", "right"}
    ankles = [motion.placement.positions[frame, motion.skeleton.index(f"{side}_foot")] for side in ("left", "right")]
    across = ankles[0] - ankles[1]
    assert np.linalg.norm(across[:2]) < 0.35
    some = slice(0, 6) if where == "begins" else slice(-6, None)
    assert np.abs(np.diff(motion.placement.positions[some], axis=0)).max() * RATE < 0.02
    hinges = [motion.skeleton.columns(motion.skeleton.index(f"{side}_shank"), "turn")[0] for side in ("left", "right")]
    knees = motion.q[frame, hinges]
    assert (np.degrees(knees) < 25.0).all()
    moving = motion.placement.positions[:, 0]
    assert np.linalg.norm(moving[-1] - moving[0]) > 1.0


def test_somebody_who_never_steps_cannot_begin_standing() -> None:
    with pytest.raises(InputError, match="no foot passes the other"):
        draft_role(Person("anna", (Action("stand"),), begins_standing=True), RATE)


def test_a_solved_motion_comes_back_on_the_rig_of_the_clip() -> None:
    import gambol as gb

    role, clip = draft_role(ANNA, RATE), gb.load("walk")
    draft = role.draft
    motion = role.return_to_rig(draft.motion.q, draft.contacts, draft.motion.times)
    assert motion.skeleton.names == clip.skeleton.names
    assert motion.frame_time == clip.frame_time
    assert motion.duration == pytest.approx(draft.motion.duration, abs=clip.frame_time)
    slow = role.return_to_rig(draft.motion.q, draft.contacts, 1.5 * draft.motion.times)
    assert slow.duration == pytest.approx(1.5 * motion.duration, abs=2 * clip.frame_time)


def test_feet_rest_between_the_frames_of_the_scene_too() -> None:
    """Where a heel lands or lifts between two frames, the ball stays in place; the heel is let go before it lifts."""
    role = draft_role(replace(ANNA, actions=(Action("run", steps=4),)), RATE)
    draft, times = role.draft, role.draft.motion.times
    motion = role.return_to_rig(draft.motion.q, draft.contacts, times)
    points = {point.name: point for point in find_foot_points(motion)}
    fixed = [one for one in draft.contacts.items if one.fixed]
    assert {one.part.partition("_")[2] for one in fixed} == {"heel", "ball"}
    for contact in fixed:
        first, last = (
            int(np.ceil(times[contact.first] / motion.frame_time)),
            int(times[contact.last] / motion.frame_time),
        )
        path = track_point(motion, points[contact.part])[first : last + 1]
        most = 1e-3 if contact.part.endswith("heel") else 3e-4
        np.testing.assert_allclose(path, np.broadcast_to(np.median(path, axis=0), path.shape), atol=most)
