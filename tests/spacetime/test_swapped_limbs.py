"""Legs that are taken for each other are exchanged back, and legs that pass each other are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.spacetime.artefacts import remove_artefacts
from gambol.spacetime.swapped_limbs import _find_swaps, undo_swaps
from gambol_evidence.reproduce.fix.damages import swap_legs


def _measure_distance(one: Motion, other: Motion) -> float:
    """Return the root mean square distance (m) of joints."""
    return float(np.sqrt(np.mean((one.placement.positions - other.placement.positions) ** 2)))


@pytest.mark.parametrize("every", [1, 4])
@pytest.mark.parametrize("name", ["walk/16_58", "turn/16_13", "run/16_37", "walk/37_01"])
def test_legs_of_recordings_are_exchanged_back(data: Path, name: str, every: int) -> None:
    sound = load(data / f"cmu_bvh/{name}.bvh")[::every]
    assert undo_swaps(sound) == (sound, 0)
    swapped = swap_legs(sound, np.random.default_rng(11))
    mended, count = undo_swaps(swapped)
    assert count >= 1
    assert _measure_distance(mended, sound) < 0.2 * _measure_distance(swapped, sound)


def test_a_rig_with_arms_as_well_and_frames_beside_stay_as_they_are() -> None:
    walk = samples.walk()
    swapped = swap_legs(walk[:90], np.random.default_rng(4))
    mended, count = undo_swaps(swapped)
    changed = np.abs(swapped.q - walk.q[:90]).max(axis=1) > 1e-6
    assert count >= 1
    np.testing.assert_allclose(mended.q[~changed], walk.q[:90][~changed], atol=1e-9)
    np.testing.assert_allclose(mended.q[changed], walk.q[:90][changed], atol=0.15)  # ankles too, which are interpolated


def test_legs_that_are_swapped_for_long_point_as_they_did() -> None:
    """Interpolated legs would not: in 0.25 s a leg swings by half a step."""
    walk = samples.walk()
    assert walk.rig is not None
    ankles = [walk.rig.parts[f"{side}_foot"] for side in ("left", "right")]
    swapped = swap_legs(walk, np.random.default_rng(2), longest=0.25)
    mended, _ = undo_swaps(swapped)
    apart = (np.abs(one.placement.positions - walk.placement.positions)[:, ankles].max() for one in (swapped, mended))
    assert next(apart) > 0.3
    assert next(apart) < 0.03


def test_legs_that_pass_each_other_fast_are_not_swapped() -> None:
    """They swing past each other every quarter of a second, from one frame of 40 per second to the next."""
    swing = 0.6 * np.sin(2.0 * np.pi * (np.arange(80) + 0.5) / 20.0)
    bones = np.stack([[np.sin(angle), 0.0 * angle, -np.cos(angle)] for angle in (swing, -swing)], axis=0)
    assert _find_swaps(np.moveaxis(bones, -1, 0)[:, :, None], 1.0 / 40.0) == []


@pytest.mark.parametrize(("frames", "found"), [(8, [(20, 27)]), (40, [])])
def test_legs_that_stay_swapped_are_left_alone(frames: int, found: list[tuple[int, int]]) -> None:
    """One leg in front, one behind, and the reverse from frame 20 on: for a fifth of a second, or for one second."""
    angles = np.tile([0.5, -0.5], (80, 1)) + 0.01 * np.sin(np.arange(80))[:, None]
    angles[20 : 20 + frames] = angles[20 : 20 + frames, ::-1]
    bones = np.stack((np.sin(angles), 0.0 * angles, -np.cos(angles)), axis=2)
    assert _find_swaps(bones[:, :, None], 1.0 / 40.0) == found


def test_the_user_is_told() -> None:
    notes = remove_artefacts(swap_legs(samples.walk()[:90], np.random.default_rng(4))).notes
    assert any("swaps of legs or arms, undone" in note for note in notes)
