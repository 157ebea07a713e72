"""Trials whose time is warped get the phases of the course back."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.geometry.arrays import Array
from gambol.interaction.registration import register_phases

GRID = np.linspace(0.0, 1.0, 201)
FRAMES = 90
EVEN = np.linspace(0.0, 1.0, FRAMES)
NOISE = np.array([0.003, 0.003, 0.004])


def draw_course(phases: Array) -> Array:
    """Three columns that move all the time, differently before and after the contact."""
    return np.column_stack(
        [np.sin(np.pi * phases) ** 2, np.cos(3.0 * phases), 0.5 * phases + 0.1 * np.sin(9.0 * phases)]
    )


def warp(skew: float) -> Array:
    """Phases (frames,) that are ahead in the middle of both halves by a share of them, with the contact at 0.5."""
    halves = np.mod(2.0 * EVEN, 1.0)
    return EVEN + 2.0 * skew * halves * (1.0 - halves)


@pytest.mark.parametrize("skew", [-0.06, -0.02, 0.03, 0.06])
def test_a_warped_trial_is_registered(skew: float) -> None:
    random = np.random.default_rng(1)
    columns = draw_course(warp(skew)) + 0.2 * NOISE * random.normal(size=(FRAMES, 3))
    found = register_phases(columns, EVEN, draw_course(GRID), NOISE)
    before, after = (np.abs(phases - warp(skew)).max() * (FRAMES - 1) for phases in (EVEN, found))
    # In frames. Phases keep near to even ones where the columns tell little, such as at the turn of the hand.
    assert after < 0.2 * before
    assert after < 0.6


def test_an_even_trial_stays() -> None:
    found = register_phases(draw_course(EVEN), EVEN, draw_course(GRID), NOISE)
    assert np.abs(found - EVEN).max() * (FRAMES - 1) < 0.01


@pytest.mark.parametrize("seed", range(3))
def test_time_does_not_run_backward_whatever_comes(seed: int) -> None:
    random = np.random.default_rng(seed)
    columns = draw_course(random.uniform(0.0, 1.0, FRAMES)) + random.normal(size=(FRAMES, 3))
    found = register_phases(columns, EVEN, draw_course(GRID), NOISE)
    assert found[0] == 0.0
    assert found[-1] == pytest.approx(1.0)
    # At least a fifth of the even rate, less what the other steps of a half take of it.
    assert np.diff(found).min() > 0.02 * np.diff(EVEN).min()


def test_the_contact_stays() -> None:
    even = np.interp(np.arange(FRAMES), [0, 30, FRAMES - 1], [0.0, 0.5, 1.0])
    found = register_phases(draw_course(even**1.1), even, draw_course(GRID), NOISE)
    assert found[30] == pytest.approx(0.5, abs=1e-12)
    assert np.abs(found - even).max() > 1e-3


def test_a_course_that_stands_still_tells_no_phases() -> None:
    found = register_phases(np.zeros((FRAMES, 3)), EVEN, np.ones((201, 3)), NOISE)
    np.testing.assert_allclose(found, EVEN, atol=1e-9)
