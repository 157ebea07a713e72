"""The answer to a push goes along with the clip: it does not depend on where the clip stands or faces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.fit.load import load
from gambol.fit.rig import Fit, fit
from gambol.geometry import quaternions as quat
from gambol.io import samples
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.motion.pushes import Push
from gambol.respond.clips import respond_to_pushes
from gambol.respond.endless import make_endless
from gambol.respond.model import Gains, ResponseModel
from gambol.respond.stepping import start_response, step_response

UP = np.array([0.0, 0.0, 1.0])
HEAD = Push("head", (0.0, 60.0, 0.0), 1.0, 0.2)
HIPS = Push("pelvis", (9000.0, 7000.0, 0.0), 1.0, 0.2)
"""Strong enough for the root to come to the end of its root_limits."""
PLACES = [
    ((10.0, 0.0, 0.0), 0.0),
    ((0.0, 1e4, 0.0), 0.0),
    ((0.0, 0.0, 0.0), 180.0),
    ((-1e4, 10.0, 0.0), 37.0),
]


def turned(motion: Motion, turn: np.ndarray) -> Motion:
    """The same motion in a world turned by a quaternion; the coordinates keep their values."""
    skeleton = motion.skeleton
    offsets, rests = skeleton.offsets.copy(), skeleton.rests.copy()
    offsets[0], rests[0] = quat.rotate(turn, offsets[0]), quat.multiply(turn, rests[0])
    slides = skeleton.columns(0, "slide")
    dofs = tuple(
        replace(dof, axis=tuple(quat.rotate(turn, np.array(dof.axis)))) if column in slides else dof
        for column, dof in enumerate(skeleton.dofs)
    )
    return replace(motion, skeleton=replace(skeleton, offsets=offsets, rests=rests, dofs=dofs))


def moved(motion: Motion, shift: tuple[float, float, float], turn: np.ndarray) -> Motion:
    """The same motion turned, and then moved by metres in its coordinates."""
    out = turned(motion, turn)
    slides = out.skeleton.columns(0, "slide")
    q = out.q.copy()
    q[:, slides] += np.linalg.solve(np.array([out.skeleton.dofs[c].axis for c in slides]).T, shift)
    return replace(out, q=q)


def about_vertical(degrees: float) -> np.ndarray:
    return quat.from_axis_angle(UP, np.radians(degrees))


def pushed(motion: Motion, push: Push, turn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Joint positions (frames, joints, 3) of the answer to a push that is turned too, and degrees off the clip."""
    force = quat.rotate(turn, np.array(push.force))
    found = respond_to_pushes(Character.from_motion(motion), motion, [replace(push, force=tuple(force))])
    return place(found.fitted.character.skeleton, found.poses).positions, found.deviation()


def check(motion: Motion, push: Push, places: list[tuple[tuple[float, float, float], float]]) -> None:
    here, off = pushed(motion, push, quat.IDENTITY)
    for shift, degrees in places:
        turn = about_vertical(degrees)
        there, away = pushed(moved(motion, shift, turn), push, turn)
        back = quat.rotate(quat.conjugate(turn), there - shift)
        np.testing.assert_allclose(away, off, rtol=1e-6, atol=1e-6, err_msg=f"moved by {shift}, turned by {degrees}")
        np.testing.assert_allclose(back, here, rtol=0.0, atol=1e-6)


def test_a_made_walk() -> None:
    """Its cycles are equal to the last digits: which of them is best depends on where it stands."""
    check(samples.walk(), HEAD, PLACES)


@pytest.mark.parametrize("name", ["07_01", "35_01"])
def test_recorded_walks(data: Path, name: str) -> None:
    check(load(data / "cmu_bvh" / "walk" / f"{name}.bvh")[::2], HEAD, [PLACES[0], PLACES[3]])


def test_the_root_reaches_its_limit_alike(walk: Fit, model: ResponseModel) -> None:
    """The root_limits is a circle on the ground."""
    state, farthest = start_response(model, walk.motion.q[50]), 0.0
    for target in walk.motion.q[51:90]:
        state, _ = step_response(model, state, target, [replace(HIPS, start=0.0)])
        farthest = max(farthest, float(np.linalg.norm(state.deviation[0, :2])))
    assert farthest == pytest.approx(Gains().root_limits[0], abs=1e-9)
    check(samples.walk(), HIPS, PLACES[2:])


def test_a_clip_that_lies_alike() -> None:
    """Its root would come into gimbal lock and turns about axes of its own."""
    lying = turned(samples.walk(), quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), 0.5 * np.pi))
    check(lying, HEAD, PLACES[3:])


def test_noise_below_any_recording_changes_nothing() -> None:
    """An answer is continuous in the clip."""
    walk = samples.walk()
    noise = 1e-9 * np.random.default_rng(0).standard_normal(walk.q.shape)
    (here, _), (there, _) = (pushed(motion, HEAD, quat.IDENTITY) for motion in (walk, replace(walk, q=walk.q + noise)))
    np.testing.assert_allclose(there, here, atol=1e-5)


def test_a_clip_goes_on_for_ever_alike() -> None:
    walk = samples.walk()
    here = make_endless(fit(Character.from_motion(walk), walk))
    for shift, degrees in PLACES:
        turn = about_vertical(degrees)
        there_clip = moved(walk, shift, turn)
        there = make_endless(fit(Character.from_motion(there_clip), there_clip))
        assert there.cycle == here.cycle
        np.testing.assert_allclose(quat.rotate(quat.conjugate(turn), there.travel), here.travel, atol=1e-9)


@pytest.mark.parametrize("field", ["root_limits", "root_rates"])
def test_gains_along_the_ground_have_no_direction(field: str) -> None:
    with pytest.raises(InputError, match="along x"):
        Gains(**{field: (0.1, 0.2, 0.1, 0.1, 0.1, 0.1)})
