"""Dynamics of latents: pairs, noise floor, a ring that lasts, and files."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import KDTree

from gambol.errors import InputError
from gambol.io.models import as_model, save_model
from gambol.learn.gaussian import LatentDynamics
from tests.learn.gaussian.differences import differentiate_numerically

ANGLES = 2.0 * np.pi * np.arange(40) / 40


def make_ring(angles: np.ndarray) -> np.ndarray:
    return np.column_stack([1.5 * np.cos(angles), np.sin(angles), 0.3 * np.sin(2.0 * angles)])


def find_nearest(latents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return distances to the ring and phases along it."""
    angles = 2.0 * np.pi * np.arange(800) / 800
    distances, nearest = KDTree(make_ring(angles)).query(latents)
    return distances, np.unwrap(angles[nearest])


RING = make_ring(ANGLES)


@pytest.mark.parametrize("order", [1, 2])
def test_a_ring_is_followed_for_thousands_of_frames(order: int) -> None:
    dynamics = LatentDynamics(order).fit([RING], closed=True)
    run = dynamics.generate(RING[:order], 5000)
    nearest, phases = find_nearest(run)
    assert nearest.max() < 0.4 * dynamics.step_
    assert 2.0 * np.pi * 4999 / (phases[-1] - phases[0]) == pytest.approx(40.0, abs=0.5)


@pytest.mark.parametrize("order", [1, 2])
def test_training_pairs(order: int) -> None:
    """Open sequences lose `order` pairs each, a loop none; no pair joins two sequences."""
    two = [RING, RING[::-1] + 5.0]
    inputs = LatentDynamics(order).fit(two, [True, False]).posterior_.inputs.reshape(-1, order, 3)
    assert len(inputs) == 40 + 40 - order
    seam = np.array([RING[-1:], RING[-2:]][order - 1])
    assert any(np.array_equal(pair, seam) for pair in inputs)
    inputs = LatentDynamics(order).fit([RING]).posterior_.inputs.reshape(-1, order, 3)
    assert not any(np.array_equal(pair, seam) for pair in inputs)
    if order == 2:
        np.testing.assert_array_equal(inputs[0], RING[:2])


def test_noise_floor() -> None:
    step = np.linalg.norm(np.roll(RING, -1, axis=0) - RING, axis=1).mean()
    for floor in (0.3, 0.05):
        dynamics = LatentDynamics(1, noise_floor=floor).fit([RING], closed=True)
        assert dynamics.step_ == pytest.approx(step)
        assert 1.0 / np.sqrt(dynamics.posterior_.kernel.precision) >= floor * step * (1.0 - 1e-9)
        assert float(dynamics.predict_variance(RING[:1])) >= (floor * step) ** 2
    free = LatentDynamics(1, noise_floor=0.0).fit([RING], closed=True)
    assert 1.0 / np.sqrt(free.posterior_.kernel.precision) < 0.05 * step


def test_predictions_of_many_and_their_derivatives() -> None:
    dynamics = LatentDynamics(2).fit([RING], closed=True)
    last = np.stack([RING[:-2], RING[1:-1]], axis=1)
    means = dynamics.predict(last)
    assert means.shape == (38, 3)
    np.testing.assert_allclose(means, RING[2:], atol=0.5 * dynamics.step_)
    assert dynamics.predict_variance(last).shape == (38,)
    found = dynamics.differentiate(last[0])
    np.testing.assert_allclose(found.mean, means[0], rtol=1e-10)
    mean, variance = dynamics.predict_next(last[3])
    np.testing.assert_allclose(mean, means[3], rtol=1e-10)
    assert variance == pytest.approx(dynamics.predict_variance(last)[3], rel=1e-7)
    slopes = differentiate_numerically(dynamics.predict, last[0])
    np.testing.assert_allclose(found.mean_jacobian.reshape(3, 2, 3), slopes, atol=1e-6)
    slopes = differentiate_numerically(dynamics.predict_variance, last[0], 1e-3)
    np.testing.assert_allclose(found.variance_gradient.reshape(2, 3), slopes, atol=1e-6)


def test_sparse_dynamics_follow_the_ring() -> None:
    dynamics = LatentDynamics(1, n_inducing=24).fit([RING], closed=True)
    run = dynamics.generate(RING[:1], 500)
    assert len(dynamics.posterior_.inputs) == 24
    assert find_nearest(run)[0].max() < 0.6 * dynamics.step_


def test_saved_and_loaded(tmp_path) -> None:
    dynamics = LatentDynamics(2).fit([RING, RING[:20] + 0.01], [True, False])
    save_model(dynamics, tmp_path / "dynamics.npz")
    again = as_model(tmp_path / "dynamics.npz", LatentDynamics)
    np.testing.assert_array_equal(again.generate(RING[:2], 20), dynamics.generate(RING[:2], 20))
    assert again.get_params() == dynamics.get_params()
    assert again.step_ == dynamics.step_


@pytest.mark.parametrize(
    ("sequences", "closed", "problem"),
    [
        ([], False, "0 sequences"),
        ([RING], [True, False], "1 sequences and 2 values"),
        ([RING, RING[:, :2]], False, "2 columns, expected 3"),
        ([RING, RING[:3]], False, "3 rows of latents of sequence 1"),
        ([np.where(RING[4] == RING, np.inf, RING)], False, "row 4, column 0 is inf"),
        ([np.ones((10, 2))], False, "do not move"),
    ],
)
def test_invalid_sequences(sequences, closed, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        LatentDynamics(2).fit(sequences, closed)


def test_invalid_parameters() -> None:
    with pytest.raises(InputError, match="choose 1 or 2"):
        LatentDynamics(3).fit([RING])
    with pytest.raises(InputError, match="noise_floor"):
        LatentDynamics(noise_floor=-1.0).fit([RING])
    with pytest.raises(InputError, match="call fit first"):
        LatentDynamics().predict(RING[:2])
    with pytest.raises(InputError, match=r"use \(..., 2, 3\)"):
        LatentDynamics(2).fit([RING]).predict(RING[:1])
