from __future__ import annotations

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.geometry.filters import cover, differentiate, follow_minimum_jerk, low_pass, smoothstep

DT = 1 / 120
T = np.arange(600) * DT


@pytest.mark.parametrize(("frequency", "passes"), [(1.0, 0.99), (8.0, 0.5), (30.0, 0.01)])
def test_gain_at_the_cutoff_is_half_the_power(frequency: float, passes: float) -> None:
    """Amplitude gain: nearly 1 below the cutoff, 1/sqrt(2) at it (half the power), nearly 0 above."""
    wave = np.sin(2 * np.pi * frequency * T)
    gain = np.ptp(low_pass(wave, DT, 8.0)[200:400]) / np.ptp(wave[200:400])
    assert gain**2 == pytest.approx(passes, abs=0.03)


def test_no_lag() -> None:
    wave = np.sin(2 * np.pi * 3.0 * T)
    smooth = low_pass(wave, DT, 8.0)
    shift = np.argmax(np.correlate(smooth[100:-100], wave[100:-100], "full")) - (len(wave) - 201)
    assert shift == 0


def test_derivatives_have_second_order() -> None:
    errors = []
    for dt in (0.02, 0.01):
        t = np.arange(0, 2, dt)
        first, second = differentiate(np.sin(3 * t), dt)
        inner = slice(2, -2)
        errors.append([np.abs(first - 3 * np.cos(3 * t))[inner].max(), np.abs(second + 9 * np.sin(3 * t))[inner].max()])
    np.testing.assert_allclose(np.divide(*errors), [4.0, 4.0], rtol=0.05)


def test_short_clips_are_left_alone_and_bad_ones_refused() -> None:
    few = np.arange(5.0)
    np.testing.assert_array_equal(low_pass(few, DT, 8.0), few)
    with pytest.raises(InputError, match="positive frequency"):
        low_pass(T, DT, 0.0)
    with pytest.raises(InputError, match="at least 3"):
        differentiate(np.zeros((2, 3)), DT)


def test_a_smooth_step_is_level_at_its_ends() -> None:
    part = smoothstep(np.array([0.0, 1e-4, 0.5, 1.0 - 1e-4, 1.0]))
    np.testing.assert_allclose(part, [0.0, 0.0, 0.5, 1.0, 1.0], atol=1e-7)


@pytest.mark.parametrize("size", [1, 5, 21])
def test_a_cover_is_nowhere_below_the_curve_and_smoother(size: int) -> None:
    values = np.random.default_rng(1).normal(size=(200, 2))
    over = cover(values, size)
    assert (over >= values - 1e-12).all()
    assert np.abs(np.diff(over, axis=0)).max() <= np.ptp(values) / size + 1e-12
    around = cover(np.roll(values, 30, axis=0), size, "wrap")
    np.testing.assert_allclose(around, np.roll(cover(values, size, "wrap"), 30, axis=0), atol=1e-12)


def test_minimum_jerk_rests_at_both_ends() -> None:
    found = [follow_minimum_jerk(phase, (0.2, 0.6)) for phase in (0.0, 0.2, 0.4, 0.6, 1.0)]
    assert found == pytest.approx([0.0, 0.0, 0.5, 1.0, 1.0])
    assert follow_minimum_jerk(0.21, (0.2, 0.6)) == pytest.approx(10.0 * 0.025**3, rel=0.05)
