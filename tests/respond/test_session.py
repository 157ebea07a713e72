"""The session behind a live push: an endless clip, hits, pulls, recovery."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.fit.rig import Fit, fit
from gambol.io import samples
from gambol.motion.kinematics import place
from gambol.respond.endless import EndlessClip, make_endless
from gambol.respond.model import ResponseModel
from gambol.respond.near_unactuated import NearUnactuatedResponder
from gambol.respond.session import PULL_STRENGTH, Session

_TICK = 1 / 30


@pytest.fixture(scope="module")
def clip(walk: Fit) -> EndlessClip:
    return make_endless(walk)


@pytest.fixture
def session(responder: NearUnactuatedResponder) -> Session:
    session = Session(responder)
    session.advance(0.2)
    return session


def run(session: Session, seconds: float) -> list[float]:
    """The deviation in every tick."""
    found = []
    for _ in range(round(seconds / _TICK)):
        session.advance(_TICK)
        found.append(session.deviation)
    return found


def soles_slide(clip: EndlessClip, walk: Fit, frames: int) -> np.ndarray:
    """Metres a second of whichever end of a foot slides least over the ground, in every frame."""
    skeleton = walk.character.skeleton
    soles = [j for j, name in enumerate(skeleton.names) if name.endswith(("heel_tip", "ball_tip"))]
    q = np.array([clip.target(n) for n in range(frames)])
    ground = np.array([clip.place(n) for n in range(frames)])
    moved = np.diff(place(skeleton, q).positions[:, soles] + ground[:, None], axis=0)[..., :2]
    return np.linalg.norm(moved, axis=2).min(axis=1) / walk.motion.frame_time


def test_a_cycle_goes_on_without_a_seam_and_on_the_ground(clip: EndlessClip, walk: Fit) -> None:
    count = len(clip.poses)
    rounds = np.array([clip.target(n) for n in range(-2, 2 * count)])
    jerks = np.abs(np.diff(rounds, 2, axis=0)).max(axis=1)
    assert jerks[count - 1 : count + 3].max() <= jerks[: count - 3].max()
    assert np.allclose(clip.place(3 * count + 5) - clip.place(5), 3 * clip.travel)
    assert np.abs(rounds[:, :2]).max() < 0.2
    assert np.linalg.norm(clip.travel) > 1.0
    assert np.percentile(soles_slide(clip, walk, 2 * count), 90) < 0.3


def test_a_clip_without_a_cycle_goes_forth_and_back(walk: Fit) -> None:
    half = samples.walk()[:40]
    fitted = fit(walk.character, half)
    clip = make_endless(fitted)
    count = len(clip.poses)
    rounds = np.array([clip.target(n) for n in range(2 * count + 1)])
    assert count == 2 * 39
    assert np.allclose(rounds[:count], rounds[count : 2 * count])
    joints = slice(3, None)
    assert (rounds[:, joints] >= fitted.motion.q[:, joints].min(axis=0) - 1e-9).all()
    assert (rounds[:, joints] <= fitted.motion.q[:, joints].max(axis=0) + 1e-9).all()
    bends = np.abs(np.diff(rounds, 2, axis=0)).max()
    assert bends < 2.0 * np.abs(np.diff(fitted.motion.q, 2, axis=0)).max()
    assert np.percentile(soles_slide(clip, fitted, count), 90) < 0.3


def test_nobody_pushes(session: Session) -> None:
    assert max(run(session, 3.0)) < 1e-6
    assert session.peak == 0.0
    assert session.recovery is not None
    assert not session.pushed


def test_a_hit_moves_the_body_its_way_and_it_comes_back(
    session: Session, responder: NearUnactuatedResponder, model: ResponseModel
) -> None:
    chest = model.character.body("chest")
    twin = Session(responder)
    twin.advance(0.2)
    session.hit("chest", (0.0, 200.0, 0.0))
    run(session, 0.3)
    run(twin, 0.3)
    moved = session.placement.positions[chest] - twin.placement.positions[chest]
    assert moved[1] > 0.02
    assert session.deviation > 5.0
    assert session.recovery is None
    run(session, 3.0)
    assert session.deviation < 2.0
    assert session.recovery is not None
    assert 0.0 < session.recovery < 3.0
    assert session.peak > 5.0


def test_a_hit_beside_the_middle_turns_the_body(
    session: Session, responder: NearUnactuatedResponder, model: ResponseModel
) -> None:
    """The same force on the left and on the right of the chest turns it in opposite ways about the vertical."""
    turns = []
    for side in (0.2, -0.2):
        pushed = Session(responder)
        pushed.advance(0.2)
        x, y, z = pushed.placement.positions[model.character.body("chest")]
        pushed.hit("chest", (150.0, 0.0, 0.0), (x, y + side, z))
        assert np.allclose(pushed.acting[0].point, (x, y + side, z), atol=1e-9)
        run(pushed, 0.2)
        w, _, _, up = pushed.placement.rotations[model.character.body("chest")]
        turns.append(2.0 * np.arctan2(up, w))
    run(session, 0.2)
    w, _, _, up = session.placement.rotations[model.character.body("chest")]
    straight = 2.0 * np.arctan2(up, w)
    assert turns[0] < straight - 0.02
    assert turns[1] > straight + 0.02


def test_a_hand_pulls_what_it_holds_and_lets_go(session: Session, model: ResponseModel) -> None:
    hand = model.character.body("left_hand")
    x, y, z = session.placement.positions[hand]
    session.grab("left_hand", (x, y, z))
    goal = (x + 0.1, y + 0.4, z + 0.3)
    session.drag_to(goal)
    before = np.linalg.norm(session.acting[0].point - goal)
    run(session, 1.5)
    held = session.acting[0]
    assert held.pull
    assert np.linalg.norm(held.point - goal) < 0.5 * before
    assert session.deviation > 10.0
    session.drag_to((x, y + 50.0, z))
    run(session, 1.0)
    assert np.linalg.norm(session.acting[0].force) == pytest.approx(PULL_STRENGTH)
    session.release()
    assert session.acting == []
    run(session, 3.0)
    assert session.deviation < 2.0
    assert session.recovery is not None


def test_how_time_is_cut_does_not_matter(responder: NearUnactuatedResponder) -> None:
    poses = []
    for tick in (0.25, 0.011):
        session = Session(responder)
        session.hit("head", (80.0, 0.0, 0.0))
        passed = 0.0
        while passed < 2.0 - 1e-9:
            session.advance(min(tick, 2.0 - passed))
            passed += min(tick, 2.0 - passed)
        poses.append(session.pose)
    # Where a sum of ticks falls just short of a frame the pose is still the same: it lies between two.
    assert np.abs(poses[0] - poses[1]).max() < 1e-6


def test_what_was_missed_in_sleep_is_not_raced_through(session: Session) -> None:
    before = session.time
    session.advance(3600.0)
    assert session.time - before < 0.3


def test_another_k_goes_on_from_where_the_body_is(
    session: Session, responder: NearUnactuatedResponder, walk: Fit
) -> None:
    """A change of k in the middle of an answer is felt from then on, and nothing jumps."""
    session.hit("left_upper_arm", (0.0, 100.0, 0.0))
    run(session, 0.3)
    before = session.pose
    session.responder = responder.with_free(0)
    session.advance(walk.motion.frame_time)
    assert np.abs(session.pose - before).max() < 0.2
    run(session, 3.0)
    assert session.deviation < 2.0


def test_bad_input_is_said(session: Session) -> None:
    with pytest.raises(InputError, match="no body 'tail'"):
        session.hit("tail", (1.0, 0.0, 0.0))
    with pytest.raises(InputError, match="no body 'tail'"):
        session.grab("tail", (1.0, 0.0, 0.0))
    with pytest.raises(InputError, match="three finite numbers"):
        session.hit("head", (np.nan, 0.0, 0.0))
    with pytest.raises(InputError, match="three finite numbers"):
        session.grab("head", (np.inf, 0.0, 0.0))
    with pytest.raises(InputError, match="three finite numbers"):
        session.grab("head", "head")
    session.strength = np.nan
    with pytest.raises(InputError, match="got nan"):
        session.grab("head", (0.0, 0.0, 1.5))
    assert not session.pushed


def test_a_force_beyond_measure_is_dropped_and_the_walk_goes_on(session: Session) -> None:
    before, pose = session.time, session.pose
    session.hit("head", (1e300, 1e300, 0.0))
    with pytest.raises(InputError, match="no finite pose"):
        session.advance(0.1)
    assert not session.pushed
    assert session.time == before
    assert np.allclose(session.pose, pose, atol=0.05)
    assert max(run(session, 1.0)) < 1e-6


def test_a_hand_that_does_not_move_walks_along(session: Session, model: ResponseModel) -> None:
    """Who takes hold and keeps the hand where it is pulls at the swing of the body, and not at its way."""
    x, y, z = session.placement.positions[model.character.body("pelvis")]
    session.grab("pelvis", (x, y, z))
    forces = []
    for _ in range(60):
        session.advance(_TICK)
        forces.append(session.acting[0].force)
    assert np.linalg.norm(session.place) > 2.0
    assert np.linalg.norm(np.mean(forces, axis=0)) < 25.0
