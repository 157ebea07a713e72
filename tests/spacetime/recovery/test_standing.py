"""Somebody who stands answers a small push by the ankles, and a hard one by two steps."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.contacts.views import find_side
from gambol.fit.rig import fit
from gambol.io import samples
from gambol.spacetime.grounded import GroundedMotion, ground_motion
from gambol.spacetime.recovery.standing import insert_steps, is_standing
from tests.spacetime.recovery.conftest import make_push, recover

ONSET = 0.5


@pytest.fixture(scope="module")
def stand() -> GroundedMotion:
    clip = samples.by_name("stand")
    return ground_motion(fit(Character.from_motion(clip, 70.0), clip))


def test_who_stands_is_known(stand: GroundedMotion, grounded: GroundedMotion) -> None:
    assert is_standing(stand, ONSET)
    assert not is_standing(stand, stand.motion.duration - 0.2)
    assert not any(is_standing(grounded, onset) for onset in np.arange(0.2, 2.0, 0.1))


@pytest.mark.parametrize(("push", "first"), [((0.0, 1.0, 0.0), "left"), ((0.0, -1.0, 0.0), "right")])
def test_the_foot_on_the_side_of_the_push_steps_first(stand: GroundedMotion, push, first: str) -> None:
    stepping = insert_steps(stand, ONSET, np.array(push))
    landed = [find_side(stance) for stance in stepping.stances if stance.first > 0]
    assert landed == [first, "left" if first == "right" else "right"]


def test_feet_are_raised_only_where_they_have_no_contact(stand: GroundedMotion) -> None:
    stepping = insert_steps(stand, ONSET, np.array([0.0, 1.0, 0.0]))
    skeleton = stand.character.skeleton
    for side in ("left", "right"):
        joint = skeleton.index(f"{side}_foot")
        up = stepping.motion.placement.positions[:, joint, 2] - stand.motion.placement.positions[:, joint, 2]
        touching = np.zeros(len(up), dtype=bool)
        for stance in stepping.stances:
            if find_side(stance) == side:
                touching[stance.first : stance.last + 1] = True
        assert np.abs(up[touching]).max() < 1e-6
        assert up.max() == pytest.approx(0.06, abs=0.01)


def test_small_pushes_keep_the_feet(stand: GroundedMotion) -> None:
    found = recover(stand, [make_push(stand, 0.0, 0.1, ONSET)])
    assert found.converged
    assert found.steps == ()
    assert np.abs(found.motion.motion.q - stand.motion.q)[:, 6:].max() < np.radians(12.0)


def test_hard_pushes_make_two_steps(stand: GroundedMotion) -> None:
    found = recover(stand, [make_push(stand, 0.0, 0.6, ONSET)], fps=15.0, timing=False)
    assert found.converged
    assert [step.side for step in found.steps] == ["left", "right"]
    assert all(step.shift[1] > 0.2 for step in found.steps)
    end = found.motion.motion.q[-1] - stand.motion.q[-1]
    np.testing.assert_allclose(end[:2], found.steps[1].shift[:2], atol=0.02)
    assert np.abs(end[2:]).max() < 0.02
