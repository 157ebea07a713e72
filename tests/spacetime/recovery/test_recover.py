"""Pushed walks that step: physics by another engine, feet, directions, timing."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from gambol.body.dynamics import Dynamics
from gambol.contacts.contact import BodyPoint
from gambol.contacts.views import list_constraints, list_loads
from gambol.spacetime.evaluate import evaluate_frames
from gambol.spacetime.grounded import GroundedMotion
from gambol.spacetime.recovery.recover import _HASTE, PushAnswer, _choose_timing, group_pushes
from gambol.stages.feet import track_point
from tests.spacetime.recovery.conftest import FPS, ONSET, SPEED, ground_sample, make_push, recover


def test_nothing_changes_without_a_force(grounded: GroundedMotion) -> None:
    found = recover(grounded, [make_push(grounded, 0.0, 1e-6)])
    assert found.converged
    assert np.abs(found.motion.motion.q - grounded.motion.q).max() < np.radians(0.5)
    assert all(np.linalg.norm(step.shift) < 0.005 for step in found.steps)


def test_a_run_keeps_its_rates_of_force_without_a_push() -> None:
    """Rates of force are large in a run: if they had a cost, and not their change, footholds would move by 14 cm."""
    run = ground_sample("run", 5)
    found = recover(run, [make_push(run, 0.0, 1e-6)], timing=False)
    assert found.converged
    assert all(np.linalg.norm(step.shift) < 0.01 for step in found.steps)


def test_before_the_push_the_clip_is_kept(grounded: GroundedMotion, pushed_left: PushAnswer) -> None:
    before = grounded.motion.times < ONSET - 1.0 / FPS
    np.testing.assert_allclose(pushed_left.motion.motion.q[before], grounded.motion.q[before], atol=1e-12)


def test_the_push_gives_its_impulse(grounded: GroundedMotion, pushed_left: PushAnswer) -> None:
    """The lateral momentum at its end, less what the ground gave: the solver's own frames, by Pinocchio."""
    solved = pushed_left.solved[0]
    errors = _evaluate(pushed_left)
    assert errors.friction < 0.8
    assert errors.pressure < 0.002
    assert errors.least > 0.0
    wrong = replace(solved, forces=())
    assert _evaluate(replace(pushed_left, solved=(wrong,))).pressure > 0.05


def test_steps_follow_the_push_and_the_clip_is_met_again(grounded: GroundedMotion, pushed_left: PushAnswer) -> None:
    assert pushed_left.converged
    moved = [step for step in pushed_left.steps if step.time > ONSET + 0.3]
    assert all(step.shift[1] > 0.1 for step in moved)
    end = pushed_left.motion.motion.q[-1] - grounded.motion.q[-1]
    assert np.abs(end[2:]).max() < 0.02
    np.testing.assert_allclose(end[:2], moved[-1].shift[:2], atol=0.02)


def test_feet_in_contact_stay(grounded: GroundedMotion, pushed_left: PushAnswer) -> None:
    """What touches the ground moves as in the clip, displaced with its stance."""
    for contact in list_constraints(pushed_left.motion.contacts):
        frames = slice(contact.first, contact.last + 1)
        point = BodyPoint("foot", contact.body, contact.points[0])
        moved = (track_point(pushed_left.motion.motion, point) - track_point(grounded.motion, point))[frames]
        assert np.ptp(moved, axis=0).max() < 0.001


def test_feet_come_and_leave_as_in_the_clip(grounded: GroundedMotion, pushed_left: PushAnswer) -> None:
    """The velocity of an ankle relative to the clip's changes by less than 1 m/s in a frame; by 2 without that term."""
    for ankle in ("left_foot", "right_foot"):
        joint = grounded.character.skeleton.index(ankle)
        paths = [one.motion.placement.positions[:, joint] for one in (pushed_left.motion, grounded)]
        jumps = np.linalg.norm(np.diff(paths[0] - paths[1], 2, axis=0), axis=1) / grounded.motion.frame_time
        assert jumps.max() < 1.0


