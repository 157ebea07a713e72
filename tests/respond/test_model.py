"""Springs and bounds of a model, from its gains and its clip."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.body.dynamics import Dynamics
from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.respond.actuation import upper_body_columns
from gambol.respond.model import Gains, ResponseModel


def test_springs_are_split_into_free_actuated_and_root(model: ResponseModel, walk: Fit) -> None:
    gains, matrices = model.gains, model.gain_matrices
    free = np.zeros((30, 10))
    free[6:] = model.statistics.actuation.free(10)
    root = np.eye(30)[:, :6]
    other = np.zeros((30, 14))
    other[6:] = model.statistics.actuation.directions[:, :14]
    stiff, damp = model.nominal_springs.stiffness[0], model.nominal_springs.damping[0]
    names, dofs = walk.character.skeleton.names, walk.character.skeleton.dofs
    arms = np.array([names[dofs[c].joint].endswith(("arm", "forearm", "hand")) for c in model.columns])[:, None]
    balanced = model.statistics.destabilising_stiffness * free.T @ np.where(arms, 0.13 * free, free)
    np.testing.assert_allclose(free.T @ stiff @ free, gains.free_stiffness * np.eye(10) + balanced, atol=1e-9)
    np.testing.assert_allclose(free.T @ damp @ free, gains.free_damping * np.eye(10), atol=1e-9)
    share = other.T @ np.where(arms, 0.13 * other, other)
    np.testing.assert_allclose(other.T @ stiff @ other, gains.actuated_stiffness * share, atol=1e-9)
    np.testing.assert_allclose(other.T @ damp @ other, gains.actuated_damping * share, atol=1e-9)
    np.testing.assert_allclose(other.T @ stiff @ free, 0.0, atol=1e-9)
    np.testing.assert_allclose(root.T @ stiff @ np.hstack([free, other]), 0.0, atol=1e-9)
    inertia = np.diag(Dynamics(walk.character).mass_matrix(np.median(walk.motion.q, axis=0)))[:6]
    rates = np.sqrt(np.diag(stiff)[:6] / inertia)
    np.testing.assert_allclose(rates, gains.root_rates)
    np.testing.assert_allclose(np.diag(damp)[:6] / (2.0 * np.sqrt(np.diag(stiff)[:6] * inertia)), 1.0)  # critical
    np.testing.assert_allclose(matrices.actuated @ free, 0.0, atol=1e-9)
    np.testing.assert_allclose(matrices.actuated @ np.hstack([root, other]), np.hstack([root, other]), atol=1e-9)
    with pytest.raises(InputError, match="along y"):
        Gains(root_limits=(0.2, 0.1, 0.12, 0.35, 0.35, 0.35))


def test_bounds_are_the_limits_of_joints_or_a_swing_beyond_the_clip(model: ResponseModel, walk: Fit) -> None:
    dofs = [walk.character.skeleton.dofs[column] for column in upper_body_columns(walk.character)]
    bounds, q = model.bounds, walk.motion.q[:, model.columns]
    for n, dof in enumerate(dofs[6:], start=6):
        low = dof.lower if np.isfinite(dof.lower) else q[:, n].min() - np.pi / 3.0
        high = dof.upper if np.isfinite(dof.upper) else q[:, n].max() + np.pi / 3.0
        assert (bounds.lower[n], bounds.upper[n]) == (pytest.approx(low), pytest.approx(high))
    np.testing.assert_array_equal(bounds.lower[:6], -np.inf)
    np.testing.assert_array_equal(bounds.upper[:6], np.inf)
    np.testing.assert_allclose(bounds.root_limits[:6], model.gains.root_limits)
    assert np.isinf(bounds.root_limits[6:]).all()
    np.testing.assert_allclose(bounds.margin, [*(0.6 * np.array(model.gains.root_limits)), *[0.25] * 24])
