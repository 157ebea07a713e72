"""A push as a lean: where the centre of mass goes, which feet stay, and how it turns with the world."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.body.dynamics import Dynamics
from gambol.geometry.arrays import Array
from gambol.legs.character import LEG_PARTS
from gambol.respond.latent.features import FRAME_TIME
from gambol.respond.latent.lean import NO_DRIFT, accumulate_push, lean_pose
from tests.respond.latent.conftest import Looped, turn_poses

LEFT, BOTH, NONE = [True, True, False, False], [False, True, True, False], [False] * 4


def feet_of(looped: Looped, pose: Array) -> Array:
    return looped.layout.points.locate(pose[None])[0][0, looped.layout.points.feet]


@pytest.mark.parametrize("standing", [LEFT, BOTH, NONE])
@pytest.mark.parametrize("displacement", [(0.0, 0.05), (-0.04, -0.03), (0.06, 0.0)])
def test_the_centre_of_mass_moves_as_asked_and_standing_feet_stay(
    person: Looped, standing: list[bool], displacement: tuple[float, float]
) -> None:
    dynamics, stands = Dynamics(person.layout.character), np.array(standing)
    # Frames in which these feet do stand: legs that are out of reach would pull the body back.
    walked = [n for n, pose in enumerate(person.poses) if _standing(person, pose)[stands].all()][::3]
    assert walked
    for pose in person.poses[walked]:
        leaned = lean_pose(person.layout.points, pose, np.array(displacement), stands)
        moved = dynamics.center_of_mass(leaned) - dynamics.center_of_mass(pose)
        np.testing.assert_allclose(moved[:2], displacement, atol=1e-3)
        assert np.abs(feet_of(person, leaned) - feet_of(person, pose))[stands].max(initial=0.0) < 1e-3


def _standing(looped: Looped, pose: Array) -> Array:
    return feet_of(looped, pose)[:, 2] < looped.decoder.floor + 0.02


def test_the_trunk_leans_as_a_rigid_body(looped: Looped) -> None:
    """On one foot by atan(displacement / height) about the axis across the push; joints above the legs keep angles."""
    pose = next(pose for pose in looped.poses if _standing(looped, pose)[:2].all())
    height = Dynamics(looped.layout.character).center_of_mass(pose)[2]
    leaned = lean_pose(looped.layout.points, pose, np.array([0.0, 0.06]), np.array(LEFT))
    head, pelvis = (looped.layout.points.names.index(name) for name in ("head", "pelvis"))
    before, after = (looped.layout.points.locate(q[None])[0][0] for q in (pose, leaned))
    tilts = [np.arctan2((q[head] - q[pelvis])[1], (q[head] - q[pelvis])[2]) for q in (before, after)]
    assert tilts[1] - tilts[0] == pytest.approx(np.arctan(0.06 / height), rel=0.25)
    skeleton = looped.layout.character.skeleton
    upper = [n for n, d in enumerate(skeleton.dofs) if n > 5 and not skeleton.names[d.joint].endswith(LEG_PARTS)]
    assert len(upper) == 24
    assert np.degrees(np.abs(leaned - pose)[upper]).max() < 1.0
    # Every point of the trunk and the arms is where a rotation about the middle of the foot brings it.
    pivot, centre = (
        before[looped.layout.points.feet[:2]].mean(axis=0),
        Dynamics(looped.layout.character).center_of_mass(pose),
    )
    side, up = (centre - pivot)[1:]
    angle = np.arcsin((side + 0.06) / np.hypot(side, up)) - np.arctan2(side, up)
    c, s = np.cos(angle), np.sin(angle)
    turned = pivot + (before - pivot) @ np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    np.testing.assert_allclose(after[:12], turned[:12], atol=2e-4)


def test_in_double_support_the_body_leans_about_the_middle_between_the_feet(person: Looped) -> None:
    """The trunk sinks or rises as on an arc around that point, and not around one foot, where it would by 5 mm more."""
    pose = next(pose for pose in person.poses if _standing(person, pose)[BOTH].all())
    ends, trunk = feet_of(person, pose), person.layout.points.names.index("chest")
    heading = np.array([np.cos(pose[3]), np.sin(pose[3])])
    leaned = lean_pose(person.layout.points, pose, 0.05 * heading, np.array(BOTH))
    before, after = (person.layout.points.locate(q[None])[0][0, trunk] for q in (pose, leaned))
    centre = Dynamics(person.layout.character).center_of_mass(pose)

    def sink(pivot: Array) -> float:
        """Height that the trunk loses on the arc."""
        angle = np.arctan2(0.05, centre[2] - pivot[2])
        return float(angle * (before - pivot)[:2] @ heading + (1.0 - np.cos(angle)) * (before - pivot)[2])

    middle, feet = sink(ends[[1, 2]].mean(axis=0)), [sink(ends[1]), sink(ends[2])]
    assert abs(before[2] - after[2] - middle) < 0.003
    assert min(abs(middle - foot) for foot in feet) > 0.005


def test_a_lean_turns_with_the_world(looped: Looped) -> None:
    pose, angle = looped.poses[4], 2.3
    c, s = np.cos(angle), np.sin(angle)
    here = lean_pose(looped.layout.points, pose, np.array([0.02, 0.05]), np.array(LEFT))
    there = lean_pose(
        looped.layout.points,
        turn_poses(pose[None], angle)[0],
        np.array([c * 0.02 - s * 0.05, s * 0.02 + c * 0.05]),
        np.array(LEFT),
    )
    np.testing.assert_allclose(there, turn_poses(here[None], angle)[0], atol=2e-4)


def test_in_flight_the_body_is_displaced_as_a_whole(looped: Looped) -> None:
    pose = looped.poses[3]
    expected = pose + np.append([0.03, -0.05], np.zeros(40))
    found = lean_pose(looped.layout.points, pose, np.array([0.03, -0.05]), np.array(NONE))
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_no_displacement_is_no_lean(looped: Looped) -> None:
    np.testing.assert_array_equal(
        lean_pose(looped.layout.points, looped.poses[0], np.zeros(2), np.array(LEFT)), looped.poses[0]
    )


def test_momentum_accumulates_while_a_push_lasts() -> None:
    """A constant force: velocity F t / m and displacement F t² / 2 m; afterwards it drifts on."""
    drift, force, mass = NO_DRIFT, np.array([70.0, -140.0, 35.0]), 70.0
    for _ in range(6):
        drift = accumulate_push(drift, force, mass)
    seconds = 6 * FRAME_TIME
    np.testing.assert_allclose(drift.momentum / mass, seconds * force[:2] / mass)
    np.testing.assert_allclose(drift.displacement, 0.5 * seconds**2 * force[:2] / mass)
    after = accumulate_push(drift, np.zeros(3), mass)
    np.testing.assert_allclose(after.displacement - drift.displacement, FRAME_TIME * drift.momentum / mass)
    np.testing.assert_array_equal(NO_DRIFT.displacement, 0.0)
