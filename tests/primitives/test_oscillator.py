"""Hopf oscillators: closed form, order of the coupled integration, synchronisation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from gambol.errors import InputError
from gambol.primitives.oscillator import (
    RELAXATION,
    Couplings,
    advance_oscillators,
    couple_bodies,
    evaluate_ramp,
    phase_of,
    states_on_cycle,
    step_coupled,
)

SIX = 2.0 * np.pi


def _slow(states, frequency, seconds, couplings=None):
    """The equations as printed, by another integrator."""

    def slope(_, flat):
        x = flat.reshape(-1, 2)
        out = RELAXATION * (1.0 - (x**2).sum(axis=1, keepdims=True)) * x
        out += np.asarray(frequency)[:, None] * np.stack((-x[:, 1], x[:, 0]), axis=1)
        for i in range(len(x) if couplings is not None else 0):
            for j in range(len(x)):
                c, s = np.cos(couplings.offsets[i, j]), np.sin(couplings.offsets[i, j])
                out[i] += couplings.gains[i, j] * (np.array([[c, -s], [s, c]]) @ x[j] - x[i])
        return out.ravel()

    return solve_ivp(slope, (0.0, seconds), np.ravel(states), rtol=1e-10, atol=1e-12).y[:, -1].reshape(-1, 2)


def test_alone_it_is_the_exact_solution_whatever_the_frame_rate():
    states, frequency = np.array([[0.1, 0.0], [3.0, -2.0], [0.6, 0.8]]), np.array([5.0, 6.0, -7.0])
    once = advance_oscillators(states, frequency, 0.3)
    np.testing.assert_allclose(once, _slow(states, frequency, 0.3), atol=1e-8)
    often = states
    for _ in range(30):
        often = advance_oscillators(often, frequency, 0.01)
    np.testing.assert_allclose(often, once, atol=1e-12)


def test_coupled_it_follows_the_equations_at_any_frame_rate():
    rng = np.random.default_rng(1)
    couplings = Couplings(rng.uniform(0.0, 2.0, (4, 4)), rng.uniform(-1.0, 1.0, (4, 4)))
    states, frequency = rng.normal(size=(4, 2)), rng.uniform(4.0, 8.0, 4)
    wanted = _slow(states, frequency, 0.5, couplings)
    np.testing.assert_allclose(advance_oscillators(states, frequency, 0.5, couplings), wanted, atol=2e-6)
    often = states
    for _ in range(60):
        often = advance_oscillators(often, frequency, 0.5 / 60.0, couplings)
    np.testing.assert_allclose(often, wanted, atol=2e-6)


def test_the_coupled_step_is_of_fourth_order():
    couplings = couple_bodies([[0.0]], 3, 1.0)
    states, frequency = states_on_cycle(np.array([0.0, 0.5, 2.0])) * 0.7, np.full(3, SIX)
    wanted, errors = _slow(states, frequency, 0.2, couplings), []
    for steps in (8, 16):
        now = states
        for _ in range(steps):
            now = step_coupled(now, frequency, 0.2 / steps, couplings)
        errors.append(np.abs(now - wanted).max())
    assert 3.7 < np.log2(errors[0] / errors[1]) < 4.4


def test_from_everywhere_a_body_falls_into_step_on_the_cycle():
    rng = np.random.default_rng(2)
    couplings = couple_bodies([[0.0]], 4, RELAXATION / 2.0)
    for states in (10.0 ** rng.uniform(-4.0, 3.0, (4, 1)) * rng.normal(size=(4, 2)), np.zeros((4, 2))):
        after = advance_oscillators(states, SIX, 6.0, couplings)
        np.testing.assert_allclose(np.linalg.norm(after, axis=1), 1.0, atol=1e-3)
        np.testing.assert_allclose(after, np.tile(after[0], (4, 1)), atol=1e-3)


def test_offsets_are_phases_that_the_listener_runs_ahead():
    gains = np.array([[0.0, 0.0], [3.0, 0.0]])
    after = advance_oscillators(states_on_cycle(np.array([0.3, 4.0])), SIX, 6.0, Couplings(gains, np.full((2, 2), 0.7)))
    assert (phase_of(after[1]) - phase_of(after[0])) % SIX == pytest.approx(0.7, abs=1e-3)


def test_bodies_fall_into_step_with_bodies():
    rng = np.random.default_rng(3)
    couplings = couple_bodies([[0.0, 4.0], [4.0, 0.0]], 3, 4.0)
    assert couplings.gains[0, 3] == 4.0
    assert couplings.gains[0, 4] == 0.0
    after = advance_oscillators(rng.normal(size=(6, 2)), SIX, 5.0, couplings)
    np.testing.assert_allclose(after, np.tile(after[0], (6, 1)), atol=1e-3)


def test_the_ramp_goes_up_once():
    np.testing.assert_allclose(evaluate_ramp([0.0, SIX / 4.0, SIX, 9.0]), [0.0, 0.25, 1.0, 1.0])


@pytest.mark.parametrize("gains", [np.ones((2, 3)), np.array([[0.0, -1.0], [0.0, 0.0]]), np.full((2, 2), np.nan)])
def test_couplings_that_are_none_are_refused(gains):
    with pytest.raises(InputError):
        Couplings(gains, np.zeros_like(gains))
