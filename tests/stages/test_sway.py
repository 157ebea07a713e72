"""The sway of a body's path is found by its feet, and nothing is found where a body moves as it does."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from gambol.contacts.contact import BodyPoint, is_foot, touch
from gambol.fit.contacts import find_contact_points
from gambol.fit.load import load
from gambol.fit.rig import Fit
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths
from gambol.io import samples
from gambol.stages.drift import find_slide, translate_root
from gambol.stages.stance_network import find_likely_contacts
from gambol.stages.sway import _fit_sway, find_sway
from tests.stages.test_stance_network import fit_clip

SWAYS = {"slow": (0.03, 1.3, 0.0), "fast": (0.02, 0.6, 1.0), "round": (0.03, 0.8, 2.0)}
"""Metres, seconds of a period, and radians by which the second axis is behind."""
RECORDED = ("walk/07_01", "turn/16_13", "walk/16_58")
SOUND = ("walk/07_01", "turn/16_13", "run/16_37", "dance/05_16", "terrain_stairs/143_17", "jump_hop_leap/13_13")


@lru_cache
def _fit_sample(name: str) -> Fit:
    return fit_clip({"walk": samples.walk()[:180], "stand": samples.stand()[:120]}[name])


def _make_sway(times: Array, size: float, period: float, behind: float) -> Array:
    phase = 2.0 * np.pi * times / period
    return size * np.stack((np.sin(phase), np.sin(phase - behind)), axis=1)


def _find(fitted: Fit, sway: Array) -> Array | None:
    points = [point for point in find_contact_points(fitted) if is_foot(point.name)]
    moved = translate_root(fitted.motion, np.column_stack((sway, np.zeros(len(sway)))))
    return find_sway(moved, points, find_likely_contacts(moved, points))


def _measure_left(found: Array, sway: Array) -> float:
    """Return the share of a sway that is left, besides a shift of the whole."""
    left, before = (one - one.mean(axis=0) for one in (sway - found, sway))
    return float(np.sqrt(np.mean(lengths(left) ** 2) / np.mean(lengths(before) ** 2)))


@pytest.mark.parametrize("sway", SWAYS)
@pytest.mark.parametrize("name", ["walk", "stand"])
def test_a_sway_is_found(name: str, sway: str) -> None:
    fitted = _fit_sample(name)
    made = _make_sway(fitted.motion.times, *SWAYS[sway])
    found = _find(fitted, made)
    assert found is not None
    assert _measure_left(found, made) < 0.45


@pytest.mark.parametrize("name", RECORDED)
def test_recordings_that_sway_are_steadied(data: Path, name: str) -> None:
    fitted = fit_clip(load(data / f"cmu_bvh/{name}.bvh"))
    made = _make_sway(fitted.motion.times, 0.03, 0.7, 1.0)
    found = _find(fitted, made)
    assert found is not None
    assert _measure_left(found, made) < 0.6


@pytest.mark.parametrize("name", SOUND)
def test_sound_recordings_do_not_sway(data: Path, name: str) -> None:
    fitted = fit_clip(load(data / f"cmu_bvh/{name}.bvh"))
    assert _find(fitted, np.zeros((len(fitted.motion), 2))) is None


def test_the_place_does_not_matter() -> None:
    fitted = _fit_sample("walk")
    made = _make_sway(fitted.motion.times, *SWAYS["slow"])
    here, far = _find(fitted, made), _find(fitted, made + (5e4, -3e4))
    assert here is not None
    assert far is not None
    np.testing.assert_allclose(far, here, atol=1e-6)


def test_feet_in_the_air_tell_nothing() -> None:
    fitted = fit_clip(samples.jump()[58:72])
    assert _find(fitted, np.zeros((len(fitted.motion), 2))) is None


@pytest.mark.parametrize(("frequency", "least", "most"), [(0.7, 0.75, 0.9), (3.0, 0.3, 0.8), (10.0, 0.0, 0.1)])
def test_slow_sway_is_followed_and_fast_trembling_is_not(frequency: float, least: float, most: float) -> None:
    """A foot in contact all the time moves by a centimetre; the pull back to the path leaves 1 / (1 + 0.2) of it."""
    times = np.arange(240) / 60.0
    wave = 0.01 * np.sin(2.0 * np.pi * frequency * times)
    foot = BodyPoint("left_ball", "left_foot", np.zeros(3))
    tracks = {"left_ball": np.stack((wave, 0.0 * wave), axis=1)}
    found = _fit_sway([touch(foot, np.zeros(3), 0, 239)], tracks, np.zeros((240, 2)), 1.0 / 60.0)
    assert least < found[60:180, 0] @ wave[60:180] / (wave[60:180] @ wave[60:180]) < most
    np.testing.assert_allclose(found[:, 1], 0.0, atol=1e-12)


def test_a_run_that_sways_is_not_carried_along(data: Path) -> None:
    """Its sway is as fast as its steps, and what one stance moves is not what the others do."""
    fitted = fit_clip(load(data / "cmu_bvh/run/16_37.bvh"))
    points = [point for point in find_contact_points(fitted) if is_foot(point.name)]
    times = fitted.motion.times
    sway = 0.03 * np.stack((np.sin(2.0 * np.pi * times / 0.7), np.sin(2.0 * np.pi * times / 0.9 + 1.0)), axis=1)
    moved = translate_root(fitted.motion, np.column_stack((sway, 0.0 * times)))
    assert find_slide(moved, points, find_likely_contacts(moved, points)) is None
