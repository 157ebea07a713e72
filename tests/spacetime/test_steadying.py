"""Drift is taken out of fitted clips: the path changes, the pose does not, and the user is told."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.contacts.timeline import Contacts
from gambol.fit.rig import Fit
from gambol.fit.rig import fit as fit_to
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.spacetime.fix import estimate_seconds, fix
from gambol.spacetime.steadying import remove_drift
from tests.legs.harm import measure_slide, translate

WALK = samples.walk()[40:132]


def _fit(motion: Motion) -> Fit:
    return fit_to(Character.from_motion(motion), motion)


@pytest.fixture(scope="module")
def drifting() -> Motion:
    """A walk carried along at 0.4 m/s, whose height is wrong by -1 to 7 cm."""
    height = 0.03 - 0.04 * np.cos(2.0 * np.pi * WALK.times / 1.6)
    return translate(WALK, np.stack((0.4 * WALK.times, 0.1 * WALK.times, height), axis=1))


def test_rig_and_character_are_moved_alike_and_keep_their_pose(drifting: Motion) -> None:
    before = _fit(drifting)
    after, notes = remove_drift(before)
    assert len(notes) == 2
    turns = [n for n, dof in enumerate(WALK.skeleton.dofs) if dof.kind == "turn"]
    np.testing.assert_array_equal(after.source.q[:, turns], drifting.q[:, turns])
    moved = [
        new.placement.positions - old.placement.positions
        for new, old in ((after.motion, before.motion), (after.source, drifting))
    ]
    for one in moved:
        np.testing.assert_allclose(one - moved[0][:, :1], 0.0, atol=1e-9)
    left = after.source.placement.positions[:, 0] - WALK.placement.positions[:, 0]
    assert np.abs(np.ptp(left, axis=0)).max() < 0.08


def test_the_user_is_told_what_was_found(drifting: Motion) -> None:
    _, (slid, floated) = remove_drift(_fit(drifting))
    assert slid.startswith("feet slid at up to 0.4")
    assert "stances: the path is" in slid
    assert "set on one floor" in floated


def test_a_clip_without_drift_is_returned_as_it_is() -> None:
    fitted = _fit(WALK)
    after, notes = remove_drift(fitted)
    assert after is fitted
    assert notes == ()


def test_a_walk_in_place_stays_in_place() -> None:
    path = WALK.placement.positions[:, 0] * (1.0, 1.0, 0.0)
    fitted = _fit(translate(WALK, path[0] - path))
    after, notes = remove_drift(fitted)
    assert after is fitted
    assert len(notes) == 1
    assert "in place" in notes[0]


def test_a_repair_plants_feet_that_skated(drifting: Motion) -> None:
    skated, walk = drifting[:60], WALK[:60]
    assert measure_slide(skated, walk) > 80.0
    fixed = fix(skated)
    assert measure_slide(fixed.motion, walk) < 4.0
    assert any("feet slid" in note for note in fixed.notes)


def test_a_path_is_kept_if_asked(drifting: Motion, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Fit] = []

    def stop(fitted: Fit, contacts: Contacts, **_: object) -> None:
        given.append(fitted)
        raise KeyboardInterrupt

    monkeypatch.setattr("gambol.spacetime.fix.make_physical", stop)
    for keep in (True, False):
        with pytest.raises(KeyboardInterrupt):
            fix(drifting, keep_path=keep)
    np.testing.assert_array_equal(given[0].source.q, drifting.q)
    assert np.abs(given[1].source.q - drifting.q).max() > 0.3


def test_only_long_clips_are_announced() -> None:
    assert estimate_seconds(WALK) is None
    long = Motion(WALK.skeleton, np.tile(WALK.q, (20, 1)), WALK.frame_time)
    longer = Motion(WALK.skeleton, np.tile(WALK.q, (40, 1)), WALK.frame_time)
    first, second = estimate_seconds(long), estimate_seconds(longer)
    assert first is not None
    assert second == pytest.approx(2.0 * first)


def test_a_walk_that_sways_comes_back_nearer_to_where_it_was() -> None:
    sway = 0.03 * np.stack((np.sin(8.0 * WALK.times), np.sin(6.0 * WALK.times + 1.0), 0.0 * WALK.times), axis=1)
    before = _fit(translate(WALK, sway))
    after, notes = remove_drift(before)
    assert len(notes) == 1
    assert "swayed by up to" in notes[0]
    path = WALK.placement.positions[:, 0]
    left, made = (np.std(one.source.placement.positions[:, 0] - path, axis=0).sum() for one in (after, before))
    assert left < 0.45 * made
