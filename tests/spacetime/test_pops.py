"""Limbs that are elsewhere for a frame are put back, and feet that strike the floor are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.geometry import quaternions as quat
from gambol.io import samples
from gambol.judge.pops import find_pops
from gambol.judge.seen import see_person
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.spacetime.pops import undo_pops
from gambol_evidence.reproduce.fix.damages import pop_limbs


def _worst(motion: Motion) -> float:
    return max((one.severity for one in find_pops(see_person(motion))), default=0.0)


def _turn(motion: Motion, part: str, first: int, frames: int, degrees: float) -> Motion:
    """Turn a part of a rig for some frames."""
    assert motion.rig is not None
    local = local_frames(motion.skeleton, motion.q).rotations
    joint, turn = motion.rig.parts[part], quat.exp(np.radians([degrees, 0.0, 0.0]))
    local[first : first + frames, joint] = quat.multiply(local[first : first + frames, joint], turn)
    return replace_rotations(motion, local)


@pytest.mark.parametrize("every", [2, 4])
@pytest.mark.parametrize("name", ["walk/16_58", "walk/12_01", "walk/02_01"])
def test_pops_of_recordings_are_undone(data: Path, name: str, every: int) -> None:
    sound = load(data / f"cmu_bvh/{name}.bvh")[::every]
    assert undo_pops(sound) == (sound, 0)
    popped = pop_limbs(sound, np.random.default_rng(2))
    mended, count = undo_pops(popped)
    assert count >= 2
    assert _worst(popped) > 2.5
    assert _worst(mended) < 1.5


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_only_the_frames_and_the_limb_of_a_pop_change(frames: int) -> None:
    walk = samples.walk()
    popped = _turn(walk, "left_upper_arm", 60, frames, 25.0)
    mended, count = undo_pops(popped)
    assert count == 1
    arm = [
        c for part in ("upper_arm", "forearm", "hand") for c in walk.skeleton.columns(walk.rig.parts[f"left_{part}"])
    ]
    np.testing.assert_allclose(np.delete(mended.q, arm, axis=1), np.delete(walk.q, arm, axis=1), atol=1e-9)
    far = np.r_[:56, 68 : len(walk)]
    np.testing.assert_allclose(mended.q[far], walk.q[far], atol=1e-9)
    np.testing.assert_allclose(mended.q[60 : 60 + frames], walk.q[60 : 60 + frames], atol=0.03)


def test_a_body_that_is_elsewhere_for_a_frame_comes_back() -> None:
    walk = samples.walk()
    path = walk.placement.positions[:, 0].copy()
    path[60] += (0.0, 0.1, 0.1)
    popped = replace_rotations(walk, None, path)
    mended, count = undo_pops(popped)
    assert count == 1
    np.testing.assert_allclose(mended.placement.positions[60, 0], walk.placement.positions[60, 0], atol=0.01)


def test_an_arm_that_jumps_and_stays_gets_there_in_some_frames() -> None:
    walk = samples.walk()
    other = _turn(walk, "left_upper_arm", 60, len(walk) - 60, 40.0)
    mended, count = undo_pops(other)
    assert count >= 1
    assert _worst(mended) < 1.5 < _worst(other)
    np.testing.assert_allclose(mended.q[70:], other.q[70:], atol=1e-9)
