"""What the stage shows of a body's physics."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.io import samples
from gambol.studio.overlays import Physics


def test_lines_start_under_the_feet_and_are_as_long_as_the_load() -> None:
    walk = samples.walk()
    physics = Physics(walk)
    for frame in range(5, 200, 13):
        lines = physics.lines(frame)
        up = (lines[:, 1] - lines[:, 0])[:, 2]
        total = physics.forces.forces[frame, :, 2].sum() / physics._weight
        assert up.sum() == pytest.approx(0.9 * total, abs=0.03)
        feet = walk.placement.positions[frame, [walk.rig.parts["left_foot"], walk.rig.parts["right_foot"]]]
        for start in lines[up > 0.3, 0]:
            assert np.linalg.norm((feet - start)[:, :2], axis=1).min() < 0.25


def test_nothing_is_shown_under_a_foot_in_the_air() -> None:
    physics = Physics(samples.jump())
    assert not physics.lines(int(1.3 * 60)).any()
