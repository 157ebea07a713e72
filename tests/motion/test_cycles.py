"""Cycles are found, closed and repeated without a seam."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.fit.load import load
from gambol.io import samples
from gambol.motion.cycles import close_cycle, find_cycle, repeat_cycle


@pytest.mark.parametrize(("name", "frames"), [("walk", 64), ("run", 42)])
def test_the_period_of_a_made_walk_is_found_exactly(name: str, frames: int) -> None:
    cycle = find_cycle(samples.by_name(name))
    assert cycle.stop - cycle.start == frames


def seam(motion, period: int) -> float:
    """How much faster joints move over the seams than they ever do inside a cycle."""
    steps = np.linalg.norm(np.diff(motion.placement.positions, axis=0), axis=2).max(axis=1)
    at = np.zeros(len(steps), dtype=bool)
    at[period - 1 :: period] = True
    return float(steps[at].max() / steps[~at].max())


@pytest.mark.parametrize("clip", ["walk/07_01", "walk/35_01", "walk/16_16", "run/09_01", "styled_walk/120_13"])
def test_recorded_cycles_repeat_without_a_seam(data: Path, clip: str) -> None:
    motion = load(data / "cmu_bvh" / f"{clip}.bvh")
    cycle = find_cycle(motion)
    period = cycle.stop - cycle.start
    assert 0.4 < period * motion.frame_time < 3.0
    looped = repeat_cycle(close_cycle(motion, cycle), 4)
    assert len(looped) == 4 * period
    assert seam(looped, period) < 1.2
    own = np.linalg.norm(motion.placement.positions[cycle.stop, 0, :2] - motion.placement.positions[cycle.start, 0, :2])
    way = np.linalg.norm(looped.placement.positions[period, 0, :2] - looped.placement.positions[0, 0, :2])
    assert way == pytest.approx(own, abs=0.06)


def test_in_place_stays_in_place() -> None:
    walk = samples.walk()
    looped = repeat_cycle(close_cycle(walk, find_cycle(walk), in_place=True), 5)
    assert np.ptp(looped.placement.positions[:, 0, :2], axis=0).max() < 0.1
    assert seam(looped, 64) < 1.2


def test_what_has_no_cycle_says_so(data: Path) -> None:
    with pytest.raises(InputError, match="too short"):
        find_cycle(samples.walk()[:15])
    with pytest.raises(InputError, match="never comes back"):
        find_cycle(samples.jump()[:100])
    with pytest.raises(InputError, match="once or more"):
        repeat_cycle(samples.walk(), 0)
