"""Soles of robots whose feet are not flat, or whose legs are spread, at angles of zero."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.geometry import quaternions as quat
from gambol.robots.biped import Biped, find_biped
from gambol.robots.capsules import measure_narrowest
from gambol.robots.mjcf_description import read_mjcf
from gambol.robots.sole_shapes import find_sole, level_sole
from tests.robots.mjcf import HUMANOID


def find(tmp_path: Path, text: str) -> Biped:
    path = tmp_path / "made.xml"
    path.write_text(text)
    return find_biped(read_mjcf(path))


@pytest.mark.parametrize("pitch", [-0.3, 0.0, 0.2])
def test_a_foot_on_its_toes_or_heel_is_made_flat(tmp_path: Path, pitch: float) -> None:
    """The box of the foot is 0.24 m long, 0.1 m wide, and reaches 0.07 m below the ankle."""
    pitched = HUMANOID.replace('_foot" pos="0 0 -0.4"', f'_foot" pos="0 0 -0.4" euler="0 {pitch} 0"')
    biped = find(tmp_path, pitched)
    edges = [-0.08, 0.05, -0.07], [-0.08, -0.05, -0.07], [0.16, 0.05, -0.07], [0.16, -0.05, -0.07]
    np.testing.assert_allclose(find_sole(biped, "left"), edges, atol=0.005)
    level = level_sole(biped, "left")
    np.testing.assert_allclose(level[:, 2], 0.0, atol=1e-12)
    np.testing.assert_allclose(np.ptp(level, axis=0), [0.24, 0.1, 0.0], atol=0.005)


def test_legs_that_are_spread_may_step_as_close_as_others(tmp_path: Path) -> None:
    spread = HUMANOID
    for side, turn in (("left", 0.35), ("right", -0.35)):
        spread = spread.replace(f'name="{side}_thigh"', f'name="{side}_thigh" euler="{turn} 0 0"')
        spread = spread.replace(f'name="{side}_foot"', f'name="{side}_foot" euler="{-turn} 0 0"')
    biped, straight = find(tmp_path, spread), find(tmp_path, HUMANOID)
    apart = biped.locate("left_foot") - biped.locate("right_foot")
    np.testing.assert_allclose(apart, [0.0, 0.2 + 1.6 * np.sin(0.35), 0.0], atol=1e-9)
    assert measure_narrowest(biped) == pytest.approx(measure_narrowest(straight), abs=0.01)
    assert quat.angle(biped.frame) == pytest.approx(0.0, abs=1e-9)
