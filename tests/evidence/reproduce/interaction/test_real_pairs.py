"""Recorded pairs: mirror images and variants."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol_evidence.reproduce.interaction.real_pairs import (
    HANDSHAKES,
    load_pair,
    make_variants,
    mirror_motion,
    mirror_trial,
    resample_trial,
)
from tests.evidence.reproduce.interaction.pairs import track


def test_mirror_images(data: Path) -> None:
    person = load_pair(data, HANDSHAKES[0]).people[0]
    mirrored = mirror_motion(person)
    for part, other in (("left_hand", "right_hand"), ("right_toes", "left_toes"), ("head", "head")):
        np.testing.assert_allclose(track(mirrored, part), track(person, other) * [1.0, -1.0, 1.0], atol=1e-9)
    again = mirror_motion(mirrored)
    np.testing.assert_allclose(again.placement.positions, person.placement.positions, atol=1e-9)
    np.testing.assert_array_equal(again.skeleton.offsets, person.skeleton.offsets)


def test_mirrored_people_shake_their_other_hands(data: Path) -> None:
    trial = load_pair(data, HANDSHAKES[1])
    mirrored = mirror_trial(trial)
    assert [hand.side for hand in trial.hands] == ["right", "right"]
    assert [hand.side for hand in mirrored.hands] == ["left", "left"]
    np.testing.assert_allclose(mirrored.paths[1], trial.paths[1] * [1.0, -1.0, 1.0], atol=1e-9)
    assert mirrored.gap == pytest.approx(trial.gap, abs=1e-9)


def test_variants_of_a_handshake(data: Path) -> None:
    trial = load_pair(data, HANDSHAKES[0])
    first, *others = make_variants(trial, 0, count=5)
    assert len(others) == 4
    np.testing.assert_allclose(first.paths[0], resample_trial(trial).paths[0])
    assert len({len(one) for one in others}) > 1
    for one in others:
        assert one.gap < 1e-3
        assert 0.01 < np.abs(one.place - trial.place).max() < 0.11
    again = make_variants(trial, 0, count=5)
    np.testing.assert_array_equal(again[4].people[1].q, others[3].people[1].q)
