"""Motions with contacts, sampled and moved."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gambol.contacts.views import find_side
from gambol.spacetime.grounded import GroundedMotion


def test_stances_alternate_and_do_not_overlap_on_one_side(grounded: GroundedMotion) -> None:
    sides = [find_side(stance) for stance in grounded.stances if stance.first > 0]
    assert len(sides) >= 7
    assert all(one != other for one, other in itertools.pairwise(sides))
    for side in ("left", "right"):
        mine = [stance for stance in grounded.stances if find_side(stance) == side]
        assert all(one.last < other.first for one, other in itertools.pairwise(mine))


def test_stances_are_where_the_feet_are(grounded: GroundedMotion) -> None:
    skeleton, placed = grounded.character.skeleton, grounded.motion.placement
    for stance in grounded.stances:
        ankle = placed.positions[(stance.first + stance.last) // 2, skeleton.index(stance.body)]
        assert np.linalg.norm(stance.place[:2] - ankle[:2]) < 0.15


def test_sampling_at_its_own_frames_changes_nothing(grounded: GroundedMotion) -> None:
    same = grounded.sample(grounded.motion.times, grounded.motion.frame_time)
    np.testing.assert_allclose(same.motion.q, grounded.motion.q, atol=1e-12)
    assert [(s.part, s.first, s.last) for s in same.stances] == [(s.part, s.first, s.last) for s in grounded.stances]


def test_sampling_keeps_the_times_of_touchdowns(grounded: GroundedMotion) -> None:
    step = 1.0 / 30.0
    coarse = grounded.sample(np.arange(0.0, grounded.motion.duration, step), step)
    assert len(coarse.stances) == len(grounded.stances)
    for one, other in zip(coarse.stances, grounded.stances, strict=True):
        assert abs(one.first * step - other.first * grounded.motion.frame_time) <= step


def test_stances_move_by_their_shifts_and_no_others(grounded: GroundedMotion) -> None:
    chosen = grounded.stances[2]
    by = np.array([0.1, -0.2, 0.0])
    moved = grounded.move(np.zeros_like(grounded.motion.q), {chosen: by})
    for before, after in zip(grounded.stances, moved.stances, strict=True):
        expected = by if before is chosen else np.zeros(3)
        np.testing.assert_allclose(after.place - before.place, expected, atol=1e-12)


def test_coordinates_move_by_the_deviation(grounded: GroundedMotion) -> None:
    away = np.full_like(grounded.motion.q, 0.01)
    assert grounded.move(away, {}).motion.q == pytest.approx(grounded.motion.q + 0.01)
