"""Contacts are moved, with hands together, and the rest of the motion is left alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.interaction.trials import find_trial
from gambol.interaction.variations import grid_shifts, move_contact
from gambol_evidence.reproduce.recordings import load_cmu_clip


@pytest.mark.parametrize("shift", [(0.0, 0.0, 0.0), (0.0, 0.1, -0.12), (0.05, -0.08, 0.0)])
def test_hands_meet_where_the_contact_is_moved_to(data: Path, shift: tuple[float, float, float]) -> None:
    trial = find_trial(load_cmu_clip(data, "18_01"), load_cmu_clip(data, "19_01"))
    moved = move_contact(trial, shift)
    assert moved.gap < 1e-3
    np.testing.assert_allclose(moved.place, trial.place + shift, atol=1e-3)
    for person, before, path, unmoved in zip(moved.people, trial.people, moved.paths, trial.paths, strict=True):
        legs = [before.rig.parts[part] for part in ("pelvis", "left_foot", "right_foot", "left_toes")]
        np.testing.assert_array_equal(person.placement.positions[:, legs], before.placement.positions[:, legs])
        # A hand that hangs beside the body stays there.
        relative = trial.frame.to_world(unmoved) - before.placement.positions[:, 0]
        far = np.linalg.norm(relative - relative[trial.contact], axis=1).argmax()
        assert np.linalg.norm(path[far] - unmoved[far]) < 1e-4


def test_grid() -> None:
    shifts = np.array(grid_shifts(0.2, 0.1))
    assert shifts.shape == (9, 3)
    np.testing.assert_array_equal(shifts[[0, 4, 8]], [[0.0, -0.2, -0.1], [0.0, 0.0, 0.0], [0.0, 0.2, 0.1]])
