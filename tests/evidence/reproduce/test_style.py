"""What `gambol reproduce style` measures: warped motions, how trunks lean, and perturbed starts."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.spacetime.edits.verb import prepare_clip
from gambol.styles.scene import StyleScene
from gambol.styles.task import StyleTask, draft_task, make_scene
from gambol_evidence.reproduce.style.prediction import warp_motion
from gambol_evidence.reproduce.style.tasks import measure_manner


@cache
def scene(start: float = 1.0, end: float = 3.0) -> StyleScene:
    return make_scene(draft_task(prepare_clip(load("walk"), start, end)[0], StyleTask()))


def test_a_motion_warped_to_its_own_footprints_is_itself() -> None:
    np.testing.assert_allclose(warp_motion(scene(), scene()), scene().reference, atol=1e-9)


def test_joints_are_copied_between_matching_touchdowns() -> None:
    """A later part of the same walk has its own footprints; angles of the other part come near it."""
    other = scene(1.4, 3.4)
    warped = warp_motion(scene(), other)
    joints = [dof.joint > 0 for dof in other.character.skeleton.dofs]
    np.testing.assert_array_equal(warped[:, :6], other.reference[:, :6])
    copied = np.sqrt(np.mean((warped - other.reference)[:, joints] ** 2))
    frozen = np.sqrt(np.mean((other.reference - other.reference.mean(axis=0))[:, joints] ** 2))
    assert 0.0 < copied < 0.6 * frozen


def lean(motion: Motion, axis: Array, degrees: float) -> Motion:
    """Turn the whole body about a horizontal axis of the world."""
    local = local_frames(motion.skeleton, motion.q)
    turn = quat.exp(np.radians(degrees) * np.asarray(axis, dtype=float))
    local.rotations[:, 0] = quat.multiply(turn, local.rotations[:, 0])
    return replace_rotations(motion, local.rotations, local.positions[:, 0])


def test_leans_are_measured_with_their_signs() -> None:
    walk = load("walk")
    plain = measure_manner(walk)
    way = walk.placement.positions[-1, 0] - walk.placement.positions[0, 0]
    ahead = way * [1.0, 1.0, 0.0] / np.linalg.norm(way[:2])
    left = np.cross([0.0, 0.0, 1.0], ahead)
    assert measure_manner(lean(walk, left, 10.0)).ahead - plain.ahead == pytest.approx(10.0, abs=1.5)
    assert measure_manner(lean(walk, -ahead, 10.0)).left - plain.left == pytest.approx(10.0, abs=1.5)
    assert plain.swing > 0.2
