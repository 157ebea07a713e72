"""Coefficient functions are recovered, the evidence is that of a dense Gaussian process, useless groups fade out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.io.models import as_model, save_model
from gambol.learn.gaussian import CoefficientProcess

NOISE = 0.05


def make_coefficients(x: Array) -> Array:
    """Three functions of x: (n, features 3, outputs 2)."""
    first = np.stack([np.sin(6.0 * x), np.cos(4.0 * x)], axis=-1)
    second = np.stack([x, -x * (1.0 - x)], axis=-1)
    third = np.stack([0.3 * np.cos(9.0 * x), 0.5 + 0.0 * x], axis=-1)
    return np.stack([first, second, third], axis=1)


def make_rows(trials: int, frames: int, noise: float = NOISE) -> tuple[Array, Array, Array]:
    """Trials of constant features, as they are learned from."""
    random = np.random.default_rng(trials)
    x = np.tile(np.linspace(2.0, 3.0, frames), trials) + np.repeat(random.uniform(-0.01, 0.01, trials), frames)
    kinds = np.column_stack([np.ones(trials), random.normal(size=(trials, 2))])
    features = np.repeat(kinds, frames, axis=0)
    clean = np.einsum("nfo,nf->no", make_coefficients(x - 2.0), features)
    return x, features, clean + noise * random.normal(size=clean.shape)


@pytest.fixture(scope="module")
def learned() -> CoefficientProcess:
    return CoefficientProcess([1, 2], widths=(0.1, 0.2)).fit(*make_rows(20, 60))


def test_functions_are_recovered(learned: CoefficientProcess) -> None:
    x = np.linspace(2.05, 2.95, 50)
    found = learned.evaluate_coefficients(x)
    # 20 trials of 60 rows: about 10 rows per degree of freedom and coefficient.
    assert np.abs(found - make_coefficients(x - 2.0)).max() < NOISE
    assert np.sqrt(((found - make_coefficients(x - 2.0)) ** 2).mean()) < 0.3 * NOISE
    assert learned.noise_ == pytest.approx(NOISE, rel=0.05)


def test_predictions_are_sums_of_coefficients(learned: CoefficientProcess) -> None:
    x, features, _ = make_rows(3, 7)
    coefficients = learned.evaluate_coefficients(x)
    np.testing.assert_allclose(
        learned.predict(x, features), (coefficients * features[:, :, None]).sum(axis=1), atol=1e-12
    )
    # Linear in the features.
    half = learned.predict(x, 0.5 * (features + features[::-1]))
    each = 0.5 * (learned.predict(x, features) + learned.predict(x, features[::-1]))
    np.testing.assert_allclose(half, each, atol=1e-12)


def measure_evidence(process: CoefficientProcess, rows: tuple[Array, Array, Array], knots: int | None = None) -> float:
    """Log density of rows under a dense Gaussian process; its functions may be interpolated between knots."""
    x, features, y = rows
    near = measure_nearness(process, x, x)
    if knots is not None:
        at = np.linspace(x.min(), x.max(), knots)
        own = measure_nearness(process, at, at) + 1e-6 * np.eye(knots)
        near = measure_nearness(process, x, at) @ np.linalg.solve(own, measure_nearness(process, at, x))
    each = np.repeat(process.variances_, process.groups)
    kernel = near * ((features * each) @ features.T) + process.noise_**2 * np.eye(len(x))
    density = multivariate_normal(np.zeros(len(x)), kernel).logpdf(y.T).sum()
    return float(density + 0.5 * y.size * np.log(2.0 * np.pi))


def measure_nearness(process: CoefficientProcess, x: Array, others: Array) -> Array:
    return np.exp(-0.5 * ((x[:, None] - others) / (process.width_ * process.range_)) ** 2)


def test_the_evidence_is_that_of_a_dense_gaussian_process() -> None:
    rows = make_rows(5, 16)
    process = CoefficientProcess([1, 2], widths=(0.2,)).fit(*rows)
    # 1.25 knots in a width, and one at each end: 8 for a fifth of the range.
    assert len(process.knots_) == 8
    assert process.evidence_ == pytest.approx(measure_evidence(process, rows, 8), rel=1e-6)
    # Without knots the prior has more freedom between them: small beside the noise, summed over 160 numbers.
    assert process.evidence_ == pytest.approx(measure_evidence(process, rows), abs=0.02 * 160)


def test_variances_maximise_the_evidence() -> None:
    rows = make_rows(8, 20)
    process = CoefficientProcess([1, 2], widths=(0.2,), iterations=100).fit(*rows)
    best = measure_evidence(process, rows, 8)
    for name, factor in (("variances_", 1.5), ("variances_", 1.0 / 1.5), ("noise_", 1.1), ("noise_", 1.0 / 1.1)):
        changed = CoefficientProcess([1, 2])
        for attribute in ("variances_", "noise_", "width_", "range_"):
            setattr(changed, attribute, getattr(process, attribute) * (factor if attribute == name else 1.0))
        assert measure_evidence(changed, rows, 8) < best


def test_iterations_do_not_lower_the_evidence() -> None:
    rows = make_rows(8, 20)
    found = [CoefficientProcess([1, 2], widths=(0.2,), iterations=n).fit(*rows).evidence_ for n in range(1, 12)]
    assert (np.diff(found) > -1e-6).all()
    assert found[-1] > found[0] + 10.0


def test_the_width_is_the_one_of_the_best_evidence() -> None:
    rows = make_rows(8, 20)
    widths = (0.02, 0.2, 1.5)
    each = [CoefficientProcess([1, 2], widths=(width,)).fit(*rows).evidence_ for width in widths]
    process = CoefficientProcess([1, 2], widths=widths).fit(*rows)
    assert process.width_ == widths[int(np.argmax(each))] == 0.2
    assert process.evidence_ == max(each)


def test_a_group_that_explains_nothing_fades_out() -> None:
    x, features, y = make_rows(12, 30)
    useless = np.repeat(np.random.default_rng(9).normal(size=(12, 1)), 30, axis=0)
    process = CoefficientProcess([1, 2, 1], widths=(0.2,)).fit(x, np.hstack([features, useless]), y)
    assert process.variances_[2] < 1e-3 * process.variances_[:2].min()
    assert np.abs(process.evaluate_coefficients(x)[:, 3]).max() < 0.5 * NOISE


def test_rows_in_any_order_give_the_same_numbers(learned: CoefficientProcess) -> None:
    x, features, y = make_rows(20, 60)
    order = np.random.default_rng(1).permutation(len(x))
    again = CoefficientProcess([1, 2], widths=(0.1, 0.2)).fit(x[order], features[order], y[order])
    assert again.evidence_ == pytest.approx(learned.evidence_, rel=1e-9)
    np.testing.assert_allclose(again.predict(x, features), learned.predict(x, features), atol=1e-8)


def test_a_file_gives_the_same_numbers(learned: CoefficientProcess, tmp_path) -> None:
    save_model(learned, tmp_path / "process.npz")
    again = as_model(tmp_path / "process.npz", CoefficientProcess)
    x, features, _ = make_rows(3, 7)
    np.testing.assert_array_equal(again.predict(x, features), learned.predict(x, features))
    assert again.get_params()["iterations"] == learned.iterations
    (tmp_path / "cut.npz").write_bytes((tmp_path / "process.npz").read_bytes()[:-200])
    with pytest.raises(InputError, match="not a coefficient process, or truncated"):
        as_model(tmp_path / "cut.npz", CoefficientProcess)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": np.full(10, 0.3)}, "all coordinates are equal"),
        ({"x": np.arange(9.0)}, "9 coordinates, 10 features, 10 outputs"),
        ({"x": np.array([0.0] * 9 + [np.nan])}, "nan"),
        ({"features": np.ones((10, 2))}, r"2 features for groups of \[1, 2\]"),
        ({"features": np.full((10, 3), np.inf)}, "inf"),
        ({"y": np.ones(10)}, r"outputs of shape \(10,\)"),
        ({"y": [["a"]] * 10}, "not an array of numbers"),
    ],
)
def test_invalid_rows_are_told(change: dict[str, object], message: str) -> None:
    given = {"x": np.arange(10.0), "features": np.ones((10, 3)), "y": np.ones((10, 2))} | change
    with pytest.raises(InputError, match=message):
        CoefficientProcess([1, 2]).fit(given["x"], given["features"], given["y"])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [0.0, 1e-15, 1e-6])
def test_outputs_that_hardly_differ_are_learned(size: float) -> None:
    x, features, y = make_rows(4, 10)
    process = CoefficientProcess([1, 2], widths=(0.2,), iterations=30).fit(x, features, size * y)
    np.testing.assert_allclose(process.predict(x, features), size * y, atol=5.0 * NOISE * size)


@pytest.mark.filterwarnings("error")
def test_outputs_without_noise_are_learned() -> None:
    x, features, _ = make_rows(20, 20)
    y = features @ np.array([[1.0, 0.0], [0.5, 2.0], [0.0, -1.0]])
    process = CoefficientProcess([1, 2], widths=(0.2,), iterations=60).fit(x, features, y)
    # What is between knots has an error of 1.5 % of a coefficient, next to both ends of 5 %.
    errors = np.abs(process.predict(x, features) - y)
    assert errors.max() < 0.05 * 2.0
    assert process.noise_ < 0.015 * 2.0


@pytest.mark.parametrize("width", [0.02, 0.05, 0.2])
def test_little_of_the_prior_is_missing_between_knots(width: float) -> None:
    process = CoefficientProcess([1], widths=(width,)).fit(
        np.linspace(0.0, 1.0, 50), np.ones((50, 1)), np.ones((50, 1))
    )
    missing = 1.0 - (process._find_basis(np.linspace(0.0, 1.0, 1001), width) ** 2).sum(axis=1)
    assert missing[300:700].max() < 3e-4
    assert missing.max() < 3e-3


def test_nothing_is_predicted_before_learning() -> None:
    with pytest.raises(InputError, match="call fit first"):
        CoefficientProcess([1]).evaluate_coefficients([0.0])
    with pytest.raises(InputError, match="call fit first"):
        CoefficientProcess([1]).predict([0.0], [[1.0]])


def test_features_to_predict_have_the_columns_of_the_learned_ones(learned: CoefficientProcess) -> None:
    with pytest.raises(InputError, match="2 columns, expected 3"):
        learned.predict([2.5], [[1.0, 0.0]])
