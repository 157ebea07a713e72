"""The frame rate of a clip, from what gravity does to its flights."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gambol.fit.load import load
from gambol.io import samples
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.flight import find_stages
from gambol.stages.frame_rate import estimate_frame_rate

JUMP, WALK = samples.jump(), samples.walk()


@pytest.mark.parametrize("factor", [0.5, 0.75, 1.35, 1.6])
def test_the_flight_of_a_jump_shows_by_what_factor_it_is_slowed_or_sped_up(factor: float) -> None:
    found = estimate_frame_rate(replace(JUMP, frame_time=factor * JUMP.frame_time))
    assert found.is_wrong
    assert found.by_flights
    assert found.ratio == pytest.approx(1.0 / factor, rel=0.04)
    assert found.fps == pytest.approx(1.0 / JUMP.frame_time, rel=0.04)
    assert found.why.startswith("flights fall at ")


def test_right_rates_are_said_to_be_right_by_what_was_found() -> None:
    jump, walk = estimate_frame_rate(JUMP), estimate_frame_rate(WALK)
    assert (jump.ratio, walk.ratio) == (1.0, 1.0)
    assert jump.gravity is not None
    assert jump.why == f"flights fall at {jump.gravity.value:.1f} m/s² ± {jump.gravity.deviation:.1f}"
    assert walk.gravity is None
    assert "no flight" in walk.why


def test_a_walk_at_twice_its_rate_is_told_by_its_steps() -> None:
    found = estimate_frame_rate(replace(WALK, frame_time=0.5 * WALK.frame_time))
    assert (found.ratio, found.by_flights) == (2.0, False)


def test_flights_can_be_given() -> None:
    (flight,) = [stage for stage in find_stages(find_foot_contacts(JUMP)) if stage.kind == "flight"]
    slow = replace(JUMP, frame_time=2.0 * JUMP.frame_time)
    found = estimate_frame_rate(slow, [(flight.first, flight.last)])
    assert found.gravity is not None
    assert (found.gravity.flights, found.ratio) == (1, pytest.approx(0.5))
    assert estimate_frame_rate(slow, []).gravity is None


@pytest.mark.parametrize("name", ["jump_hop_leap/13_11", "run/09_02"])
def test_recordings_that_are_slowed_are_found(data: Path, name: str) -> None:
    clip = load(data / "cmu_bvh" / f"{name}.bvh")
    assert estimate_frame_rate(clip).ratio == 1.0
    slow = estimate_frame_rate(replace(clip, frame_time=1.6 * clip.frame_time))
    assert slow.ratio == pytest.approx(1.0 / 1.6, rel=0.04)
