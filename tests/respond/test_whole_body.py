"""`push --method replan`: answers with steps, on the clip's own rig."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import gambol as gb
from gambol.errors import InputError
from gambol.fit.rig import fit
from gambol.geometry.arrays import Array
from gambol.respond.push import PushResult
from gambol.respond.whole_body import WholeBodyResponse, raise_arms
from gambol.spacetime.grounded import GroundedMotion, ground_motion
from gambol.spacetime.recovery.recover import recover
from tests.metamorphic.changes import SAME, Change

FORCE = (0.0, 170.0, 0.0)
FPS, HORIZON, LOOP = 15.0, 1.5, 3.3
"""Frames per second that are solved, seconds in which the clip is met again, and seconds of the clip."""


@pytest.fixture(scope="module", autouse=True)
def few_frames() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gambol.respond.whole_body.HORIZON", HORIZON)
        patch.setattr("gambol.respond.whole_body.recover", partial(recover, fps=FPS, horizon=HORIZON))
        yield


@pytest.fixture
def one_timing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps land when they do in the clip."""
    one = partial(recover, fps=FPS, horizon=HORIZON, timing=False)
    monkeypatch.setattr("gambol.respond.whole_body.recover", one)


@pytest.fixture(scope="module")
def pushed(few_frames: None) -> PushResult:
    return gb.push("walk", [gb.Push("chest", FORCE, 1.2, 0.2)], method=gb.Replan(), loop=LOOP, mass=70.0)


def test_the_answer_is_on_the_rig_and_says_where_the_foot_lands(pushed: PushResult) -> None:
    assert pushed.motion.skeleton.names == gb.load("walk").skeleton.names
    assert isinstance(pushed.response, WholeBodyResponse)
    assert " foot lands " in pushed.summary
    assert " left of its place" in pushed.summary
    assert 5.0 < pushed.figures["peak_deg"] < 60.0
    assert pushed.figures["recovery_s"] < 3.0


def test_a_push_that_a_step_answers_is_within_what_people_can_do(pushed: PushResult) -> None:
    assert "a person would" not in pushed.summary
    assert 3.0 < pushed.figures["lean_deg"] < 20.0
    assert 0.3 < pushed.figures["foothold_shift_legs"] < 0.6
    assert 1.0 < pushed.figures["leg_torque_nm_per_kg"] < 5.0
    assert 10.0 < pushed.figures["outside_cm"] < 30.0


def test_a_push_beyond_people_says_that_a_person_would_fall(one_timing: None) -> None:
    found = gb.push("walk", [gb.Push("chest", (0.0, 420.0, 0.0), 1.2, 0.2)], method=gb.Replan(), loop=3.0, mass=70.0)
    assert found.summary.startswith("a person would fall here: the extrapolated centre of mass is ")
    assert " leg lengths (people: up to 1)" in found.summary
    assert found.figures["foothold_shift_legs"] > 1.0


def test_planted_feet_do_not_slide(pushed: PushResult) -> None:
    assert pushed.figures["foot_slide_mm"] < 1.0


def test_trunk_and_arms_give_way(pushed: PushResult) -> None:
    """As near-unactuated: the upper body deviates within the first quarter of a second, legs hardly."""
    response = pushed.response
    frames = slice(round(1.2 / response.fitted.motion.frame_time), round(1.35 / response.fitted.motion.frame_time))
    upper = response.deviation(("spine", "chest", "head"))[frames].max()
    legs = response.deviation([f"{side}_{part}" for side in ("left", "right") for part in ("thigh", "shank")])[frames]
    assert upper > 2.0
    assert legs.max() < 0.7 * upper


def test_arms_are_raised_the_more_the_nearer_a_push_is_to_a_fall(pushed: PushResult) -> None:
    """Both hands, as far, apart and up; after a small push they are not, and nothing is raised before 0.1 s."""
    response = pushed.response
    clip = ground_motion(response.fitted)

    def raised(newtons: float) -> np.ndarray:
        found = raise_arms(clip, [gb.Push("chest", (0.0, newtons, 0.0), 1.2, 0.2)])
        assert all(one.start == pytest.approx(1.3) for one in found)
        return np.array([one.force for one in found])

    assert not raised(30.0).size
    some, more, most = raised(120.0), raised(170.0), raised(420.0)
    np.testing.assert_allclose(some[:, 1], -some[::-1, 1], atol=0.05 * np.abs(some).max())
    assert some[0, 1] > some[0, 2] > 0.0
    assert 0.0 < some[0, 2] < more[0, 2] < most[0, 2] == pytest.approx(0.5 * 0.1 * 70.0 * 9.81, rel=1e-3)
    frames = slice(round(1.2 / response.fitted.motion.frame_time), round(2.0 / response.fitted.motion.frame_time))
    both = [response.deviation([f"{side}_upper_arm"])[frames].max() for side in ("left", "right")]
    assert min(both) > 15.0


def test_a_turned_and_mirrored_clip_gives_the_turned_and_mirrored_answer(pushed: PushResult) -> None:
    """The same steps at the same times, on the other side."""
    change = Change("elsewhere", degrees=70.0, shift=(20.0, -7.0, 0.0), mirrored=True)
    push = gb.Push("chest", change.vector(FORCE), 1.2, 0.2)
    other = gb.push(change.apply(gb.load("walk")), [push], method=gb.Replan(), loop=LOOP, mass=70.0)
    steps, images = pushed.response.found.steps, other.response.found.steps
    assert [step.side for step in images] == [change.part(step.side) for step in steps]
    np.testing.assert_allclose([step.time for step in images], [step.time for step in steps], atol=1e-6)
    np.testing.assert_allclose([i.shift for i in images], [change.vector(tuple(s.shift)) for s in steps], atol=1e-6)
    here, there = SAME.undo(pushed.motion), change.undo(other.motion)
    for name, places in here.items():
        np.testing.assert_allclose(there[name], places, atol=1e-6)
    assert " right of its place" in other.summary


