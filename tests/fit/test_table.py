"""Columns of the physics table: contents, axes, and consistency with Newton's law."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.fit.physics import Physics, estimate_physics
from gambol.fit.table import tabulate_physics
from gambol.io import samples


@pytest.fixture(scope="module")
def walk() -> Physics:
    return estimate_physics(samples.walk(), 70.0)


def test_over_whole_cycles_the_ground_carries_the_weight_and_nothing_else(walk: Physics) -> None:
    table = tabulate_physics(walk)
    cycles = slice(64, 193)
    total = [sum(table[f"ground_force_{s}_foot_v{axis}"][cycles].mean() for s in ("left", "right")) for axis in "xyz"]
    np.testing.assert_allclose(total, [0.0, 0.0, 70.0 * GRAVITY], atol=0.01 * 70.0 * GRAVITY)
    np.testing.assert_allclose(table["com_z"].mean(), 0.95, atol=0.05)


def test_the_axes_of_opensim_are_a_quarter_turn_of_ours(walk: Physics) -> None:
    ours, theirs = tabulate_physics(walk), tabulate_physics(walk, up="y")
    for prefix in ("com_", "ground_force_left_foot_v", "ground_force_right_foot_p"):
        np.testing.assert_array_equal(theirs[f"{prefix}y"], ours[f"{prefix}z"])
        np.testing.assert_array_equal(theirs[f"{prefix}z"], -ours[f"{prefix}y"])
    np.testing.assert_array_equal(theirs["left_shank_ry_moment"], ours["left_shank_ry_moment"])


def test_a_foot_that_touches_nothing_bears_nothing(walk: Physics) -> None:
    table = tabulate_physics(walk)
    touching = np.max([table[f"left_{tip}_contact"] for tip in ("heel", "ball")], axis=0)
    assert set(touching) == {0.0, 1.0}
    load = table["ground_force_left_foot_vz"]
    assert np.median(load[touching == 0.0]) < 0.02 * 70.0 * GRAVITY < np.median(load[touching == 1.0])
