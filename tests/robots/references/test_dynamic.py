"""Contacts and clearances of soles on a slope and on an edge, and windows that are not solved."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from gambol.geometry import quaternions as quat
from gambol.motion.motion import Motion
from gambol.robots.biped import Biped
from gambol.robots.references import dynamic
from gambol.robots.references.dynamic import _find_idle, _list_clearances, _list_contacts, make_robot_physical
from gambol.robots.references.sole_path import SolePath
from gambol.robots.sole_shapes import find_sole, level_sole
from gambol.spacetime import windows
from gambol.spacetime.solved_windows import SolvedWindow
from gambol.stages.feet import SIDES
from gambol.terms.deviation import KeptCoordinates
from gambol.terms.momentum import NewtonEuler
from gambol.terms.separation import LinkSeparation
from gambol.terms.smoothness import AccelerationCost, ForceFadeCost
from gambol.terms.speed import JointSpeedLimit
from gambol.terms.torque import TorqueLimit
from tests.robots.test_whole_body import jvrc

SLOPE = np.array([0.1, -0.05])


@pytest.fixture(scope="module")
def biped() -> Biped:
    return jvrc()


def find_leg_columns(biped: Biped) -> list[int]:
    joints = {each for side in SIDES for each in biped.skeleton.path_to_root(biped.places[f"{side}_foot"].joint)} - {0}
    return [column for column, dof in enumerate(biped.skeleton.dofs) if dof.joint in joints]


def lay(biped: Biped, count: int = 10) -> SolePath:
    """A sole that is level 1 cm above a slope, and in frames 3 to 6 on it."""
    touching = np.isin(np.arange(count), (3, 4, 5, 6))
    places = np.column_stack((0.1 * np.arange(count), np.zeros(count), np.where(touching, 0.0, 0.01)))
    level, slopes = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), np.tile(SLOPE, (count, 1))
    path = SolePath(places, level, np.zeros((count, 4)), slopes, ((3, 6),), touching)
    corners = path.find_corners(level_sole(biped, "left"))
    return SolePath(path.places, path.rotations, corners[..., :2] @ SLOPE, path.slopes, path.flat, touching)


def test_forces_are_about_the_normal_of_the_slope(biped: Biped) -> None:
    (contact,) = _list_contacts(biped, "left", lay(biped))
    assert (contact.first, contact.last) == (3, 6)
    np.testing.assert_allclose(contact.normal, np.append(-SLOPE, 1.0) / np.sqrt(1.0 + SLOPE @ SLOPE))


def test_corners_are_kept_above_the_slope(biped: Biped) -> None:
    """Wherever a corner is on the slope, it is at the height of its clearance; also where it is planned high above."""
    path = lay(biped)
    path.places[0, 2] += 0.5
    clearances = list(_list_clearances(biped, "left", path, list(_list_contacts(biped, "left", path))))
    assert len(clearances) == 4
    for one in clearances:
        assert set(one.frames) == {0, 1, 2, 7, 8, 9}
        for aside in ([0.0, 0.0], [0.3, -0.2]):
            points = np.append(aside, np.array(aside) @ SLOPE)
            np.testing.assert_allclose(one.normal @ points, one.height, atol=1e-12)


def test_an_edge_rests_level_on_the_ground_however_the_foot_rolls(biped: Biped) -> None:
    """A foot that stands on its toes and is turned about its length: both corners of the toes are on the ground."""
    path = lay(biped)
    turned = quat.multiply(
        quat.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.full(10, 0.2)),
        quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.full(10, 0.4)),
    )
    rolled = replace(path, rotations=turned, flat=(), ground=np.full((10, 4), 0.25))
    (contact,) = _list_contacts(biped, "left", rolled)
    assert len(contact.points) == 2
    np.testing.assert_allclose(contact.places[:, 2], 0.25)


def test_edges_are_the_lower_ones_and_stay_where_the_sole_rests_flat(biped: Biped) -> None:
    """A sole comes down on its heel, rests in frames 3 to 6 and leaves over its toes; its path slides on meanwhile."""
    path, pitch = lay(biped), np.array([0.0, -0.3, -0.2, 0.0, 0.0, 0.0, 0.0, 0.2, 0.3, 0.0])
    turned = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), pitch)
    touching = (np.arange(10) > 0) & (np.arange(10) < 9)
    rolling = replace(path, rotations=turned, touching=touching, ground=np.zeros((10, 4)), slopes=np.zeros((10, 2)))
    heel, sole, toes = _list_contacts(biped, "left", rolling)
    assert [(one.first, one.last) for one in (heel, sole, toes)] == [(1, 2), (3, 6), (7, 8)]
    np.testing.assert_array_equal(heel.points, sole.points[:2])
    np.testing.assert_array_equal(toes.points, sole.points[2:])
    flat = rolling.find_corners(level_sole(biped, "left")) * [1.0, 1.0, 0.0]
    np.testing.assert_allclose(heel.places, flat[3, :2], atol=1e-12)
    np.testing.assert_allclose(toes.places, flat[6, 2:], atol=1e-12)


@pytest.mark.parametrize(("angle", "points"), [(0.2, 2), (1.0, 1), (-1.0, 1)])
def test_a_foot_that_turns_on_its_toes_rests_on_one_corner(biped: Biped, angle: float, points: int) -> None:
    """The one that stays: the sole turns about it from frame 7 on."""
    path = replace(lay(biped), flat=((3, 5),), touching=np.arange(10) > 2, slopes=np.zeros((10, 2)))
    up, pitch = np.array([0.0, 0.0, 1.0]), quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.full(10, 0.4))
    yaw = quat.from_axis_angle(up, np.where(np.arange(10) > 6, angle, 0.0))
    corners = level_sole(biped, "left")
    kept = corners[3] - quat.rotate(yaw, corners[3])
    turned = replace(path, rotations=quat.multiply(yaw, pitch), places=path.places[3] + kept)
    flat, toes = _list_contacts(biped, "left", turned)
    assert (len(flat.points), len(toes.points)) == (4, points)
    assert (toes.first, toes.last) == (6, 9)
    assert (toes.points == find_sole(biped, "left")[3]).all(axis=1).any()


def test_torque_limits_are_eased_until_a_window_is_solved(biped: Biped, monkeypatch: pytest.MonkeyPatch) -> None:
    motion = Motion(biped.skeleton, np.repeat(biped.bent[None], 12, axis=0), 0.02, "still")
    costs: list[float] = []
    legs = find_leg_columns(biped)

    def solve(_: object, q: np.ndarray, frame_time: float, terms: list[object], **__: object) -> SimpleNamespace:
        limits = [term for term in terms if isinstance(term, TorqueLimit)]
        (laws,) = (term for term in terms if isinstance(term, NewtonEuler))
        assert laws.residual_weight[3] == 3000.0, "of residual force on the ground"
        costs.append(limits[0].cost if limits else 0.0)
        for one in limits:
            limited = np.isfinite(one.strongest)
            np.testing.assert_allclose(one.strongest[limited], 0.85 * biped.description.torques[limited])
            assert limited[legs].all(), "what forces of the ground do to them is not known before"
            assert not limited[:6].any()
            assert len(one.bodies) == 2, "one kernel for all windows, whichever feet rest in them"
        (bends,) = (term.weight for term in terms if isinstance(term, AccelerationCost))
        np.testing.assert_allclose(bends, np.tile(5e-5 * (np.arange(q.shape[1]) >= 6), (10, 1)))
        (fade,) = (term for term in terms if isinstance(term, ForceFadeCost))
        np.testing.assert_array_equal(fade.supported, np.isin(np.arange(12), (3, 4, 5, 6)))
        assert (fade.force, fade.moment) == (1e-4, 1e-4)
        solution = SimpleNamespace(converged=len(costs) > 3, status="", iterations=1)
        return SimpleNamespace(solution=solution, marks={}, motion=Motion(biped.skeleton, q, frame_time, "solved"))

    monkeypatch.setattr(windows, "optimise", solve)
    right = replace(lay(biped, 12), touching=np.zeros(12, dtype=bool), flat=())
    _, found = make_robot_physical(biped, motion, {"left": lay(biped, 12), "right": right})
    assert costs == [100.0, 3.0, 0.0, 0.0]  # the last with residual force in flight
    assert [one.converged for one in found] == [True]


def test_limits_that_a_solution_exceeds_are_added_and_it_is_solved_again(
    biped: Biped, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrist turns at three times its speed in the first solution, an arm rests in the trunk in the second."""
    q = np.repeat(biped.bent[None], 12, axis=0)
    wrist = biped.skeleton.columns(biped.places["left_hand"].joint, "turn")[-1]
    shoulder = biped.skeleton.index("R_SHOULDER_R")
    swung, folded = q.copy(), q.copy()
    swung[6:, wrist] += 3.0 * biped.description.speeds[wrist] * 0.02
    folded[:, biped.skeleton.columns(shoulder, "turn")] += 0.3
    solutions, limited, near = [swung, folded, q], [], []

    def solve(_: object, __: object, frame_time: float, terms: list[object], **___: object) -> SimpleNamespace:
        (speeds,) = (term for term in terms if isinstance(term, JointSpeedLimit))
        (apart,) = (term for term in terms if isinstance(term, LinkSeparation))
        (kept,) = (term for term in terms if isinstance(term, KeptCoordinates))
        assert kept.columns == _find_idle(biped)
        limited.append(np.isfinite(speeds.fastest).nonzero()[0].tolist())
        near.append(len(apart.frames))
        found = Motion(biped.skeleton, solutions[len(limited) - 1], frame_time, "solved")
        return SimpleNamespace(
            solution=SimpleNamespace(converged=True, status="", iterations=1), marks={}, motion=found
        )

    monkeypatch.setattr(windows, "optimise", solve)
    right = replace(lay(biped, 12), touching=np.zeros(12, dtype=bool), flat=())
    motion = Motion(biped.skeleton, q, 0.02, "still")
    solved, _ = make_robot_physical(biped, motion, {"left": lay(biped, 12), "right": right})
    np.testing.assert_array_equal(solved, q)
    assert len(limited) == 3
    assert limited[:2] == [[], [wrist]]
    assert near[0] == near[1] < near[2]


