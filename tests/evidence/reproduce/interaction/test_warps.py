"""Time warps: the contact is on a frame and in the recorded pose, and both people share a clock."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol_evidence.reproduce.interaction.warps import warp_trial
from tests.evidence.reproduce.interaction.pairs import make_high_five


def test_contact_and_durations(data: Path) -> None:
    trial = make_high_five(data)
    warped = warp_trial(trial, (1.5, 0.8), (0.05, -0.05), 1.0 / 30.0)
    assert warped.contact / 30.0 == pytest.approx(1.5 * trial.contact * trial.frame_time, abs=1.0 / 60.0)
    after = (len(trial) - 1 - trial.contact) * trial.frame_time
    assert (len(warped) - 1 - warped.contact) / 30.0 == pytest.approx(0.8 * after, abs=1.0 / 60.0)
    assert warped.gap == pytest.approx(trial.gap, abs=1e-9)
    for person, recorded in zip(warped.people, trial.people, strict=True):
        for frame, other in ((0, 0), (warped.contact, trial.contact), (-1, -1)):
            np.testing.assert_allclose(
                person.placement.positions[frame], recorded.placement.positions[other], atol=1e-9
            )


def test_skews_delay_both_people(data: Path) -> None:
    trial = make_high_five(data)
    plain, late = (warp_trial(trial, (1.0, 1.0), (skew, 0.0), trial.frame_time) for skew in (0.0, 0.1))
    middle = trial.contact // 2
    for one, other in zip(plain.people, late.people, strict=True):
        expected = one.placement.positions[middle]
        delayed = other.placement.positions[middle + round(0.1 * trial.contact)]
        np.testing.assert_allclose(delayed, expected, atol=0.01)
        assert np.abs(other.placement.positions[middle] - expected).max() > 0.05
