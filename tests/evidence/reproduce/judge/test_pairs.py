"""Pairs are pushed into each other, or part, and nothing that was not tried holds."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.io import samples
from gambol.motion.motion import Motion
from gambol_evidence.reproduce.judge import pairs
from gambol_evidence.reproduce.judge.damages import shift_root
from gambol_evidence.reproduce.judge.recordings import SoundClip


def place(motion: Motion, part: str) -> np.ndarray:
    return motion.placement.positions[:, motion.rig.parts[part]]


def test_one_of_two_people_is_moved_along_the_floor_to_the_other() -> None:
    walk = samples.walk()
    other = shift_root(walk, np.broadcast_to([1.0, 2.0, 0.0], (len(walk), 3)))
    damaged = pairs.push_together(other, np.random.default_rng(0), beside=walk)
    apart = place(damaged.motion, "pelvis") - place(walk, "pelvis")
    assert np.linalg.norm(apart, axis=1) == pytest.approx(0.1)
    assert damaged.start == damaged.end


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_mirror_image_walks_hand_in_hand(side: str) -> None:
    walk = samples.walk()
    partner = pairs.mirror_at_hand(walk, side)
    other = {"left": "right", "right": "left"}[side]
    assert np.linalg.norm(place(walk, f"{side}_hand") - place(partner, f"{other}_hand"), axis=1).max() < 0.15
    assert np.linalg.norm(place(walk, "pelvis") - place(partner, "pelvis"), axis=1).min() > 0.3
    ways = [place(motion, "pelvis")[-1] - place(motion, "pelvis")[0] for motion in (walk, partner)]
    np.testing.assert_allclose(ways[0], ways[1], atol=0.05)


def test_a_partner_falls_behind_by_a_third_of_a_metre() -> None:
    walk = samples.walk()
    parted = pairs.part_hands(walk, np.random.default_rng(3))
    assert parted is not None
    gaps = min(
        np.linalg.norm(place(walk, f"{one}_hand") - place(parted.motion, f"{other}_hand"), axis=1).tolist()
        for one, other in (("left", "right"), ("right", "left"))
    )
    assert gaps[round(parted.start / walk.frame_time)] < 0.15
    assert gaps[-1] == pytest.approx(0.35, abs=0.06)
    assert pairs.part_hands(samples.stand()[:100], np.random.default_rng(3)) is None


def test_pairs_are_tried_and_found(monkeypatch: pytest.MonkeyPatch) -> None:
    walk = samples.walk()
    away = shift_root(walk, np.broadcast_to([0.0, 3.0, 0.0], (len(walk), 3)))
    sound = [SoundClip("two_person/18_02", 1, walk), SoundClip("two_person/19_02", 3, away)]
    monkeypatch.setattr(pairs, "load_sound", lambda data: sound)
    claims = {claim.id: claim for claim in pairs.measure_found_in_pairs(None)}
    assert claims["found-inside"].measured == 100.0
    assert not claims["found-behind"].computed, "nobody of two people walks hand in hand with a mirror image"
    monkeypatch.setattr(pairs, "load_sound", lambda data: [SoundClip("walk/a", 1, walk)])
    claims = {claim.id: claim for claim in pairs.measure_found_in_pairs(None)}
    assert claims["found-behind"].measured == 100.0
