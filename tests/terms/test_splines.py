"""Momentum splines as constraints of a problem, checked with scipy's splines and Pinocchio's momentum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import BSpline

from gambol.assumptions import GRAVITY
from gambol.body.dynamics import Dynamics
from gambol.body.kernels import make_kernels
from gambol.body.soles import find_soles
from gambol.body.tripod import make_tripod
from gambol.contacts.contact import Contact
from gambol.errors import InputError
from gambol.solve.ipopt import Solution, solve
from gambol.solve.problem import Problem
from gambol.terms.deviation import PoseDeviation
from gambol.terms.momentum import NewtonEuler
from gambol.terms.space import make_space
from gambol.terms.splines import MomentumSpline, end_gaps, spline_basis, stage_steps

BODY, STEP = make_tripod(1.2, 60.0), 1.0 / 30.0
KNOTS = np.array([0.0, 0.0, 0.0, 0.0, 0.3, 0.45, 0.8, 1.0, 1.0, 1.0, 1.0])
FIRST, LAST, FRAMES = 8, 24, 33
LENGTH = (LAST - FIRST + 1) * STEP


def _momentum(q: np.ndarray) -> np.ndarray:
    dynamics = Dynamics(BODY)
    spin = dynamics.momentum(0.5 * (q[1:] + q[:-1]), np.diff(q, axis=0) / STEP).angular / BODY.mass
    return np.hstack((np.diff(dynamics.center_of_mass(q), axis=0) / STEP, spin))


def _solved(*, landed: bool, leaves: bool, gravity: float = GRAVITY) -> tuple[Solution, np.ndarray]:
    """A moving body with one ground stage from FIRST to LAST, or without flights only that stage."""
    rng = np.random.default_rng(3)
    time = STEP * np.arange(FRAMES)[:, None]
    like = np.sin(6.0 * time + rng.uniform(0.0, 6.0, 3)) @ rng.normal(size=(3, len(BODY.skeleton.dofs)))
    like = 0.2 * like + 0.05 * rng.normal(size=like.shape)
    sole = next(iter(find_soles(BODY).values()))
    first, last = (FIRST if landed else 0), (LAST if leaves else FRAMES - 1)
    held = Contact(sole.body, sole.corners, np.zeros_like(sole.corners), first, last)
    spline = MomentumSpline(first, last, KNOTS, np.zeros((len(KNOTS) - 4, 6)), landed, leaves, gravity)
    space = make_space(Problem(), BODY, make_kernels(BODY, [s.body for s in find_soles(BODY).values()]), like, STEP)
    for term in (
        PoseDeviation(like, np.ones(like.shape[1])),
        NewtonEuler((held,), gravity, contact_forces=False),
        spline,
    ):
        term.add(space)
    found = solve(space.problem)
    assert found.converged
    return found, _momentum(found.x[space.q])[stage_steps(first, last, FRAMES)]


def _spline(momentum: np.ndarray) -> BSpline:
    """The best-fitting spline over the phase, by scipy; its error must be small."""
    phase = np.linspace(0.0, 1.0, len(momentum))
    control = np.linalg.lstsq(BSpline.design_matrix(phase, KNOTS, 3).toarray(), momentum)[0]
    spline = BSpline(KNOTS, control, 3)
    np.testing.assert_allclose(spline(phase), momentum, atol=1e-6)
    return spline


def test_basis_and_end_slopes_are_those_of_scipy() -> None:
    rng, phase = np.random.default_rng(0), np.linspace(0.0, 1.0, 41)
    sets = np.stack([np.r_[np.zeros(4), np.sort(rng.uniform(size=6)), np.ones(4)] for _ in range(5)])
    for knots, values in zip(sets, spline_basis(sets, phase), strict=True):
        np.testing.assert_allclose(values, BSpline.design_matrix(phase, knots, 3).toarray(), atol=1e-14)
        control = rng.normal(size=(10, 2))
        rises = np.stack((control[1] - control[0], control[-1] - control[-2]))
        np.testing.assert_allclose(
            rises / end_gaps(knots)[:, None], BSpline(knots, control, 3)(np.array([0.0, 1.0]), nu=1), rtol=1e-10
        )


@pytest.mark.parametrize("gravity", [GRAVITY, 1.62])
def test_between_flights_momentum_is_a_spline_that_leaves_as_a_body_falls(gravity: float) -> None:
    found, momentum = _solved(landed=True, leaves=True, gravity=gravity)
    assert max(found.residuals.values()) < 1e-6
    spline = _spline(momentum)
    begin, end = spline(np.array([0.0, 1.0]), nu=1) / LENGTH
    np.testing.assert_allclose(end, [0.0, 0.0, -gravity, 0.0, 0.0, 0.0], atol=1e-4)
    np.testing.assert_allclose(np.delete(begin, 2), 0.0, atol=1e-4)
    assert abs(begin[2] + gravity) > 1.0, "an impulse is allowed where a body lands"
    assert np.ptp(momentum, axis=0).min() > 0.01


def test_slopes_are_free_without_flights() -> None:
    _, momentum = _solved(landed=False, leaves=False)
    slopes = _spline(momentum)(np.array([0.0, 1.0]), nu=1)
    assert np.abs(slopes).min() > 1e-3


def test_a_stage_without_two_steps_is_refused() -> None:
    with pytest.raises(InputError, match="too short"):
        stage_steps(0, 0, 10)
