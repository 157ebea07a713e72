"""How far a push is beyond balance, beside geometry and impulses worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gambol as gb
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.fit.rig import Fit, fit
from gambol.io import samples
from gambol.motion.pushes import Platform, Push
from gambol.respond.balance import (
    describe_overbalance,
    find_outcome,
    measure_foot_support,
    measure_overbalance,
)
from gambol.respond.near_unactuated import NearUnactuatedResponder
from gambol.respond.session import Session
from gambol.stages.balance import OVERBALANCE
from tests.metamorphic.changes import Change

_SIDEWAYS = Push("pelvis", (0.0, 600.0, 0.0), 0.6, 0.2)


@pytest.fixture(scope="module")
def stand() -> Fit:
    clip = samples.stand()
    return fit(Character.from_motion(clip, 70.0), clip)


def _outside(fitted: Fit, *pushes: Push, platform: Platform | None = None) -> float:
    return measure_overbalance(fitted.character, fitted.motion, pushes, platform)


@pytest.mark.parametrize("direction", [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])
def test_a_blow_is_outside_by_its_speed_less_the_room_of_the_soles(stand: Fit, direction: tuple[float, float]) -> None:
    """In one frame nobody shifts pressure: v / sqrt(g / height), less the way from under the body to the edge."""
    frame, step, speed = 30, stand.motion.frame_time, 0.8
    impulse = 70.0 * speed * np.array([*direction, 0.0])
    blow = Push("pelvis", tuple(impulse / step), frame * step, step)
    centre = Dynamics(stand.character).center_of_mass(stand.motion.q)[frame]
    skeleton, placed = stand.character.skeleton, stand.motion.placement.positions[frame]
    tips = np.array([placed[skeleton.index(f"{s}_{end}_tip")] for s in ("left", "right") for end in ("heel", "toe")])
    aside = 0.04 * abs(direction[1])
    room = float((tips[:, :2] @ direction).max() - centre[:2] @ direction) + aside
    expected = speed / np.sqrt(9.81 / (centre[2] - tips[:, 2].min())) - room
    assert expected > 0.05
    assert _outside(stand, blow) == pytest.approx(expected, abs=0.02)


def test_what_the_feet_can_hold_is_within_balance(stand: Fit) -> None:
    assert _outside(stand) == 0.0
    assert _outside(stand, Push("pelvis", (0.0, 60.0, 0.0), 0.6, 0.2)) < 1e-6
    assert _outside(stand, Push("pelvis", (0.0, 0.0, -2000.0), 0.6, 0.2)) == 0.0
    assert _outside(stand, Push("pelvis", (40.0, 0.0, 0.0), 0.4, 1.0)) < 1e-6  # steadily, by leaning
    assert _outside(stand, _SIDEWAYS) > 0.3


def test_two_pushes_add_up_and_a_platform_pushes_the_other_way(stand: Fit) -> None:
    half = Push("head", (0.0, 300.0, 0.0), 0.6, 0.2)
    assert _outside(stand, half, half) == pytest.approx(_outside(stand, _SIDEWAYS))
    shaken = Platform((0.0, -600.0 / 70.0, 0.0), 0.6, 0.2)
    assert _outside(stand, platform=shaken) == pytest.approx(_outside(stand, _SIDEWAYS))


def test_it_does_not_depend_on_where_a_walk_goes(walk: Fit) -> None:
    change = Change("elsewhere", degrees=70.0, shift=(3000.0, -20.0, 0.5))
    there = fit(walk.character, change.apply(walk.source))
    push = Push("chest", (-350.0, 60.0, 0.0), 1.0, 0.2)
    other = _outside(there, replace(push, force=change.vector(push.force)))
    assert other == pytest.approx(_outside(walk, push), abs=1e-6)
    assert other > OVERBALANCE


def test_a_pull_that_does_not_end_is_outside_by_at_most_the_height_of_the_body(stand: Fit) -> None:
    support, deviation = measure_foot_support(stand.character, stand.motion), np.zeros(2)
    for _ in range(round(20.0 / stand.motion.frame_time)):
        deviation = support.step(0, deviation, np.array([0.0, 150.0, 0.0]))
    height = Dynamics(stand.character).center_of_mass(stand.motion.q)[0, 2]
    assert np.linalg.norm(deviation) == pytest.approx(height, abs=0.05)


def test_pressure_of_a_clip_is_under_its_feet(walk: Fit) -> None:
    support = measure_foot_support(walk.character, walk.motion)
    assert (support.room.min(axis=1) <= 1e-9).all()
    assert (support.room.max(axis=1) >= -1e-9).all()


def test_in_flight_nothing_holds_and_nothing_is_outside() -> None:
    jump = samples.jump()
    character = Character.from_motion(jump)
    support = measure_foot_support(character, fit(character, jump).motion)
    flying = np.flatnonzero(np.isnan(support.room).any(axis=(1, 2)))
    assert 10 < len(flying) < len(jump) - 10
    away = np.tile([0.5, 0.0], (len(flying), 1))
    np.testing.assert_array_equal(support.measure_outside(flying, away), 0.0)
    np.testing.assert_array_equal(support.step(flying, away, np.zeros((len(flying), 3))), away)


def test_frames_together_are_as_one_by_one(walk: Fit) -> None:
    support, rng = measure_foot_support(walk.character, walk.motion), np.random.default_rng(1)
    frames = rng.integers(0, len(walk.motion), 40)
    deviations, forces = rng.normal(0.0, 0.2, (40, 2)), rng.normal(0.0, 100.0, (40, 3)) * rng.integers(0, 2, (40, 1))
    together = support.step(frames, deviations, forces)
    alone = [support.step(int(f), d, n) for f, d, n in zip(frames, deviations, forces, strict=True)]
    np.testing.assert_allclose(together, alone, atol=1e-12)


@pytest.mark.parametrize(
    ("outside", "leg_length", "outcome"),
    [(0.0, 0.9, "stands"), (0.049, 0.9, "stands"), (0.06, 0.9, "steps"), (0.35, 0.9, "steps"), (0.37, 0.9, "falls"),
     (0.37, 1.0, "steps")],
)  # fmt: skip
def test_a_person_stands_steps_or_falls(outside: float, leg_length: float, outcome: str) -> None:
    assert find_outcome(outside, leg_length) == outcome


def test_people_let_go_from_the_largest_lean_that_one_step_answers_are_at_the_edge(stand: Fit) -> None:
    """Thelen et al. 1997: young men recover with one step from 32.5 degrees, and not from much more."""
    support = measure_foot_support(stand.character, stand.motion)
    placed, skeleton = stand.motion.placement.positions[0], stand.character.skeleton
    height = Dynamics(stand.character).center_of_mass(stand.motion.q)[0, 2]
    ankle = placed[skeleton.index("left_foot")]
    pressure = placed[skeleton.index("left_ball_tip"), :2] - [support.room[0, :, 0].max(), 0.0]
    for degrees, outcome in ((20.0, "steps"), (40.0, "falls")):
        lean = ankle[0] + (height - ankle[2]) * np.sin(np.radians(degrees)) - pressure[0]
        outside = float(support.measure_outside(0, np.array([lean, 0.0])))
        assert find_outcome(outside, stand.character.leg_length) == outcome


def test_the_summary_says_what_a_person_would_do() -> None:
    clip = samples.stand()[:100]
    hard = gb.push(clip, [Push("pelvis", (0.0, 600.0, 0.0), 0.6, 0.2)])
    assert hard.summary.startswith("a person would fall here: the extrapolated centre of mass is ")
    assert "replan" not in hard.summary
    assert hard.figures["outside_cm"] > 36.0
    less = gb.push(clip, [Push("pelvis", (0.0, 350.0, 0.0), 0.6, 0.2)])
    assert less.summary.startswith("a person would step here: ")
    assert " cm outside the feet; try --method replan; largest deviation" in less.summary
    assert not any("acts on the pelvis" in note for note in hard.notes)
    soft = gb.push(clip, [Push("left_shank", (0.0, 60.0, 0.0), 0.6, 0.2)])
    assert "outside" not in soft.summary
    assert any("a push on the left shank acts on the pelvis" in note for note in soft.notes)


def test_a_session_follows_balance_until_the_next_push(responder: NearUnactuatedResponder) -> None:
    session = Session(responder)
    session.advance(0.2)
    session.hit("chest", (0.0, 500.0, 0.0))
    for _ in range(30):
        session.advance(0.1)
        if session.recovery is not None:
            break
    assert session.outside > 0.2
    assert "a person would fall here" in describe_overbalance(session.outside, 0.85)
    session.hit("chest", (0.0, 10.0, 0.0))
    session.advance(0.05)
    assert session.outside < OVERBALANCE
    assert describe_overbalance(session.outside, 0.85) == ""
