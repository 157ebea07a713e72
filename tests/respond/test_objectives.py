"""Objectives: their derivatives, and that they do what they say."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.motion.pushes import Push
from gambol.respond.model import ResponseModel
from gambol.respond.objective import ObjectiveResidual, PoseView
from gambol.respond.objectives import Box, Obstacle, keep_out, look_at, upright
from gambol.respond.stepping import respond_to_targets

OBJECTIVES = {
    "upright": upright("right_hand", (0.0, 0.2, 1.0)),
    "look_at": look_at((40_000.0, 20_000.0, 1.5)),  # so far that only turns matter
    "keep_out_sphere": keep_out("right_hand", Obstacle((0.4, -0.3, 0.9), (0.4, -0.3, 0.9), 0.05), reach=2.0),
    "keep_out_capsule": keep_out("head", Obstacle((0.3, 0.0, 0.0), (0.3, 0.0, 2.0), 0.05), reach=2.0),
    "keep_out_box": keep_out("left_forearm", Box((0.5, 0.4, 0.0), (0.9, 0.8, 2.0)), reach=2.0),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_rows_are_the_derivatives_of_the_errors(model: ResponseModel, walk: Fit, name: str) -> None:
    objective, step = OBJECTIVES[name], 1e-6
    pose = walk.motion.q[30]
    found = objective(model.look(pose))
    size = float(np.linalg.norm(found.error))
    # Errors of turns are sines of the angle that is missing: they change by its cosine times the turn.
    factor = 1.0 if name.startswith("keep_out") else np.sqrt(1.0 - size**2)
    expected = factor * found.error / size @ found.jacobian
    for n, column in enumerate(model.columns):
        nudge = step * (np.arange(len(pose)) == column)
        ahead, behind = (np.linalg.norm(objective(model.look(pose + way * nudge)).error) for way in (1.0, -1.0))
        np.testing.assert_allclose((ahead - behind) / (2.0 * step), expected[n], atol=1e-4)


def _tilt(walk: Fit, poses: np.ndarray, axis: np.ndarray) -> np.ndarray:
    hand = walk.character.skeleton.names.index("right_hand")
    up = quat.rotate(place(walk.character.skeleton, poses).rotations[:, hand], axis)[:, 2]
    return np.degrees(np.arccos(np.clip(up, -1.0, 1.0)))


def test_a_cup_stays_upright_when_its_arm_is_pushed(model: ResponseModel, walk: Fit) -> None:
    hand = walk.character.skeleton.names.index("right_hand")
    axis = quat.rotate(quat.conjugate(walk.motion.placement.rotations[60, hand]), np.array([0.0, 0.0, 1.0]))
    push = [Push("right_upper_arm", (0.0, 60.0, 0.0), 1.0)]
    spilt, kept = (
        _tilt(walk, respond_to_targets(model, walk.motion.q, push, objectives=terms), axis)[60:].max()
        for terms in ([], [upright("right_hand", tuple(axis))])
    )
    assert kept < 0.4 * spilt
    assert kept < 10.0


def test_a_head_turns_to_what_it_looks_at(model: ResponseModel, walk: Fit) -> None:
    goal = np.array([6.0, 3.0, 1.6])
    head = walk.character.skeleton.names.index("head")

    def away(poses: np.ndarray) -> np.ndarray:
        placed = place(walk.character.skeleton, poses)
        way = goal - placed.positions[:, head]
        ahead = quat.rotate(placed.rotations[:, head], np.array([1.0, 0.0, 0.0]))
        return np.degrees(np.arccos(np.sum(way * ahead, axis=1) / np.linalg.norm(way, axis=1)))

    looking = respond_to_targets(model, walk.motion.q, [], objectives=[look_at(tuple(goal))])
    assert away(looking)[60:180].mean() < 0.5 * away(walk.motion.q)[60:180].mean()


def test_a_hand_keeps_out_of_what_stands_beside_its_path(model: ResponseModel, walk: Fit) -> None:
    hand = walk.character.skeleton.names.index("right_hand")
    beside = walk.motion.placement.positions[100, hand] + [0.0, -0.1, 0.0]
    post = Obstacle((beside[0], beside[1], 0.0), (beside[0], beside[1], 2.0), 0.08)

    def nearest(poses: np.ndarray) -> float:
        at = place(walk.character.skeleton, poses).positions[:, hand, :2]
        return float(np.linalg.norm(at - beside[:2], axis=1).min())

    kept = respond_to_targets(model, walk.motion.q, [], objectives=[keep_out("right_hand", post, (0.0, 0.0, 0.0))])
    assert nearest(kept) > nearest(walk.motion.q) + 0.01
    assert np.degrees(np.abs(kept - walk.motion.q)[-1]).max() < 0.5


def test_an_objective_of_your_own_takes_ten_lines(model: ResponseModel, walk: Fit) -> None:
    def hand_high(look: PoseView) -> ObjectiveResidual:
        hand = look.character.body("left_hand")
        height = look.place(hand, np.zeros(3))[2]
        return ObjectiveResidual(look.velocity(hand, np.zeros(3))[2:], np.array([height - 1.3]), 2000.0, 100.0)

    raised = respond_to_targets(model, walk.motion.q, [], objectives=[hand_high])
    hand = walk.character.skeleton.names.index("left_hand")
    heights = [place(walk.character.skeleton, q).positions[100:, hand, 2].mean() for q in (walk.motion.q, raised)]
    assert heights[1] > heights[0] + 0.1


@pytest.mark.parametrize("obstacle", [Obstacle((0, 0, 0), (1, 0, 0), 0.3), Box((0, 0, 0), (1, 1, 1))])
def test_ways_out_lead_out(obstacle) -> None:
    rng = np.random.default_rng(0)
    for place_ in rng.uniform(-1.0, 2.0, size=(200, 3)):
        far, out = obstacle(place_)
        np.testing.assert_allclose(np.linalg.norm(out), 1.0)
        np.testing.assert_allclose(obstacle(place_ + 1e-4 * out)[0], far + 1e-4, atol=1e-8)


def test_a_residual_adds_the_forces_of_its_springs() -> None:
    """K d + D e - f is the gradient of the spring's energy and the drag of its damper at any deviation."""
    random = np.random.default_rng(0)
    rows, held = random.normal(size=(2, 5)), np.diag([1.0, 1.0, 1.0, 0.0, 0.0])
    error, off, moved = random.normal(size=2), random.normal(size=5), random.normal(size=5)
    for outside in (False, True):
        used = rows if outside else rows @ held
        stiffness, damping, force = np.zeros((5, 5)), np.zeros((5, 5)), np.zeros(5)
        ObjectiveResidual(rows, error, 7.0, 3.0, outside).into(held, off, stiffness, damping, force)
        there = error + used @ (moved - off)
        np.testing.assert_allclose(stiffness @ moved - force, 7.0 * used.T @ there)
        np.testing.assert_allclose(damping @ moved, 3.0 * used.T @ used @ moved)


