"""Arms that are pushed at the trunk stop at it, and give it what they lose."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.motion.pushes import Push
from gambol.respond.model import ResponseModel
from gambol.respond.stepping import respond_to_targets


def _measure_nearness(walk: Fit, poses: np.ndarray) -> np.ndarray:
    """Return how far (frames, 2) the elbows are from the spine, in half widths and half depths of trunk and arm."""
    skeleton = walk.character.skeleton
    placed, spine = place(skeleton, poses), skeleton.index("spine")
    elbows = placed.positions[:, [skeleton.index(f"{side}_forearm") for side in ("left", "right")]]
    turns = quat.conjugate(placed.rotations[:, spine])
    seen = np.stack([quat.rotate(turns, elbows[:, n] - placed.positions[:, spine]) for n in (0, 1)], axis=1)
    x, y = seen[..., 0], seen[..., 1]
    return np.asarray(np.hypot(x / 0.155, y / 0.215) / walk.character.leg_length)


@pytest.mark.parametrize(("side", "force"), [("left", (0.0, -90.0, 0.0)), ("right", (0.0, 90.0, 0.0))])
def test_an_arm_that_is_pushed_at_the_trunk_stops_at_it(
    model: ResponseModel, walk: Fit, side: str, force: tuple[float, float, float]
) -> None:
    """Without the stops elbows come to half of the trunk's width."""
    poses = respond_to_targets(model, walk.motion.q, [Push(f"{side}_forearm", force, 0.5, 0.3)])
    near = _measure_nearness(walk, poses)[:, int(side == "right")]
    assert 0.85 < near.min() < 1.15
    assert np.linalg.norm(poses[:, 6:] - walk.motion.q[:, 6:], axis=1).max() > np.radians(10.0)


def test_a_struck_arm_is_softer_than_the_trunk(model: ResponseModel, walk: Fit) -> None:
    """A hit of 12 N s at the upper arm turns it by more than four times what chest and spine turn."""
    poses = respond_to_targets(model, walk.motion.q, [Push("left_upper_arm", (0.0, 60.0, 0.0), 0.5, 0.2)])
    away, skeleton = np.abs(poses - walk.motion.q).max(axis=0), walk.character.skeleton

    def most(*parts: str) -> float:
        return max(float(away[c]) for c, dof in enumerate(skeleton.dofs) if skeleton.names[dof.joint] in parts)

    assert most("left_upper_arm") > max(4.0 * most("chest", "spine"), np.radians(10.0))
