"""Poses of JVRC-1 that follow a walking person: trunk, hands, and frames that are solved first."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

import gambol as gb
from gambol.body.character import Character
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.motion.kinematics import place
from gambol.robots.biped import Biped
from gambol.robots.references import kinematic
from gambol.robots.references.clearing import move_apart
from gambol.robots.references.hips import measure_scale
from gambol.robots.references.kinematic import plan_robot_soles, pose_robot
from gambol.robots.references.person import PersonBodies, track_person
from gambol.robots.references.sole_path import SolePath
from gambol.robots.sole_shapes import level_sole
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import SIDES
from tests.robots.test_whole_body import jvrc

FRAME_TIME = 1.0 / 60.0


class Walk(NamedTuple):
    biped: Biped
    person: PersonBodies
    scale: float
    soles: dict[str, SolePath]

    def pose(self, person: PersonBodies | None = None) -> Array:
        return pose_robot(self.biped, person or self.person, self.scale, self.soles, FRAME_TIME)[0]

    def cut(self, frames: slice) -> Walk:
        soles = {side: path.cut(frames) for side, path in self.soles.items()}
        return self._replace(person=self.person.cut(frames), soles=soles)

    def locate(self, q: Array, part: str) -> Array:
        """Places (frames, 3) of a part, from the hips."""
        placed = place(self.biped.skeleton, q)
        at, *hips = (self.biped.places[each] for each in (part, "left_thigh", "right_thigh"))
        found, *between = (placed.positions[:, j] + quat.rotate(placed.rotations[:, j], p) for j, p in (at, *hips))
        return found - np.mean(between, axis=0)


@pytest.fixture(scope="module")
def walk() -> Walk:
    biped, clip = jvrc(), gb.load("walk")[:50]
    person = track_person(clip)
    scale = measure_scale(person.character, biped)
    soles = plan_robot_soles(biped, person, find_foot_contacts(clip), scale)
    return Walk(biped, person.bodies, scale, soles)


def measure_angles(one: Array, other: Array) -> Array:
    """Degrees (frames,) between vectors (frames, 3)."""
    cosine = np.sum(one * other, axis=1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


@pytest.mark.parametrize("reached", [False, True], ids=["as planned", "after footholds were brought within reach"])
def test_footholds_are_apart_in_the_end(walk: Walk, reached: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both feet are put on one place, before or after footholds are brought within reach."""
    rests = np.ones(20, dtype=bool)
    apart = {side: replace(path.cut(slice(0, 20)), touching=rests) for side, path in walk.soles.items()}
    crossed = {side: replace(path, places=np.tile(apart["left"].places[0], (20, 1))) for side, path in apart.items()}
    planned, found = (apart, [crossed]) if reached else (crossed, [])
    assert move_apart(walk.biped, crossed)["left"] is not crossed["left"]
    monkeypatch.setattr(kinematic, "bring_within_reach", lambda _, soles, *__: found.pop() if found else soles)
    _, soles = pose_robot(walk.biped, walk.person.cut(slice(0, 20)), walk.scale, planned, FRAME_TIME)
    again = move_apart(walk.biped, soles)
    assert all(np.abs(again[side].places - soles[side].places).max() < 1e-6 for side in SIDES)


def test_shoulders_and_hands_come_nearer_to_the_persons(walk: Walk, monkeypatch: pytest.MonkeyPatch) -> None:
    near = walk.pose()
    with monkeypatch.context() as without:
        without.setattr(kinematic, "_TRUNK", 0.0)
        leaning = walk.pose()
    monkeypatch.setattr(kinematic, "_HANDS", 0.0)
    far = walk.pose()
    hips = walk.person.positions["pelvis"]
    trunk = np.mean([walk.person.positions[f"{side}_upper_arm"] for side in SIDES], axis=0) - hips
    leans = [
        measure_angles(np.mean([walk.locate(q, f"{side}_upper_arm") for side in SIDES], axis=0), trunk).mean()
        for q in (near, leaning)
    ]
    assert leans[0] < 0.8 * leans[1]
    for side in SIDES:
        goal = walk.scale * (walk.person.positions[f"{side}_hand"] - hips)
        one, other = (np.linalg.norm(walk.locate(q, f"{side}_hand") - goal, axis=1).mean() for q in (near, far))
        assert one < other - 0.005


