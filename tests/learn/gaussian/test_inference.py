"""Inference of frames: free runs on a ring, the printed form that stops, and observed rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import KDTree

from gambol.errors import InputError
from gambol.learn.gaussian import FrameInference, LatentDynamics, ScaledGplvm
from tests.learn.gaussian.differences import embed_circle

ANGLES = 2.0 * np.pi * np.arange(34) / 34
ROWS = embed_circle(ANGLES, columns=60)


@pytest.fixture(scope="module")
def model() -> ScaledGplvm:
    return ScaledGplvm(3, iterations=150).fit(ROWS)


@pytest.fixture(scope="module", params=[1, 2])
def dynamics(request, model: ScaledGplvm) -> LatentDynamics:
    return LatentDynamics(request.param).fit([model.latents_], closed=True)


def run(inference: FrameInference, frames: int) -> tuple[np.ndarray, np.ndarray]:
    order = inference.dynamics.order
    latents, rows = list(inference.model.latents_[:order]), list(ROWS[:order])
    for _ in range(frames):
        found = inference.infer_next(np.array(latents[-order:]), np.array(rows[-order:]))
        latents.append(found.latent)
        rows.append(found.row)
    return np.array(latents), np.array(rows)


@pytest.mark.slow
def test_a_free_run_stays_on_the_ring(model: ScaledGplvm, dynamics: LatentDynamics) -> None:
    latents, rows = run(FrameInference(model, dynamics), 5000 if dynamics.order == 1 else 500)
    distances, nearest = KDTree(model.latents_).query(latents)
    assert distances.max() < dynamics.step_
    phases = np.unwrap(ANGLES[nearest])
    stride = 2.0 * np.pi * (len(phases) - 1) / (phases[-1] - phases[0])
    assert stride == pytest.approx(34.0, abs=1.0)
    # Rows are the means of their latents, and lie on the embedded circle.
    np.testing.assert_allclose(rows[-1], model.inverse_transform(latents[-1:])[0], rtol=1e-9)
    curve = KDTree(embed_circle(2.0 * np.pi * np.arange(680) / 680, columns=60))
    assert curve.query(rows[-100:])[0].max() / np.sqrt(60) < 0.1 * ROWS.std()


def test_the_inferred_latent_has_least_cost(model: ScaledGplvm, dynamics: LatentDynamics) -> None:
    """L_S written out from predictions of the model and the dynamics."""
    last = model.latents_[5 : 5 + dynamics.order]
    found = FrameInference(model, dynamics).infer_next(last)

    def cost(latent: np.ndarray) -> float:
        apart = ((latent - dynamics.predict(last)) ** 2).sum() / float(dynamics.predict_variance(last))
        return 30.0 * float(np.log(model.predict_variance(latent[None])[0] * model.scales_**2).mean()) + 0.5 * apart

    assert found.cost == pytest.approx(cost(found.latent), rel=1e-6)
    for step in 0.02 * np.vstack([np.eye(3), -np.eye(3)]):
        assert cost(found.latent + step) > found.cost


def test_the_printed_form_is_conditioned_on_the_last_frames(model: ScaledGplvm) -> None:
    """Its cost written out from the posterior of the training rows and the last rows."""
    dynamics = LatentDynamics(2).fit([model.latents_], closed=True)
    last, rows = model.latents_[5:7], ROWS[5:7]
    ours = FrameInference(model, dynamics).infer_next(last)
    printed = FrameInference(model, dynamics, printed=True).infer_next(last, rows)
    mean = dynamics.predict(last)
    given = model.posterior_.condition(last, model.scale_rows(rows))
    variance = given.variance(printed.latent[None])[0]
    apart = ((printed.latent - mean) ** 2).sum() / float(dynamics.predict_variance(last))
    assert printed.cost == pytest.approx(0.5 * np.log(variance) + 0.5 * apart, rel=1e-6)
    np.testing.assert_allclose(model.scale_rows(printed.row[None]), given.mean(printed.latent[None]), atol=1e-9)
    assert variance < model.posterior_.variance(printed.latent[None])[0]
    assert np.linalg.norm(ours.latent - printed.latent) > 1e-4
    with pytest.raises(InputError, match="last rows are missing"):
        FrameInference(model, dynamics, printed=True).infer_next(last)


def test_an_observed_row_moves_the_latent(model: ScaledGplvm, dynamics: LatentDynamics) -> None:
    """The row of another phase: its latent lies there, against the dynamics; the expected row changes little."""
    inference = FrameInference(model, dynamics)
    last = model.latents_[5 : 5 + dynamics.order]
    following = 5 + dynamics.order
    expected = inference.infer_latent(ROWS[following], last)
    assert np.linalg.norm(expected.latent - model.latents_[following]) < 0.5 * dynamics.step_
    other = inference.infer_latent(ROWS[following + 4], last)
    away = np.linalg.norm(other.latent - model.latents_, axis=1)
    assert following < away.argmin() <= following + 4
    np.testing.assert_array_equal(other.row, ROWS[following + 4])
    assert other.cost > expected.cost


def test_invalid_input(model: ScaledGplvm, dynamics: LatentDynamics) -> None:
    inference = FrameInference(model, dynamics)
    with pytest.raises(InputError, match="last latents of shape"):
        inference.infer_next(model.latents_[:3])
    with pytest.raises(InputError, match="59 columns, expected 60"):
        inference.infer_latent(ROWS[0, 1:], model.latents_[: dynamics.order])
    with pytest.raises(InputError, match="is nan"):
        inference.infer_latent(np.full(60, np.nan), model.latents_[: dynamics.order])