def test_what_is_solved_is_the_same_wherever_the_clip_stands(monkeypatch) -> None:
    """Solvers stop by residuals along the axes of the world, and lose digits far from its origin."""
    seen = list[tuple[Array, tuple[float, float, float]]]()

    def stop(clip: GroundedMotion, pushes: list[gb.Push], **_: object) -> None:
        seen.append((clip.motion.placement.positions, pushes[0].force))
        raise InputError("seen")

    monkeypatch.setattr("gambol.respond.whole_body.recover", stop)
    for change in (SAME, Change("elsewhere", degrees=130.0, shift=(1e4, -7.0, 0.0))):
        clip, push = change.apply(gb.load("walk")[:130:2]), gb.Push("chest", change.vector(FORCE), 0.5)
        with pytest.raises(InputError, match="seen"):
            gb.push(clip, [push], method=gb.Replan())
    for here, there in zip(*seen, strict=True):
        np.testing.assert_allclose(there, here, atol=1e-8)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"loads": (gb.Load("chest", 5.0),)}, "steps answer pushes alone"),
        ({"platform": gb.Platform((1.0, 0.0, 0.0), 1.0, 0.2)}, "steps answer pushes alone"),
    ],
)
def test_what_steps_cannot_answer_is_refused(more: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        gb.push("walk", [gb.Push("chest", FORCE, 1.0)], method=gb.Replan(), **more)


def test_a_push_at_the_end_of_the_clip_is_refused() -> None:
    clip = gb.load("walk")
    with pytest.raises(InputError, match="after the push at"):
        gb.push(clip, [gb.Push("chest", FORCE, clip.duration - 0.1)], method=gb.Replan())


def test_a_clip_that_ends_sooner_is_continued_and_cut_again() -> None:
    """The walker does not fall at the end: the answer is the beginning of that of the longer clip."""
    clip = gb.load("walk")[:130]
    found = gb.push(clip, [gb.Push("chest", FORCE, 1.2, 0.2)], method=gb.Replan(), mass=70.0)
    earlier = found.response.found.steps[0].earlier
    assert found.motion.duration == pytest.approx(clip.duration - earlier, abs=0.02)
    assert found.response.found.solved[0].window.closed


def test_steps_are_told_as_the_character_sees_them(pushed: PushResult) -> None:
    """Somebody who stands does not travel: ahead is where the hips face."""
    clip = Change("turned", degrees=90.0).apply(gb.load("stand"))
    response = pushed.response
    assert isinstance(response, WholeBodyResponse)
    step = replace(response.found.steps[0], side="left", shift=np.array([-0.2, 0.0, 0.0]))
    standing = fit(response.fitted.character, clip)
    told = replace(response, fitted=standing, found=replace(response.found, steps=(step,)))
    assert "the left foot lands 0.20 m left of its place" in told.footwork


def test_a_push_that_no_step_answers_is_refused(one_timing: None) -> None:
    with pytest.raises(InputError, match="no steps that people can take answer the push"):
        gb.push("walk", [gb.Push("chest", (0.0, 5000.0, 0.0), 0.5, 0.2)], method=gb.Replan())


def test_a_clip_that_sits_on_nothing_is_refused() -> None:
    """Thighs level, shanks upright, feet where they stood: nothing carries the hips."""
    clip = gb.load("stand")[:90]
    skeleton, q = clip.skeleton, clip.q.copy()
    before = clip.placement.positions[:, skeleton.index("LeftFoot"), 2]
    for side in ("Left", "Right"):
        for part, degrees in (("UpLeg", -85.0), ("Leg", 85.0)):
            turns = skeleton.columns(skeleton.index(f"{side}{part}"), "turn")
            q[:, next(c for c in turns if abs(skeleton.dofs[c].axis[1]) > 0.9)] += np.radians(degrees)
    raised = replace(clip, q=q).placement.positions[:, skeleton.index("LeftFoot"), 2] - before
    q[:, next(c for c in skeleton.columns(0, "slide") if abs(skeleton.dofs[c].axis[2]) > 0.9)] -= raised
    with pytest.raises(InputError, match="even without a push, the contacts found cannot carry the clip") as caught:
        gb.push(replace(clip, q=q), [gb.Push("chest", FORCE, 0.5, 0.2)], method=gb.Replan(), mass=70.0)
    assert "near-unactuated" in str(caught.value)


@pytest.mark.parametrize(
    ("shift", "words"),
    [
        ((0.008, 0.008, 0.0), "lands 0.01 m ahead and 0.01 m left of its place"),
        ((-0.04, 0.0, 0.0), "lands 0.04 m behind its place"),
        ((0.004, -0.004, 0.0), "no step changes"),
    ],
)
def test_every_step_that_is_told_has_a_place(pushed: PushResult, shift: tuple[float, float, float], words: str) -> None:
    response = pushed.response
    assert isinstance(response, WholeBodyResponse)
    step = replace(response.found.steps[0], shift=np.array(shift))
    told = replace(response, found=replace(response.found, steps=(step,)))
    assert words in told.footwork
