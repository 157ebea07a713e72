"""Bodies of a person: those of a part of a clip are a part of those of the clip; heads look where the rig's do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gambol as gb
from gambol.body.character import Character
from gambol.fit.rig import fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.motion.neutral_pose import NeutralPose
from gambol.robots.references.person import TrackedPerson, track_person
from gambol.stages.feet import SIDES


def find_angles(one: TrackedPerson, other: TrackedPerson, part: str) -> Array:
    """Rotation vectors (frames, 3) of a part, from one person to another."""
    before, after = (each.bodies.rotations[part] for each in (one, other))
    return quat.log(quat.multiply(quat.conjugate(before), after))


def turn_head(clip: Motion, axis: Array, angle: float) -> Motion:
    """Return a clip whose head is turned about an axis of the chest (ahead, left, up) in all frames."""
    assert clip.rig is not None
    local, head = local_frames(clip.skeleton, clip.q).rotations.copy(), clip.rig.parts["head"]
    local[:, head] = quat.multiply(quat.from_axis_angle(axis, angle), local[:, head])
    return replace_rotations(clip, local)


def test_a_head_that_is_turned_to_a_side_in_all_frames_is_so() -> None:
    clip = gb.load("walk")[:30]
    one, other = (track_person(each) for each in (clip, turn_head(clip, UP, 0.3)))
    np.testing.assert_allclose(find_angles(one, other, "head"), 0.3 * np.tile(UP, (30, 1)), atol=0.02)


def test_a_head_looks_ahead_as_in_the_rest_pose_whatever_the_axes_of_its_joint() -> None:
    clip = gb.load("walk")[:30]
    assert clip.rig is not None
    q, rests, head = clip.q.copy(), clip.skeleton.rests.copy(), clip.rig.parts["head"]
    q[:, clip.skeleton.columns(head, "turn")] = 0.0
    rests[head] = quat.multiply(rests[head], quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), 0.7))
    plain = replace(clip, q=q)
    turned = replace(plain, skeleton=replace(clip.skeleton, rests=rests))
    np.testing.assert_allclose(find_angles(track_person(plain), track_person(turned), "head"), 0.0, atol=1e-6)


def test_a_rig_that_does_not_stand_in_its_rest_pose_is_taken_to_look_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    clip = gb.load("walk")[:30]
    monkeypatch.setattr(NeutralPose, "rests", property(lambda _: False, lambda *_: None), raising=False)
    person = track_person(turn_head(clip, UP, 0.3))
    face = quat.rotate(person.bodies.rotations["head"], np.array([1.0, 0.0, 0.0])).mean(axis=0)
    ahead = quat.rotate(person.bodies.rotations["chest"], np.array([1.0, 0.0, 0.0])).mean(axis=0)
    assert abs(np.arctan2(*face[1::-1]) - np.arctan2(*ahead[1::-1])) < 0.01


def test_bodies_are_near_those_of_a_fitted_person() -> None:
    clip = gb.load("walk")[:60]
    person, fitted = track_person(clip), fit(Character.from_motion(clip), clip)
    names, placed = fitted.character.skeleton.names, fitted.motion.placement
    for part in set(person.bodies.positions) & set(names):
        away = person.bodies.positions[part] - placed.positions[:, names.index(part)]
        assert np.linalg.norm(away, axis=1).max() < 0.005, part
    for part, rotations in person.bodies.rotations.items():
        away = quat.log(quat.multiply(quat.conjugate(placed.rotations[:, names.index(part)]), rotations))
        assert np.abs(away).max() < 0.1, part
    for side in SIDES:
        tips = [placed.positions[:, names.index(f"{side}_{tip}_tip")] for tip in ("heel", "ball")]
        assert np.linalg.norm(person.bodies.find_sole(side) - np.mean(tips, axis=0), axis=1).max() < 0.01


def test_bodies_of_a_part_of_a_clip_are_part_of_those_of_the_clip() -> None:
    """Also in a clip whose frames differ: only what is level for feet is measured on it."""
    clip = gb.load("jump")
    half = len(clip) // 2
    whole, part = track_person(clip).bodies.cut(slice(half, None)), track_person(clip[half:]).bodies
    for name in whole.positions:
        np.testing.assert_allclose(part.positions[name], whole.positions[name], atol=1e-9)
    for name in ("pelvis", "chest", "head"):
        np.testing.assert_allclose(np.abs(np.sum(part.rotations[name] * whole.rotations[name], axis=1)), 1.0)


def test_a_person_between_two_frames_is_between_the_bodies() -> None:
    person = track_person(gb.load("walk")[:30])
    sampled = person.sample(np.array([0.0, 10.5, 29.0]) * person.rig.frame_time, 0.02)
    assert sampled.rig.frame_time == 0.02
    for name, places in person.bodies.positions.items():
        np.testing.assert_allclose(sampled.bodies.positions[name][[0, 2]], places[[0, -1]], atol=1e-9)
        np.testing.assert_allclose(sampled.bodies.positions[name][1], places[10:12].mean(axis=0), atol=5e-3)
    for name, turned in person.bodies.rotations.items():
        between = quat.slerp(turned[10], turned[11], np.array(0.5))
        np.testing.assert_allclose(sampled.bodies.rotations[name][1], between, atol=5e-3)


def test_bodies_turn_about_the_pelvis() -> None:
    bodies = track_person(gb.load("walk")[:3]).bodies
    spin = np.tile(quat.from_axis_angle(UP, 0.5), (3, 1))
    turned = bodies.turn(spin)
    np.testing.assert_allclose(turned.positions["pelvis"], bodies.positions["pelvis"])
    hand = bodies.positions["left_hand"] - bodies.positions["pelvis"]
    np.testing.assert_allclose(turned.positions["left_hand"] - bodies.positions["pelvis"], quat.rotate(spin, hand))
    np.testing.assert_allclose(turned.rotations["head"], quat.multiply(spin, bodies.rotations["head"]))
