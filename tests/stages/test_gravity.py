"""Gravity from parabolas with a known answer."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.stages.gravity import GravityEstimate, estimate_gravity

STEP = 1.0 / 120.0


def places(gravity: float, *seconds: float) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """The places (frames, 3) of a body that stands for half a second, flies, stands, and so on; and its flights."""
    stand = np.full(60, 1.0)
    pieces, flights, frame = [stand], [], 60
    for duration in seconds:
        times = STEP * np.arange(1, round(duration / STEP))
        pieces += [1.0 + 0.5 * gravity * times * (duration - times), stand]
        flights.append((frame, frame + len(times) - 1))
        frame += len(times) + 60
    return np.outer(np.concatenate(pieces), [0.0, 0.0, 1.0]), flights


@pytest.mark.parametrize("gravity", [1.62, GRAVITY, 39.2])
def test_parabolas_give_the_gravity_they_were_made_with(gravity: float) -> None:
    found = estimate_gravity(*places(gravity, 0.3, 0.5), STEP)
    assert found is not None
    assert (found.value, found.flights) == (pytest.approx(gravity, rel=1e-6), 2)
    assert found.is_off == (gravity != GRAVITY)


def test_the_same_places_at_another_rate_show_another_gravity() -> None:
    curve, flights = places(GRAVITY, 0.4)
    for ratio in (0.5, 0.8, 1.25, 2.0):
        found = estimate_gravity(curve, flights, STEP / ratio)
        assert found is not None
        assert found.value == pytest.approx(GRAVITY * ratio**2, rel=1e-6)
        assert found.time_ratio == pytest.approx(ratio, rel=1e-6)


def test_longer_flights_weigh_more_and_short_ones_prove_little() -> None:
    (long, (one,)), (short, (two,)) = places(GRAVITY, 0.5), places(14.0, 0.1)
    both = np.concatenate((long, short))
    found = estimate_gravity(both, [one, (two[0] + len(long), two[1] + len(long))], STEP)
    assert found is not None
    assert found.value == pytest.approx(GRAVITY, rel=0.01)
    alone = estimate_gravity(short, [two], STEP)
    assert alone is not None
    assert not alone.is_off
    assert alone.deviation > 5.0 * found.deviation


def test_the_deviation_is_that_of_three_millimetres() -> None:
    """Heights that are wrong by 3 mm at mid-flight change the estimate by one standard deviation, but for 4 %."""
    curve, ((first, last),) = places(GRAVITY, 0.2)
    count = last - first + 1
    inner = count - 2 * (count // 10) - 1
    phase = (np.arange(count) - count // 10) / inner
    curve[first : last + 1, 2] += 0.003 * 4.0 * phase * (1.0 - phase)
    found = estimate_gravity(curve, [(first, last)], STEP)
    assert found is not None
    noise = np.sqrt(found.deviation**2 - (0.04 * found.value) ** 2)
    assert found.value - GRAVITY == pytest.approx(noise, rel=1e-6)


def test_what_is_no_free_fall_is_left_out() -> None:
    curve, ((first, last),) = places(GRAVITY, 0.4)
    assert estimate_gravity(curve, [(0, last)], STEP) is None  # cut off by the begin of the clip
    assert estimate_gravity(curve[: last + 1], [(first, last)], STEP) is None  # and by its end
    assert estimate_gravity(curve, [(first, first + 2)], STEP) is None  # too short
    assert estimate_gravity(curve, [(70, 100)][:0], STEP) is None
    assert estimate_gravity(2.0 - curve, [(first, last)], STEP) is None  # swings on a bar
    for share, free in ((0.15, True), (0.25, False)):  # carried forward as it sinks
        assert (
            estimate_gravity(curve @ [[0, 0, 0], [0, 0, 0], [share, 0, 1]], [(first, last)], STEP) is not None
        ) == free
    phase = np.linspace(0.0, 1.0, last - first + 1)
    curve[first : last + 1, 2] += 0.02 * np.sin(3.0 * np.pi * phase)  # touches down in between
    assert estimate_gravity(curve, [(first, last)], STEP) is None


@pytest.mark.parametrize(
    ("value", "deviation", "off", "ratio"),
    [
        (10.8, 0.4, False, 1.0),
        (11.2, 0.4, True, np.sqrt(11.2 / GRAVITY)),
        (41.5, 3.8, True, 2.0),
        (2.5, 0.1, True, 0.5),
        (20.0, 0.8, True, np.sqrt(20.0 / GRAVITY)),
        (4.3, 0.8, True, np.sqrt(4.3 / GRAVITY)),  # within noise of a half, but nearer to two thirds
    ],
)
def test_a_ratio_of_frames_is_preferred_within_noise(value: float, deviation: float, off: bool, ratio: float) -> None:
    found = GravityEstimate(value, deviation, 1)
    assert (found.is_off, found.time_ratio) == (off, pytest.approx(ratio))
