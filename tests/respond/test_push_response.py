"""What is measured of a response, by definition on made poses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.fit.rig import Fit
from gambol.motion.pushes import Platform, Push
from gambol.respond.push_response import PushResponse

HIT = Push("chest", (0.0, 50.0, 0.0), 0.5, 0.25)


def _response(walk: Fit, poses: np.ndarray, **more: object) -> PushResponse:
    return PushResponse(walk, poses, (HIT,), "made", **more)


def _column(walk: Fit, body: str) -> int:
    skeleton = walk.character.skeleton
    return next(c for c, dof in enumerate(skeleton.dofs) if dof.kind == "turn" and skeleton.names[dof.joint] == body)


def test_deviation_peak_and_recovery_are_those_of_the_made_poses(walk: Fit) -> None:
    h, poses = walk.motion.frame_time, walk.motion.q.copy()
    first, last = round(0.5 / h), round(1.5 / h)
    poses[first : last + 1, _column(walk, "head")] -= np.radians(3.0)
    poses[first + 7, _column(walk, "left_forearm")] += np.radians(8.0)
    poses[:, 0] += 5.0  # metres are no degrees
    found = _response(walk, poses)
    degrees, second = found.peak
    assert degrees == pytest.approx(8.0)
    assert second == pytest.approx((first + 7) * h)
    assert found.weakest == "left_forearm"
    assert found.deviation(["head"]).max() == pytest.approx(3.0)
    assert found.deviation(["right_hand"]).max() == 0.0
    assert found.recovery == pytest.approx((last + 1) * h - 0.75)
    poses[-1, _column(walk, "head")] += np.radians(2.1)
    assert _response(walk, poses).recovery is None
    poses[-1] = walk.motion.q[-1]
    poses[:, _column(walk, "head")] = walk.motion.q[:, _column(walk, "head")] + np.radians(1.9)
    poses[first + 7] = walk.motion.q[first + 7]
    assert _response(walk, poses).recovery == 0.0
    early = walk.motion.q.copy()
    early[:5, _column(walk, "head")] += 1.0
    assert _response(walk, early).recovery == 0.0
    assert replace(_response(walk, early), pushes=(replace(HIT, duration=99.0),)).recovery is None


def test_feet_slide_by_what_leaves_their_path_or_the_platform(walk: Fit) -> None:
    poses = walk.motion.q.copy()
    assert _response(walk, poses).slide == 0.0
    poses[30, :3] += [0.003, 0.0, 0.004]
    assert _response(walk, poses).slide == pytest.approx(0.005)
    platform, times = Platform((2.0, 1.0, 0.0), 0.5, 0.3), walk.motion.times
    moved = walk.motion.q.copy()
    moved[:, :3] += np.outer([platform.displacement_factor(time) for time in times], platform.acceleration)
    assert _response(walk, moved, platform=platform).slide == pytest.approx(0.0, abs=1e-9)
    assert _response(walk, moved).slide > 0.1