def test_distances_from_obstacles_are_those_of_their_surfaces() -> None:
    random = np.random.default_rng(1)
    capsule, box = Obstacle((0.1, 0.2, 0.3), (0.9, 0.0, 0.5), 0.2), Box((0.0, -1.0, 0.5), (1.0, 0.5, 2.0))
    axis = np.linspace(capsule.start, capsule.end, 2001)
    for point in random.uniform(-1.0, 2.0, (50, 3)):
        assert capsule(point)[0] == pytest.approx(np.linalg.norm(axis - point, axis=1).min() - 0.2, abs=1e-4)
        low, high = np.array(box.low), np.array(box.high)
        beyond = np.maximum(np.maximum(low - point, point - high), 0.0)
        inside = np.minimum(point - low, high - point).min()
        assert box(point)[0] == pytest.approx(np.linalg.norm(beyond) if beyond.any() else -inside)


def test_a_wish_to_keep_out_grows_within_its_reach_and_a_wall_pushes_out(model: ResponseModel, walk: Fit) -> None:
    look = model.look(walk.motion.q[30])
    hand = look.place(walk.character.body("right_hand"), np.zeros(3))
    for gap, share in ((0.3, 0.0), (0.2, 0.0), (0.1, 0.25), (0.05, 0.5625), (0.0001, 1.0)):
        sphere = Obstacle(tuple(hand + [0.5 + gap, 0.0, 0.0]), tuple(hand + [0.5 + gap, 0.0, 0.0]), 0.5)
        found = keep_out("right_hand", sphere, (0.0, 0.0, 0.0), reach=0.2, wish=1000.0)(look)
        assert not found.outside
        assert found.stiffness == pytest.approx(1000.0 * share, rel=2e-3)
        assert found.damping == pytest.approx(50.0 * share, rel=2e-3)
        assert found.error == pytest.approx([gap - 0.2])
    inside = keep_out("right_hand", Obstacle(tuple(hand + 0.1), tuple(hand + 0.1), 0.5), (0.0, 0.0, 0.0), wall=5e4)(
        look
    )
    assert inside.outside
    assert inside.stiffness == 5e4
    assert inside.damping == pytest.approx(100.0)
    assert inside.error == pytest.approx([0.1 * np.sqrt(3.0) - 0.5])
    assert look_at((5.0, 1.0, 1.0), stiffness=80.0)(look).damping == pytest.approx(8.0)