def test_an_arm_that_is_straight_stays_straight(walk: Walk) -> None:
    """The person has short arms: JVRC-1's hands cannot be where the person's are without bending."""
    positions = dict(walk.person.positions)
    for side in SIDES:
        shoulder, elbow, wrist = (positions[f"{side}_{part}"] for part in ("upper_arm", "forearm", "hand"))
        upper, lower = (0.8 * np.linalg.norm(b - a, axis=1).mean() for a, b in ((shoulder, elbow), (elbow, wrist)))
        down = quat.rotate(walk.person.rotations["chest"], [0.2, 0.0, -0.98])
        positions[f"{side}_forearm"] = shoulder + upper * down
        positions[f"{side}_hand"] = shoulder + (upper + lower) * down
    q = walk.pose(walk.person._replace(positions=positions))
    for side in SIDES:
        upper, lower = np.diff([walk.locate(q, f"{side}_{part}") for part in ("upper_arm", "forearm", "hand")], axis=0)
        assert measure_angles(upper, lower).max() < 6.0


def test_it_hardly_matters_which_frames_are_solved_first(walk: Walk) -> None:
    whole, later = walk.cut(slice(0, None)).pose(), walk.cut(slice(1, None)).pose()
    np.testing.assert_allclose(later[10:, 6:], whole[11:, 6:], atol=0.01)


@pytest.mark.parametrize("part", ["chest", "head"])
def test_chest_and_head_turn_as_the_persons_do(walk: Walk, part: str) -> None:
    """By 0.3 rad to the left; the rest of the person stays."""
    some, turn = walk.cut(slice(0, 16)), quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), 0.3)
    rotations = some.person.rotations | {part: quat.multiply(turn, some.person.rotations[part])}
    joint = walk.biped.places[part].joint
    before, after = (
        place(walk.biped.skeleton, some.pose(person)).rotations[:, joint]
        for person in (some.person, some.person._replace(rotations=rotations))
    )
    turned = quat.log(quat.multiply(after, quat.conjugate(before)))[:, 2]
    assert turned.mean() > {"chest": 0.05, "head": 0.2}[part]


def test_smoothness_and_speeds_do_not_depend_on_the_rate(walk: Walk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bend grows with the square of the frame time, its cost with the fourth power; steps are 0.97 of the fastest."""
    slow, fast = (kinematic.find_stiffness(walk.biped, each) for each in (1.0 / 30.0, 1.0 / 60.0))
    np.testing.assert_allclose(fast, 16.0 * slow)
    np.testing.assert_allclose(fast[:3], 3.0**2)
    np.testing.assert_allclose(fast[3:], 0.15**2)
    steps, speeds = kinematic.find_steps(walk.biped, 0.02), walk.biped.description.speeds
    np.testing.assert_allclose(steps, 0.97 * 0.02 * np.where(speeds < 20.0, speeds, 20.0))
    monkeypatch.setattr(kinematic, "measure_narrowest", lambda _: 0.5)
    person = Character.from_motion(gb.load("walk")[:20])
    wider = kinematic.find_widening(walk.biped, person, 0.9)
    assert wider == pytest.approx(0.5 + 0.02 - 0.9 * 0.1 * person.leg_length), "thick legs pass each other"


def test_hips_do_not_make_way_for_the_tilt_of_a_sole_that_swings(walk: Walk) -> None:
    """It is low, and rolled by 0.6 rad, more than the ankle can."""
    path = walk.soles["right"]
    swing = ~path.touching
    assert swing.sum() > 8
    roll = quat.from_axis_angle(np.array([1.0, 0.0, 0.0]), 0.6 * swing)
    heights = path.find_heights(level_sole(walk.biped, "right")).min(axis=1)
    low = replace(path, places=path.places - np.where(swing, heights, 0.0)[:, None] * UP)
    rolled = replace(low, rotations=quat.multiply(low.rotations, roll))
    level, tilted = (walk._replace(soles=walk.soles | {"right": each}).pose()[:, :2] for each in (low, rolled))
    assert np.abs(tilted - level).max() < 0.02