def test_wrists_and_fingers_stay_as_they_are(biped: Biped) -> None:
    """What moves neither feet nor hands, whose places are the first wrist joints of JVRC-1."""
    names = [biped.skeleton.names[biped.skeleton.dofs[column].joint] for column in _find_idle(biped)]
    assert sorted(names) == sorted(f"{side}_{part}" for side in "RL" for part in ("WRIST_R", "WRIST_Y", "UTHUMB"))


def test_a_solution_stands_if_there_is_none_with_further_limits(biped: Biped, monkeypatch: pytest.MonkeyPatch) -> None:
    q = np.repeat(biped.bent[None], 12, axis=0)
    swung = q.copy()
    swung[6:, 6:] += 3.0 * biped.description.speeds[6:] * 0.02
    begun: list[np.ndarray] = []

    def solve(_: object, start: np.ndarray, frame_time: float, **__: object) -> SimpleNamespace:
        begun.append(start)
        solution = SimpleNamespace(converged=len(begun) == 1, status="", iterations=1)
        return SimpleNamespace(solution=solution, marks={}, motion=Motion(biped.skeleton, swung, frame_time, "solved"))

    monkeypatch.setattr(windows, "optimise", solve)
    motion = Motion(biped.skeleton, q, 0.02, "still")
    found, (window,) = make_robot_physical(biped, motion, {"left": lay(biped, 12), "right": lay(biped, 12)})
    np.testing.assert_array_equal(found, swung)
    np.testing.assert_array_equal(begun, [q, swung])  # the second begins at the first solution
    assert window.converged


def test_a_window_that_is_not_solved_keeps_its_poses(biped: Biped, monkeypatch: pytest.MonkeyPatch) -> None:
    motion = Motion(biped.skeleton, np.repeat(biped.bent[None], 10, axis=0), 0.02, "still")

    def fail(_, given: Motion, *__: object, **___: object) -> tuple[np.ndarray, list[SolvedWindow]]:
        wrong = given.q + 1.0
        done, failed = (SolvedWindow(a, b, ok, "", 1, np.zeros(5), wrong[a : b + 1]) for a, b, ok in SPANS)
        return wrong, [done, failed]

    monkeypatch.setattr(dynamic, "solve_windows", fail)
    q, found = make_robot_physical(biped, motion, {"left": lay(biped), "right": lay(biped)})
    np.testing.assert_array_equal(q[:5], motion.q[:5] + 1.0)
    np.testing.assert_array_equal(q[5:], motion.q[5:])
    assert [window.converged for window in found] == [True, False]


SPANS = ((0, 4, True), (5, 9, False))
