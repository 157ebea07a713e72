"""Arms that are in the body are taken out, to the side from which they came, and no others are moved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.io import samples
from gambol.judge.limbs import LIMB_THROUGH_LIMB, find_limb_faults
from gambol.judge.seen import see_person
from gambol.motion.motion import Motion
from gambol.spacetime.arms import free_arms
from gambol.spacetime.artefacts import remove_artefacts
from gambol_evidence.reproduce.judge.damages import push_arm_into_trunk


def _measure_depth(motion: Motion) -> float:
    """Return the largest depth, as a share of what people have."""
    found = [one for one in find_limb_faults(see_person(motion)) if one.kind.name == LIMB_THROUGH_LIMB.name]
    return max((one.severity for one in found), default=0.0)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", ["walk/12_01", "walk/16_58", "turn/16_13", "styled_walk/82_12", "run/16_36"])
def test_an_arm_in_the_trunk_is_taken_out(data: Path, name: str, seed: int) -> None:
    sound = load(data / f"cmu_bvh/{name}.bvh")[::2]
    assert free_arms(sound) == (sound, 0)
    damaged = push_arm_into_trunk(sound, np.random.default_rng(seed))
    assert damaged is not None
    assert _measure_depth(damaged.motion) > 1.5
    freed, count = free_arms(damaged.motion)
    assert count >= 1
    assert _measure_depth(freed) < 1.5
    apart = [np.linalg.norm(one.placement.positions - sound.placement.positions) for one in (damaged.motion, freed)]
    assert apart[1] < apart[0]


def test_only_the_shoulder_turns_and_only_around_that_time() -> None:
    walk = samples.walk()
    damaged = push_arm_into_trunk(walk, np.random.default_rng(1))
    assert damaged is not None
    assert walk.rig is not None
    freed, _ = free_arms(damaged.motion)
    (limb,) = damaged.limbs
    shoulder = walk.skeleton.columns(walk.rig.parts[limb.replace("arm", "upper_arm")], "turn")
    np.testing.assert_array_equal(np.delete(freed.q, shoulder, axis=1), np.delete(damaged.motion.q, shoulder, axis=1))
    times = walk.times
    far = (times < damaged.start - 1.0) | (times > damaged.end + 1.0)
    np.testing.assert_allclose(freed.q[far], damaged.motion.q[far], atol=1e-12)
    speeds = np.abs(np.diff(freed.q[:, shoulder], axis=0)).max() / walk.frame_time
    assert speeds < np.abs(np.diff(damaged.motion.q[:, shoulder], axis=0)).max() / walk.frame_time


def test_the_user_is_told() -> None:
    damaged = push_arm_into_trunk(samples.walk(), np.random.default_rng(1))
    assert damaged is not None
    assert "arms in the body, taken out: 1" in remove_artefacts(damaged.motion).notes
