"""Push responses on real walks: bars on a few hundred random pushes, and the paper's claims on fewer walks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.motion.pushes import Push
from gambol.respond import stepping
from gambol.respond.actuation import upper_body_columns
from gambol.respond.model import Gains, learn_response
from gambol_evidence.reproduce.claims import Evidence
from gambol_evidence.reproduce.near_unactuated import CLAIMS, bars, forms, objectives, situations
from gambol_evidence.reproduce.near_unactuated.trials import (
    BACKWARD,
    BEFORE,
    FORWARD,
    PushOutcome,
    TrialWalk,
    TrialWalks,
    make_model,
    make_trial,
    play_trial,
)

TWO = ("walk/07_01", "walk/35_01")


@pytest.fixture(scope="module")
def walks(data: Path) -> TrialWalks:
    return TrialWalks(data, TWO, TWO, pushes=40)


@pytest.fixture(scope="module")
def walk(walks: TrialWalks) -> TrialWalk:
    return walks("walk/07_01")


@pytest.mark.parametrize("name", ["walk/07_01", "styled_walk/136_27"])
def test_random_pushes_never_break_a_walk(walks: TrialWalks, name: str) -> None:
    found = bars.measure_random_pushes(walks(name), 30, seed=11)
    assert (found.pushes, found.lost) == (30, 0)
    assert found.small >= 15
    assert found.cut < 1.0
    assert found.cut_small < 1.0
    assert found.left < 2.0
    assert found.left_any < 2.0
    assert found.slide < 5.0
    assert found.rough < 3.0


def test_random_pushes_are_what_the_bars_say(walk: TrialWalk) -> None:
    tried = bars.draw_pushes(walk, 400, np.random.default_rng(3))
    pushes = [push for (push,) in tried.pushes]
    assert {push.body for push in pushes} == set(walk.fitted.character.bodies)
    weights = np.array([np.linalg.norm(push.force) for push in pushes]) / walk.weight
    assert 1.3 < weights.max() <= 1.5
    assert min(push.duration for push in pushes) >= 0.05
    assert 0.9 < max(push.duration for push in pushes) <= 1.0
    gained = np.array([np.linalg.norm(push.force) * push.duration for push in pushes]) / walk.fitted.character.mass
    assert gained[::2].max() <= 0.3 + 1e-9
    assert gained.max() > 5.0


def test_the_walk_goes_on_without_a_seam(walk: TrialWalk) -> None:
    steps = np.diff(walk.fitted.motion.q, axis=0)
    assert np.abs(steps[walk.cycle : 2 * walk.cycle] - steps[: walk.cycle]).max() < 1e-9
    ahead, left = walk.facing
    assert steps[:, :3].mean(axis=0) @ ahead > 0.9 * np.linalg.norm(steps[:, :3].mean(axis=0))
    assert np.cross(ahead, left) @ [0.0, 0.0, 1.0] == pytest.approx(1.0)


def test_supports_take_turns(walk: TrialWalk) -> None:
    left, right, both = (walk.phases_of(name) for name in ("left foot", "right foot", "both feet"))
    assert (len(left), len(right), len(both)) == (1, 1, 2)
    assert abs((left[0] - right[0]) % walk.cycle - walk.cycle / 2) < 0.15 * walk.cycle


def test_more_free_coordinates_answer_more_and_too_many_do_not_come_back(walk: TrialWalk) -> None:
    outcomes = {count: play_trial(make_trial(walk), make_model(walk, count)) for count in (0, 10, 16)}
    peaks = [np.median(outcome.peaks) for outcome in outcomes.values()]
    assert peaks[0] < peaks[1] < peaks[2]
    assert outcomes[10].left.max() < 0.1
    assert outcomes[16].left.max() > 10.0


def test_a_model_with_borrowed_steps_is_the_learned_one(walk: TrialWalk) -> None:
    tried = make_trial(walk, ("head",), (BACKWARD,))
    assert (
        np.abs(
            play_trial(tried, make_model(walk, 12)).poses - play_trial(tried, learn_response(walk.fitted, 12)).poses
        ).max()
        < 1e-9
    )


def test_what_a_trial_measures(walk: TrialWalk) -> None:
    tried = make_trial(walk, ("chest",), (FORWARD,), (0,))
    ((push,),) = tried.pushes
    assert np.array(push.force) @ walk.facing[0] == pytest.approx(0.15 * walk.weight)
    poses = tried.targets.copy()
    column = walk.fitted.character.skeleton.columns(walk.fitted.character.body("left_forearm"), "turn")[0]
    first = walk.frames(BEFORE)
    poses[first : first + 30, :, column] += np.radians(7.0)
    poses[-1, :, column] += np.radians(1.0)
    outcome = PushOutcome(tried, poses, np.zeros(poses.shape[:2]))
    assert outcome.peaks == pytest.approx([7.0])
    assert outcome.left == pytest.approx([1.0])
    assert outcome.recovery_time() == pytest.approx([0.5], abs=0.03)
    assert outcome.of("left_forearm") == pytest.approx([7.0])
    assert outcome.of("chest") == pytest.approx([0.0])


def test_torque_of_a_clip_that_nobody_touches_needs_no_push(walk: TrialWalk) -> None:
    """The rows on torque take the push out of inverse dynamics: a force that nothing answered shows up whole."""
    motion = walk.fitted.motion
    push = Push("left_hand", (0.0, 0.0, -20.0), 0.0, 10.0)
    with_it, without = (forms._torques(walk.fitted, motion.q[:20], pushes) for pushes in ([push], []))
    names = walk.fitted.character.skeleton.names
    moved = np.abs(with_it - without).max(axis=0)
    dofs = walk.fitted.character.skeleton.dofs
    joints = [dofs[c].joint for c in upper_body_columns(walk.fitted.character)[6:]]
    assert all((moved[n] > 1e-6) == ("right" not in names[j] and names[j] != "head") for n, j in enumerate(joints))


@pytest.mark.parametrize(
    "measure",
    [
        situations.measure_body_parts,
        situations.measure_sustained,
        situations.measure_platform,
        objectives.measure_cup,
        forms.measure_torque,
        bars.measure_bars,
    ],
)
def test_claims_hold_but_for_known_failures(walks: TrialWalks, measure) -> None:
    assert measure in CLAIMS
    evidence = Evidence("near-unactuated", list(measure(walks)))
    assert [claim.id for claim in evidence.regressions] == []
    assert all(claim.computed and claim.claim and claim.source for claim in evidence.claims)


def test_a_step_without_a_solution_is_seen_although_poses_are_clipped(walk: TrialWalk) -> None:
    tried = make_trial(walk, ("chest",), (FORWARD,), (0,))
    outcome = play_trial(tried, make_model(walk, gains=Gains(free_stiffness=float("nan"))))
    assert np.isnan(outcome.excess[1:]).all()


def test_pushes_that_nothing_answers_fail_the_claims(walks: TrialWalks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stepping, "_add_push", lambda *args: None)
    for measure in (situations.measure_body_parts, situations.measure_sustained):
        assert not any(claim.holds for claim in measure(walks) if not claim.id.endswith("left"))


def test_springs_that_are_missing_fail_the_claims(walks: TrialWalks, monkeypatch: pytest.MonkeyPatch) -> None:
    loose = {name: make_model(walks(name), gains=Gains(free_stiffness=-30.0)) for name in TWO}
    monkeypatch.setattr(TrialWalk, "model", property(lambda walk: loose[walk.name]))
    failed = {claim.id for claim in bars.measure_bars(walks) if not claim.holds}
    assert {"small-left", "any-left"} <= failed
