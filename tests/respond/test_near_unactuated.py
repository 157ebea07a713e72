"""The responder of a looped clip: its limits, and a hand that pulls it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.motion.pushes import Pull
from gambol.respond.near_unactuated import NearUnactuatedResponder, PacedState


def test_a_limit_is_reached_where_a_pushed_joint_or_the_root_is_at_it(responder: NearUnactuatedResponder) -> None:
    start = responder.start()
    body, model = start.body, responder.model
    assert not responder.limited(start)
    column = model.columns[8]
    at_limit, target = body.pose.copy(), body.target.copy()
    at_limit[0, column] = model.bounds.upper[8]
    for moved, counts in ((np.radians(1.1), True), (np.radians(0.9), False)):
        target[0, column] = at_limit[0, column] - moved
        assert responder.limited(PacedState(0, replace(body, pose=at_limit, target=target))) == counts
    at_limit[0, column] -= 1e-4
    assert not responder.limited(PacedState(0, replace(body, pose=at_limit, target=target - 0.5)))
    for n, size in ((2, 0.12), (4, 0.35)):
        for share, counts in ((1.0, True), (0.999, False)):
            off = np.zeros((1, 30))
            off[0, n] = -share * size
            assert responder.limited(PacedState(0, replace(body, deviation=off))) == counts
    ring = np.zeros((1, 30))
    ring[0, :2] = 0.6 * 0.2, 0.8 * 0.2
    assert responder.limited(PacedState(0, replace(body, deviation=ring)))
    assert not responder.limited(PacedState(0, replace(body, deviation=0.999 * ring)))


def test_a_hand_pulls_towards_itself_and_moves_with_the_clip(responder: NearUnactuatedResponder) -> None:
    """A hand at rest beside the walker keeps its distance while the clip travels."""
    body, point, state = "chest", (0.0, 0.0, 0.1), responder.start()
    chest = responder.character.body(body)

    def at(pose: np.ndarray) -> np.ndarray:
        placed = place(responder.character.skeleton, pose[None])
        return placed.positions[0, chest] + quat.rotate(placed.rotations[0, chest], np.array(point))

    goal = at(responder.path.at(0)) - responder.path.place(0) + [0.0, 0.15, 0.0]
    sides = []
    for _ in range(240):
        state, pose = responder.step(state, [Pull(body, point, tuple(goal), 60.0)])
        sides.append(at(pose)[1] - at(responder.target(state))[1])
    assert 0.01 < np.mean(sides[120:]) < 0.15
    assert np.std(sides[120:]) < 0.05