def test_a_foot_about_to_land_lands_near_its_place(grounded: GroundedMotion) -> None:
    """In 0.1 s after a reaction of 0.1 s, a foot that is accelerated by 45 m/s² gets 8 cm far."""
    landing = next(one.first * grounded.motion.frame_time for one in grounded.stances if one.first > 60)
    found = recover(grounded, [make_push(grounded, 0.0, SPEED, landing - 0.2)], timing=False)
    assert found.converged
    first, second, *_ = found.steps
    assert abs(first.time - landing) < 0.03
    assert np.linalg.norm(first.shift) < 0.12
    assert second.shift[1] > 0.1


def test_the_mirror_push_shifts_to_the_other_side(grounded: GroundedMotion, pushed_left: PushAnswer) -> None:
    right = recover(grounded, [make_push(grounded, 0.0, -SPEED)], timing=False)
    assert right.converged
    first = [next(s for s in found.steps if s.time > ONSET + 0.2).shift[1] for found in (pushed_left, right)]
    assert first[0] > 0.1
    assert first[1] < -0.1


def test_a_step_may_land_earlier(grounded: GroundedMotion, pushed_left: PushAnswer) -> None:
    found = recover(grounded, [make_push(grounded, 0.0, SPEED)])
    assert found.converged
    earlier = found.steps[-1].earlier
    assert earlier != 0.0
    assert found.motion.motion.duration == pytest.approx(grounded.motion.duration - earlier, abs=0.02)
    assert (np.diff(found.times) > 0.0).all()
    cost = found.solved[0].outcome.solution.cost / len(found.solved[0].outcome.motion)
    assert cost <= pushed_left.solved[0].outcome.solution.cost / len(pushed_left.solved[0].outcome.motion) + 1e-3


def test_a_push_near_the_end_leaves_the_end_open(grounded: GroundedMotion) -> None:
    found = recover(grounded, [make_push(grounded, 0.0, 0.3, grounded.motion.duration - 0.7)])
    assert found.converged
    assert len(found.motion.motion) == len(grounded.motion)
    centre = Dynamics(grounded.character).center_of_mass
    assert centre(found.motion.motion.q[-1:])[0, 1] - centre(grounded.motion.q[-1:])[0, 1] > 0.05


def test_pushes_that_begin_together_are_one(grounded: GroundedMotion) -> None:
    pushes = [make_push(grounded, 0.1, 0.0, at) for at in (2.0, 1.0, 1.05, 1.2)]
    assert [[push.start for push in group] for group in group_pushes(pushes)] == [[1.0, 1.05], [1.2], [2.0]]


def _evaluate(found: PushAnswer):
    solved = found.solved[0]
    plan = solved.window.reference.move(solved.deviation, solved.shifts).contacts
    return evaluate_frames(
        solved.outcome.character,
        solved.outcome.motion,
        list_constraints(plan),
        list_loads(plan, solved.outcome.character),
        pushes=solved.forces,
    )


@pytest.mark.parametrize(("answered", "share"), [(0.9, 1.0), (0.4, 0.5), (2.0, 0.0)])
def test_where_only_early_steps_answer_the_earliest_is_tried(answered: float, share: float) -> None:
    """Answers are found for steps that are earlier by `answered` of the most, and cost more the earlier they are."""
    most = _HASTE / (1.0 + _HASTE) * 0.5

    def attempt(earlier: float) -> SimpleNamespace:
        solution = SimpleNamespace(converged=earlier >= answered * most, cost=1.0 + earlier)
        return SimpleNamespace(shifts={"left": np.ones(3)}, outcome=SimpleNamespace(solution=solution))

    assert _choose_timing(attempt, 0.5) == pytest.approx(share * most)  # type: ignore[arg-type]
