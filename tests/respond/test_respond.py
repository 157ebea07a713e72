"""A pushed clip: what it does, when, and that it comes back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.fit.load import load
from gambol.fit.rig import Fit, fit
from gambol.io import samples
from gambol.motion.kinematics import place
from gambol.motion.pushes import Load, Platform, Push
from gambol.respond.actuation import Actuation, compute_actuation
from gambol.respond.clips import respond_to_pushes
from gambol.respond.model import Gains, ResponseModel, learn_response, relearn_response
from gambol.respond.objectives import look_at
from gambol.respond.push_response import PushResponse
from gambol.respond.stepping import respond_to_targets, start_response, step_response

HIT = Push("left_upper_arm", (0.0, 60.0, 0.0), 1.0, 0.2)


def off(walk: Fit, poses: np.ndarray) -> np.ndarray:
    return np.degrees(np.abs(poses - walk.motion.q)[:, 3:]).max(axis=1)


def test_before_the_push_nothing_changes_and_after_it_all_comes_back(model: ResponseModel, walk: Fit) -> None:
    poses = respond_to_targets(model, walk.motion.q, [HIT])
    first = round(1.0 / walk.motion.frame_time)
    np.testing.assert_array_equal(poses[: first + 1], walk.motion.q[: first + 1])
    assert off(walk, poses)[first + 2 :].max() > 4.0
    assert off(walk, poses)[-1] < 0.1


@pytest.mark.parametrize("body", ["head", "chest", "pelvis", "right_hand", "left_shank", "right_foot"])
def test_every_body_can_be_pushed_and_yields_with_the_force(model: ResponseModel, walk: Fit, body: str) -> None:
    skeleton = walk.character.skeleton
    poses = respond_to_targets(model, walk.motion.q, [Push(body, (0.0, 80.0, 0.0), 0.5, 0.2)])
    # What pushes a leg moves the hips: feet stay where they are.
    shown = skeleton.names.index(body if body in model.upper else "pelvis")
    moved = place(skeleton, poses).positions[:, shown] - walk.motion.placement.positions[:, shown]
    end = round(0.7 / walk.motion.frame_time)
    assert moved[end, 1] > 0.005


def test_twice_the_impulse_is_about_twice_the_answer_while_it_is_small(model: ResponseModel, walk: Fit) -> None:
    one, two = (
        off(walk, respond_to_targets(model, walk.motion.q, [Push("chest", (f, 0.0, 0.0), 1.0, 0.1)])).max()
        for f in (10.0, 20.0)
    )
    assert 1.8 < two / one < 2.2


def test_a_push_shorter_than_a_frame_counts_by_its_impulse(model: ResponseModel, walk: Fit) -> None:
    h = walk.motion.frame_time
    whole, half = (
        off(walk, respond_to_targets(model, walk.motion.q, [Push("chest", (f, 0.0, 0.0), 30 * h, d)])).max()
        for f, d in ((100.0, h), (200.0, 0.5 * h))
    )
    np.testing.assert_allclose(half, whole, rtol=1e-6)


def test_pushes_add_up_and_forces_may_turn_with_the_body(model: ResponseModel, walk: Fit) -> None:
    both = [Push("chest", (20.0, 0.0, 0.0), 1.0), Push("chest", (0.0, 20.0, 0.0), 1.0)]
    once = [Push("chest", (20.0, 20.0, 0.0), 1.0)]
    together, single = (respond_to_targets(model, walk.motion.q, pushes) for pushes in (both, once))
    np.testing.assert_allclose(together, single, atol=1e-9)
    world, body = (
        respond_to_targets(model, walk.motion.q, [Push("head", (40.0, 0.0, 0.0), 1.0, axes=a)])
        for a in ("world", "body")
    )
    assert np.degrees(np.abs(world - body)).max() > 0.1


def test_answers_grow_with_the_number_of_free_coordinates(model: ResponseModel, walk: Fit) -> None:
    hit = replace(HIT, body="head")
    peaks = [off(walk, respond_to_targets(relearn_response(model, k), walk.motion.q, [hit])).max() for k in (0, 10, 16)]
    assert peaks[0] < peaks[1] < peaks[2]


def test_streaming_is_the_same_as_the_whole_clip_and_states_are_not_changed(model: ResponseModel, walk: Fit) -> None:
    q = walk.motion.q
    whole = respond_to_targets(model, q, [HIT])
    state = start_response(model, q[0], 2.0 * q[0] - q[1])
    first = state
    for n in range(1, len(q)):
        state, pose = step_response(model, state, q[n], [HIT])
        np.testing.assert_array_equal(pose, whole[n])
    assert first.time == 0.0
    np.testing.assert_array_equal(first.deviation, 0.0)
    _, again = step_response(model, first, q[1], [HIT])
    np.testing.assert_array_equal(again, whole[1])


def test_a_batch_answers_each_with_its_own_pushes(model: ResponseModel, walk: Fit) -> None:
    q = walk.motion.q[:110]
    other = Push("head", (0.0, 0.0, -50.0), 0.5)
    alone = [respond_to_targets(model, q, pushes) for pushes in ([HIT], [other], [])]
    state = start_response(model, np.repeat(q[:1], 3, axis=0), np.repeat(2.0 * q[:1] - q[1:2], 3, axis=0))
    for n in range(1, len(q)):
        state, poses = step_response(model, state, np.repeat(q[n : n + 1], 3, axis=0), [[HIT], [other], []])
    np.testing.assert_allclose(poses, [a[-1] for a in alone], atol=1e-12)


def test_muscles_learn_of_a_push_late(model: ResponseModel, walk: Fit) -> None:
    """With the delay the actuated coordinates go farther in the first fifth of a second."""
    soon = round(1.15 / walk.motion.frame_time)
    late, at_once = (
        off(walk, respond_to_targets(learned, walk.motion.q, [HIT]))[soon]
        for learned in (relearn_response(model, 0), learn_response(walk, 0, gains=Gains(persistence=0.0)))
    )
    assert late > 1.5 * at_once


def test_a_platform_that_starts_leaves_the_trunk_behind(model: ResponseModel, walk: Fit) -> None:
    poses = respond_to_targets(model, walk.motion.q, [], platform=Platform((3.0, 0.0, 0.0), 1.0, 0.2))
    first, end = (round(t / walk.motion.frame_time) for t in (1.0, 1.2))
    np.testing.assert_allclose(poses[: first + 1], walk.motion.q[: first + 1], atol=1e-12)
    skeleton = walk.character.skeleton
    head, pelvis = skeleton.names.index("head"), 0
    lean = place(skeleton, poses).positions - walk.motion.placement.positions
    assert (lean[end, head] - lean[end, pelvis])[0] < -0.005
    assert 0.5 < (poses - walk.motion.q)[-1, 0] / (0.6 * (4.2667 - 1.1)) < 1.1


def test_a_load_pulls_the_arm_down(walk: Fit) -> None:
    poses = respond_to_targets(learn_response(walk, loads=[Load("left_hand", 3.0)]), walk.motion.q, [])
    skeleton = walk.character.skeleton
    hand = skeleton.names.index("left_hand")
    sunk = (place(skeleton, poses).positions - walk.motion.placement.positions)[60:, hand, 2]
    assert sunk.mean() < -0.005


def test_anothers_actuation_changes_the_answer(model: ResponseModel, walk: Fit) -> None:
    run = samples.run()
    other = compute_actuation(fit(Character.from_motion(run, 70.0), run))
    own, borrowed = (
        respond_to_targets(m, walk.motion.q, [HIT]) for m in (model, learn_response(walk, actuation=other))
    )
    assert np.degrees(np.abs(own - borrowed)).max() > 0.5


@pytest.fixture(scope="module")
def answer() -> PushResponse:
    clip = samples.walk()
    return respond_to_pushes(Character.from_motion(clip, 70.0), clip, [HIT])


def test_the_pushed_clip_comes_home_on_its_rig(answer: PushResponse) -> None:
    clip, pushed = answer.fitted.source, answer.motion
    assert pushed.skeleton is clip.skeleton
    np.testing.assert_array_equal(pushed.q[:60], clip.q[:60])
    assert "near-unactuated" in str(pushed.made["pushed"])
    fingers = [c for c, d in enumerate(clip.skeleton.dofs) if clip.skeleton.names[d.joint].startswith("LeftToe")]
    np.testing.assert_array_equal(pushed.q[:, fingers], clip.q[:, fingers])


def test_the_answer_says_how_far_and_how_long(answer: PushResponse) -> None:
    degrees, second = answer.peak
    assert 4.0 < degrees < 40.0
    assert 1.0 < second < 1.6
    assert answer.recovery is not None
    assert 0.0 < answer.recovery < 2.0
    assert answer.slide < 1e-6
    assert answer.deviation(["left_upper_arm"]).max() <= degrees


def test_bad_pushes_are_refused(model: ResponseModel, walk: Fit) -> None:
    clip = samples.walk()
    with pytest.raises(InputError, match="bodies: pelvis"):
        respond_to_targets(model, walk.motion.q, [Push("tail", (0.0, 1.0, 0.0), 0.0)])
    with pytest.raises(InputError, match="after the clip"):
        respond_to_pushes(Character.from_motion(clip), clip, [Push("head", (0.0, 1.0, 0.0), 99.0)])
    for force in ((np.nan, 0.0, 0.0), (np.inf, 0.0, 0.0), (1.0, 2.0)):
        with pytest.raises(InputError, match="three finite numbers"):
            Push("head", force, 0.0)  # type: ignore[arg-type]
    for start_, duration in ((-1.0, 0.2), (np.nan, 0.2), (0.0, 0.0), (0.0, -1.0), (0.0, np.inf)):
        with pytest.raises(InputError, match="a push cannot"):
            Push("head", (0.0, 1.0, 0.0), start_, duration)
    with pytest.raises(InputError, match="kg"):
        Load("head", 0.0)


def test_no_leg_turns_over_in_a_dance(data: Path) -> None:
    """Its feet point so far down that the hips lie behind their soles: half a turn of the ankle would reach too."""
    clip = load(data / "cmu_bvh" / "dance" / "05_16.bvh")
    fitted = fit(Character.from_motion(clip), clip)
    poses = respond_to_targets(learn_response(fitted), fitted.motion.q, [Push("chest", (0.0, 50.0, 0.0), 0.1)])
    assert off(fitted, poses).max() < 10.0
    assert off(fitted, poses)[-1] < 0.1


def test_other_springs_need_no_other_step(model: ResponseModel, walk: Fit) -> None:
    anew, again = learn_response(walk, 14), relearn_response(model, 14)
    assert again.function is model.function
    np.testing.assert_array_equal(*(respond_to_targets(m, walk.motion.q, [HIT]) for m in (anew, again)))


def test_actuation_about_other_axes_is_not_borrowed(walk: Fit) -> None:
    own = compute_actuation(walk)
    axes = own.axes.copy()
    axes[3] = axes[3][::-1]
    with pytest.raises(InputError, match="about other axes"):
        learn_response(walk, actuation=Actuation(own.directions, own.powers, axes))


def test_objectives_hold_for_a_whole_batch_that_nobody_pushes(model: ResponseModel, walk: Fit) -> None:
    q = np.repeat(walk.motion.q[:1], 2, axis=0)
    state = start_response(model, q)
    for _ in range(20):
        state, poses = step_response(model, state, q, objectives=[look_at((0.0, 50.0, 1.6))])
    assert np.abs(poses - q).max(axis=1).min() > 0.05
