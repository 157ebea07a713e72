"""The latent variable model on a closed curve in 100 dimensions, its projections, and invalid input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.decomposition import PCA

from gambol.errors import InputError
from gambol.io.models import as_model, save_model
from gambol.learn.gaussian import LinearFactor, ScaledGplvm, gplvm
from tests.learn.gaussian.differences import embed_circle

ANGLES = 2.0 * np.pi * np.arange(72) / 72
OFFSET = np.linspace(-5.0, 5.0, 100)
ROWS = embed_circle(ANGLES, noise=0.01) + OFFSET
FRESH = embed_circle(ANGLES + 0.5 * ANGLES[1]) + OFFSET


@pytest.fixture(scope="module")
def model() -> ScaledGplvm:
    return ScaledGplvm(2, iterations=200).fit(ROWS)


def test_a_circle_is_found_again(model: ScaledGplvm) -> None:
    around = np.vstack([model.latents_, model.latents_[:1]]) - model.latents_.mean(axis=0)
    steps = np.linalg.norm(np.diff(around, axis=0), axis=1)
    assert steps.max() < 4.0 * np.median(steps)
    turns = np.unwrap(np.arctan2(around[:, 1], around[:, 0]))
    assert abs(turns[-1] - turns[0]) == pytest.approx(2.0 * np.pi)
    spread = np.linalg.norm(around, axis=1)
    assert spread.min() > 0.3 * spread.max()


def measure(rows: np.ndarray, found: np.ndarray) -> float:
    return float(np.sqrt(((found - rows) ** 2).mean()))


def test_rows_are_reconstructed_better_than_by_principal_components(model: ScaledGplvm) -> None:
    linear = PCA(2).fit(ROWS)
    for rows, latents in ((ROWS, model.latents_), (FRESH, model.transform(FRESH)), (FRESH, model.project(FRESH))):
        error = measure(rows, model.inverse_transform(latents))
        assert error < 0.25 * measure(rows, linear.inverse_transform(linear.transform(rows)))


def test_projections(model: ScaledGplvm) -> None:
    np.testing.assert_allclose(model.transform(ROWS), model.latents_, atol=1e-8)
    np.testing.assert_array_equal(model.fit_transform.__func__(ScaledGplvm(2, iterations=5), ROWS).shape, (72, 2))
    # A row that is shifted within one column still belongs to its place on the curve.
    broken = FRESH[:3].copy()
    broken[:, 5] += 0.5
    np.testing.assert_allclose(model.project(broken), model.project(FRESH[:3]), atol=0.1)


def test_isotropic_noise_explains_all_of_few_columns() -> None:
    """Four columns and three latents: with a scale for each, one column would be given up."""
    rows = np.random.default_rng(0).normal(size=(60, 3)) @ np.random.default_rng(1).normal(size=(3, 4))
    rows += 0.05 * np.random.default_rng(2).normal(size=rows.shape)
    found, scaled = (
        ScaledGplvm(3, isotropic=each, iterations=100, max_precision=1e4).fit(rows) for each in (True, False)
    )
    even, uneven = (
        np.sqrt(((model.inverse_transform(model.latents_) - rows) ** 2).mean(axis=0)) for model in (found, scaled)
    )
    assert uneven.max() / uneven.min() > 2.0 * even.max() / even.min()
    assert even.max() < uneven.max()
    assert found.scales_ == pytest.approx(np.full(4, 1.0 / np.sqrt(((rows - rows.mean(axis=0)) ** 2).mean())))


def test_variances_hold_most_errors(model: ScaledGplvm) -> None:
    latents = model.project(FRESH)
    deviations = np.sqrt(model.predict_variance(latents))
    assert deviations.shape == FRESH.shape
    assert (np.abs(model.inverse_transform(latents) - FRESH) < 3.0 * deviations).mean() > 0.95
    assert model.predict_variance(np.full((1, 2), 50.0))[0, 0] > 10.0 * deviations.max() ** 2 / 4.0


def test_hyperparameters(model: ScaledGplvm) -> None:
    """By default three are fixed and β is bounded; printed, all move. Scales are relative to the columns."""
    kernel = model.posterior_.kernel
    assert kernel.amplitude == kernel.inverse_widths[0] == model.back_kernel_.amplitude == 1.0
    assert 1.0 < kernel.precision <= 100.0 * (1.0 + 1e-12)
    stretched = ScaledGplvm(2, iterations=20).fit(np.hstack([ROWS, 3.0 * ROWS]))
    np.testing.assert_allclose(stretched.scales_[:100], 3.0 * stretched.scales_[100:], rtol=1e-6)
    printed = ScaledGplvm(2, printed=True, iterations=60).fit(ROWS)
    kernel = printed.posterior_.kernel
    assert all(value not in (1.0, 2.0) for value in (kernel.amplitude, *kernel.inverse_widths))
    assert kernel.amplitude * kernel.precision > 1e4


@pytest.mark.parametrize("dimensions", [2, 3, 4])
def test_dimensions(dimensions: int) -> None:
    assert ScaledGplvm(dimensions, iterations=3).fit(ROWS).latents_.shape == (72, dimensions)


def test_a_sparse_model_is_nearly_as_good(model: ScaledGplvm) -> None:
    sparse = ScaledGplvm(2, n_inducing=36, iterations=200).fit(ROWS)
    assert sparse.posterior_.inputs.shape == sparse.back_weights_.shape == (36, 2)
    exact = measure(FRESH, model.inverse_transform(model.project(FRESH)))
    assert measure(FRESH, sparse.inverse_transform(sparse.project(FRESH))) < 3.0 * exact


def test_distances_are_measured_between_some_rows(monkeypatch) -> None:
    """Between all rows their number would be quadratic; the median of some is nearly the same."""
    counts = []
    monkeypatch.setattr(gplvm, "pdist", lambda rows, metric: counts.append(len(rows)) or pdist(rows, metric))
    rows = embed_circle(2.0 * np.pi * np.arange(4001) / 400, columns=8, noise=0.01)
    found = ScaledGplvm(2, n_inducing=8, iterations=1).fit(rows)
    assert counts == [1334]
    (width,) = found.back_kernel_.inverse_widths
    assert width == pytest.approx(1.0 / np.median(pdist(rows, "sqeuclidean")), rel=0.02)


def test_the_mean_is_that_of_the_caller() -> None:
    mean = ROWS[:10].mean(axis=0)
    np.testing.assert_array_equal(ScaledGplvm(2, iterations=3).fit(ROWS, mean=mean).mean_, mean)


def test_saved_and_loaded(model: ScaledGplvm, tmp_path) -> None:
    save_model(model, tmp_path / "model.npz")
    again = as_model(tmp_path / "model.npz", ScaledGplvm)
    for name in ("transform", "project"):
        np.testing.assert_array_equal(getattr(again, name)(FRESH[:5]), getattr(model, name)(FRESH[:5]))
    np.testing.assert_array_equal(again.inverse_transform(model.latents_), model.inverse_transform(model.latents_))
    assert again.get_params() == model.get_params()
    again = ScaledGplvm.from_values(model.to_values())
    np.testing.assert_array_equal(again.transform(FRESH), model.transform(FRESH))


PHASES = np.linspace(0.0, 1.0, 30)
STYLES = np.eye(2)
GOALS = np.array([-1.0, 0.0, 1.0])
FACTORS = (LinearFactor(2), LinearFactor(1))


def make_gestures(style: np.ndarray, goal: float) -> np.ndarray:
    """Return rows of one gesture (30, 20), which ends as it starts and reaches for its goal on the way."""
    mixing = np.random.default_rng(3).normal(size=(7, 20))
    harmonics = np.column_stack([np.sin(np.pi * PHASES) * np.sin(k * np.pi * PHASES) for k in (1, 2, 3)])
    reach = np.exp(-0.5 * ((PHASES - 0.5) / 0.15) ** 2)[:, None]
    return (
        harmonics @ mixing[:3]
        + 0.5 * harmonics[:, :2] @ np.tensordot(style, [mixing[3:5], mixing[4:6]], 1)
        + (goal * reach * mixing[6])
    )


GESTURES = np.vstack([make_gestures(style, goal) for style in STYLES for goal in GOALS])
GIVEN = np.vstack([np.tile([*style, goal], (30, 1)) for style in STYLES for goal in GOALS])
TURNS = 2.0 * np.pi * np.tile(PHASES, 6)[:, None]
CIRCLE = 2.0 * np.hstack([np.cos(TURNS), np.sin(TURNS)])
UNSEEN, UNSEEN_GIVEN = make_gestures(STYLES[1], 0.5), np.array([0.0, 1.0, 0.5])


@pytest.fixture(scope="module", params=[None, 40], ids=["exact", "sparse"])
def styled(request) -> ScaledGplvm:
    fresh = ScaledGplvm(2, factors=FACTORS, n_inducing=request.param, iterations=60)
    return fresh.fit(GESTURES, given=GIVEN, back=CIRCLE)


def test_factors_hold_style_and_goal(styled: ScaledGplvm) -> None:
    """A goal that was not seen is between those that were; two latents without factors cannot tell."""
    assert styled.latents_.shape == (180, 2)
    latents = styled.transform(UNSEEN, CIRCLE[:30])
    error = measure(UNSEEN, styled.inverse_transform(latents, UNSEEN_GIVEN))
    assert error < 0.1 * UNSEEN.std()
    np.testing.assert_allclose(
        styled.inverse_transform(latents, UNSEEN_GIVEN),
        styled.inverse_transform(latents, np.tile(UNSEEN_GIVEN, (30, 1))),
    )
    plain = ScaledGplvm(2, n_inducing=40, iterations=60).fit(GESTURES)
    assert measure(UNSEEN, plain.inverse_transform(plain.transform(UNSEEN))) > 2.0 * error
    assert all(factor.scale != 1.0 for factor in styled.posterior_.kernel.factors)
    assert styled.posterior_.kernel.precision == pytest.approx(100.0)
    np.testing.assert_allclose(styled.transform(GESTURES, CIRCLE), styled.latents_, atol=1e-8)


def test_styles_morph_linearly(styled: ScaledGplvm) -> None:
    latents = styled.latents_[:30]
    one, other, half = (styled.inverse_transform(latents, [e, 1.0 - e, 0.3]) for e in (0.0, 1.0, 0.5))
    np.testing.assert_allclose(half, 0.5 * (one + other), atol=1e-9)
    assert np.abs(one - other).max() > 0.5


def test_the_most_likely_latents_with_factors(styled: ScaledGplvm) -> None:
    """They explain rows at least as well as those of the back constraint; other factors do not explain them."""
    some, turns = UNSEEN[10:20:3], CIRCLE[10:20:3]
    found = styled.project(some, UNSEEN_GIVEN, turns)
    error = measure(some, styled.inverse_transform(found, UNSEEN_GIVEN))
    assert error < 1.1 * measure(some, styled.inverse_transform(styled.transform(some, turns), UNSEEN_GIVEN))
    wrong = [1.0, 0.0, -1.0]
    assert measure(some, styled.inverse_transform(styled.project(some, wrong, turns), wrong)) > 3.0 * error
    mixed = styled.project(some[[0, 0]], [UNSEEN_GIVEN, wrong], turns[[0, 0]])
    np.testing.assert_allclose(mixed[0], found[0], atol=1e-6)
    np.testing.assert_allclose(mixed[1:], styled.project(some[:1], wrong, turns[:1]), atol=1e-6)
    assert np.linalg.norm(mixed[1] - mixed[0]) > 0.01
    variance = styled.predict_variance(found, UNSEEN_GIVEN)
    assert variance.shape == some.shape
    assert np.all(variance < styled.predict_variance(found + 50.0, UNSEEN_GIVEN))


def test_a_model_with_factors_is_saved_and_loaded(styled: ScaledGplvm, tmp_path) -> None:
    save_model(styled, tmp_path / "model.npz")
    again = as_model(tmp_path / "model.npz", ScaledGplvm)
    assert again.get_params() == styled.get_params()
    np.testing.assert_array_equal(again.transform(UNSEEN, CIRCLE[:30]), styled.transform(UNSEEN, CIRCLE[:30]))
    latents = styled.latents_[::7]
    np.testing.assert_array_equal(
        again.inverse_transform(latents, UNSEEN_GIVEN), styled.inverse_transform(latents, UNSEEN_GIVEN)
    )


@pytest.mark.parametrize(
    ("given", "back", "problem"),
    [
        (None, None, "factors have 3 columns"),
        (GIVEN[:, :2], None, "given have 2 columns, expected 3"),
        (GIVEN[:-1], None, "179 rows of given for 180"),
        (np.where(np.arange(540).reshape(180, 3) == 7, np.nan, GIVEN), None, "given: row 2, column 1 is nan"),
        (GIVEN, CIRCLE[:-1], "179 rows of back for 180"),
        (GIVEN, np.full((180, 1), np.inf), "back: row 0, column 0 is inf"),
    ],
)
def test_invalid_factors(given, back, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        ScaledGplvm(2, factors=FACTORS).fit(GESTURES, given=given, back=back)


def test_invalid_use_of_factors(styled: ScaledGplvm, model: ScaledGplvm) -> None:
    with pytest.raises(InputError, match="factors have 3 columns"):
        styled.inverse_transform(styled.latents_)
    with pytest.raises(InputError, match="factors have 0 columns"):
        model.inverse_transform(model.latents_, [1.0])
    with pytest.raises(InputError, match="factors have 0 columns"):
        ScaledGplvm(2).fit(GESTURES, given=GIVEN)
    with pytest.raises(InputError, match="2 further columns"):
        styled.transform(GESTURES)
    with pytest.raises(InputError, match="0 further columns"):
        model.transform(ROWS, ROWS[:, :1])
    with pytest.raises(InputError, match="back have 1 columns, expected 2"):
        styled.transform(GESTURES, CIRCLE[:, :1])


def test_files_of_another_kind(tmp_path) -> None:
    (tmp_path / "model.npz").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"not a latent variable model.*save_model"):
        as_model(tmp_path / "model.npz", ScaledGplvm)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (np.where(ROWS[3, 7] == ROWS, np.nan, ROWS), "row 3, column 7 is nan"),
        (ROWS[:3], "3 rows"),
        (np.hstack([ROWS, np.ones((72, 2))]), "2 columns are constant, the first is column 100"),
        (np.repeat(ROWS[:3], 5, axis=0), "3 different rows"),
        (ROWS[0], "shape"),
        ([[1.0, 2.0], [3.0]], "not an array"),
    ],
)
def test_invalid_rows(rows, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        ScaledGplvm(2).fit(rows)


def test_duplicate_rows_are_allowed() -> None:
    model = ScaledGplvm(2, iterations=20).fit(np.vstack([ROWS, ROWS]))
    np.testing.assert_allclose(model.latents_[:72], model.latents_[72:], atol=1e-9)


def test_invalid_use(model: ScaledGplvm) -> None:
    with pytest.raises(InputError, match="n_components"):
        ScaledGplvm(0).fit(ROWS)
    with pytest.raises(InputError, match="n_inducing"):
        ScaledGplvm(2, n_inducing=2).fit(ROWS)
    with pytest.raises(InputError, match="99 columns, expected 100"):
        ScaledGplvm(2).fit(ROWS, mean=np.zeros(99))
    with pytest.raises(InputError, match="call fit first"):
        ScaledGplvm().transform(ROWS)
    with pytest.raises(InputError, match="call fit first"):
        ScaledGplvm().project(ROWS)
    with pytest.raises(InputError, match="99 columns, expected 100"):
        model.transform(ROWS[:, 1:])
    with pytest.raises(InputError, match="3 columns, expected 2"):
        model.inverse_transform(np.zeros((1, 3)))
