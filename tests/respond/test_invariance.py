"""The answer to a push goes along with the clip: it does not depend on where the clip stands or faces."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.fit.load import load
from gambol.fit.rig import Fit, fit
from gambol.geometry.arrays import Array
from gambol.geometry.quaternions import from_axis_angle
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.motion.pushes import Push
from gambol.respond.clips import respond_to_pushes
from gambol.respond.endless import make_endless
from gambol.respond.model import Gains, ResponseModel
from gambol.respond.stepping import start_response, step_response
from tests.metamorphic.changes import SAME, Change, turn_world

WALK = samples.walk()[::2]
HEAD = Push("head", (0.0, 60.0, 0.0), 1.0, 0.2)
HIPS = Push("pelvis", (9000.0, 7000.0, 0.0), 1.0, 0.2)
"""Strong enough for the root to come to the end of its root_limits."""
NEAR = Change("near", shift=(10.0, 0.0, 0.0))
FAR = Change("far", degrees=37.0, shift=(-1e4, 10.0, 0.0))
BACK = Change("back", degrees=180.0)


@cache
def pushed(motion: Motion, push: Push, change: Change = SAME) -> tuple[dict[str, Array], Array]:
    """Joint positions of the answer to a push, both changed and the answer changed back, and degrees off the clip."""
    clip = change.apply(motion)
    found = respond_to_pushes(Character.from_motion(clip), clip, [replace(push, force=change.vector(push.force))])
    return change.undo(replace(found.fitted.motion, q=found.poses)), found.deviation()


def check(motion: Motion, push: Push, *changes: Change) -> None:
    here, off = pushed(motion, push)
    for change in changes:
        there, away = pushed(motion, push, change)
        np.testing.assert_allclose(away, off, rtol=1e-6, atol=1e-6, err_msg=change.name)
        for name, places in here.items():
            np.testing.assert_allclose(there[name], places, rtol=0.0, atol=1e-6, err_msg=change.name)


def test_a_made_walk() -> None:
    """Its cycles are equal to the last digits: which of them is best depends on where it stands."""
    check(WALK, HEAD, FAR, BACK)


def test_a_recorded_walk(data: Path) -> None:
    check(load(data / "cmu_bvh" / "walk" / "07_01.bvh")[::2], HEAD, FAR)


def test_the_root_reaches_its_limit_alike(walk: Fit, model: ResponseModel) -> None:
    """The root_limits is a circle on the ground."""
    state, farthest = start_response(model, walk.motion.q[50]), 0.0
    for target in walk.motion.q[51:90]:
        state, _ = step_response(model, state, target, [replace(HIPS, start=0.0)])
        farthest = max(farthest, float(np.linalg.norm(state.deviation[0, :2])))
    assert farthest == pytest.approx(Gains().root_limits[0], abs=1e-9)
    check(WALK, HIPS, FAR)


def test_a_clip_that_lies_alike() -> None:
    """Its root would come into gimbal lock and turns about axes of its own."""
    tip = from_axis_angle(np.array([0.0, 1.0, 0.0]), 0.5 * np.pi)
    check(replace(WALK, skeleton=turn_world(WALK.skeleton, tip)), HEAD, FAR)


def test_noise_below_any_recording_changes_nothing() -> None:
    """An answer is continuous in the clip."""
    noise = 1e-9 * np.random.default_rng(0).standard_normal(WALK.q.shape)
    (here, _), (there, _) = (pushed(motion, HEAD) for motion in (WALK, replace(WALK, q=WALK.q + noise)))
    for name, places in here.items():
        np.testing.assert_allclose(there[name], places, atol=1e-5)


def test_a_clip_goes_on_for_ever_alike() -> None:
    walk = samples.walk()
    here = make_endless(fit(Character.from_motion(walk), walk))
    for change in (NEAR, FAR, BACK):
        clip = change.apply(walk)
        there = make_endless(fit(Character.from_motion(clip), clip))
        assert there.cycle == here.cycle
        np.testing.assert_allclose(there.travel, change.vector(tuple(here.travel)), atol=1e-9)


@pytest.mark.parametrize("field", ["root_limits", "root_rates"])
def test_gains_along_the_ground_have_no_direction(field: str) -> None:
    with pytest.raises(InputError, match="along x"):
        Gains(**{field: (0.1, 0.2, 0.1, 0.1, 0.1, 0.1)})
