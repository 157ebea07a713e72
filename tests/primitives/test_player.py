"""The player: independent of the frame rate, tables equal regressions, convergence, locked feet, morphs."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.io import samples
from gambol.primitives.oscillator import states_on_cycle
from gambol.primitives.player import Player, PlayerState, make_morph, play
from gambol.stages.feet import SIDES
from tests.primitives.learned import jump, jumping, moving

WALK = np.array([1.0, 0.0])


def _angles(one, other):
    """Degrees (..., joints) between rotations."""
    return np.degrees(quat.angle(quat.multiply(quat.conjugate(one), other)))


def _after(player, state, seconds, fps, blend=WALK):
    for _ in range(round(seconds * fps)):
        state, poses = player.step(state, blend, 1.0 / fps)
    return state, poses


def test_live_and_from_tables_it_is_the_same():
    found = [_after(Player(moving(), live), Player(moving()).begin(), 1.3, 60.0)[1] for live in (False, True)]
    assert _angles(found[0].rotations, found[1].rotations).max() < 0.3
    np.testing.assert_allclose(found[0].places, found[1].places, atol=2e-3)


def test_the_frame_rate_does_not_matter():
    player = Player(moving(), lock_feet=False)
    (slow, one), (fast, other) = (_after(player, player.begin(), 2.0, fps) for fps in (30.0, 240.0))
    np.testing.assert_allclose(slow.oscillators, fast.oscillators, atol=1e-5)
    assert _angles(one.rotations, other.rotations).max() < 0.05
    np.testing.assert_allclose(one.places, other.places, atol=0.02)


def test_it_walks_as_far_as_the_clip_in_its_time():
    walk = samples.walk()
    path = walk.placement.positions[:, 0]
    speed = np.linalg.norm((path[-1] - path[0])[:2]) / walk.duration
    model = moving()
    for factor in (1.0, 1.5):
        motion = play(Player(model), 4.0, lambda _: WALK, 60.0, factor)
        assert len(motion) == 241
        assert motion.placement.positions[-1, 0, 0] / 4.0 == pytest.approx(factor * speed, rel=0.03)
        assert abs(motion.placement.positions[-1, 0, 1]) < 0.2


def test_from_any_state_it_comes_back():
    rng, player = np.random.default_rng(0), Player(moving(), live=True, lock_feet=False)
    begun = player.begin()
    for radius in (1e-3, 1.0, 30.0):
        lost = PlayerState(radius * rng.normal(size=(3, 2)), 0.0, begun.walker)
        state, poses = _after(player, lost, 3.0, 60.0)
        np.testing.assert_allclose(state.oscillators, np.tile(states_on_cycle(state.total_phase), (3, 1)), atol=1e-2)
        cycle = player.model.evaluate_channels(
            np.tile(states_on_cycle(state.total_phase), (3, 1)), state.total_phase, WALK
        )
        wanted = player.model.layout.rotations(cycle)[None, 1:]
        assert _angles(poses.rotations[:, 1:], wanted).max() < 1.0
        assert np.abs(poses.places[0, :2]).max() < 3.0 * 2.5


def test_a_morph_goes_from_one_style_to_the_other():
    model = moving()
    player = Player(model, lock_feet=False)
    motion = play(player, 3.0, make_morph(model, "walk", "run", 3.0))
    first = model.layout.rotations(model.prototypes.channels[0, 0])
    begin = quat.multiply(quat.conjugate(first[1:]), _local(motion)[0, 1:])
    assert np.degrees(quat.angle(begin)).max() < 0.5
    forward = np.diff(motion.placement.positions[:, 0, 0]) / motion.frame_time
    assert forward[-40:].mean() > 1.7 * forward[:40].mean()
    assert np.abs(np.diff(motion.q, axis=0))[:, 3:].max() < 0.6
    half = model.normalise_blend([0.5, 0.5])
    np.testing.assert_allclose(make_morph(model, "walk", "run", 3.0)(1.5), half)
    np.testing.assert_allclose(make_morph(model, "walk", "run", 3.0)(9.0), [0.0, 1.0])


@pytest.mark.parametrize("lock", [False, True])
def test_feet_stand_through_a_morph(lock):
    model = moving()
    morph = make_morph(model, "walk", "run", 4.0)
    motion, turned, slid = play(Player(model, lock_feet=lock), 4.0, morph), 0.0, []
    points = np.stack([_soles(model, motion, side) for side in range(2)], axis=1)
    before = None
    for n, time in enumerate(motion.times):
        blend = morph(time)
        turned += 2.0 * np.pi / (60.0 * float(blend @ model.periods)) if n else 0.0
        down = model.contacts_at(turned, blend).reshape(2, 2) > 0.6
        if before is not None:
            moved = np.linalg.norm(points[n, ..., :2] - points[n - 1, ..., :2], axis=-1) * 60.0
            slid += list(moved[down & before])
        before = down
    fast = np.quantile(slid, 0.95)
    assert len(slid) > 100
    assert fast < 0.05 if lock else fast > 0.1


def test_a_whole_clip_is_played_once_and_held():
    model = jumping()
    motion = play(Player(model), float(model.periods[0]) + 1.0, lambda _: np.ones(1))
    np.testing.assert_allclose(motion.q[-1], motion.q[-30], atol=5e-3)
    path = jump().placement.positions[:, 0]
    went = motion.placement.positions[-1, 0] - motion.placement.positions[0, 0]
    assert np.linalg.norm(went[:2]) == pytest.approx(np.linalg.norm((path[-1] - path[0])[:2]), rel=0.1)


def test_no_time_is_refused():
    for seconds, fps, speed in ((0.0, 60.0, 1.0), (1.0, 0.0, 1.0), (1.0, 60.0, -1.0), (np.nan, 60.0, 1.0)):
        with pytest.raises(InputError):
            play(Player(moving()), seconds, lambda _: WALK, fps, speed)


def _local(motion):
    from gambol.motion.kinematics import local_frames

    return local_frames(motion.skeleton, motion.q).rotations


def _soles(model, motion, side):
    """(frames, 2, 3) heel and ball of a foot."""
    foot, placed = model.layout.rig.parts[f"{SIDES[side]}_foot"], motion.placement
    arms = quat.rotate(placed.rotations[:, foot, None], model.layout.soles[side])
    return placed.positions[:, foot, None] + arms
